"""`shoal verify`: rechecks a release from the released file alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import output, wanted
from shoal.numbers import many, rounded

if TYPE_CHECKING:
    from shoal.describe.promise import Distance
    from shoal.documents import Signed
    from shoal.verification.release_check import Verdict


def verify(
    table: Annotated[Path, typer.Argument(help="The released table.", show_default=False)],
    quasi: Annotated[
        str | None,
        typer.Option(help="Check any table: its quasi columns, by commas.", show_default=False),
    ] = None,
    k: Annotated[
        int | None, typer.Option(help="Every group has this many rows.", show_default=False)
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option(help="The sensitive columns, by commas.", show_default=False)
    ] = None,
    l: Annotated[  # noqa: E741
        int | None, typer.Option(help="Every group has this many distinct values.", show_default=False)
    ] = None,
    theta: Annotated[
        str | None, typer.Option(help="No value has a larger share of a group.", show_default=False)
    ] = None,
    t: Annotated[
        str | None, typer.Option(help="No group lies farther from the table.", show_default=False)
    ] = None,
    distance: Annotated[
        str, typer.Option(help="How far values are for --t: equal, ordered or hierarchical.")
    ] = "equal",
    order: Annotated[
        str | None,
        typer.Option(help="The values in their order, by commas.", show_default="as numbers"),
    ] = None,
    hierarchy: Annotated[
        Path | None,
        typer.Option(help="The hierarchy of the sensitive values.", show_default=False),
    ] = None,
    entropy_l: Annotated[
        str | None,
        typer.Option(
            help="Every group is as uncertain as L equally frequent values.", show_default=False
        ),
    ] = None,
    recursive_l: Annotated[
        str | None,
        typer.Option(
            help="C,L: the first value is rarer than C times the L-th and all after it.",
            show_default=False,
        ),
    ] = None,
    delta: Annotated[
        str | None,
        typer.Option(help="LOW,HIGH: the chance that a person is in the table.", show_default=False),
    ] = None,
    k_map: Annotated[
        int | None,
        typer.Option(help="K rows of the population fall into every group.", show_default=False),
    ] = None,
    population: Annotated[
        Path | None,
        typer.Option(
            help="The population, its quasi columns recoded as the table's.", show_default=False
        ),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(
            help="The public key that the certificate must be signed with (Ed25519).", show_default=False
        ),
    ] = None,
    tally_memory: wanted.TallyMemory = None,
    time_limit: wanted.EngineTimeLimit = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> int:
    """Recheck a release from its rows and its certificate; exit 1 where a promise does not hold."""
    from shoal.data.budget import budgeted
    from shoal.describe.promise import Presence, Promise, Recursive, ShareLimits, share
    from shoal.describe.promise.limits import diversity
    from shoal.errors import InputError
    from shoal.present.verdicts import told
    from shoal.verification.release_check import count_population, verify_release, verify_table

    about = {"l": l, "theta": theta, "t": t, "entropy-l": entropy_l, "recursive-l": recursive_l}
    asked = {"k": k, **about, "k-map": k_map, "delta": delta}
    if quasi is None:
        others = (sensitive, order, hierarchy, population)
        if any(given is not None for given in (*asked.values(), *others)):
            raise InputError("--k, --l and --theta check any table: name its --quasi columns too")
        with output.progress("verify", time_limit), budgeted(tally_memory):
            verdict = verify_release(table, key)
    else:
        if key is not None:
            raise InputError("--key is about a release's certificate; leave --quasi out")
        columns, keys = _names(sensitive), _names(quasi)
        if all(given is None for given in asked.values()):
            raise InputError("say what to check: " + ", ".join(f"--{name}" for name in asked))
        named = [f"--{name}" for name, given in about.items() if given is not None]
        if named and not columns:
            raise InputError(
                f"{' and '.join(named)}: about a sensitive column; name it with --sensitive"
            )
        for name, number in (("k", k), ("l", l), ("k-map", k_map)):
            if number is not None and number < 1:
                raise InputError(f"--{name} {number} is less than 1")
        if population is None and not (k_map is None and delta is None):
            raise InputError(
                "--k-map and --delta are about a population: name its table with --population"
            )
        far = _distance(distance, order, hierarchy)
        with output.progress("verify", time_limit), budgeted(tally_memory):
            promise = Promise(
                k,
                l,
                {} if theta is None else dict.fromkeys(columns, ShareLimits(share(theta))),
                {} if t is None else dict.fromkeys(columns, share(t, "t")),
                {} if t is None or far is None else dict.fromkeys(columns, far),
                {} if entropy_l is None else dict.fromkeys(columns, diversity(entropy_l)),
                {}
                if recursive_l is None
                else dict.fromkeys(columns, Recursive.of(*_two(recursive_l, "--recursive-l C,L"))),
                k_map,
                None if delta is None else Presence.of(*_two(delta, "--delta LOW,HIGH")),
                None if population is None else count_population(population, keys),
            )
            verdict = verify_table(table, promise, keys, columns)
    if as_json:
        print(json.dumps(told(verdict), ensure_ascii=False))
    else:
        show(table, verdict)
    return 0 if verdict.holds else 1


def show(table: Path, verdict: Verdict) -> None:
    """Print the verdict for people."""
    from shoal.present.verdicts import promised

    measured = verdict.measured
    print(f"{table}: {measured.rows:,} rows, {measured.groups:,} groups, the smallest of {measured.k:,}")
    if measured.buckets is not None:
        split = measured.buckets
        print(f"  dealt into {split.groups:,} groups of {split.smallest:,} to {split.largest:,} rows")
    for column, spread in measured.sensitive.items():
        print(
            f"  {column}: every group has {many(spread.l, 'distinct value')} or more, none above "
            f"{spread.share} of its rows; entropy l = {rounded(spread.entropy, 3)}, "
            f"t = {rounded(spread.t, 4)}"
        )
    if measured.population is not None:
        crowds = measured.population
        chance = f", a chance of {crowds.lowest} to {crowds.highest} to be in the table"
        print(
            f"  population: at least {crowds.smallest:,} rows a group"
            + (chance if crowds.lowest is not None else "")
        )
    print("Promised:")
    for sentence in promised(verdict):
        print(f"  {sentence}")
    for failure in verdict.failures:
        print(f"  BROKEN {failure}")
    if verdict.signed is not None:
        print(_signature(verdict.signed))
    print("Every promise holds." if verdict.holds else "A promise does not hold.")


def _signature(signed: Signed) -> str:
    """Return whose signature there is, and whether it was checked."""
    whose = signed.key or "an unknown key"
    if signed.fits is None:
        return f"Signed, by its own claim with the key {whose}; not checked. Check it with --key PUBLIC-KEY."
    return f"Signed with the key {whose}." if signed.fits else f"Not signed with the key {whose}."


def _distance(word: str, order: str | None, hierarchy: Path | None) -> Distance | None:
    from shoal.describe.hierarchies import read_hierarchy
    from shoal.describe.promise import Distance, DistanceKind
    from shoal.errors import InputError

    kind = DistanceKind.of(word)
    if order is not None and kind is not DistanceKind.ORDERED:
        raise InputError("--order is for --distance ordered")
    if (hierarchy is not None) != (kind is DistanceKind.HIERARCHICAL):
        raise InputError("--distance hierarchical and --hierarchy FILE go together")
    if kind is DistanceKind.EQUAL:
        return None
    rows = () if hierarchy is None else tuple(read_hierarchy(hierarchy).rows())
    return Distance(kind, tuple(_names(order)), rows)


def _two(given: str, form: str) -> tuple[str, str]:
    from shoal.errors import InputError

    first, comma, second = given.partition(",")
    if not comma or "," in second:
        raise InputError(f"{given} is not of the form {form}")
    return first, second


def _names(given: str | None) -> list[str]:
    return [name.strip() for name in given.split(",") if name.strip()] if given else []
