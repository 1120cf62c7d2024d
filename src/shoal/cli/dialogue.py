"""The dialogue of `shoal negotiate`: change a constraint, see the answer, choose, save."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from shoal.cli import output, terminal
from shoal.describe.quantities import parse_levels, suppression_limit
from shoal.errors import InputError, ShoalError, did_you_mean, printable, show
from shoal.numbers import percent
from shoal.questions.kinds import Word
from shoal.questions.option_words import PREFERENCES
from shoal.questions.searches import NegotiateQuestion
from shoal.search.negotiation.request import limits_of

if TYPE_CHECKING:
    from shoal.answers.negotiation import Answer
    from shoal.cli.negotiate import Mark
    from shoal.search.negotiation.negotiator import Negotiator

HELP = {
    "k 5": "every class has at least 5 rows (k - for none)",
    "l 3": "every class has at least 3 distinct sensitive values (l - for none)",
    "heights {0}=1": "the highest levels allowed; heights - for all roots",
    "{0} 1": "the height of one attribute ({0} - for its root)",
    "suppress 1%": "how much may be suppressed: 1%, 0.01 or a number of rows",
    "prefer height": "answer with the least height, or again with the least loss (prefer loss)",
    "metric DM": "measure the loss by another metric",
    "undo": "take the last change back",
    "why": "what blocks the request, and what single steps would bring",
    "choose {1}": "take a suggestion: {2}",
    "save FILE": "keep the answer, or the chosen suggestion, for shoal release",
    "help, quit": "",
}
"""What can be said, with the first attribute's name and with the suggestions that there are."""
STATE = ("k", "l", "heights", "suppressed", "prefer", "metric")
"""What a change changes, and undo brings back."""


class Dialogue:
    """Reads commands from one stream and answers on another, until the end, `quit`, or Ctrl-C at the prompt.

    Ctrl-C while it answers ends the answer alone. Limits that the study does not have are refused before
    anything is said.
    """

    def __init__(
        self,
        negotiator: Negotiator,
        source: TextIO,
        target: TextIO,
        question: NegotiateQuestion | None = None,
        mark: Mark | None = None,
    ) -> None:
        self.negotiator = negotiator
        self.source, self.target = source, target
        self.console = terminal.console(target)
        self.k: int | None = None
        self.l: int | None = None
        asked = question or NegotiateQuestion()
        top, _ = limits_of(negotiator.shape, asked)
        given = asked.heights or {}
        names = parse_levels(given, negotiator.shape.names) if isinstance(given, str) else given
        self.heights = {
            name: level for name, level in negotiator.shape.named(top).items() if name in names
        }
        self.suppressed = str(asked.max_suppressed)
        self.prefer, self.metric, self.time_limit = asked.prefer, asked.metric, asked.time_limit
        self.earlier: list[dict[str, Any]] = []
        self.answer: Answer | None = None
        self.choice: str | None = None
        self._mark = mark

    def run(self) -> None:
        """Talk until the source ends or says quit."""
        shape = self.negotiator.shape
        levels = ", ".join(
            f"{name} {lo}-{hi}"
            for name, lo, hi in zip(shape.names, shape.bottom, shape.top, strict=True)
        )
        self._say(f"{shape.rows:,} rows, {shape.nodes:,} nodes. Levels: {levels}.")
        self._say("Say k 5 to begin, help for more, quit to leave.")
        while True:
            self.target.write("> ")
            self.target.flush()
            try:
                line = self.source.readline()
            except KeyboardInterrupt:
                line = ""
            if not line:
                self._say("")
                return
            if line.strip() in {"quit", "exit", "q"}:  # alone: an attribute may be called so
                return
            word, _, rest = line.strip().partition(" ")
            try:
                if word:
                    self._obey(word, rest.strip())
            except ShoalError as problem:
                self._say(f"{problem}")
            except KeyboardInterrupt:
                self._say("Stopped.")

    def _obey(self, word: str, rest: str) -> None:
        commands: dict[str, Callable[[str], None]] = {
            "k": lambda given: self._change(k=_whole("k", given)),
            "l": lambda given: self._change(l=_whole("l", given)),
            "heights": self._heights,
            "suppress": lambda given: self._change(suppressed=given),
            "prefer": self._prefer,
            "metric": self._measure,
            "undo": lambda _: self._undo(),
            "why": lambda _: self._why(),
            "choose": self._choose,
            "save": self._save,
            "help": lambda _: self._help(),
        }
        # An attribute may be called like a command: heights reaches it.
        if word in commands:
            commands[word](rest)
            return
        name, _, level = f"{word} {rest}".strip().rpartition(" ")
        if name not in self.negotiator.shape.names:
            known = [*commands, "quit", *self.negotiator.shape.names]
            raise InputError(f"{show(word)} is no command and no attribute; {did_you_mean(word, known)}")
        heights = {other: height for other, height in self.heights.items() if other != name}
        chosen = _whole(f"the height of {show(name)}", level)
        self._change(heights=heights if chosen is None else heights | {name: chosen})

    def _heights(self, given: str) -> None:
        names = self.negotiator.shape.names
        levels = {} if given in {"", "-"} else self.heights | parse_levels(given, names, "height")
        self._change(heights=levels)

    def _prefer(self, given: str) -> None:
        self._change(prefer=Word(PREFERENCES).check("preference", given))

    def _measure(self, given: str) -> None:
        from shoal.metrics import metric_named

        self._change(metric=metric_named(given).name)

    def _undo(self) -> None:
        if not self.earlier:
            raise InputError("nothing was changed yet; there is nothing to take back")
        self._set(self.earlier[-1])
        self.earlier.pop()

    def _change(self, **changed: Any) -> None:
        """Take a change over and answer, so that it can be taken back."""
        before = {name: getattr(self, name) for name in STATE}
        self._set(changed)
        self.earlier.append(before)

    def _set(self, changed: Mapping[str, Any]) -> None:
        """Answer with a change; one that is refused or stopped is as if it had not been said."""
        before = {name: getattr(self, name) for name in changed}
        for name, value in changed.items():
            setattr(self, name, value)
        try:
            self._ask()
        except (ShoalError, KeyboardInterrupt):
            for name, value in before.items():
                setattr(self, name, value)
            raise

    def _request(self) -> dict[str, Any]:
        return {
            "k": self.k,
            "l": self.l,
            "heights": self.heights,
            "max_suppressed": self.suppressed,
            "prefer": self.prefer,
            "metric": self.metric,
            "time_limit": self.time_limit,
        }

    def _ask(self) -> None:
        from shoal.cli.negotiate import show as show_answer

        if self.k is None and self.l is None:
            self._check_limits()
            self.answer, self.choice = None, None
            self._say("Say k or l next." if self.negotiator.shape.sensitive else "Say k next.")
            return
        answer = self.negotiator.ask(**self._request())
        self.answer, self.choice = answer, None
        asked = [
            f"{name} {value}" for name, value in (("k", self.k), ("l", self.l)) if value is not None
        ]
        asked += [f"suppress {self.suppressed}", *(f"{name} {h}" for name, h in self.heights.items())]
        asked += [f"prefer {self.prefer}"] if self.prefer != "loss" else []
        self._say(f"Asked: {', '.join(asked)}.")
        show_answer(answer, self.console)

    def _help(self) -> None:
        """Say what can be said here: no l without sensitive columns, no suggestions that are not there."""
        answer, first = self.answer, self.negotiator.shape.names[0]
        offers = [name for name, _ in answer.rows()] if answer and answer.exact is None else []
        for said, meaning in HELP.items():
            if (said[0] == "l" and not self.negotiator.shape.sensitive) or (
                "{1}" in said and not offers
            ):
                continue
            words = (first, offers[0] if offers else "", ", ".join(offers))
            self._say(f"{said.format(*words):<19} {meaning.format(*words)}".rstrip())

    def _check_limits(self) -> None:
        asked = NegotiateQuestion(heights=self.heights, max_suppressed=self.suppressed)
        limits_of(self.negotiator.shape, asked)

    def _why(self) -> None:
        explained = self.negotiator.explain(**self._request(), most=5)
        verdict = "holds" if explained.holds else "fails"
        self._say(
            f"The request {verdict}: at the highest levels allowed {explained.suppressed:,} rows are "
            f"suppressed, {explained.limit:,} may be; {explained.blocked:,} classes."
        )
        for value in explained.values:
            self._say(
                f"  {value.attribute} {show(value.label)}: {value.suppressed:,} of {value.rows:,} rows"
            )
        for step in sorted(explained.steps, key=lambda step: step.change):
            self._say(
                f"  {step.attribute} to level {step.level}: {step.suppressed:,} rows ({step.change:+,})"
            )

    def _choose(self, given: str) -> None:
        if self.answer is None:
            raise InputError("there is no answer yet; say k 5")
        offer = self.answer.choose(given or None)
        self.choice = None if self.answer.exact is not None else given
        levels = ", ".join(f"{name} {level}" for name, level in offer.node.items())
        lost = f"{percent(offer.share or 0.0)} lost ({self.answer.metric})"
        self._say(
            f"Chosen: {levels}; {offer.suppressed:,} rows suppressed, {lost}. Say save FILE to keep it."
        )

    def _save(self, given: str) -> None:
        from shoal.cli.negotiate import keep

        if self.answer is None:
            raise InputError("there is no answer yet; say k 5")
        if not given:
            raise InputError("name a file: save FILE")
        self.answer.choose(self.choice)  # a suggestion must be chosen first
        output.check_free(Path(given), force=False, advice="choose another name")
        found_on = {} if self._mark is None else self._mark(self.answer)
        limit = suppression_limit(self.suppressed, self.negotiator.shape.rows)
        keep(self.answer, self.choice, Path(given), False, found_on, limit)
        self._say(f"Kept in {given}.")

    def _say(self, text: str) -> None:
        self.target.write(printable(text) + "\n")


def _whole(what: str, given: str) -> int | None:
    if given in {"", "-"}:
        return None
    if not (given.isascii() and given.isdigit() and len(given) < 19):
        raise InputError(f"{what} is {show(given)}; use a whole number, or - for none")
    return int(given)
