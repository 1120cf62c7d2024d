"""The charts of the internal report, each with its data as a table; None if facts are missing."""

from __future__ import annotations

from shoal.numbers import count, many, percent
from shoal.present import words
from shoal.present.charts.bars import SOLID, STRIPED, Bar, BarGroup, Bars, bars_chart
from shoal.present.charts.plane import Spot, plane_chart
from shoal.present.charts.svg import Table
from shoal.present.charts.tradeoff import k_plane
from shoal.present.report.facts import Facts, number, part, parts, shown, text, whole
from shoal.present.report.layout import Figure, figure

MOST_BARS = 40

BEFORE_AFTER = ((STRIPED, "before"), (SOLID, "after"))


def tradeoff(facts: Facts) -> tuple[str, Figure] | None:
    """Return what privacy costs: a sentence and the plot."""
    from shoal.answers.solution import amounts

    frontier = part(facts, "frontier")
    if "curves" in frontier:
        return _by_any_means(frontier)
    found = [(whole(point, "k"), number(point, "loss")) for point in parts(frontier, "points")]
    pairs = sorted(((k, loss) for k, loss in found if k and k > 0 and loss is not None), reverse=True)
    if not pairs:
        return None
    decision = part(facts, "decision")
    same = text(decision, "metric") == text(frontier, "metric")
    loss, share = number(decision, "loss"), number(decision, "share")
    known = [(number(point, "loss"), number(point, "share")) for point in parts(frontier, "points")]
    known += [(loss, share)] if same else []
    # Old solutions have no shares: the largest loss of a point then counts as 100%.
    most = next((lost / of for lost, of in known if lost and of), max(lost for _, lost in pairs) or 1.0)
    chosen_k = whole(frontier, "chosen_k")
    chosen_loss = next((loss for k, loss in pairs if k == chosen_k), loss if same else None)
    chosen = None
    if chosen_k and chosen_k > 0 and chosen_loss is not None:
        part_lost = chosen_loss / most
        said = f"chosen: k = {count(chosen_k)}, {percent(part_lost)} lost"
        chosen = Spot(float(chosen_k), part_lost, said)
    points = [(k, loss / most) for k, loss in pairs]
    metric = words.metric_name(text(frontier, "metric"))
    certified = frontier.get("certified")
    proof = ", and no better one was missed" if certified is True else ""
    proof = "; better ones may have been missed" if certified is False else proof
    limit, suppression = whole(frontier, "suppression_limit"), text(frontier, "suppression")
    over = f" ({amounts(suppression, limit)})" if suppression and limit is not None else ""
    said = (
        f"Each point is a way to generalize the table{over} that no other beats in both privacy and loss, "
        f"measured by {metric}. There {'is' if len(pairs) == 1 else 'are'} "
        f"{many(len(pairs), 'such point')}{proof}."
    )
    desc = (
        f"k from {count(points[-1][0])} to {count(points[0][0])}; the loss rises with k from "
        f"{percent(points[-1][1])} to {percent(points[0][1])}."
    )
    if chosen is not None:
        desc += f" {chosen.words.capitalize()}."
    marked = next((i for i, point in enumerate(points) if point[0] == chosen_k), None)
    data = Table.of(
        "The points of the trade-off; the chosen one is marked",
        ("k", "Lost", "Chosen"),
        [
            (count(k), percent(loss / most), "chosen" if i == marked else "")
            for i, (k, loss) in enumerate(pairs)
        ],
        (0, 1),
        marked,
    )

    plane = k_plane(points, text(frontier, "metric") or "loss", data, desc=desc, chosen=chosen)
    return said, figure(lambda width: plane_chart(plane, width, 360 if width > 500 else 300))


def _by_any_means(frontier: Facts) -> tuple[str, Figure]:
    from shoal.answers.privacy_costs import BOUND, PrivacyCosts
    from shoal.present.charts.any_means import costs_picture

    costs = PrivacyCosts.from_dict(frontier["curves"])
    chosen = text(frontier, "curve") or "", whole(frontier, "chosen_k") or 1
    said = " ".join(curve.sentence for curve in costs.curves)
    bound = f"{BOUND} " if costs.lower_bound else ""
    return f"{said} {bound}{costs.proofs}", figure(lambda width: costs_picture(costs, width, chosen))


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
        shares = [
            (in_rows / (total or 1), total) for (in_rows, _), total in zip(found, totals, strict=True)
        ]
        both_bars = [
            Bar(share, percent(share), kind)
            for (share, total), (kind, _) in zip(shares, BEFORE_AFTER, strict=True)
            if total
        ]
        groups.append(BarGroup(name, tuple(both_bars)))
        rows.append((name, *(count(figure_) for pair in found for figure_ in pair)))
    data = Table.of(
        "Rows and groups by group size",
        ("Group size", "Rows before", "Groups before", "Rows after", "Groups after"),
        rows,
        (1, 2, 3, 4),
    )
    when = dict(BEFORE_AFTER)
    desc = "; ".join(
        f"{group.name}: " + ", ".join(f"{bar.words} {when[bar.kind]}" for bar in group.bars)
        for group in groups
    )
    title = "Share of rows by group size, before and after"
    return _bars(title, groups, data, desc, legend=BEFORE_AFTER)


def _bars(
    title: str,
    groups: list[BarGroup],
    data: Table,
    desc: str,
    reference: tuple[float, str] | None = None,
    legend: tuple[tuple[str, str], ...] = (),
) -> Figure:
    drawn = Bars(title, tuple(groups), data, desc, reference)
    return figure(lambda width: bars_chart(drawn, width), legend)


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
    groups = [BarGroup(name, (Bar(loss, percent(loss)),)) for name, loss, _ in known]
    data = Table.of(
        "Information lost by column",
        ("Column", "Lost", "Values before", "Values after"),
        [
            (name, percent(loss), count(whole(a, "distinct_before")), count(whole(a, "distinct_after")))
            for name, loss, a in known
        ],
        (1, 2, 3),
    )
    desc = "; ".join(f"{name}: {percent(loss)}" for name, loss, _ in known[:MOST_BARS])

    return _bars("Information lost by column", groups[:MOST_BARS], data, desc)


def subgroups(facts: Facts) -> tuple[str, Figure] | None:
    """Return who was suppressed: a sentence and the shares by subgroup."""
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
    said = "No row of these subgroups was suppressed."
    if top[3]:
        said = f"Rows with {top[0]} = {top[1]} were suppressed most often: {percent(top[3] / top[2])} of them"
        said += f", against {percent(overall)} of all rows." if overall is not None else "."
    groups: list[BarGroup] = []
    for attribute in dict.fromkeys(each[0] for each in found):
        inside = sorted((each for each in found if each[0] == attribute), key=lambda e: -e[3] / e[2])
        groups.append(BarGroup(attribute))
        for _, value, rows, gone in inside:
            written = f"{percent(gone / rows)} ({count(gone)} of {count(rows)})"
            groups.append(BarGroup(value, (Bar(gone / rows, written),)))
    shares = [(a, v, count(r), count(g), percent(g / r)) for a, v, r, g in found]
    data = Table.of(
        "Rows suppressed by subgroup",
        ("Column", "Value", "Rows", "Suppressed", "Share suppressed"),
        shares,
        (2, 3, 4),
    )
    reference = (overall, f"all rows: {percent(overall)}") if overall is not None else None

    title = "Share of rows suppressed, by subgroup"
    return said, _bars(title, groups[: 2 * MOST_BARS], data, said, reference)


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
    groups = [BarGroup(name, (Bar(share, percent(share)),)) for name, share in known]
    data = Table.of(
        "Error by training data",
        ("Learned from", "Error"),
        [(n, percent(s)) for n, s in known],
        (1,),
    )

    return said, _bars("Error of predictions", groups, data, said)
