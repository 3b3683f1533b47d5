"""Imports that wait until what they name is used: for ``--help``, which needs names, defaults, but no tables or decoders.

What PEP 810 gives to a later Python: an imported name stands for the real thing, which is imported at the first use of it. So a help
text costs only what stands in it. Only imports that modules of ours state at their top are postponed; everything else is as ever.
"""

from __future__ import annotations

import builtins
import importlib
import operator
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from scrubin.base import machine

OURS = "scrubin"
THEIRS = frozenset({"PIL", "numpy", "pandas", "pyarrow", *machine.EXTRA_OF})
"""Packages that take long to import, or are not there."""
COMMANDS = f"{OURS}.cli"
TYPES = ("scrubin.base.errors",)
"""Whose classes stand in an ``except``, which takes real ones only."""
ASKED = ("-h", "--help")


class Postponed:
    """A name that is imported when it is used.

    Parameters
    ----------
    module
        Full name.
    path
        Attributes from there on.
    """

    __hash__ = object.__hash__

    def __init__(self, module: str, path: tuple[str, ...] = ()) -> None:
        object.__setattr__(self, "_place", (module, path))

    def __getattr__(self, name: str) -> Any:
        # What ``from module import name`` asks for; a special method is one of the real thing.
        module, path = object.__getattribute__(self, "_place")
        return getattr(_real(self), name) if path or name.startswith("__") else Postponed(module, (name,))

    @property
    def __class__(self) -> Any:
        """That of the real thing, for ``isinstance``."""
        return _real(self).__class__

    @__class__.setter
    def __class__(self, _: Any) -> None:
        raise TypeError

    def __mro_entries__(self, _: tuple[Any, ...]) -> tuple[Any, ...]:
        return (_real(self),)

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Call the real thing."""
        return _real(self)(*values, **named)

    def __instancecheck__(self, other: Any) -> bool:
        return isinstance(other, _real(self))


def _real(one: Any) -> Any:
    """Return what a postponed name stands for."""
    if type(one) is not Postponed:
        return one
    module, path = object.__getattribute__(one, "_place")
    value: Any = importlib.import_module(module)
    for name in path:
        try:
            value = getattr(value, name)
        except AttributeError:
            value = importlib.import_module(f"{module}.{name}")
    return _real(value)


def _used(operation: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values: operation(*map(_real, values))


def _reflected(operation: Callable[..., Any]) -> Callable[..., Any]:
    return lambda one, other: operation(_real(other), _real(one))


_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    **{name: getattr(operator, name) for name in ("contains", "eq", "ge", "getitem", "gt", "index", "le", "lt", "ne", "neg")},
    **{name: getattr(operator, name) for name in ("add", "mod", "mul", "or_", "sub", "truediv")},
    **{one.__name__: one for one in (bool, float, format, int, iter, len, repr, str)},
}
for _name, _operation in _OPERATIONS.items():
    setattr(Postponed, f"__{_name.rstrip('_')}__", _used(_operation))
for _name in ("add", "mod", "mul", "or_", "sub", "truediv"):
    setattr(Postponed, f"__r{_name.rstrip('_')}__", _reflected(_OPERATIONS[_name]))


def is_help(arguments: Sequence[str]) -> bool:
    """Return whether arguments ask for a help text; behind ``--`` they are those of another program."""
    return "--" not in arguments and any(argument in ASKED for argument in arguments)


@contextmanager
def imports() -> Iterator[None]:
    """Postpone imports until the end of the block; names that were not used until then are imported when they are.

    Modules that came in meanwhile are forgotten at the end: nobody else shall meet a postponed name.
    """
    before, known = builtins.__import__, set(sys.modules)

    def postponing(
        name: str,
        scope: Mapping[str, Any] | None = None,
        local: Mapping[str, Any] | None = None,
        names: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        if level == 0 and _waits(name, scope or {}):
            return Postponed(name if names else name.partition(".")[0])
        return before(name, scope, local, names or (), level)

    setattr(builtins, "__import__", postponing)  # noqa: B010  what it returns stands for a module
    try:
        yield
    finally:
        setattr(builtins, "__import__", before)  # noqa: B010
        for name in sorted(set(sys.modules) - known):
            if name.partition(".")[0] == OURS:
                _forget(name)


def _waits(name: str, scope: Mapping[str, Any]) -> bool:
    """Return whether an import of a module of ours can wait."""
    if not str(scope.get("__name__", "")).startswith(OURS) or name.startswith((COMMANDS, *TYPES)) or name == OURS:
        return False
    return name.partition(".")[0] in {OURS, *THEIRS}


def _forget(name: str) -> None:
    """Remove a module from where imports look: the list of modules, and its package."""
    del sys.modules[name]
    package, _, own = name.rpartition(".")
    if package in sys.modules:
        vars(sys.modules[package]).pop(own, None)
