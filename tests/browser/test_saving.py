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
from tests.engine.test_renewal import CALLER, HELPER, apart
from tests.viewer.factory import Maker

pytest.importorskip("triton", reason="it is what compiles")
pytestmark = pytest.mark.browser


@pytest.fixture
def studio(tmp_path):
    """A kernel's file, whose helper stands in sub/h.py, and the address of a server started beside them."""
    store = tmp_path / "var"
    with Workers(1) as workers:
        variants = compile_all({0: [apart()]}, ["sm_90"], store, workers=workers)[0]
    made = Maker("launch()\n")
    made.file("k.py", CALLER)
    made.file("sub/h.py", HELPER)
    made.kernels.append(t.Kernel("copy", "triton", "k.py", 6, 9, variants, (t.Launch(0, (1,), True),)))
    made.step(made.call("main"), 1)
    (tmp_path / "k.py").write_text(CALLER)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "h.py").write_text(HELPER)
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
    file.write_text("# a remark, which no line of code minds\n" + CALLER)
    page.wait_for_selector("#kernel .link-state >> text=The kernel's code was saved, and compiles to the same.")
    assert page.locator("#kernel .pair").count() == 1
    file.write_text(CALLER.replace("tl.load(x + i)", "tl.load(x + i) * 3"))
    page.wait_for_selector("#kernel .compared")
    assert page.locator(".sides strong").all_inner_texts()[0].startswith("As recorded")
    assert page.locator(".sides strong").all_inner_texts()[1].startswith("As saved")
    changed = page.locator(".compared li:not([data-mark='='])").all_inner_texts()
    assert any("mul" in line or "add" in line for line in changed)
    page.select_option("[aria-label='Compare with']", label="Stop comparing")
    page.wait_for_selector("#kernel .pair")
    page.select_option("[aria-label='Compare with']", label="beside the saved code")
    page.wait_for_selector("#kernel .compared")

    page.click("#kernel .tabs button >> text=SASS")
    page.wait_for_selector("#kernel .compared[aria-label^='SASS']")
    file.write_text(CALLER.replace("i = ", "i = = "))
    page.wait_for_selector("#kernel .failure >> text=SyntaxError: invalid syntax")
    assert page.locator("#kernel .pair").count() == 1, "what was recorded stays"
    file.write_text(CALLER)
    page.wait_for_selector("#kernel .failure", state="detached")
    assert page.locator("#kernel .pair").count() == 1

    file.with_name("sub").joinpath("h.py").write_text(HELPER.replace("x * 2", "x - 7"))
    page.wait_for_selector("#kernel .compared")
    changed = page.locator(".compared li[data-mark]:not([data-mark='='])").all_inner_texts()
    assert any("-7" in line or "0fC0E00000" in line for line in changed), "the helper's file was saved"
    assert set((file.parent / "var" / "kernels").rglob("*")) == recorded, "nothing is left beside the recording"
