"""Questions as dataclasses whose fields say what they mean; every other form is derived from them.

A field has a type (what Python may give), a kind (how it is read, what is refused), a default, and its
meaning in one sentence. The command line's options, the keywords of `Study`, the REST API's models and the
reference in the docs are made from these.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Concatenate, ParamSpec, TypeVar, dataclass_transform
from weakref import WeakKeyDictionary

from shoal.errors import InputError
from shoal.questions.kinds import Listener, Pairs, Shares, Takes, Word
from shoal.questions.option_words import Words

_HERE = "asked"
P = ParamSpec("P")
S = TypeVar("S")
Q = TypeVar("Q")
A = TypeVar("A")


@dataclass(frozen=True)
class Asked:
    """One field of a question: what it is called, means and takes.

    `shown` gives the default in words, if it is None or needs explaining. `options` are its names on the
    command line; an `argument` has a place there instead. `words` says of each word that it takes what it
    means, if these are few.
    """

    meaning: str
    kind: Takes
    shown: str | None = None
    options: tuple[str, ...] = ()
    argument: bool = False
    words: Words = field(default_factory=dict)
    name: str = ""
    type: str = ""
    default: Any = None
    required: bool = False

    @property
    def in_python_only(self) -> bool:
        """Whether neither a command line nor a request can give it."""
        return isinstance(self.kind, Listener)

    @property
    def told(self) -> str:
        """Its meaning, with the words that it takes; pairs are too many to list."""
        if not self.words or isinstance(self.kind, Pairs):
            return self.meaning
        *others, last = self.words
        listed = f"{', '.join(others)} or {last}" if others else last
        return f"{self.meaning.removesuffix('.')}: {listed}."

    @property
    def option(self) -> str:
        """Its long name on the command line."""
        if isinstance(self.kind, Shares):
            return f"--{self.kind.among}"
        named = [name for name in self.options if name.startswith("--")]
        return named[0] if named else "--" + self.name.replace("_", "-")


def asked(
    meaning: str,
    kind: Takes,
    *,
    default: Any = MISSING,
    shown: str | None = None,
    options: tuple[str, ...] = (),
    argument: bool = False,
    kw_only: bool = True,
    words: Words | None = None,
) -> Any:
    """Return a field of a question; in Python it is given by name unless `kw_only` is False."""
    known = words or (kind.known if isinstance(kind, Word) else {})
    said = Asked(meaning, kind, shown, options, argument, known)
    return field(default=default, kw_only=kw_only, metadata={_HERE: said})


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(asked,))
def question(given: type[Q]) -> type[Q]:
    """Make a class with such fields a frozen dataclass."""
    return dataclass(frozen=True, kw_only=True)(given)


class Question:
    """A question: when it is made, its fields are read and checked, first each alone, then together."""

    def __post_init__(self) -> None:
        for one in fields_of(type(self)):
            given = getattr(self, one.name)
            # A field that is None was not asked for, so there is nothing to read.
            if given is not None:
                try:
                    object.__setattr__(self, one.name, one.kind.check(one.name, given))
                except InputError as problem:
                    problem.field = one.name
                    raise
        self.check()

    def check(self) -> None:
        """Refuse fields that contradict each other."""


def fields_of(question: Any) -> tuple[Asked, ...]:
    """Return what the fields of a question's class say, in their order."""
    if question not in _fields:
        _fields[question] = tuple(_said(question))
    return _fields[question]


_fields: WeakKeyDictionary[Any, tuple[Asked, ...]] = WeakKeyDictionary()


def _said(question: Any) -> Iterator[Asked]:
    return (
        Asked(
            **{
                **vars(one.metadata[_HERE]),
                "name": one.name,
                "type": one.type if isinstance(one.type, str) else inspect.formatannotation(one.type),
                "default": None if one.default is MISSING else one.default,
                "required": one.default is MISSING,
            }
        )
        for one in fields(question)
    )


def asks(asked_as: Callable[P, Q]) -> Callable[[Callable[[S, Q], A]], Callable[Concatenate[S, P], A]]:
    """Let a method that answers a question take the question's fields, and list them in its help."""

    def taking(method: Callable[[S, Q], A]) -> Callable[Concatenate[S, P], A]:
        @functools.wraps(method)
        def answer(self: S, /, *args: P.args, **kwargs: P.kwargs) -> A:
            return method(self, asked_as(*args, **kwargs))

        _tell(answer, asked_as, method, next(iter(inspect.signature(method).parameters.values())))
        return answer

    return taking


def answers(asked_as: Callable[P, Q]) -> Callable[[Callable[[Q], A]], Callable[P, A]]:
    """Let a function that answers a question take the question's fields, and list them in its help."""

    def taking(function: Callable[[Q], A]) -> Callable[P, A]:
        @functools.wraps(function)
        def answer(*args: P.args, **kwargs: P.kwargs) -> A:
            return function(asked_as(*args, **kwargs))

        _tell(answer, asked_as, function)
        return answer

    return taking


def _tell(answer: Any, asked_as: Any, function: Any, *own: inspect.Parameter) -> None:
    """Give a function that answers a question the signature and the help of the question."""
    answer.__signature__ = inspect.Signature(
        [*own, *inspect.signature(asked_as).parameters.values()],
        return_annotation=inspect.signature(function).return_annotation,
    )
    answer.__doc__ = f"{inspect.getdoc(function)}\n\n{told(asked_as)}"


def told(question: Any) -> str:
    """Return the meanings of a question's fields, one line each."""
    return "\n".join(f"{one.name}: {one.told}" for one in fields_of(question))
