"""A lecture for the original engine of 2025: `execute_util` and the small modules beside it."""
from arxiv_util import arxiv_reference
from basic_util import count, mean, repeat, round1
from execute_util import image, link, system_text, text
from file_util import ensure_directory_exists, relativize
from lecture_util import article_link, blog_link, named_link, x_link, youtube_link
from reference import Reference, join

shannon = Reference(
    title="Prediction and Entropy of Printed English", authors=["Claude Shannon"], date="1950-09-15",
    url="https://example.org/shannon.pdf", notes=join("measures entropy", "of English"),
)
transformer = arxiv_reference("https://arxiv.org/pdf/1706.03762.pdf", organization="Google")


def main():
    text("# Entropy")
    text("How many bits a letter? ", style={"color": "gray"}), link(shannon), article_link("https://example.org/a")
    text("Follow-up: "), link(transformer)
    text("H = sum\n  -p log p", verbatim=True)
    image("https://no-such-host.invalid/entropy.png", width=0.5)
    image("images/none.png", width=400), link(title=" [tweet]", url="https://example.org/t")
    counts = tally("abracadabra")  # @inspect counts, @inspect shannon.title
    letters = [count("abracadabra", letter)
               for letter in "abc"]  # @inspect letters
    average = round1(mean(repeat(lambda: 2.25, 3)))  # @inspect average
    link(tally)
    blog_link("https://example.org/b"), youtube_link("https://example.org/v")
    x_link("https://example.org/x"), named_link("talk", "https://example.org/n")
    ensure_directory_exists("var/first_edition")
    where = relativize("var/first_edition")  # @inspect where
    system_text(["echo", "done"])


def tally(word: str) -> dict:  # @inspect word
    found = {}
    for letter in word:  # @stepover
        found[letter] = found.get(letter, 0) + 1
    return found  # @inspect found


if __name__ == "__main__":
    main()
