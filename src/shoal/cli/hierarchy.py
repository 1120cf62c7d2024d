"""`shoal hierarchy`: shows, tests and edits one hierarchy of a study."""

from __future__ import annotations

from dataclasses import replace

from shoal.cli import output, terminal
from shoal.cli.options import Replacing, command
from shoal.questions.execution import Execution
from shoal.questions.tables import HierarchyQuestion


@command
def hierarchy(question: HierarchyQuestion, execution: Execution, replacing: Replacing) -> None:
    """Show and test one hierarchy on the table, or make another and put it into the study."""
    from shoal.data.opening import opened
    from shoal.data.tally.counting import StudyCounts
    from shoal.describe.hierarchies import write_hierarchy
    from shoal.describe.study_file import read_study_file
    from shoal.errors import InputError
    from shoal.proposal import one_hierarchy

    study, column = question.study, question.column
    specification = read_study_file(study)
    one_hierarchy.own_column(specification, column)
    attribute = specification.attributes[column]
    other = (question.describe, question.quantiles, question.optimal, question.alike)
    if question.edit and not any(other):
        raise InputError("nothing to put into the study; say which hierarchy")
    if question.write is not None:
        output.check_free(question.write, replacing.force)
    source = (specification.table, specification.reading)
    with output.running("hierarchy", execution), opened(*source) as engine:
        if any(other):
            anew = one_hierarchy.made_anew(engine, column, *other)
            attribute = replace(attribute, hierarchy=anew, min_level=0, max_level=None)
        if attribute.hierarchy is None:
            raise specification.refuse(f"the column {column!r} has no hierarchy; describe one", column)
        tried = replace(specification, attributes={**specification.attributes, column: attribute})
        counts = StudyCounts(engine, tried, None)
        levels = one_hierarchy.levels_of(counts, column)
        rows = counts.hierarchy(column).rows()
    if question.write is not None:
        output.write_whole(question.write, write_hierarchy(rows), replacing.force, private=False)
    if question.edit:
        made = question.write or attribute.hierarchy
        named = one_hierarchy.written(made, study, question.describe)
        text = one_hierarchy.put_into(study, column, named)
        output.write_whole(study, text, True, private=False)
        output.notice(f"{study} now has this hierarchy for {column}")
    if replacing.as_json:
        output.print_json({"column": column, "levels": [level.to_dict() for level in levels]})
        return
    table = terminal.table("level", "groups", "rows in the smallest", "such as", overflow="fold")
    for level in levels:
        shown = ", ".join("(missing)" if label is None else label for label in level.examples)
        table.add_row(str(level.level), f"{level.groups:,}", f"{level.smallest:,}", shown)
    terminal.console().print(table)
