"""`shoal demo`: the main job on the built-in synthetic data."""

from __future__ import annotations

import sys
from pathlib import Path

from shoal.cli import output
from shoal.cli.options import command
from shoal.numbers import many, percent
from shoal.questions.execution import Execution
from shoal.questions.fields import Question, asked, question
from shoal.questions.kinds import File, Flag, Whole

K, MOST_K = 5, 100
"""The demo releases for the first, and shows what privacy costs up to the second."""
CHOSEN = "local-recoding"


@question
class DemoWanted(Question):
    """Which made-up table to write, and where."""

    directory: Path = asked(
        "Where the demo's files go.", File(), default=Path("shoal-demo"), argument=True, kw_only=False
    )
    rows: int = asked("Rows of the synthetic hospital table.", Whole(), default=10_000)
    seed: int = asked("Another seed gives another table.", Whole(None), default=7)
    force: bool = asked("Replace an earlier demo.", Flag(), default=False)


@command
def demo(wanted: DemoWanted, execution: Execution) -> None:
    """Do the whole job on synthetic data: trade-off, choice, release, certificate, report."""
    from shoal.answers.privacy_costs import PrivacyCosts
    from shoal.cli.frontier import show_costs
    from shoal.demo import write_hospital
    from shoal.errors import InputError
    from shoal.study import Study
    from shoal.verification.release_check import verify_release

    directory, rows, seed, force = wanted.directory, wanted.rows, wanted.seed, wanted.force
    print(f"1. A synthetic hospital table: {rows:,} made-up discharges, no real person among them.")
    try:
        study_file = write_hospital(directory, rows, seed, force=force)
    except FileExistsError as problem:
        raise InputError(str(problem).replace("force=True", "--force")) from None
    except ValueError as problem:
        raise InputError(str(problem)) from None
    print(f"   {study_file} says which columns could identify a person, and how to generalize them.\n")

    print("2. What privacy costs by any means, if every row is to look like at least k - 1 others.")
    with execution.kept(), Study.open(study_file, **execution.engines) as study:
        with output.running("frontier", execution) as progress:
            costs = study.frontier(recoding="all", suppress="1%", max_k=MOST_K, progress=progress)
        assert isinstance(costs, PrivacyCosts)
        sys.stdout.flush()
        show_costs(costs)
        output.write_whole(directory / "frontier.json", costs.to_json() + "\n", force=True)
        drawn = directory / "frontier.svg"
        output.draw(drawn, costs, force=True)
        print(f"   The picture: {drawn}\n")

        chosen, plain = costs.curve(CHOSEN).at(K), costs.curve("nodes").at(K)
        if chosen is None or plain is None:
            raise InputError(f"{rows:,} rows are too few for a release with k = {K}; use more")
        print(
            f"3. The choice: local recoding for k = {K}. It loses {percent(chosen.share)}, where one level a "
            f"column loses {percent(plain.share)} and suppresses {many(plain.suppressed, 'row')}."
        )
        print("   Its labels differ from group to group; who needs one meaning a value takes cuts.\n")

        print("4. The release, written and then verified on the written rows:")
        made = study.release(costs, k=K, recoding=CHOSEN, seed=seed)
        published = made.write(directory / "release.csv", force=force)
    measured = published.verdict.measured
    print(f"   {published.path}: {measured.rows:,} rows in {measured.groups:,} groups.")
    verdict = verify_release(published.path)
    print(
        f"   shoal verify: smallest group {verdict.measured.k:,}; "
        + ("holds." if verdict.holds else "BROKEN")
    )
    output.show_warnings(published.warnings)
    print(f"\n   For the public: {published.path}.certificate.json, {published.path}.public.html,")
    print(f"                   {published.path}.codebook.md, {published.path}.codebook.json")
    print(f"   For you alone:  {published.path}.report.html, {published.path}.record.json")
    record = published.record
    for told in (record["decision"].get("groups_file"), record.get("hierarchies_file")):
        if told is not None:
            print(f"                   {published.path.with_name(told['file'])}, which the record needs")
    print(
        f"   Try it:         shoal frontier {study_file} --suppress 1%    # every node, proven complete"
    )
