"""The one place where links are made. All are relative to the page, so a site works under any path.

    /                       the index                   /_static/...            scripts, styles, fonts
    /NAME/                  a lecture's page            /_files/NAME            pictures, films, charts
    /NAME/data.json         its columns                 /_kernels/KEY.json      a variant's stages, linked
    /NAME/outputs/S/K.json  outputs not on the page     /_kernels/KEY/STAGE     a stage's text
    /NAME/plots/KEY.json    a chart's specification     /NAME/compare/          what it and others measured
    /_events                what has changed            /_renewed/KEY.json      a variant as its files now compile
"""

from dataclasses import dataclass
from urllib.parse import quote

STATIC, FILES, KERNELS, RENEWED = "_static", "_files", "_kernels", "_renewed"
RESERVED = {STATIC, FILES, KERNELS, RENEWED, "_events"}
"Names that no recording can have, since the site uses them itself."


@dataclass(frozen=True)
class Urls:
    """Links from a page that lies `root` below the site's top: `./` for the index, `../` for a lecture."""

    root: str = "../"

    def index(self) -> str:
        """The index of recordings."""
        return self.root

    def lecture(self, name: str) -> str:
        """The page of the recording `name`."""
        return f"{self.root}{quote(name, safe='')}/"

    def compare(self, name: str) -> str:
        """What the recording `name` and the others of its lecture measured."""
        return f"{self.lecture(name)}compare/"

    def static(self, path: str) -> str:
        """A script, style or font of the viewer."""
        return f"{self.root}{STATIC}/{quote(path)}"

    def script(self, path: str) -> str:
        """A script of others that is run only when it is needed."""
        return self.static(path)

    def plot(self, key: str) -> str:
        """The specification of a chart of the page's lecture."""
        return f"plots/{quote(key)}.json"

    def file(self, name: str) -> str:
        """A file of the store, such as a picture."""
        return f"{self.root}{FILES}/{quote(name)}"

    def stage(self, key: str, stage: str) -> str:
        """The text of one stage of a compiled kernel."""
        return f"{self.root}{KERNELS}/{quote(key)}/{quote(stage)}"


def anchor(file: int, line: int) -> str:
    """The id of a source line on its page."""
    return f"f{file}L{line}"
