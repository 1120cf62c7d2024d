"""The charts of the internal report, each with its figures as a table; None where facts are missing."""

from __future__ import annotations

from shoal.numbers import amount, count, many, percent
from shoal.present import words
from shoal.present.charts import bar_svg as svg
from shoal.present.report.facts import Facts, number, part, parts, shown, text, whole
from shoal.present.report.layout import Figure, figure, table

MOST_BARS = 40

BEFORE_AFTER = (("s1", "before"), ("s0", "after"))


def tradeoff(facts: Facts) -> tuple[str, Figure] | None:
    """Return what privacy costs: a sentence and the plot."""
    frontier = part(facts, "frontier")
    found = [(whole(point, "k"), number(point, "loss")) for point in parts(frontier, "points")]
    pairs = sorted(((k, loss) for k, loss in found if k and k > 0 and loss is not None), reverse=True)
    if not pairs:
        return None
    decision = part(facts, "decision")
    same = text(decision, "metric") == text(frontier, "metric")
    loss, share = number(decision, "loss"), number(decision, "loss_share")
    most = max(loss for _, loss in pairs) or 1.0
    if same and loss and share:
        most = max(most, loss / share)
    chosen_k = whole(frontier, "chosen_k")
    chosen_loss = next((loss for k, loss in pairs if k == chosen_k), loss if same else None)
    chosen = None
    if chosen_k and chosen_k > 0 and chosen_loss is not None:
        chosen = svg.Point(chosen_k, chosen_loss / most)
    points = [svg.Point(k, loss / most) for k, loss in pairs]
    metric = words.metric_name(text(frontier, "metric"))
    certified = frontier.get("certified")
    proof = ", and no better one was missed" if certified is True else ""
    proof = "; better ones may have been missed" if certified is False else proof
    said = (
        f"Each point is a way to generalize the table that no other beats in both privacy and loss, "
        f"measured by {metric}. There {'is' if len(pairs) == 1 else 'are'} "
        f"{many(len(pairs), 'such point')}{proof}."
    )
    desc = (
        f"k from {count(points[-1].k)} to {count(points[0].k)}; the loss rises with k from "
        f"{percent(points[-1].share)} to {percent(points[0].share)}."
    )
    if chosen is not None:
        desc += f" Chosen: k = {count(chosen.k)}, {percent(chosen.share)} lost."
    marked = next((i for i, point in enumerate(points) if point.k == chosen_k), None)
    data = table(
        "The points of the trade-off; the chosen one is marked",
        ("k", "Loss", "Of the most", "Chosen"),
        [
            (count(k), amount(loss), percent(loss / most), "chosen" if i == marked else "")
            for i, (k, loss) in enumerate(pairs)
        ],
        (0, 1, 2),
        marked,
    )

    def draw(ident: str, width: int) -> str:
        title = "Trade-off of privacy and information loss"
        return svg.tradeoff(ident, points, chosen, width=width, title=title, desc=desc)

    return said, figure("tradeoff", draw, data)


def sizes(facts: Facts) -> Figure | None:
    """Return how large the groups are, before and after."""
    both = [_bins(part(facts, "risk", side)) for side in ("before", "after")]
    order = sorted({bin_ for side in both for bin_ in side}, key=lambda bin_: bin_[0])
    totals = [sum(rows for rows, _ in side.values()) for side in both]
    if not order or not any(totals):
        return None
    groups, rows = [], []
    for bin_ in order:
        name = _bin_name(bin_)
        found = [side.get(bin_, (0, 0)) for side in both]
        groups.append(
            svg.BarGroup(
                name,
                tuple(
                    svg.Bar(in_rows / (total or 1), f"{percent(in_rows / (total or 1))}", series)
                    for (in_rows, _), total, series in zip(found, totals, (1, 0), strict=True)
                    if total
                ),
            )
        )
        rows.append((name, *(count(figure_) for pair in found for figure_ in pair)))
    data = table(
        "Rows and groups by the size of the group",
        ("Size of the group", "Rows before", "Groups before", "Rows after", "Groups after"),
        rows,
        (1, 2, 3, 4),
    )
    desc = "; ".join(
        f"{group.label}: "
        + ", ".join(f"{bar.label} {('after', 'before')[bar.series]}" for bar in group.bars)
        for group in groups
    )

    def draw(ident: str, width: int) -> str:
        title = "Share of the rows by the size of their group, before and after"
        return svg.bars(ident, groups, width=width, title=title, desc=desc)

    return figure("sizes", draw, data, BEFORE_AFTER)


def _bins(side: Facts) -> dict[tuple[int, int | None], tuple[int, int]]:
    result = {}
    for bin_ in parts(side, "histogram"):
        first = whole(bin_, "from")
        if first is not None:
            key = (first, whole(bin_, "to"))
            result[key] = (whole(bin_, "rows") or 0, whole(bin_, "classes") or 0)
    return result


def _bin_name(bin_: tuple[int, int | None]) -> str:
    first, last = bin_
    if last is None:
        return f"{first:,} or more"
    if first == last:
        return "1 (unique)" if first == 1 else f"{first:,}"
    return f"{first:,} to {last:,}"


def attribute_losses(facts: Facts) -> Figure | None:
    """Return what each column lost."""
    found = [(text(a, "name"), number(a, "loss"), a) for a in parts(facts, "attributes")]
    known = [(name, loss, a) for name, loss, a in found if name is not None and loss is not None]
    if not known:
        return None
    known.sort(key=lambda each: -each[1])
    groups = [svg.BarGroup(name, (svg.Bar(loss, percent(loss)),)) for name, loss, _ in known]
    data = table(
        "Information lost by column",
        ("Column", "Lost", "Values before", "Values after"),
        [
            (name, percent(loss), count(whole(a, "distinct_before")), count(whole(a, "distinct_after")))
            for name, loss, a in known
        ],
        (1, 2, 3),
    )
    desc = "; ".join(f"{name}: {percent(loss)}" for name, loss, _ in known[:MOST_BARS])

    def draw(ident: str, width: int) -> str:
        title = "Information lost by column"
        return svg.bars(ident, groups[:MOST_BARS], width=width, title=title, desc=desc)

    return figure("losses", draw, data)


def subgroups(facts: Facts) -> tuple[str, Figure] | None:
    """Return who was left out: a sentence and the shares by subgroup."""
    found = []
    for each in parts(facts, "subgroups"):
        rows, gone = whole(each, "rows"), whole(each, "suppressed")
        if rows and gone is not None and text(each, "attribute") is not None:
            found.append((shown(each["attribute"]), shown(each.get("value")), rows, gone))
    if not found:
        return None
    total = part(facts, "rows")
    original, suppressed = whole(total, "original"), whole(total, "suppressed")
    overall = suppressed / original if original and suppressed is not None else None
    top = max(found, key=lambda each: each[3] / each[2])
    said = "No row of these subgroups was left out."
    if top[3]:
        said = (
            f"Rows with {top[0]} = {top[1]} were left out most often: {percent(top[3] / top[2])} of them"
        )
        said += f", against {percent(overall)} of all rows." if overall is not None else "."
    groups: list[svg.BarGroup] = []
    for attribute in dict.fromkeys(each[0] for each in found):
        inside = sorted((each for each in found if each[0] == attribute), key=lambda e: -e[3] / e[2])
        groups.append(svg.BarGroup(attribute))
        for _, value, rows, gone in inside:
            label = f"{percent(gone / rows)} ({gone:,} of {rows:,})"
            groups.append(svg.BarGroup(value, (svg.Bar(gone / rows, label),)))
    shares = [(a, v, count(r), count(g), percent(g / r)) for a, v, r, g in found]
    data = table(
        "Rows left out by subgroup",
        ("Column", "Value", "Rows", "Left out", "Share left out"),
        shares,
        (2, 3, 4),
    )
    reference = (overall, f"all rows: {percent(overall)}") if overall is not None else None

    def draw(ident: str, width: int) -> str:
        title = "Share of the rows left out, by subgroup"
        some = groups[: 2 * MOST_BARS]
        return svg.bars(ident, some, width=width, title=title, desc=said, reference=reference)

    return said, figure("subgroups", draw, data)


def classification(facts: Facts) -> tuple[str, Figure] | None:
    """Return how well a label can still be predicted."""
    given = part(facts, "classification")
    released, original = number(given, "released_error"), number(given, "original_error")
    baseline, tested = number(given, "baseline_error"), whole(given, "rows")
    if released is None:
        return None
    on = f" of {many(tested, 'row')} held back for testing" if tested is not None else ""
    said = f"A decision tree that learned from the release is wrong on {percent(released)}{on}"
    said += (
        f"; one that learned from the original, on {percent(original)}" if original is not None else ""
    )
    said += (
        f"; always guessing the most frequent label, on {percent(baseline)}."
        if baseline is not None
        else "."
    )
    if original is not None and baseline is not None and baseline > original:
        kept = (baseline - released) / (baseline - original)
        said += f" The release keeps {percent(min(max(kept, 0.0), 1.0))} of what the tree could learn."
    shares = [("original table", original), ("released table", released), ("guessing", baseline)]
    known = [(name, share) for name, share in shares if share is not None]
    groups = [svg.BarGroup(name, (svg.Bar(share, percent(share)),)) for name, share in known]
    data = table(
        "Error by what was learned from",
        ("Learned from", "Error"),
        [(n, percent(s)) for n, s in known],
        (1,),
    )

    def draw(ident: str, width: int) -> str:
        title = "Error of predictions"
        return svg.bars(ident, groups, width=width, title=title, desc=said)

    return said, figure("classification", draw, data)
