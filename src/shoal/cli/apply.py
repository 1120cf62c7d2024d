"""`shoal apply`: recodes new rows as an earlier release did."""

from __future__ import annotations

from shoal.cli import output
from shoal.cli.options import Printed, WrittenFile, command
from shoal.numbers import many
from shoal.questions.execution import Execution
from shoal.questions.releases import ApplyQuestion


@command
def apply(question: ApplyQuestion, written: WrittenFile, execution: Execution, printed: Printed) -> None:
    """Recode new rows of the same kind with the mapping and promise of an earlier release."""
    from shoal import again

    with output.running("apply", execution) as progress:
        reused = again.apply(
            question.record,
            question.table,
            written.out,
            seed=question.seed,
            force=written.force,
            progress=progress,
            **execution.engines,
        )
    published = reused.published
    if printed.as_json:
        document = published.to_dict() | {
            "new_values": [new.to_dict() for new in reused.new_values],
            "together": None if reused.together is None else reused.together.to_dict(),
        }
        output.print_json(document)
        return
    measured, suppressed = published.verdict.measured, published.record["suppressed"]
    groups = f"{measured.groups:,} groups of {measured.smallest:,} or more"
    if measured.persons is not None:
        groups = f"{groups} persons; they are about {many(measured.persons.count, 'person')}"
    print(f"{published.path}: {measured.rows:,} rows in {groups}.")
    print(f"{suppressed['rows']:,} rows and {suppressed['values']:,} sensitive values suppressed.")
    for new in reused.new_values:
        rows = "the 1 row" if new.rows == 1 else f"all {new.rows:,} rows"
        for values, fate in (
            (new.placed, "placed by the hierarchy"),
            (new.refused, f"without a place in the release, so {rows} with it suppressed"),
        ):
            if values:
                shown = ", ".join("(missing)" if v is None else v for v in values[:5])
                more = f" and {len(values) - 5:,} more" if len(values) > 5 else ""
                print(f"Never seen before in {new.attribute}, {fate}: {shown}{more}.")
    output.show_warnings(published.warnings)
    if reused.together is not None:
        print("Together with the earlier release:")
        for sentence in reused.together.sentences():
            print(f"  {sentence}")
