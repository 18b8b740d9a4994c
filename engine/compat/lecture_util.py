"""Links under a fixed word."""

from engine.api import link

__all__ = [
    "article_link", "blog_link", "get_local_url", "named_link", "post_link", "tweet_link", "video_link", "x_link",
    "youtube_link",
]  # fmt: skip


def named_link(name: str, url: str) -> None:
    """A link called `name`, in brackets."""
    link(title=f"[{name}]", url=url)


def article_link(url: str) -> None:
    """A link to an article."""
    named_link("article", url)


def blog_link(url: str) -> None:
    """A link to a blog."""
    named_link("blog", url)


def post_link(url: str) -> None:
    """A link to a post."""
    named_link("post", url)


def tweet_link(url: str) -> None:
    """A link to a post on X, under its former name."""
    named_link("tweet", url)


def x_link(url: str) -> None:
    """A link to a post on X."""
    named_link("X", url)


def video_link(url: str) -> None:
    """A link to a film."""
    named_link("video", url)


def youtube_link(url: str) -> None:
    """A link to a film on YouTube."""
    named_link("video", url)


def get_local_url(path: str) -> str:
    """Where `path` of the course's folder is to be found; here, the path itself."""
    return path
