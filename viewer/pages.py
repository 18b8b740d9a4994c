"""What each page says, as plain dataclasses; templates see nothing else."""

from dataclasses import dataclass

from markupsafe import Markup

from engine.trace import Error, Kernel, Output, Warning
from viewer.measured import Measured
from viewer.outline import Section
from viewer.plots import Charts
from viewer.urls import Urls


@dataclass(frozen=True)
class Card:
    """One recording on the index."""

    name: str
    title: str
    status: str
    "`ok`, `error`, `stopped`, `interrupted`, or `broken` for a file that cannot be shown."
    said: str
    "Why it ended, or what is wrong with the file."
    lecture: str = ""
    steps: int = 0
    kernels: int = 0
    sections: tuple[str, ...] = ()
    made: str = ""
    "Where and when it was recorded; empty where the recording does not say."
    failed: str = ""
    "Why it could not be recorded again, since this recording was made."
    compared: bool = False
    "Whether there is another recording of the lecture, and so a page that compares what they measured."


@dataclass(frozen=True)
class Inline:
    """What a page holds itself where it has nothing beside it."""

    style: Markup
    theme: Markup
    script: Markup
    policy: str
    blocks: dict[str, Markup]
    "JSON by the id of the element that holds it."
    libraries: dict[str, Markup]
    "Scripts of others that are run only when they are needed, by the id of the element that holds them."


@dataclass(frozen=True)
class IndexPage:
    """The index of recordings."""

    urls: Urls
    folder: str
    cards: list[Card]
    title: str = "Lectures"
    description: str = "Recorded lectures, to be stepped through."
    address: str = ""
    "Where the page is published, for cards of social networks; empty where that is not known."


@dataclass(frozen=True)
class Group:
    """What one visit of a statement showed."""

    number: int
    passes: str
    "Which visits showed it, `pass 3`; empty when all did."
    outputs: tuple[Output, ...]


@dataclass(frozen=True)
class Slot:
    """The place of a statement's outputs, after its last line."""

    spot: int
    indent: int
    prose: bool
    "Whether the outputs stand instead of the code."
    groups: list[Group]
    visits: int
    "How often the statement was executed."
    rest: int = 0
    "How many more groups there are than the page holds."
    errors: tuple[tuple[int, Error], ...] = ()
    "The step and the exception of each visit that raised one."
    only_notes: bool = False
    "Whether all that was shown is for the speaker."
    warnings: tuple[Warning, ...] = ()
    "Of the recording, about the statement."


@dataclass(frozen=True)
class Row:
    """A source line."""

    line: int
    code: Markup
    indent: int
    kind: str
    "`code`, `unrun`, `head` (a function of the file begins), `more` (further lines of a statement or signature),"
    " `comment`, `blank`, `prose` (replaced by what it shows)."
    spot: int = -1
    "The statement it begins, -1 for none."
    step: int = -1
    "The first step there, -1 when it was never executed."
    reach: int = -1
    "The step from which it is no longer ahead of the reader."
    hidden: bool = False
    slots: tuple[Slot, ...] = ()
    "Of the statements that end here, also where the line itself is hidden because it makes a note."
    warnings: tuple[Warning, ...] = ()
    "Of the recording, about this line."
    touched: tuple[str, ...] = ()
    "What program instances read and wrote here, in words."


@dataclass(frozen=True)
class FileView:
    """A source file with the outputs of its statements in their places."""

    number: int
    path: str
    rows: list[Row]
    lecture: bool
    language: str


@dataclass(frozen=True)
class LecturePage:
    """A lecture's page."""

    urls: Urls
    name: str
    title: str
    description: str
    status: str
    reason: str
    steps: int
    sections: list[Section]
    files: list[FileView]
    kernels: tuple[Kernel, ...]
    charts: Charts
    "Those of its plots that a browser can draw."
    warnings: tuple[Warning, ...]
    error: str
    "Traceback of the exception that ended the lecture."
    revision: str
    "Changes whenever the recording does."
    live: bool = False
    "Whether the server tells this page when the lecture is recorded again."
    address: str = ""
    "Where the page is published."
    made: str = ""
    "Where and when it was recorded."


@dataclass(frozen=True)
class ComparePage:
    """What recordings of one lecture measured, side by side."""

    urls: Urls
    title: str
    cards: list[Card]
    "The recordings, the one that was asked for first."
    measured: Measured
    description: str = ""
    address: str = ""


@dataclass(frozen=True)
class ErrorPage:
    """A page that says why there is nothing to see."""

    urls: Urls
    title: str
    message: str
    description: str = ""
    address: str = ""
