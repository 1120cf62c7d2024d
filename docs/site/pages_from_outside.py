"""A hook of mkdocs: pages and files from outside docs/, and links to them, so that nothing is written twice.

The front page is the README. Links that work in the repository work on the site too.
"""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
    "CODE_OF_CONDUCT.md": "conduct.md",
    "benchmarks/README.md": "benchmarks.md",
}
"""Pages that lie elsewhere in the repository, and where they go."""
TEXTS = {
    "LICENSE": "LICENSE.txt",
    "Dockerfile": "Dockerfile.txt",
    ".github/workflows/wheels.yml": "wheels.txt",
}
"""Files that pages lead to, under names that browsers show as text."""
_LINK = re.compile(r"(\]\()([^)#\s]+)([^)]*\))")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages, and the schemas and figures that pages link to."""
    for source, target in PAGES.items():
        files.append(File.generated(config, target, abs_src_path=str(ROOT / source)))
    for schema in sorted((ROOT / "src/shoal/documents").glob("*.schema.json")):
        files.append(File.generated(config, f"schemas/{schema.name}", abs_src_path=str(schema)))
    figures = str(ROOT / "benchmarks" / "measured.json")
    files.append(File.generated(config, "measured.json", abs_src_path=figures))
    for source, target in TEXTS.items():
        files.append(File.generated(config, target, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links lead to where their targets are on the site."""
    origin = {target: source for source, target in PAGES.items()}.get(page.file.src_uri)
    here = (ROOT / origin if origin else ROOT / "docs" / page.file.src_uri).parent
    depth = page.file.src_uri.count("/")

    def on_the_site(match: re.Match[str]) -> str:
        start, link, end = match.groups()
        if ":" in link:
            return match[0]
        target = (here / link).resolve()
        if not target.is_relative_to(ROOT):
            return match[0]
        place = target.relative_to(ROOT).as_posix()
        if place in PAGES:
            place = PAGES[place]
        elif place.startswith("src/shoal/documents/"):
            place = f"schemas/{target.name}"
        elif place in TEXTS:
            place = TEXTS[place]
        elif place.startswith("docs/"):
            place = place.removeprefix("docs/").replace(".ipynb", ".md")
        else:
            return match[0]
        return start + "../" * depth + place + end

    if page.file.src_uri == "api.md":
        markdown += _public_names()
    return _LINK.sub(on_the_site, markdown)


def _public_names() -> str:
    """Return a section for each kind of public name, as the page about compatibility lists them."""
    listed = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    parts = []
    for kind, names in re.findall(r"^\| (\w+) \| (`.*`) \|$", listed, re.MULTILINE):
        found = [f"::: shoal.{name}" for name in re.findall(r"`([A-Za-z]\w*)`", names)]
        parts += [f"## {kind}", *found]
    return "\n\n" + "\n\n".join(parts) + "\n"
