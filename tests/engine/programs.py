"""Random programs: as an author would write them, and with a call before each statement that says it is executed."""

from dataclasses import dataclass, field

from hypothesis import strategies as st

NAMES = ("a", "b", "c")


@dataclass
class Program:
    """Two texts that say the same line for line; in the second one each statement reports its line to `hit`."""

    plain: list[str] = field(default_factory=list)
    reporting: list[str] = field(default_factory=list)

    def line(self, depth: int, plain: str, reporting: str | None = None) -> None:
        """Add a line; by default it reports itself just before it is executed."""
        number = len(self.plain) + 1
        indent = "    " * depth
        self.plain.append(indent + plain)
        reporting = f"hit({number}); {plain}" if reporting is None else reporting.replace("LINE", str(number))
        self.reporting.append(indent + reporting)

    def clause(self, depth: int, text: str) -> None:
        """Add a line that is no statement: `else:`, `def f():`."""
        self.line(depth, text, text)


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """A program with a `main` and some functions and generators that call those before them."""
    program = Program()
    _manager(program)
    functions: list[str] = []
    for number in range(draw(st.integers(0, 3))):
        kind = _coroutine if draw(st.integers(0, 3)) == 0 else _function
        kind(draw, program, f"f{number}", functions)
        functions.append(f"f{number}")
    _function(draw, program, "main", functions)
    return program


def _manager(program: Program) -> None:
    """A visible context manager that swallows errors of one kind."""
    program.clause(0, "class Managed:")
    program.clause(1, "def __init__(self, kind):")
    program.line(2, "self.kind = kind")
    program.clause(1, "def __enter__(self):")
    program.line(2, "return 1")
    program.clause(1, "def __exit__(self, kind, *_):")
    program.line(2, "return kind is self.kind is not None")


def _coroutine(draw: st.DrawFn, program: Program, name: str, functions: list[str]) -> None:
    """An `async def`, and the function that runs it to its end."""
    program.clause(0, f"async def co_{name}(a=1, b=2, c=0):")
    _body(draw, program, 1, functions, loop=False, generator=False, budget=draw(st.integers(1, 5)))
    program.line(1, "c = await Turn(b)")
    program.line(1, "return a")
    program.clause(0, f"def {name}(*values, **more):")
    program.line(1, f"return awaited(co_{name}(*values, **more))")


def _function(draw: st.DrawFn, program: Program, name: str, functions: list[str]) -> None:
    generator = name != "main" and draw(st.booleans())
    program.clause(0, f"def {name}(a=1, b=2, c=0):")
    _body(draw, program, 1, functions, loop=False, generator=generator, budget=draw(st.integers(1, 9)))
    if generator:
        program.line(1, "yield a")
    if draw(st.booleans()):
        program.line(1, "return a" if not generator else "return")


def _body(draw: st.DrawFn, program: Program, depth: int, functions: list[str], *, loop: bool, generator: bool,
          budget: int) -> None:  # fmt: skip
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(SIMPLE if depth > 3 or budget < 1 else SIMPLE + COMPOUND))
        _STATEMENTS[kind](draw, program, depth, functions, loop, generator, budget - 1)


def _assign(draw, program, depth, functions, loop, generator, budget):
    program.line(depth, f"{draw(st.sampled_from(NAMES))} = {_expression(draw, functions)}")


def _many_lines(draw, program, depth, functions, loop, generator, budget):
    name = draw(st.sampled_from(NAMES))
    program.line(depth, f"{name} = sum([")
    program.clause(depth, f"    {_expression(draw, functions)},")
    program.clause(depth, f"    *[x for x in range({draw(st.integers(0, 2))})],")
    program.clause(depth, "])")


def _yield(draw, program, depth, functions, loop, generator, budget):
    program.line(depth, "c = (yield b) or 0" if generator else "pass")


def _leave(draw, program, depth, functions, loop, generator, budget):
    words = ["pass", "return" if generator else f"return {draw(st.sampled_from(NAMES))}", "raise KeyError(a)"]
    program.line(depth, draw(st.sampled_from([*words, "break", "continue"] if loop else words)))


def _if(draw, program, depth, functions, loop, generator, budget):
    test = draw(st.sampled_from(["a > b", "c", "not c", "a % 2 == 0", "True"]))
    program.line(depth, f"if {test}:", f"if hit(LINE) or ({test}):")
    _body(draw, program, depth + 1, functions, loop=loop, generator=generator, budget=budget)
    if draw(st.booleans()):
        program.line(depth, "elif b > 1:", "elif hit(LINE) or b > 1:")
        _body(draw, program, depth + 1, functions, loop=loop, generator=generator, budget=budget)
    if draw(st.booleans()):
        program.clause(depth, "else:")
        _body(draw, program, depth + 1, functions, loop=loop, generator=generator, budget=budget)


def _for(draw, program, depth, functions, loop, generator, budget):
    times = draw(st.integers(0, 3))
    program.line(depth, f"for a in range({times}):", f"for a in passes(LINE, range({times})):")
    _body(draw, program, depth + 1, functions, loop=True, generator=generator, budget=budget)
    if draw(st.booleans()):
        program.clause(depth, "else:")
        _body(draw, program, depth + 1, functions, loop=loop, generator=generator, budget=budget)


def _while(draw, program, depth, functions, loop, generator, budget):
    name = f"n{depth}"
    program.line(depth, f"{name} = {draw(st.integers(0, 3))}")
    test = draw(st.sampled_from([f"{name} > 0", "True"]))
    program.line(depth, f"while {test}:", f"while hit(LINE) or {test}:")
    program.line(depth + 1, f"{name} -= 1")
    program.line(depth + 1, f"if {name} < 0:", f"if hit(LINE) or {name} < 0:")
    program.line(depth + 2, "break")
    _body(draw, program, depth + 1, functions, loop=True, generator=generator, budget=budget)


def _try(draw, program, depth, functions, loop, generator, budget):
    program.line(depth, "try:", "hit(LINE)\n" + "    " * depth + "try:")
    _body(draw, program, depth + 1, functions, loop=loop, generator=generator, budget=budget)
    caught = draw(st.booleans())
    if caught:
        program.clause(depth, draw(st.sampled_from(["except KeyError as e:", "except (KeyError, ZeroDivisionError):"])))
        _body(draw, program, depth + 1, functions, loop=loop, generator=generator, budget=budget)
        if draw(st.booleans()):
            program.clause(depth, "else:")
            _body(draw, program, depth + 1, functions, loop=loop, generator=generator, budget=budget)
    if not caught or draw(st.booleans()):
        program.clause(depth, "finally:")
        _body(draw, program, depth + 1, functions, loop=loop, generator=generator, budget=budget)


def _with(draw, program, depth, functions, loop, generator, budget):
    managers = ["suppress(KeyError)", "nullcontext(a) as b", "nullcontext(), suppress(KeyError)", "Managed(KeyError)"]
    manager = draw(st.sampled_from([*managers, "Managed(None) as b, Managed(ZeroDivisionError)"]))
    program.line(depth, f"with {manager}:", "hit(LINE)\n" + "    " * depth + f"with {manager}:")
    _body(draw, program, depth + 1, functions, loop=loop, generator=generator, budget=budget)


def _match(draw, program, depth, functions, loop, generator, budget):
    program.line(depth, "match a:", "hit(LINE)\n" + "    " * depth + "match a:")
    program.clause(depth + 1, "case 0 | 1:")
    _body(draw, program, depth + 2, functions, loop=loop, generator=generator, budget=budget)
    program.clause(depth + 1, "case int(x) if x > 2:")
    _body(draw, program, depth + 2, functions, loop=loop, generator=generator, budget=budget)
    if draw(st.booleans()):
        program.clause(depth + 1, "case _:")
        _body(draw, program, depth + 2, functions, loop=loop, generator=generator, budget=budget)


def _expression(draw: st.DrawFn, functions: list[str]) -> str:
    choices = ["1", "a + b", "len([x for x in range(a % 5)])", "b * 2 % 7", "a // c", "(lambda q: q)(c)"]
    choices += ["e", "[*[a], *[b]][0]"]
    choices += [f"draw({name}({arguments}))" for name in functions for arguments in ("a, b", "*[a, b]", "**{'c': a}")]
    return draw(st.sampled_from(choices))


_STATEMENTS = {
    "assign": _assign, "many": _many_lines, "yield": _yield, "leave": _leave, "if": _if, "for": _for,
    "while": _while, "try": _try, "with": _with, "match": _match,
}  # fmt: skip
SIMPLE = ["assign", "assign", "many", "yield", "leave"]
COMPOUND = ["if", "for", "while", "try", "with", "match"]
