"""The modules beside a lecture are its own; the engine's names are not."""
import edtrace
from execute_util import link, text
from file_util import relativize
from lecture_util import article_link
from reference import Reference


def main():
    text("own modules")
    article_link("https://example.org/a")
    link(Reference(title="Own", url="https://example.org/own"))
    same = edtrace.text is text  # @inspect same
    where = relativize("var")  # @inspect where
