"""The author saves a kernel's file, and sees what it compiles to now beside what was recorded."""

import os
import subprocess
import sys

import pytest

from engine import trace as t
from engine.compile import compile_all
from engine.workers import Workers
from tests.clocks import SECONDS
from tests.engine.compiled import ROOT
from tests.engine.test_compile import gelu_job
from tests.engine.test_renewal import SOURCE
from tests.viewer.factory import Maker

pytest.importorskip("triton", reason="it is what compiles")
pytestmark = pytest.mark.browser


@pytest.fixture
def studio(tmp_path):
    """A folder with a recording of the kernel in k.py, and the address of a server that was started in it."""
    store = tmp_path / "var"
    with Workers(1) as workers:
        variants = compile_all({0: [gelu_job()]}, ["sm_90"], store, workers=workers)[0]
    made = Maker("launch()\n")
    made.file("k.py", SOURCE)
    made.kernels.append(t.Kernel("copy", "triton", "k.py", 5, 8, variants, (t.Launch(0, (1,), True),)))
    made.step(made.call("main"), 1)
    (tmp_path / "k.py").write_text(SOURCE)
    t.write(made.trace(), store / "traces" / "live.json")
    command = [sys.executable, "-m", "viewer", "serve", "--port", "0"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=environment) as server:
        try:
            yield tmp_path / "k.py", server.stdout.readline().split()[2]
        finally:
            server.terminate()
            server.wait(SECONDS)


def test_saving_a_kernel_shows_what_it_becomes_beside_what_was_recorded(studio, reading):
    file, address = studio
    recorded = set((file.parent / "var" / "kernels").rglob("*"))
    page = reading("live/", at=address).page
    page.wait_for_selector("#kernel .pair")
    file.write_text("# a remark, which no line of code minds\n" + SOURCE)
    page.wait_for_selector("#kernel .link-state >> text=The kernel's file was saved, and compiles to the same.")
    assert page.locator("#kernel .pair").count() == 1
    file.write_text(SOURCE.replace("tl.load(x + i)", "tl.load(x + i) * 3"))
    page.wait_for_selector("#kernel .compared")
    assert page.locator(".sides strong").all_inner_texts()[0].startswith("As recorded")
    assert page.locator(".sides strong").all_inner_texts()[1].startswith("As saved")
    changed = page.locator(".compared li:not([data-mark='='])").all_inner_texts()
    assert any("mul" in line or "add" in line for line in changed)
    page.select_option("[aria-label='Compare with']", label="Stop comparing")
    page.wait_for_selector("#kernel .pair")
    page.select_option("[aria-label='Compare with']", label="beside the saved file")
    page.wait_for_selector("#kernel .compared")

    page.click("#kernel .tabs button >> text=SASS")
    page.wait_for_selector("#kernel .compared[aria-label^='SASS']")
    file.write_text(SOURCE.replace("i = ", "i = = "))
    page.wait_for_selector("#kernel .failure >> text=SyntaxError: invalid syntax")
    assert page.locator("#kernel .pair").count() == 1, "what was recorded stays"
    file.write_text(SOURCE)
    page.wait_for_selector("#kernel .failure", state="detached")
    assert page.locator("#kernel .pair").count() == 1
    assert set((file.parent / "var" / "kernels").rglob("*")) == recorded, "nothing is left beside the recording"
