"""The server, asked over HTTP."""

import json
import re
from pathlib import Path

import pytest

from engine import trace as t
from tests.viewer.client import Client
from tests.viewer.factory import Maker
from tests.viewer.samples import lecture
from viewer.app import create
from viewer.render import STATIC


@pytest.fixture
def client(traces: Path) -> Client:
    return Client(create(traces))


def test_the_index_leads_to_each_recording(client: Client):
    assert '<a href="./small/" data-lecture="small">Kernels</a>' in client.get("/").text


def test_an_empty_folder_says_how_to_record(tmp_path: Path):
    page = Client(create(tmp_path)).get("/")
    assert page.status_code == 200 and "python -m engine lectures/lecture_06.py -o" in page.text


def test_the_page_is_complete_without_its_script(client: Client):
    page = client.get("/small/").text
    bare = re.sub("</?span[^>]*>", "", page)
    for text in ("<h2>Kernels</h2>", "<msup>", "2048 takes 6144 ms", "trial 2", "not run", "tl.load"):
        assert text in bare


def test_nothing_on_the_page_comes_from_elsewhere(client: Client):
    sources = re.findall(r"""(?:src|href)=["']([^"']*)""", client.get("/small/").text)
    assert sources and all(source.startswith(("../", "#", "?", "data.json")) for source in sources)
    for source in sources:
        if source.startswith("../_"):
            assert client.get(source.removeprefix("..")).status_code == 200


def test_no_template_shows_anything_unescaped():
    for template in (STATIC.parent / "templates").glob("*.html"):
        text = template.read_text().replace(" |", "|").replace("| ", "|")
        assert not [word for word in ("|safe", "autoescape", " style=", " onclick=") if word in text], template.name


def test_the_data_file_is_strict_json_with_a_number_per_step(client: Client):
    answer = client.get("/small/data.json")
    data = json.loads(answer.text, parse_constant=pytest.fail)
    assert answer.headers["content-type"] == "application/json"
    assert {len(data["steps"][name]) for name in data["steps"]} == {48}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/?trace=var/traces/small.json&step=7", "./small/?step=7"),
        ("/?trace=small", "./small/"),
        ("/?trace=small&step=7&raw=1&hideEnv=1&source=a&line=3", "./small/?step=7&raw=1&hideEnv=1&source=a&line=3"),
        ("/?trace=../../etc/passwd&step=1", "./passwd/?step=1"),
        ("/?trace=https://a.example/", "./a.example/"),
        ("/small?step=3", "./small/?step=3"),
    ],
)
def test_old_addresses_lead_to_the_new_ones(client: Client, old: str, new: str):
    answer = client.get(old)
    assert (answer.status_code, answer.headers["location"]) == (307, new)


def test_a_page_that_cannot_be_shown_says_why(client: Client, traces: Path):
    (traces / "bad.json").write_bytes(b"")
    answer = client.get("/bad/")
    assert answer.status_code == 422 and "is empty; record the lecture again" in answer.text
    assert client.get("/bad/data.json").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/no/", "/no", "/no/data.json", "/small/outputs/0/9.json", "/small/outputs/9999/0.json",
        "/small/outputs/0/-1.json", "/_static/../app.py", "/_static/%2e%2e/app.py", "/_static/..%2fapp.py",
        "/_static/no.js", "/_static/", "/_files/..%2ftraces%2fsmall.json", "/_files/%252e%252e%252ftraces",
        "/_kernels/no.json", "/_kernels/gelu90/lines.json", "/_kernels/..%2f..%2ftraces/small.json",
        "/small/../../../etc/passwd", "/%00/", "/small%00/", "/small.json", "/%ff/",
    ],
)  # fmt: skip
def test_what_is_not_listed_is_not_served(client: Client, path: str):
    answer = client.get(path)
    assert answer.status_code in (404, 422), path
    assert "root:" not in answer.text and "def create" not in answer.text and "lecture-trace" not in answer.text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_wrong_methods_are_refused(client: Client, method: str):
    answer = client.request(method, "/small/")
    assert answer.status_code == 405 and answer.headers["allow"]


def test_heads_are_answered_like_gets(client: Client):
    head, get = client.request("HEAD", "/small/"), client.get("/small/")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == get.headers["content-length"]


@pytest.mark.parametrize("path", ["/small/", "/small/data.json"])
def test_a_page_that_has_not_changed_is_not_sent_again(client: Client, traces: Path, path: str):
    tag = client.get(path).headers["etag"]
    again = client.request("GET", path, if_none_match=tag)
    assert (again.status_code, again.content) == (304, b"")
    made = lecture()
    made.title = "Changed"
    t.write(made.trace(), traces / "small.json")
    assert client.request("GET", path, if_none_match=tag).status_code == 200


def test_a_huge_address_is_refused(client: Client):
    assert client.get("/small/?" + "x" * 100_000).status_code == 414


@pytest.mark.parametrize("path", ["/", "/small/", "/small/data.json", "/no/", "/_static/app.css", "/?trace=small"])
def test_every_answer_carries_the_security_headers(client: Client, path: str):
    headers = client.get(path).headers
    assert "script-src 'self'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


def test_a_drawing_is_served_in_a_sandbox(client: Client, traces: Path):
    (traces.parent / "files").mkdir()
    (traces.parent / "files" / "a.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")
    made = Maker("image('x')\n")
    made.step(made.call("main"), 1, t.Picture("x", "a.svg"))
    t.write(made.trace(), traces / "pictures.json")
    answer = client.get("/_files/a.svg")
    assert answer.status_code == 200 and answer.headers["content-security-policy"].endswith("sandbox")


def test_a_hostile_recording_is_only_shown(client: Client, traces: Path):
    bad = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
    made = Maker(f"x = 1  # {bad}\ntext('a')\n", title=bad, path=f"{bad}.py", status="error", reason=bad)
    main = made.call(bad)
    made.step(main, 1, values={bad: bad}, error=t.Error(bad, bad, bad))
    made.step(
        main, 2, t.Text(bad), t.Verbatim(bad, bad), t.Picture(bad, bad, alt=bad), t.Picture(bad, reason=bad),
        t.Video(bad), t.Link(bad, "javascript:alert(1)"), t.Note(bad),
        t.Link(bad, path=bad, line=1, authors=(bad,), description=bad), t.Plot("vega-lite", {"data": bad}, bad, bad),
        t.Graph((t.Node(bad, bad),), (t.Edge(bad, bad, bad),)), t.Table((bad,), ((bad, 1, None),), bad),
        t.Stdout(bad), t.Stderr(bad), t.ProfileTable(bad, (bad,), ((bad,),), bad),
        t.BenchmarkResult(bad, (1.0,), bad, bad, 0.5, bad),
    )  # fmt: skip
    made.warnings.append(t.Warning(bad, bad, 1))
    t.write(made.trace(), traces / "hostile.json")
    for page in (client.get("/").text, client.get("/hostile/").text):
        assert "<script>alert" not in page and "<img src=x" not in page
        assert 'href="javascript' not in page


def test_outputs_that_the_page_does_not_hold_come_in_chunks(client: Client, traces: Path):
    made = Maker("print(i)\n")
    main = made.call("main")
    for number in range(150):
        made.step(main, 1, t.Stdout(f"line {number}\n"))
    t.write(made.trace(), traces / "long.json")
    second = client.get("/long/outputs/0/1.json").json()
    assert len(second) == 50 and "line 100" in second[0] and "line 149" in second[49]


def test_stages_are_served_linked_and_as_text(client: Client):
    linked = client.get("/_kernels/gelu90.json").json()
    assert linked["stages"]["ptx"]["source"][5] == 6
    text = client.get("/_kernels/gelu90/ptx")
    assert text.headers["content-type"] == "text/plain; charset=utf-8" and text.text.startswith(".version")
