"""Models of requests that ask a question, made from the question so that the two always agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import Field, create_model

from shoal.questions import kinds
from shoal.questions.fields import Asked, fields_of
from shoal.questions.releases import ReleaseQuestion, UtilityQuestion
from shoal.questions.searches import (
    AnonymizeQuestion,
    FrontierQuestion,
    NegotiateQuestion,
    OptimizeQuestion,
)
from shoal.questions.tables import PopulationOf
from shoal.web.api.models import Given, Level, ReleaseGiven, Text, UtilityGiven

MOST = 2**53
"""The largest whole number that every reader of JSON keeps exactly."""
DAY = 86_400
"""The longest time that may be asked for, in seconds."""
Number = Annotated[str, Field(max_length=50)] | Annotated[float, Field(ge=0, le=MOST)]
"""An integer, a decimal, or a text such as 1/3."""
Amount = (
    Annotated[str, Field(max_length=50)]
    | Annotated[int, Field(ge=0, le=MOST)]
    | Annotated[float, Field(ge=0, le=1)]
)
"""Rows to suppress: a number, a share, or a text such as 1%."""
_TYPES: dict[type, Any] = {
    kinds.Share: Number,
    kinds.Diverse: Number,
    kinds.Risky: Number,
    kinds.Fractional: Number,
    kinds.Gain: Number,
    kinds.Suppression: Amount,
    kinds.Two: Annotated[str, Field(max_length=100)]
    | Annotated[list[Number], Field(max_length=2, min_length=2)],
    kinds.WordByColumn: Text | dict[Text, Text],
    kinds.Shares: dict[Text, Number],
    kinds.Heights: Annotated[dict[Text, Level], Field(max_length=1000)],
    kinds.Pairs: dict[Text, Text],
    kinds.Flag: bool,
    kinds.AnyTable: Annotated[str, Field(pattern=r"^[0-9a-f]{8,32}$")],
}
"""The JSON type of each kind of field. A table is that of another study of the session, by its key."""


def model_of(name: str, *questions: Any, base: type[Given] = Given) -> type[Given]:
    """Return the model of a request that asks a question, or several at once; `base` has what is given.

    A request names no files of the server.
    """
    taken = [one for asked in questions for one in fields_of(asked) if not one.in_python_only]
    fields: dict[str, Any] = {
        one.name: _field(one)
        for one in taken
        if type(one.kind) not in (kinds.File, kinds.NewFile) and one.name not in base.model_fields
    }
    return create_model(name, __base__=base, __doc__=questions[0].__doc__, **fields)


def _field(one: Asked) -> tuple[Any, Any]:
    kind, default = _type(one), one.default
    if default == ():
        default = []
    elif isinstance(default, tuple):
        default = ",".join(default)
    meaning = one.told if one.shown is None else f"{one.told} By default {one.shown}."
    if one.required:
        return kind, Field(description=meaning)
    return kind | None if default is None else kind, Field(default, description=meaning)


def _type(one: Asked) -> Any:
    kind = one.kind
    if isinstance(kind, kinds.Whole):
        least = -MOST if kind.least is None else kind.least
        return Annotated[int, Field(ge=least, le=MOST if kind.most is None else kind.most)]
    if isinstance(kind, kinds.Real):
        least_of: dict[str, Any] = {"gt" if kind.above else "ge": kind.least}
        return Annotated[float, Field(**least_of, lt=kind.below, le=DAY if kind.below is None else None)]
    if isinstance(kind, kinds.Several):
        return Text | list[Text] if kind.commas else list[Text]
    return _TYPES.get(type(kind), Text)


if TYPE_CHECKING:
    FrontierAsked: TypeAlias = Any
    OptimizeAsked: TypeAlias = Any
    AnonymizeAsked: TypeAlias = Any
    NegotiateAsked: TypeAlias = Any
    ReleaseAsked: TypeAlias = Any
    UtilityAsked: TypeAlias = Any
else:
    FrontierAsked = model_of("FrontierAsked", FrontierQuestion)
    OptimizeAsked = model_of("OptimizeAsked", OptimizeQuestion)
    AnonymizeAsked = model_of("AnonymizeAsked", AnonymizeQuestion, PopulationOf)
    NegotiateAsked = model_of("NegotiateAsked", NegotiateQuestion)
    ReleaseAsked = model_of("ReleaseAsked", ReleaseQuestion, PopulationOf, base=ReleaseGiven)
    UtilityAsked = model_of("UtilityAsked", UtilityQuestion, base=UtilityGiven)
