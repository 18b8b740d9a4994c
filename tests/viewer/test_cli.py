"""`python -m viewer` from the outside."""

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.clocks import SECONDS
from viewer.cli import main


def test_a_port_in_use_is_one_sentence(traces: Path, capsys: pytest.CaptureFixture[str]):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["serve", "--traces", str(traces), "--port", str(port)]) == 2
    said = f"viewer: cannot listen on 127.0.0.1 port {port}: it is in use; choose another with --port\n"
    assert capsys.readouterr().err == said


def test_no_such_folder_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["serve", "--traces", str(tmp_path / "no")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("port", ["-1", "x", "65536", "1.5"])
def test_a_port_that_is_none_is_refused(port: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--port", port])
    assert ended.value.code == 2 and "is not a port" in capsys.readouterr().err


def test_an_address_that_cannot_be_had_is_refused(traces: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["serve", "--traces", str(traces), "--host", "no.such.host.invalid"]) == 2
    assert "cannot listen on no.such.host.invalid" in capsys.readouterr().err


def test_serving_prints_its_address_and_ends_on_interrupt(traces: Path):
    command = [sys.executable, "-m", "viewer", "serve", "--traces", str(traces), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        address = re.search(r"http://127\.0\.0\.1:\d+/", server.stdout.readline())[0]
        with urllib.request.urlopen(f"{address}small/") as page:
            assert b"Kernels" in page.read()
        with urllib.request.urlopen(f"{address}_events") as listening:
            assert listening.readline() == b"event: changed\r\n"
            server.send_signal(signal.SIGINT)
            assert listening.read().endswith(b"\r\n"), "what a page listens to is whole"
        assert server.wait(SECONDS) == 0
        assert server.stderr.read() == ""


def test_the_viewer_needs_neither_torch_nor_the_recorder():
    code = "import sys, viewer.app, viewer.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    ours = {module for module in loaded if module.split(".")[0] in {"torch", "triton", "engine"}}
    assert ours == {"engine", "engine.errors", "engine.trace"}
