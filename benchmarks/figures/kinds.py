"""What a column of figures is, by its name: its unit, and whether more of it is better or worse."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A unit as it is written; `better` is -1 where less is better, 1 where more is, 0 where neither."""

    unit: str = ""
    better: int = 0
    time: bool = False
    """Whether it is told in seconds of the calibration loop when runs are compared."""


_KINDS: tuple[tuple[str, Kind], ...] = (
    (r"limit s$|^sdcMicro s$|twin|plain copy|GROUP BY|without$", Kind()),
    (r"^[\d.]+ s$|\((exact|found)\)$", Kind(better=-1)),  # what is lost by then, or by a way to recode
    (r"^(bound|at least)$|\(proven\)$", Kind(better=1)),
    (r"^(lost|gap|LM|NCP|overrun)\b", Kind(better=-1)),
    (r"(^| )(s|seconds|wall|cpu)$|^seconds", Kind(" s", -1, time=True)),
    (r"(^| )ms\b", Kind(" ms", -1, time=True)),
    (r"\bMB\b", Kind(" MB", -1)),
    (r"^memory$", Kind(" GB", -1)),
    (r"^saved %$", Kind("%", 1)),
    (r"%", Kind("%", -1)),
    (
        r"^(times faster|granularity|F1)$|^(certified|proven|optimal|points|true optima|requests)",
        Kind(better=1),
    ),
    (r"^(times|late|errors|readable by others|record|solution)$|^percent of", Kind(better=-1)),
    (r"^(evaluated|examined|visited|cells|nodes by|rows below|half-written|left over)", Kind(better=-1)),
)


def kind_of(column: str) -> Kind:
    """Return the kind of a column."""
    return next((kind for pattern, kind in _KINDS if re.search(pattern, column)), Kind())
