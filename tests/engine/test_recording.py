"""What a recording says of a lecture, kind by kind. Values equal their line number where they can."""

import resource
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.engine.interpreters import interpreter
from tests.recordings import record


def test_outputs_belong_to_the_statement_that_made_them(tmp_path: Path) -> None:
    run = record(tmp_path, """
        from engine import text
        def inner():
            text("inner")
            return "from inner"
        def main():
            text(inner())
            print("a", end=""); print("b")
    """)  # fmt: skip
    found = [(s["kind"], s["line"], [o.get("markdown") or o["text"] for o in s["outputs"]]) for s in run.steps]
    assert found == [("line", 7, []), ("line", 4, ["inner"]), ("line", 5, []), ("resume", 7, ["from inner"]),
                     ("line", 8, ["a"]), ("line", 8, ["b\n"])]  # fmt: skip


def test_what_is_printed_reaches_the_terminal_too(tmp_path: Path) -> None:
    run = record(tmp_path, "import sys\ndef main():\n    print('out')\n    print('err', file=sys.stderr)\n")
    assert run.stdout == "out\n" and "err\n" in run.stderr
    outputs = [(o["kind"], o["text"]) for s in run.steps for o in s["outputs"]]
    assert outputs == [("stdout", "out\n"), ("stderr", "err\n")]


def test_a_flood_of_output_is_cut_and_says_so(tmp_path: Path) -> None:
    run = record(tmp_path, "def main():\n    print('x' * 1_000_000)\n")
    (output,) = run.steps[0]["outputs"]
    assert len(output["text"]) == 100_000 and output["truncated"] is True
    many = record(tmp_path, "from engine import text\ndef main():\n    [text(str(i)) for i in range(2000)]\n")
    assert len(many.steps[0]["outputs"]) == 1001


def test_outputs_before_main_belong_to_the_first_step(tmp_path: Path) -> None:
    run = record(tmp_path, "from engine import text\ntext('early')\ndef main():\n    a = 4\n")
    assert run.steps[0]["line"] == 4 and run.texts() == ["early"]


def test_text_that_utf8_cannot_say(tmp_path: Path) -> None:
    source = "from engine import text\ndef main():\n    text('\\ud800 and \\x00')\n    print('\\udfff')\n"
    run = record(tmp_path, source, PYTHONIOENCODING="utf-8:backslashreplace")
    assert run.exit_code == 0, run.stderr
    assert run.texts() == ["\\ud800 and \x00"]


@pytest.mark.parametrize(
    ("comment", "values", "problem"),
    [
        ("# @inspect a", ["a"], ""),
        ("#@inspect a", ["a"], ""),
        ("# a note @inspect a, @inspect b", ["a", "b"], ""),
        ("# @inspect a.real a[0:1] len(b), a.bit_length()", ["a.real", "a[0:1]", "len(b)", "a.bit_length()"], ""),
        ("# @inspect a @stepover @hide", ["a"], ""),
        ("# @inspect b[1, 2] b['x y']", ["b[1, 2]", "b['x y']"], ""),
        ("# write to me@inspect.org", [], ""),
        ("# see @dataclass and @property", [], ""),
        ("# @ inspect a", [], "did you mean '@inspect'?"),
        ("# @Inspect a", [], "did you mean '@inspect'?"),
        ("# @inspct a", [], "did you mean '@inspect'?"),
        ("# @inspect", [], "'@inspect' names nothing"),
        ("# @inspect a.pop()", [], "only names, attributes, items and calls without effect"),
        ("# @inspect print(a) b", ["b"], "only names, attributes, items and calls without effect"),
        ("# @inspect (a := 1)", [], "only names, attributes, items"),
        ("# @inspect a +", ["a"], "'+' is no expression"),
        ("# @clear a.b", [], "only a name can be cleared"),
    ],
)
def test_directives(tmp_path: Path, comment: str, values: list[str], problem: str) -> None:
    run = record(tmp_path, f"def main():\n    a, b = 2, 'bb'  {comment}\n")
    assert list(run.steps[0]["values"]) == values
    assert (problem in " ".join(run.warnings())) if problem else run.warnings() == []


def test_a_directive_beside_a_clause_or_nothing(tmp_path: Path) -> None:
    run = record(tmp_path, """
        def main():
            try:
                1 / 0
            except ZeroDivisionError as e:  # @inspect e
                a = 6
            # @inspect a
            if a == 7:
                pass
            else:  # @inspect a
                b = 11
    """)  # fmt: skip
    assert run.value(6, "e") == "ZeroDivisionError('division by zero')"
    assert run.value(11, "a") == "6"
    assert run.warnings() == ["7: this directive stands beside no statement; put it at the end of a line"]


def test_a_directive_beside_a_def_shows_the_arguments(tmp_path: Path) -> None:
    run = record(tmp_path, """
        def double(n, *more):  # @inspect n more
            "Twice n."
            n = 2 * n
            return n
        def main():
            for i in range(2):
                double(i, 7)
            def inner(a):  # @inspect a
                for _ in range(2):
                    a = a + 1
            inner(5)
    """)  # fmt: skip
    assert [(s["line"], {n: v["text"] for n, v in s["values"].items()}) for s in run.steps if s["values"]] == [
        (4, {"n": "0", "more": "(7,)"}), (4, {"n": "1", "more": "(7,)"}), (10, {"a": "5"}),
    ]  # fmt: skip
    assert run.warnings() == []


def test_values_that_are_not_there(tmp_path: Path) -> None:
    run = record(tmp_path, "def main():\n    a = 2  # @inspect b a.c a[0]\n")
    assert {name: v["type"] for name, v in run.steps[0]["values"].items()} == {
        "b": "NameError", "a.c": "AttributeError", "a[0]": "TypeError",
    }  # fmt: skip


def test_a_name_that_never_was_there_is_said_once_for_each_place(tmp_path: Path) -> None:
    run = record(tmp_path, """
        def f(n):  # @inspect m
            if n > 1:
                late = n
            return n  # @inspect late
        def main():
            for i in range(3):
                total = i  # @inspect totl total.reel len(totl) i.real
                f(i)
            for j in []:  # @inspect j
                pass
            del total  # @inspect total
    """)  # fmt: skip
    assert run.warnings() == [
        "2: '@inspect m' never had a value here: name 'm' is not defined",
        "8: '@inspect totl' never had a value here: name 'totl' is not defined; did you mean 'total'?",
        "8: '@inspect total.reel' never had a value here: 'int' object has no attribute 'reel'",
        "8: '@inspect len(totl)' never had a value here: name 'totl' is not defined; did you mean 'total'?",
    ]
    assert run.stderr.count("did you mean 'total'?") == 2


def test_all_values(tmp_path: Path) -> None:
    run = record(tmp_path, "def main():\n    a = 2\n    b = [3]\n    b.append(4)\n    return a\n", "-I")
    assert [{n: v["text"] for n, v in s["values"].items()} for s in run.steps] == [
        {"a": "2"}, {"b": "[3]"}, {"b": "[3, 4]"}, {},
    ]  # fmt: skip


def test_a_value_that_is_asked_for_twice_is_recorded_once(tmp_path: Path) -> None:
    run = record(tmp_path, "def main():\n    a = 2  # @inspect a\n    b = 3\n", "-I")
    assert run.trace.read_text().count('"inspected":{"step":[0,1],') == 1


def test_other_files_can_be_made_visible(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def double(n):\n    return 2 * n  # @inspect n\n")
    (tmp_path / "quiet.py").write_text("def triple(n):\n    return 3 * n\n")
    source = "import helper  # @visible\nimport quiet\ndef main():\n    a = helper.double(4)\n    b = quiet.triple(5)\n"
    run = record(tmp_path, source)
    assert [(Path(s["path"]).name, s["line"]) for s in run.steps] == [
        ("lecture.py", 4), ("helper.py", 2), ("lecture.py", 4), ("lecture.py", 5),
    ]  # fmt: skip
    assert run.steps[1]["values"]["n"]["text"] == "4"
    shown = record(tmp_path, source.replace("  # @visible", ""), "--visible", str(tmp_path / "quiet.py"))
    assert [Path(s["path"]).name for s in shown.steps] == ["lecture.py", "lecture.py", "quiet.py", "lecture.py"]


def test_stacks_depth_and_frames(tmp_path: Path) -> None:
    run = record(tmp_path, """
        def down(n):
            if n:
                down(n - 1)
        def main():
            down(1)
            down(0)
    """)  # fmt: skip
    inner = run.at(3)[1]
    assert [place[1:] for place in inner["stack"]] == [[6, "main"], [4, "down"], [3, "down"]]
    assert inner["depth"] == 2
    assert [s["depth"] for s in run.steps] == [0, 1, 1, 2, 1, 0, 0, 1, 0]
    assert len({s["frame"] for s in run.steps}) == 4


def test_hidden_lines_are_marked_and_still_steps(tmp_path: Path) -> None:
    run = record(tmp_path, "from engine import text\ndef main():\n    text('said')  # @hide\n")
    assert run.texts() == ["said"] and run.lines() == [3]
    assert '"hidden":[3]' in run.trace.read_text()


def test_code_under_the_lectures_name_is_not_the_lectures(tmp_path: Path) -> None:
    run = record(tmp_path, """
        def main():
            exec(compile("b = 1\\nc = 2", __file__, "exec"))
            a = 4  # @inspect a
    """)  # fmt: skip
    assert run.lines() == [3, 4] and all(s["function"] == "main" for s in run.steps)


def test_a_lecture_that_uses_the_tracer_itself(tmp_path: Path) -> None:
    run = record(tmp_path, """
        import sys
        from engine import text
        def main():
            seen = []
            def own(frame, event, arg):
                seen.append(event)
            before = sys.gettrace()
            sys.settrace(own)
            len([i for i in range(3)])
            (lambda: 1)()
            sys.settrace(None)
            unseen = 13
            text(f"{seen[-1]}")
            a = 15  # @inspect a
    """)  # fmt: skip
    assert run.exit_code == 0, run.stderr
    assert run.texts() == ["call"]
    assert run.value(15, "a") == "15" and run.lines() == [5, 6, 8, 9, 10, 11, 12, 13, 14, 15]
    assert [w.partition(":")[0] for w in run.warnings()] == ["9"] and "of the lecture's own" in run.warnings()[0]


def test_a_lecture_that_takes_the_tracer_away_has_taken_away_none_of_its_own(tmp_path: Path) -> None:
    run = record(tmp_path, """
        import sys, threading
        def work():
            return 4
        def main():
            sys.settrace(None), threading.settrace(None)
            a = sys.gettrace(), threading.gettrace()  # @inspect a
            t = threading.Thread(target=work); t.start(); t.join()
            work()
    """)  # fmt: skip
    assert run.value(7, "a") == "(None, None)" and len(run.at(4)) == 2 and run.warnings() == []


DEBUGGED = """
    import io, sys
    def f(n):
        return n + 1
    def work(n):
        breakpoint()
        a = f(n)  # @inspect a
        b = f(a)  # @inspect b
        return b
    def main():
        sys.stdin = io.StringIO("p n\\nn\\nn\\nc\\n")
        c = [work(1)]  # @inspect c
        d = f(7)  # @inspect d
        sys.stdin = io.StringIO("c\\n")
        e = [work(2)]  # @inspect e
"""


@pytest.mark.parametrize(("version", "backend"), [("3.11", "settrace"), ("3.12", "settrace"), ("3.13", "settrace"),
                                                  ("3.12", "monitoring")])  # fmt: skip
def test_after_a_debugger_recording_goes_on(version: str, backend: str, tmp_path: Path) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"Python {version} is not set up here")
    run = record(tmp_path, DEBUGGED, "--backend", backend, python=str(python))
    assert run.exit_code == 0, run.stderr
    assert (run.value(12, "c"), run.value(13, "d"), run.value(15, "e")) == ("[3]", "8", "[4]")
    assert run.value(8, "b") == "4" and run.at(9)[-1]["stack"][0][1:] == [15, "main"]
    assert {step["line"] for step in run.steps if step["kind"] == "resume"} <= {7, 8, 12, 13, 15}
    assert backend == "monitoring" or all("tracer" in w or "trace function" in w for w in run.warnings())


def test_a_tracer_that_is_never_put_back_is_said(tmp_path: Path) -> None:
    run = record(tmp_path, """
        import sys
        def seen():
            return 4
        def main():
            sys.settrace(lambda *_: None)
            b = seen()
            sys._getframe().f_trace = None
            c = 9
    """)  # fmt: skip
    assert run.lines() == [6, 7, 8] and not run.at(4)
    assert any("nothing was recorded from here to the end" in w for w in run.warnings())


def test_after_a_recursion_error_recording_goes_on(tmp_path: Path) -> None:
    """Also where the lecture says nothing that could switch the tracer on again."""
    run = record(tmp_path, """
        def down():
            down()
        def main():
            for i in range(2):
                try:
                    down()
                except RecursionError:
                    pass
                a = 10  # @inspect a
    """)  # fmt: skip
    assert [s["values"]["a"]["text"] for s in run.at(10)] == ["10", "10"]
    assert run.header["status"] == "ok"


def test_a_forked_child_writes_no_trace(tmp_path: Path) -> None:
    run = record(tmp_path, """
        import os
        from engine import text
        def main():
            child = os.fork()
            if not child:
                text("from the child")
                return
            os.waitpid(child, 0)
            text("parent")
    """)  # fmt: skip
    assert run.texts() == ["parent"] and run.header["status"] == "ok"
    assert len(list(run.trace.parent.iterdir())) == 1


def test_child_processes_run(tmp_path: Path) -> None:
    run = record(tmp_path, """
        import multiprocessing, subprocess, sys
        def square(n):
            return n * n
        def main():
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                a = pool.map(square, [7])  # @inspect a
            b = subprocess.check_output([sys.executable, "-c", "print(8)"])  # @inspect b
    """)  # fmt: skip
    assert run.exit_code == 0, run.stderr
    assert run.value(7, "a") == "[49]" and run.value(8, "b") == "b'8\\n'"


@pytest.mark.parametrize("then", ["raise ValueError(8)", "missing", "[][8]", "fail()", "kept = int('eight')"])
def test_an_error_after_one_that_was_caught_is_at_its_own_statement(then: str, tmp_path: Path) -> None:
    """The first one is gone by then, and the second one is often where that was in memory."""
    run = record(tmp_path, f"""
        def main():
            try:
                raise KeyError(4)
            except KeyError:
                pass
            kept = 7
            {then}
        def fail():
            raise ValueError(10)
    """)
    (error,) = [s for s in run.steps if s["error"]]
    assert error["line"] == (10 if then == "fail()" else 8)


def test_an_error_that_is_raised_again_is_at_its_first_statement(tmp_path: Path) -> None:
    run = record(tmp_path, """
        def main():
            try:
                raise KeyError(4)
            except KeyError as error:
                kept = error
            raise kept
    """)
    (error,) = [s for s in run.steps if s["error"]]
    assert error["line"] == 4


def test_a_thread_that_fails_is_an_error_at_its_statement(tmp_path: Path) -> None:
    run = record(tmp_path, """
        import threading
        def work():
            1 / 0
        def main():
            t = threading.Thread(target=work, name="worker")
            t.start(), t.join()
    """)  # fmt: skip
    (error,) = [s for s in run.steps if s["error"]]
    assert (error["line"], error["thread"], error["error"]["type"]) == (4, "worker", "ZeroDivisionError")
    assert run.header["status"] == "ok"


def test_many_threads_at_once(tmp_path: Path) -> None:
    run = record(tmp_path, """
        from concurrent.futures import ThreadPoolExecutor
        from engine import text
        def work(n):
            total = 0
            for i in range(50):
                total += i
            text(f"{n} {total}")
            return total
        def main():
            with ThreadPoolExecutor(8) as pool:
                results = list(pool.map(work, range(40)))  # @inspect len(results) sum(results)
    """)  # fmt: skip
    assert run.value(12, "len(results)") == "40" and run.value(12, "sum(results)") == str(40 * 1225)
    assert sorted(run.texts()) == sorted(f"{n} 1225" for n in range(40))
    for frame in {s["frame"] for s in run.steps if s["function"] == "work"}:
        own = [s for s in run.steps if s["frame"] == frame]
        assert len(own) == 1 + 51 + 50 + 2 and len({s["thread"] for s in own}) == 1
        assert sum(len(s["outputs"]) for s in own) == 1


def test_an_asynchronous_main(tmp_path: Path) -> None:
    run = record(tmp_path, "import asyncio\nasync def main():\n    await asyncio.sleep(0)\n    a = 4  # @inspect a\n")
    assert run.value(4, "a") == "4"


def test_what_is_said_when_garbage_is_collected_is_not_lost(tmp_path: Path) -> None:
    """Looking at values makes garbage of its own, so that a collection may fall anywhere."""
    run = record(tmp_path, """
        import gc
        from engine import text
        class Gone:
            def __init__(self, n):
                self.n, self.me = n, self
            def __del__(self):
                text(f"gone {self.n}")
        def main():
            gc.set_threshold(5)
            a = [[i] for i in range(50)]  # @inspect a
            for i in range(20):
                Gone(i)
                b = {"i": [i], "a": a}  # @inspect b
            gc.collect()
    """)  # fmt: skip
    assert sorted(run.texts()) == sorted(f"gone {i}" for i in range(20))


def test_watching_changes_nothing_about_locals_and_frames(tmp_path: Path) -> None:
    source = """
        import gc, sys
        def main():
            a = 4
            print(sorted(locals()))
            print(sys._getframe().f_lineno, sys.getrecursionlimit())
            class Gone:
                def __del__(self):
                    print("gone")
            Gone()
            x = Gone()
            del x
            print(len(gc.get_referrers(a)) >= 0)
        main() if __name__ == "__main__" else None
    """
    plain = subprocess.run([sys.executable, "-c", textwrap.dedent(source)], capture_output=True, text=True, check=True)
    assert record(tmp_path, source).stdout == plain.stdout


def test_a_measurement_is_not_watched_and_what_it_says_is_its_statements(tmp_path: Path) -> None:
    run = record(tmp_path, """
        import sys
        from engine import benchmark
        def work():
            print("working", sys.gettrace())
        def main():
            benchmark("work", work, warmups=0, trials=1)
            a = 8  # @inspect a
    """)  # fmt: skip
    assert [s["line"] for s in run.steps] == [7, 8]
    assert [o["text"] for o in run.steps[0]["outputs"] if o["kind"] == "stdout"] == ["working None\n"]
    assert run.warnings() == []


def test_a_function_of_ten_thousand_statements_and_a_very_long_line(tmp_path: Path) -> None:
    lines = ["def main():", "    n = 0", *(f"    n += {i}" for i in range(10_000))]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run = record(tmp_path, "\n".join([*lines, f"    a = '{'x' * 200_000}', n  # @inspect n\n"]))
    assert run.lines() == list(range(2, 10_004)) and run.value(10_003, "n") == str(sum(range(10_000)))
    spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    assert spent < 20, "it took 34 s when each instruction was looked for among all statements"


def test_an_expression_that_fails_without_a_word_is_named(tmp_path: Path) -> None:
    run = record(tmp_path, """
        class A:
            @property
            def big(self): raise MemoryError
        def main():
            a = A()  # @inspect a.big
    """)  # fmt: skip
    assert run.steps[-1]["values"]["a.big"] == {"type": "MemoryError", "text": "MemoryError", "failed": True}


def test_torch_compile_sees_the_same(tmp_path: Path) -> None:
    """With settrace, also in threads. There is no torch for the tests' Python 3.12 and 3.13, so not with monitoring."""
    source = """
        import threading, torch, torch._dynamo
        def f(x):
            y = torch.sin(x)
            if x.shape[0] > 2:
                y = y * 2  # @inspect y
            return y + 1
        def g(x):
            print("break")
            return f(x) + f(2 * x)
        def main():
            c = torch.compile(g, backend="eager")
            a = c(torch.arange(4.0))  # @inspect a
            b = [c(torch.arange(8.0)), c(torch.arange(8.0))]
            for compiled in (c, torch.compile(f, backend="eager")):
                t = threading.Thread(target=lambda: b.append(compiled(torch.arange(16.0))))  # @inspect b
                t.start()
                t.join()
            counters = torch._dynamo.utils.counters
            print(sorted(counters["stats"].items()), sorted(counters["graph_break"].values()), a.tolist(), b)
    """
    run = record(tmp_path, source)
    assert run.exit_code == 0, run.stderr
    program = textwrap.dedent(source) + "\nmain()\n"
    (tmp_path / "plain.py").write_text(program)
    plain = subprocess.run([sys.executable, tmp_path / "plain.py"], capture_output=True, text=True, check=True)
    assert run.stdout == plain.stdout and "unique_graphs" in plain.stdout
