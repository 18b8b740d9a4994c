"""engine.imports and engine.patches: what is put in place for a while, and gone afterwards."""

import sys
from types import SimpleNamespace

import pytest

from engine.imports import after_import
from engine.patches import Patches


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "watched_module.py").write_text("value = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield "watched_module"
    sys.modules.pop("watched_module", None)


def test_callback_sees_the_finished_module_once(module):
    seen = []
    with after_import({module: lambda m: seen.append(m.value)}):
        assert seen == []
        imported = __import__(module)
    assert seen == [1]
    assert imported.__loader__ is imported.__spec__.loader
    assert "exec_module" not in vars(imported.__loader__)


def test_callback_at_once_for_a_module_that_is_there(module):
    __import__(module)
    seen = []
    with after_import({module: lambda m: seen.append(m.value)}):
        assert seen == [1]


def test_no_callback_afterwards(module):
    seen = []
    finders = list(sys.meta_path)
    with after_import({module: lambda m: seen.append(m.value)}):
        pass
    __import__(module)
    assert seen == []
    assert sys.meta_path == finders


def test_a_failing_import_is_the_importers(module, tmp_path):
    (tmp_path / "watched_module.py").write_text("raise ValueError('its own fault')\n")
    seen = []
    with after_import({module: seen.append}), pytest.raises(ValueError, match="its own fault"):
        __import__(module)
    assert seen == []


def test_patches_put_back_what_was_there():
    owner = SimpleNamespace(a=1)
    patches = Patches()
    patches.replace(owner, "a", 2)
    patches.replace(owner, "a", 3)
    patches.replace(owner, "b", 4)
    assert vars(owner) == {"a": 3, "b": 4}
    patches.undo()
    assert vars(owner) == {"a": 1}


def test_patches_leave_a_later_owners_value():
    owner = SimpleNamespace(a=1)
    patches = Patches()
    patches.replace(owner, "a", 2)
    owner.a = 9
    patches.undo()
    assert owner.a == 9
