"""The questions that searches answer: the trade-off, the best cut, a negotiation, and named algorithms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.errors import InputError, did_you_mean, show
from shoal.questions import option_words as words
from shoal.questions.execution import Timed
from shoal.questions.fields import asked, question
from shoal.questions.kinds import (
    Amount,
    Diverse,
    Flag,
    Heights,
    Levels,
    Listener,
    Looked,
    Names,
    Number,
    Pairs,
    Real,
    Several,
    Share,
    Shares,
    Suppression,
    Text,
    Whole,
    Word,
)
from shoal.questions.promised import PromisedOfStudy

if TYPE_CHECKING:
    from shoal.metrics.on_cuts import CutMetric

CHOICES = (
    ("k", "loss"),
    ("suppressed", "loss"),
    ("l", "loss"),
    ("t", "loss"),
    ("theta", "loss"),
    ("k", "suppressed", "loss"),
    ("k", "l", "loss"),
)
"""The objectives that a frontier can have, in the order in which points are sorted."""
OF_CUTS = (("k", "loss"), ("l", "loss"), ("theta", "loss"))
MOST_TOP = 10_000
ROBUST = (
    "Draw at random one that loses at most this share of all detail more than the best, such as 0.02; "
    "attack both."
)
METRIC = Looked("shoal.metrics:metric_named")


def objectives_named(given: str | Sequence[str]) -> tuple[str, ...]:
    """Return the objectives of a list, in whatever order, or refuse them.

    >>> objectives_named("loss, suppressed")
    ('suppressed', 'loss')
    """
    names = [name.strip() for name in given.split(",")] if isinstance(given, str) else list(given)
    known = list(dict.fromkeys(name for choice in CHOICES for name in choice))
    for name in names:
        if name not in known:
            raise InputError(f"unknown objective {show(name)}; {did_you_mean(name, known)}")
    for choice in CHOICES:
        if sorted(choice) == sorted(names):
            return choice
    raise InputError(
        f"no frontier of {','.join(names)}; choose one of: {'; '.join(map(','.join, CHOICES))}"
    )


@dataclass(frozen=True)
class Objectives(Several):
    """The objectives of a frontier, separated by commas, in whatever order."""

    commas: bool = True

    def check(self, name: str, given: Any) -> tuple[str, ...]:
        """Return the objectives in their order, or refuse them."""
        return objectives_named(given)


@question
class FrontierQuestion(Timed):
    """What privacy costs: every Pareto-optimal generalization."""

    objectives: str | Sequence[str] = asked(
        "What is traded.",
        Objectives(),
        default=("k", "loss"),
        words=words.OBJECTIVES,
    )
    k: int | None = asked(
        "Every class has at least K rows, where k is no objective.", Whole(), default=None
    )
    metric: str = asked(
        "The loss.",
        METRIC,
        default="LM",
        words=words.METRICS,
    )
    suppress: Amount | None = asked(
        "How much may be suppressed: 1%, 0.01 or a number of rows.",
        Suppression(),
        default=None,
        shown="0; unlimited where suppressed rows are an objective",
    )
    fill: bool = asked(
        "Let every node suppress as much as it may, as in the paper (poka always does).",
        Flag(),
        default=False,
    )
    method: str = asked("How it is searched.", Word(words.METHODS), default="exact")
    depth: int | None = asked("POkA's depth d.", Whole(), default=None, shown="d_avg of the paper")
    recoding: str = asked(
        "How values may be recoded.",
        Word(words.RECODINGS),
        default="nodes",
    )
    min_k: int = asked("Search no smaller k.", Whole(), default=1)
    max_k: int | None = asked("Search no larger k.", Whole(), default=None)

    @property
    def named(self) -> tuple[str, ...]:
        """The objectives, in the order in which points are sorted."""
        return tuple(self.objectives)

    @property
    def fills(self) -> bool:
        """Whether every node suppresses as much as it may: one pair per node, the POkA paper's rule."""
        return self.fill or self.method == "poka"

    @property
    def suppression(self) -> str:
        """How points suppress, in the word that documents use."""
        return "fill" if self.fills else "up-to"

    def check(self) -> None:
        """Refuse empty ranges, and fields that belong to other objectives or methods."""
        from shoal.describe.quantities import suppression_limit

        objectives, names = self.named, ",".join(self.named)
        if self.recoding in ("groups", "all") and (
            objectives != ("k", "loss") or self.method != "exact"
        ):
            raise InputError(
                f"{self.recoding} are compared by k and loss, nodes and cuts exactly; leave objectives and "
                "method out"
            )
        if self.recoding == "cuts":
            self._check_cuts(names)
        elif "theta" in objectives:
            raise InputError("theta,loss is a frontier of cuts; add recoding cuts, or ask for l,loss")
        if self.method == "poka" and objectives != ("k", "loss"):
            raise InputError(f"no method poka for {names}; use exact or exhaustive")
        if self.fill and objectives not in (("k", "loss"), ("l", "loss")):
            raise InputError(f"fill is about k,loss and l,loss, not about {names}; leave it out")
        if self.depth is not None and self.method != "poka":
            raise InputError(f"the method {self.method} has no depth; leave it out, or use poka")
        if self.max_k is not None and self.max_k < self.min_k:
            raise InputError(
                f"no k lies between {self.min_k} and {self.max_k}; make max_k not less than min_k"
            )
        if "k" in objectives:
            if self.k is not None:
                raise InputError(f"k is an objective of {names}; limit it with min_k and max_k")
        elif self.min_k != 1 or self.max_k is not None:
            raise InputError(f"k is no objective of {names}; leave min_k and max_k out, and give k")
        if self.k is None and objectives == ("suppressed", "loss"):
            raise InputError("suppressed,loss needs a k: what smaller classes are suppressed for")
        if "t" in objectives and self.suppress is not None and suppression_limit(self.suppress, 1 << 62):
            raise InputError(
                "t,loss suppresses nothing, since that would change what t compares with; leave it 0"
            )

    def _check_cuts(self, names: str) -> None:
        """Refuse fields that only nodes have."""
        if self.named not in OF_CUTS:
            known = "; ".join(map(",".join, OF_CUTS))
            raise InputError(f"no frontier of {names} over cuts; choose one of: {known}")
        if self.method != "exact" or self.fill:
            given = "fill" if self.fill else f"the method {self.method}"
            raise InputError(f"{given} is about nodes; leave it out for cuts")


@question
class OptimizeQuestion(Timed):
    """The provably best full-subtree recoding for limited shares, for k, or both."""

    l: Number | None = asked(  # noqa: E741  the literature's name
        "No sensitive value has a share above 1 / L.", Diverse(limited=False), default=None
    )
    theta: Number | None = asked(
        "The largest share of a sensitive value, 0.25 or 1/4.", Share(), default=None
    )
    limits: Mapping[str, Number] | None = asked(
        "The largest shares of single values, by value.", Shares("theta"), default=None
    )
    theta_by_frequency: Number | None = asked(
        "This share for rare values, more for frequent ones.", Share(), default=None
    )
    k: int | None = asked("Every group has at least K rows.", Whole(), default=None)
    sensitive: Names = asked("Limit this sensitive column.", Several(), default=(), shown="all of them")
    scheme: str = asked(
        "What is suppressed where a group breaks a limit.",
        Looked("shoal.answers.recoding:Scheme.of"),
        default="allRec",
        words=words.SCHEMES,
    )
    metric: str | type[CutMetric] = asked(
        "The cost.",
        Looked("shoal.metrics.on_cuts:cut_metric_named"),
        default="LM",
        words=words.CUT_METRICS,
    )
    suppress: Amount | None = asked(
        "How many rows may be suppressed: 1%, 0.01 or a number of rows.",
        Suppression(),
        default=None,
        shown="any number",
    )
    blank: Amount | None = asked(
        "How many sensitive values may be blanked: 1%, 0.01 or a number of values.",
        Suppression(),
        default=None,
        shown="any number",
    )
    top: int = asked("Keep the best H cuts and pick one at random.", Whole(1, MOST_TOP), default=1)
    seed: int | None = asked("Makes chance repeatable.", Whole(None), default=None)
    gap: float = asked("Stop when the cost is proven within this share.", Real(below=1), default=0.0)
    robust: Number | None = asked(ROBUST, Share(), default=None)
    on_improvement: Callable[[Any], None] | None = asked(
        "Called with every better cut that is found.", Listener(), default=None
    )
    watch: Callable[[Any], None] | None = asked(
        "Called with how the search stands while it goes on.", Listener(), default=None
    )

    @property
    def limits_shares(self) -> bool:
        """Whether any share is limited."""
        return bool(self.limits) or not (
            self.l is None and self.theta is None and self.theta_by_frequency is None
        )

    def check(self) -> None:
        """Refuse limits that contradict each other, and a promise of nothing."""
        given = [
            name for name in ("l", "theta", "theta_by_frequency") if getattr(self, name) is not None
        ]
        if len(given) > 1:
            raise InputError(f"{' and '.join(given)} both limit every value; give one of them")
        if not self.limits_shares and self.k is None:
            raise InputError("nothing is to be promised; give l, theta or k")
        if not self.limits_shares and self.sensitive:
            raise InputError("a sensitive column is named, but no limit; give l or theta")
        if self.robust is not None and (self.top > 1 or self.gap):
            raise InputError("robust draws from all that are near the best one; leave top and gap out")
        if self.robust is not None and self.seed is not None:
            raise InputError("robust draws by the operating system's chance; leave the seed out")


@question
class NegotiateQuestion(Timed):
    """An exact answer to constraints, or the three nearest relaxations."""

    k: int | None = asked("Every class has at least K rows.", Whole(), default=None)
    l: int | None = asked(  # noqa: E741  the literature's name
        "Every class has at least L distinct sensitive values.", Whole(), default=None
    )
    heights: Levels | None = asked(
        "The highest levels allowed, such as age=1,workclass=2.",
        Heights(),
        default=None,
        shown="the roots",
    )
    max_suppressed: Amount = asked(
        "How much may be suppressed: 1%, 0.01 or a number of rows.", Suppression(), default=0
    )
    prefer: str = asked(
        "Which allowed node is the answer.",
        Word(words.PREFERENCES),
        default="loss",
    )
    metric: str = asked(
        "The loss.",
        METRIC,
        default="LM",
        words=words.NODE_METRICS,
    )


@question
class AlgorithmQuestion(PromisedOfStudy):
    """What every named algorithm is asked."""

    suppress: Amount | None = asked(
        "How much may be suppressed: 1%, 0.01 or a number of rows.",
        Suppression(),
        default=None,
        shown="0; Datafly by a rule of its own",
    )
    metric: str = asked("The loss that is to be small.", METRIC, default="LM", words=words.METRICS)
    seed: int = asked("Makes chance repeatable.", Whole(None), default=0)


@question
class AnonymizeQuestion(Timed, AlgorithmQuestion):
    """The answer of one named algorithm."""

    algorithm: str = asked("The algorithm.", Text(), kw_only=False, words=words.ALGORITHMS)
    options: Mapping[str, Any] | None = asked(
        "The algorithm's own options, by name.",
        Pairs(),
        default=None,
        options=("--option",),
        words=words.ALGORITHM_OPTIONS,
    )
    robust: Number | None = asked(ROBUST, Share(), default=None)

    def check(self) -> None:
        """Refuse a seed for what nobody may draw again."""
        super().check()
        if self.robust is not None and self.seed:
            raise InputError("robust draws by the operating system's chance; leave the seed out")


@question
class CompareQuestion(AlgorithmQuestion, Timed):
    """The answers of all algorithms, or of some, to one question."""

    algorithms: Names = asked(
        "Only these algorithms, separated by commas.",
        Several(commas=True),
        default=(),
        shown="all of them",
        kw_only=False,
        words=words.ALGORITHMS,
    )
    time_limit: float | None = asked("Seconds for each algorithm.", Real(above=True), default=60.0)
