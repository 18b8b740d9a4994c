"""Where and when a recording was made."""

from pathlib import Path
from typing import Any

import pytest

from engine import trace as t
from tests.viewer.samples import lecture
from viewer.library import Library
from viewer.provenance import provenance
from viewer.site import index
from viewer.site import lecture as page


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ({"device": "NVIDIA H200", "started": "2026-11-29T21:23:06+00:00"}, "Recorded on NVIDIA H200, 29 Nov 2026"),
        ({"device": "CPU"}, "Recorded on CPU"),
        ({"started": "2026-03-01"}, "Recorded 1 Mar 2026"),
        ({}, ""),
        ({"device": ["H200"], "started": 5}, ""),
        ({"device": "", "started": "yesterday"}, ""),
        ({"device": "x" * 500}, "Recorded on " + "x" * 80),
    ],
)
def test_only_what_the_recording_says_is_said(run: dict[str, Any], said: str):
    assert provenance(run) == said


def test_the_index_and_the_page_say_it(tmp_path: Path):
    trace = lecture().trace()
    trace.run = {"device": "NVIDIA <H200>", "started": "2026-11-29T21:23:06+00:00"}
    t.write(trace, tmp_path / "small.json")
    library = Library(tmp_path)
    assert "kernel · recorded on NVIDIA &lt;H200&gt;, 29 Nov 2026</p>" in index(library)
    assert '<p class="facts made">Recorded on NVIDIA &lt;H200&gt;, 29 Nov 2026</p>' in page(library.entry("small"))
