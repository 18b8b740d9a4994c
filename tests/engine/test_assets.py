"""Pictures are found or fetched once, kept under the original's names, and never where they should not be."""

import base64
import hashlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import assets, downloads, image
from engine.downloads import DownloadError, Downloads
from engine.media import suffix
from engine.trace import Picture
from tests.clocks import processor_seconds
from tests.engine.hearing import Hearing, hearing
from tests.engine.server import Web, serving

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
SVG = b'<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="http://www.w3.org/2000/svg"/>'
WEBP = b"RIFF\x1a\x00\x00\x00WEBPVP8L"


@pytest.fixture
def web() -> Iterator[Web]:
    with serving() as served:
        yield served


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working folder is not the lecture's, and holds no cache."""
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")


def md5(data: bytes) -> str:
    return hashlib.md5(data).hexdigest()


# ---------------------------------------------------------------- local


@pytest.mark.parametrize("where", ["beside the lecture", "in the working folder", "absolute"])
def test_a_local_picture_is_copied(heard: Hearing, tmp_path: Path, where: str):
    folder = tmp_path if where == "beside the lecture" else tmp_path / "cwd"
    (folder / "images").mkdir()
    (folder / "images/The plan.png").write_bytes(PNG)
    image("images/The plan.png" if where != "absolute" else str(folder / "images/The plan.png"))
    name = f"image-{md5(PNG)}-The_plan.png"
    assert (heard.outputs[0].file, heard.warnings, heard.files) == (name, [], [name])
    assert heard.file(name) == PNG


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("page.png", b"<!DOCTYPE html><p>404", "it is a web page, not a picture that browsers show"),
        ("text.png", b"hello", "it is something else, not a picture that browsers show"),
        ("film.png", b"\0\0\0\x18ftypmp42", "it is a film, not a picture that browsers show"),
        ("paper.png", b"%PDF-1.7", "it is a PDF, not a picture that browsers show"),
        ("empty.png", b"", "it is something else, not a picture that browsers show"),
    ],
)
def test_what_is_no_picture_is_not_kept(heard: Hearing, tmp_path: Path, name: str, data: bytes, reason: str):
    (tmp_path / name).write_bytes(data)
    image(name)
    assert (heard.outputs, heard.files) == ([Picture(name, reason=reason)], [])


def test_a_picture_too_large_is_not_kept(heard: Hearing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "large.png").write_bytes(PNG)
    monkeypatch.setitem(assets.SIZE, "image", 16)
    image("large.png")
    assert heard.outputs[0].reason == "'large.png' is larger than 1.52588e-05 MiB"


@pytest.mark.parametrize("source", ["..", ".", "/", "a" * 5000, "nul\0byte", "~", ""])
def test_odd_paths_are_cards(heard: Hearing, source: str):
    image(source)
    assert heard.outputs[0].file == ""
    assert heard.outputs[0].reason == "there is no such file, neither beside the lecture nor in the working folder"


@pytest.mark.parametrize(
    "name", ["../../up.svg", "../b/../../up.svg", "..%2Fup.svg", ".hidden.svg", "日本 図.svg", "-rf.svg"]
)
def test_nothing_is_kept_outside_of_files(heard: Hearing, tmp_path: Path, name: str):
    lectures = tmp_path / "a/b"
    lectures.mkdir(parents=True)
    heard.lecture = lectures / "lecture.py"
    (lectures / name).resolve().write_bytes(SVG)
    before = set(tmp_path.rglob("*"))
    image(name)
    made = {path.relative_to(tmp_path).as_posix() for path in set(tmp_path.rglob("*")) - before}
    assert made == {"var", "var/files", f"var/files/{heard.outputs[0].file}"}
    assert heard.outputs[0].file.endswith(".svg")


@pytest.mark.parametrize(
    ("source", "data", "ending"),
    [
        (f"data:image/png;base64,{base64.b64encode(PNG).decode()}", PNG, ".png"),
        ("data:image/svg+xml,%3Csvg%20xmlns='x'/%3E", b"<svg xmlns='x'/>", ".svg"),
    ],
)
def test_a_picture_within_the_address(heard: Hearing, source: str, data: bytes, ending: str):
    image(source)
    name = f"image-{md5(data)}-data{ending}"
    assert (heard.outputs[0].file, heard.file(name), heard.warnings) == (name, data, [])


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("data:image/png;base64", "the data: address has no comma, so no data"),
        ("data:image/png;base64,%%%", "the data: address is not base64 (Only base64 data is allowed)"),
        ("data:text/html,<html>", "it is a web page, not a picture that browsers show"),
    ],
)
def test_a_broken_data_address_is_a_card(heard: Hearing, source: str, reason: str):
    image(source)
    assert heard.outputs == [Picture(source, reason=reason)]


# ---------------------------------------------------------------- fetched


def test_a_picture_is_fetched_once(heard: Hearing, web: Web):
    web.answers["/a/plan.png?x=1"] = 200, "image/png", PNG
    url = f"{web.url}/a/plan.png?x=1"
    image(url)
    image(url)
    name = f"image-{md5(url.encode())}-http_127_0_0_1_{web.url[-5:]}_a_plan_png_x_1.png".replace("__", "_")
    assert ([output.file for output in heard.outputs], heard.files) == ([name, name], [name])
    assert (heard.file(name), web.asked["/a/plan.png?x=1"], heard.warnings) == (PNG, 1, [])


def test_a_redirect_is_followed(heard: Hearing, web: Web):
    web.answers |= {"/old": (302, "/new", b""), "/new": (200, "image/png", PNG)}
    image(f"{web.url}/old")
    assert heard.warnings == []
    assert heard.outputs[0].file.endswith("_old.png")


@pytest.mark.parametrize("ending", ["", ".png", ".jpeg"])
def test_the_originals_caches_are_used(heard: Hearing, tmp_path: Path, ending: str):
    """With and without an extension, and wherever the original put them; nothing is asked of the network."""
    url = "https://no-such-host.invalid/resize:fit:2000/plan.png"
    key = f"image-{md5(url.encode())}-https_no-such-host_invalid_resize_fit_2000_plan_png"
    folder = tmp_path / ("cwd/var/files" if ending else "var/files")
    folder.mkdir(parents=True)
    (folder / f"{key}{ending}").write_bytes(PNG)
    image(url)
    assert (heard.outputs[0].file, heard.warnings) == (f"{key}.png", [])
    assert heard.file(f"{key}.png") == PNG


def test_names_are_the_originals():
    """The original: prefix, MD5 of the address, the address with runs of other characters as `_`, the extension."""
    url = "https://miro.medium.com/v2/1*6x-d_e.jpeg"
    key = md5(url.encode())
    assert assets.cached_name("image", url) == f"image-{key}-https_miro_medium_com_v2_1_6x-d_e_jpeg.jpeg"
    query = "http://export.arxiv.org/api/query?id_list=1706.03762"
    assert assets.cached_name("arxiv", query).endswith("-http_export_arxiv_org_api_query_id_list_1706_03762")
    assert len(assets.cached_name("image", "https://a/" + "é" * 500)) < 230


def test_an_error_page_in_a_cache_is_fetched_anew(heard: Hearing, web: Web):
    web.answers["/p.png"] = 200, "image/png", PNG
    url = f"{web.url}/p.png"
    files = heard.store / "files"
    files.mkdir(parents=True)
    (files / assets.cached_name("image", url)).write_bytes(b"<html>rate limited</html>")
    image(url)
    assert heard.file(heard.outputs[0].file) == PNG


def test_a_wrong_extension_is_mended(heard: Hearing, web: Web):
    web.answers["/p.jpg"] = 200, "image/webp", WEBP
    image(f"{web.url}/p.jpg")
    assert heard.outputs[0].file.endswith("_p_jpg.webp")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ((404, "text/html", b"gone"), "127.0.0.1 answered 404 Not Found"),
        ((500, "text/html", b""), "127.0.0.1 answered 500 Internal Server Error"),
        ((200, "text/html", b"<html>sign in</html>"), "it is a web page, not a picture that browsers show"),
        ((200, "image/png", b"hello"), "it is something else, not a picture that browsers show"),
        ((200, "image/png", b""), "127.0.0.1 sent nothing"),
        ((302, "/a", b""), "127.0.0.1 gave no usable answer (Exceeded maximum allowed redirects.)"),
        ((200, "image/png", PNG + b"x" * 4096), "what 127.0.0.1 sends is larger than 0.00390625 MiB"),
    ],
)
def test_a_failure_is_a_card_and_is_asked_for_once(
    heard: Hearing, web: Web, monkeypatch: pytest.MonkeyPatch, answer: tuple[int, str, bytes], reason: str
):
    monkeypatch.setitem(assets.SIZE, "image", 4096)
    web.answers["/a"] = answer
    image(f"{web.url}/a")
    asked = web.asked["/a"]
    image(f"{web.url}/a")
    assert heard.outputs == [Picture(f"{web.url}/a", reason=reason)] * 2
    assert heard.warnings == [f"image('{web.url}/a'): {reason}"] * 2
    assert (web.asked["/a"], heard.files) == (asked, [])


def test_the_next_recording_asks_again(tmp_path: Path, web: Web):
    for status in (500, 200):
        web.answers["/p"] = status, "image/png", PNG
        with hearing(tmp_path) as heard:
            image(f"{web.url}/p")
    assert (heard.warnings, web.asked["/p"]) == ([], 2)


# ---------------------------------------------------------------- offline


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_a_dead_host_is_asked_once(heard: Hearing, monkeypatch: pytest.MonkeyPatch):
    tried: list[str] = []
    real = downloads._fetch
    monkeypatch.setattr(downloads, "_fetch", lambda url, *rest: tried.append(url) or real(url, *rest))
    address = f"http://127.0.0.1:{closed_port()}"
    for number in range(5):
        image(f"{address}/{number}.png")
    assert tried == [f"{address}/0.png"]
    assert {output.reason.partition(" (")[0] for output in heard.outputs} == {"no connection to 127.0.0.1"}


def test_offline_costs_two_lookups_and_not_forty(heard: Hearing, monkeypatch: pytest.MonkeyPatch):
    looked_up: list[str] = []

    def unknown(host: str, *rest: object) -> None:
        looked_up.append(host)
        raise socket.gaierror(-3, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    for number in range(40):
        image(f"https://host{number % 20}.example/{number}.png")
    assert looked_up == ["host0.example", "host1.example"]
    assert heard.outputs[0].reason == "the host host0.example is not found (Temporary failure in name resolution)"
    assert heard.outputs[39].reason == "this machine seems to be offline"


def test_a_resolver_that_never_answers_is_not_waited_for(heard: Hearing, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(downloads, "CONNECT", 0.05)
    over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *rest: over.wait())
    for number in range(10):
        image(f"https://host{number}.example/a.png")
    over.set()
    assert heard.outputs[0].reason == "the host host0.example is not found in 0 s"


def test_a_slow_answer_is_not_waited_for(heard: Hearing, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(downloads, "ANSWER", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        image(f"http://127.0.0.1:{silent.getsockname()[1]}/a.png")
    assert heard.outputs[0].reason == "127.0.0.1 took longer than 0 s to answer"


def test_one_host_that_answers_means_online():
    known = Downloads(dead={"a": "gone", "b": "gone"}, reached=True)
    with pytest.raises(DownloadError, match=r"the host c\.invalid is not found"):
        known.get("http://c.invalid/x", 10)


@pytest.mark.parametrize("url", ["http://", "https:///a.png", "http://[::1", "https://a b/c.png"])
def test_addresses_that_are_none(heard: Hearing, url: str):
    image(url)
    assert heard.outputs[0].file == ""
    assert heard.outputs[0].reason


# ---------------------------------------------------------------- writing


def test_a_disk_that_cannot_be_written_is_a_card(heard: Hearing, tmp_path: Path):
    (tmp_path / "a.png").write_bytes(PNG)
    heard.store.write_text("a file where the folder should be")
    image("a.png")
    assert "cannot write" in heard.outputs[0].reason


def test_a_link_under_files_is_replaced_and_not_followed(heard: Hearing, tmp_path: Path):
    (tmp_path / "a.png").write_bytes(PNG)
    (tmp_path / "secret").write_bytes(b"mine")
    files = heard.store / "files"
    files.mkdir(parents=True)
    (files / f"image-{md5(PNG)}-a.png").symlink_to(tmp_path / "secret")
    image("a.png")
    assert (tmp_path / "secret").read_bytes() == b"mine"
    assert not (files / heard.outputs[0].file).is_symlink()


def test_files_of_one_recording_replace_those_of_the_last(tmp_path: Path):
    for content in (b"first", b"second"):
        with hearing(tmp_path) as heard:
            names = [assets.save_again("stacks", "mlp", ".txt", content + number) for number in (b"1", b"2")]
    assert heard.files == sorted(names)
    assert [heard.file(name) for name in names] == [b"second1", b"second2"]


def test_a_working_folder_that_is_gone_is_no_failure(heard: Hearing, tmp_path: Path):
    (tmp_path / "a.png").write_bytes(PNG)
    (tmp_path / "cwd").rmdir()
    image("a.png")
    image("b.png")
    assert [output.file for output in heard.outputs] == [f"image-{md5(PNG)}-a.png", ""]


# ---------------------------------------------------------------- kinds


@pytest.mark.parametrize(
    ("data", "ending"),
    [
        (PNG, ".png"),
        (b"\xff\xd8\xff\xe0", ".jpg"),
        (b"GIF89a", ".gif"),
        (WEBP, ".webp"),
        (b"\0\0\0\x1cftypavif", ".avif"),
        (SVG, ".svg"),
        (b"\xef\xbb\xbf <svg:svg xmlns:svg='x'>", ".svg"),
        (b'<!DOCTYPE svg PUBLIC "a" "b" [ <!ENTITY x "y"> ]>\n<svg >', ".svg"),
    ],
)
def test_kinds_of_pictures(data: bytes, ending: str):
    assert suffix(data, "image") == ending


def test_telling_the_kind_takes_no_time():
    def telling() -> None:
        with pytest.raises(ValueError, match="something else"):
            suffix(b"<!---->" * 100_000, "image")

    assert processor_seconds(telling) < 1


@pytest.mark.parametrize(
    ("data", "ending"), [(b"\0\0\0\x18ftypmp42", ".mp4"), (b"\x1aE\xdf\xa3", ".webm"), (b"OggS", ".ogv")]
)
def test_kinds_of_films(data: bytes, ending: str):
    assert suffix(data, "video") == ending
