"""`shoal import-arx`: makes a study of a project that ARX's desktop tool saved."""

from __future__ import annotations

import shlex

from shoal.cli import output
from shoal.cli.options import Replacing, command
from shoal.questions.tables import ImportArxQuestion


@command
def import_arx(question: ImportArxQuestion, replacing: Replacing) -> None:
    """Make a study of an ARX project: its table, roles, hierarchies, and the question it asked."""
    from shoal.describe.places import ENDINGS
    from shoal.documents.whole.file import NO_FOLDER
    from shoal.errors import InputError
    from shoal.proposal.arx_project import read_arx_project
    from shoal.proposal.file_layout import Layout, write_study

    force = replacing.force
    project = read_arx_project(question.project)
    study = question.out or question.project.with_suffix(".study.yaml")
    if study.suffix not in ENDINGS:
        raise InputError("the name of a study ends in .yaml; its table goes beside it", file=study)
    if not study.parent.is_dir():
        raise InputError(NO_FOLDER, file=study)
    stem = study.stem.removesuffix(".study")
    table, folder = study.with_name(f"{stem}.csv"), study.with_name(f"{stem}.hierarchies")
    files = {table: project.table, **{folder / name: text for name, text in project.hierarchies.items()}}
    for place in (study, *files):
        if place.exists():
            output.check_free(place, force)
    layout = Layout(study, table.name, folder, {}, files)
    write_study(
        layout,
        project.study_text(table.name, folder.name),
        lambda path, text: output.write_whole(path, text, force, private=path == table),
    )
    words = [word for pair in project.asked.options.items() for word in pair]
    asked = shlex.join(["shoal", "anonymize", str(study), "--algorithm", "flash", *words])
    if replacing.as_json:
        output.print_json(
            {
                "study": str(study),
                "table": str(table),
                "rows": project.rows,
                "columns": [
                    {
                        "name": one.name,
                        "role": [role.value for role in one.roles],
                        "hierarchy": one.hierarchy,
                    }
                    for one in project.columns
                ],
                "options": project.asked.options,
                "notes": project.asked.notes,
                "command": asked,
            }
        )
        return
    print(f"{study}: {project.rows:,} rows, {len(project.columns)} columns; the table is in {table}.")
    for note in project.asked.notes:
        print(f"Note: {note}.")
    print(f"What the project asked: {asked}")
