"""Source text in colours, a line at a time."""

import re

import pytest

from viewer.highlight import lines
from viewer.render import STATIC


def test_each_line_stands_by_itself():
    assert lines('"""a\nb"""', "python") == [
        '<span class="sd">&#34;&#34;&#34;a</span>',
        '<span class="sd">b&#34;&#34;&#34;</span>',
    ]


def test_only_what_has_a_colour_of_its_own_is_marked():
    assert lines("add.s32 %r1, 1;", "ptx") == [
        '<span class="k">add</span><span class="kt">.s32</span> <span class="nv">%r1</span>, <span class="m">1</span>;'
    ]


def test_every_class_that_is_left_has_a_style():
    style = (STATIC / "app.css").read_text()
    python = "for x in f(1.5, 'a', None): # c\n  return -x\n"
    llvm = "@f = %1 add i32 %0, 1, !dbg !4"
    for text, language in ((python, "python"), (llvm, "llvm"), ("int f(float *x);", "cuda")):
        for name in re.findall(r'class="(\w+)"', "".join(lines(text, language))):
            assert re.search(rf"\.{name}\b", style), name


def test_directives_are_told_from_comments():
    assert '<span class="directive"># @inspect x</span>' in lines("x = 1  # @inspect x", "python")[0]
    assert '<span class="c1"># a comment @ noon</span>' in lines("x = 1  # a comment @ noon", "python")[0]


@pytest.mark.parametrize(
    "near", ["@ inspect x", "@inpsect x", "@inspect x @inpsect y", "@ hide", "@inspect", "@clear ,"]
)
def test_a_near_miss_is_left_on_the_page(near: str):
    assert f'<span class="c1"># {near}</span>' in lines(f"x = 1  # {near}", "python")[0]


@pytest.mark.parametrize("real", ["@inspect x @clear y", "@inspect a, @inspect b", "@hide", "@inspect x @stepover"])
def test_directives_side_by_side_are_directives(real: str):
    assert f'<span class="directive"># {real}</span>' in lines(f"x = 1  # {real}", "python")[0]


def test_text_is_escaped():
    assert lines("<script>&", "text") == ["&lt;script&gt;&amp;"]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_every_line_ending_ends_a_line(ending: str):
    assert lines(f"a{ending}b", "text") == ["a", "b"]


@pytest.mark.parametrize("language", ["python", "cuda", "ptx", "llir", "ttir", "sass", "no such language", ""])
def test_no_character_is_lost(language: str):
    source = "mov.u32 %r1, %ctaid.x; // <x>\n\n\ttail \n"
    import re

    bare = [re.sub("<[^>]*>", "", line) for line in lines(source, language)]
    assert "\n".join(bare) == source.replace("<", "&lt;").replace(">", "&gt;")


def test_a_very_long_line_takes_no_time():
    assert lines("x" * 3_000_000, "python") == ["x" * 3_000_000]
