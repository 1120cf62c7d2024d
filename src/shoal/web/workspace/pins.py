"""Solutions kept for comparison: what each costs, what risk remains, and what rows become."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.assess.utility import utility_of
from shoal.errors import InputError
from shoal.release.papers.risk_left import risk_after
from shoal.release.papers.sampled_risk import sampled_risk
from shoal.release.study_release import StudyRelease
from shoal.web.workspace.bench import Bench
from shoal.web.workspace.questions import Document
from shoal.web.workspace.state import Pin, State

SAMPLES = 12
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_TITLE = 100


class Pins:
    """The solutions among which a curator chooses."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def add(
        self,
        solution: Mapping[str, Any],
        title: str = "",
        made_for: str | None = None,
        letter: str = "",
    ) -> Pin:
        """Keep a solution document; refuse one that cannot be released, or if too many are pinned.

        The same one is kept once: the pin that it has already is returned.

        `made_for` is the `State.recoding_key` of the study that was asked; by default the present one. It
        gets the `letter` if that is free.
        """
        self._bench.check_made_for(made_for)
        made = self._bench.release_of(solution)
        if made.treatment.released_rows == 0:
            raise InputError("every row would be suppressed; pin another solution")
        words = " ".join(title.split())[:MOST_TITLE] or _title(solution)
        key = self._bench.state.recoding_key if made_for is None else made_for
        with self._bench.lock:
            for each in self._bench.state.pins:
                if (each.made_for, dict(each.solution)) == (key, dict(solution)):
                    return each
            taken = {each.letter for each in self._bench.state.pins}
            if len(letter) != 1 or letter in taken or letter not in LETTERS:
                letter = next((each for each in LETTERS if each not in taken), "")
        pin = Pin(secrets.token_hex(4), words, dict(solution), key, letter)

        def pinned(state: State) -> State:
            if len(state.pins) >= self._bench.limits.pins:
                raise InputError(
                    f"{self._bench.limits.pins} solutions are pinned, and no more are allowed; "
                    "unpin one first"
                )
            return replace(state, pins=(*state.pins, pin))

        self._bench.step(pinned)
        return pin

    def remove(self, key: str) -> None:
        """Unpin a solution."""
        self.get(key)
        self._bench.step(
            lambda state: replace(state, pins=tuple(pin for pin in state.pins if pin.key != key))
        )

    def rename(self, key: str, title: str) -> None:
        """Give a pinned solution another name."""
        self.get(key)
        words = " ".join(title.split())[:MOST_TITLE]
        if not words:
            raise InputError("a pinned solution needs a name; type one")

        def renamed(state: State) -> State:
            pins = (replace(pin, title=words) if pin.key == key else pin for pin in state.pins)
            return replace(state, pins=tuple(pins))

        self._bench.step(renamed)

    def get(self, key: str) -> Pin:
        """Return a pinned solution."""
        for pin in self._bench.state.pins:
            if pin.key == key:
                return pin
        raise InputError("this solution is not pinned")

    def compare(self) -> list[Document]:
        """Return the pinned solutions with their figures, and the same rows before and after each.

        One that no longer fits the study has an `error` in place of its figures.
        """
        documents = []
        for pin in self._bench.state.pins:
            try:
                self._bench.check_made_for(pin.made_for)
                documents.append(pin.shown() | self.figures(pin.solution))
            except InputError as problem:
                documents.append(pin.shown() | {"error": problem.what})
        return documents

    def risks(self) -> list[Document]:
        """Return the pinned solutions with the risk that each leaves, or why it no longer fits."""
        documents: list[Document] = []
        for pin in self._bench.state.pins:
            try:
                self._bench.check_made_for(pin.made_for)
                made = self._bench.release_of(pin.solution)
                documents.append({"title": pin.title, "letter": pin.letter, "risk": _risk_left(made)})
            except InputError as problem:
                documents.append({"title": pin.title, "error": problem.what})
        return documents

    def figures(self, solution: Mapping[str, Any]) -> Document:
        """Return what a solution would release, what it costs, and what risk remains."""
        made = self._bench.release_of(solution)
        treatment, tally = made.treatment, made.tally
        utility = utility_of(made.material, made.decision.recoding, treatment, tally)
        return {
            "rows": treatment.rows,
            "released": treatment.released_rows,
            "suppressed": treatment.suppressed_rows,
            "suppressed_values": treatment.suppressed_values,
            "promise": made.decision.promise.to_dict(),
            "risk": _risk_left(made),
            "utility": utility.to_dict(),
            "samples": self._samples(made),
        }

    def _samples(self, made: StudyRelease) -> Document:
        """Return some combinations of quasi values before and after; the same ones for every solution."""
        treatment, tally = made.treatment, made.tally
        chosen = np.random.default_rng(0).permutation(len(tally))[:SAMPLES].tolist()
        after = [
            None
            if treatment.classes[i] in treatment.deleted
            else list(treatment.labels[treatment.classes[i]])
            for i in chosen
        ]
        return {
            "columns": list(tally.attributes),
            "before": [
                [tally.domains[a][code] for a, code in enumerate(tally.codes[i])] for i in chosen
            ],
            "after": after,
        }


def _risk_left(made: StudyRelease) -> Document:
    return risk_after(made).to_dict() | {"sample": sampled_risk(made)["after"] or None}


def _title(solution: Mapping[str, Any]) -> str:
    word = str(solution.get("algorithm") or solution.get("method") or "solution")[:60]
    k = solution.get("k")
    return f"{word}, k = {k}" if isinstance(k, int) else word
