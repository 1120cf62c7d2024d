// What a group costs at least, whatever its open values are specialized to.
//
// A group P of n rows holds items, the finest groups it can split into; in every cut below, its groups are unions of
// items. Facts used, for a metric that is monotone (splitting a group never raises what its rows cost released, a
// deleted row costs no less than a released one):
//   Lemma 2     rows cost at least what they cost at their items;
//   Lemma 3     the rows of P in groups that respect the limits are together a set that respects them, so there are
//               at most keep_most(P) of them: n - keep_most(P) are deleted, or lie in groups that are blanked;
//   Theorem 5   blanked values cost in addition to generalization;
//   Theorem 6   deleted rows cost instead of it: those go first that add the least. With allRec whole items go;
//   need        a group with an item's rows has at least need(item) rows, or it is broken. Where that is more than P
//               can offer, the item's rows are lost (allRec, NoSupp) or blanked (allSA), and P offers so many less;
//   alone       an item that is broken alone is either lost, or released with other rows: then one of its open values
//               stays above its leaf, which costs at least the cheapest such step, and a group of need(item) rows;
//   mixed       with allSA and vioSA such an item has e values blanked beyond those that are blanked in any group (c of
//               all items together), or takes the step. If U are the items that stay alone, P has at least
//               max(B, c + the e of U) values blanked, B being the bound of Lemma 3, and the other items take their
//               steps. The least over all U is no less than with parts of items in U: there the dearest steps for
//               their e are saved first, which is free as long as c + the e of U is at most B.
#pragma once

#include "cut_gains.hpp"
#include "cut_items.hpp"

namespace shoal {

// Which of the techniques beyond the paper's are used: `ahead` is in cut_ahead.hpp, `remember` in cut_memo.hpp.
struct Techniques {
    bool needs = true;
    bool steps = true;
    bool ahead = true;
    bool remember = true;
};

template <class Count>
class Bounds {
  public:
    Bounds(const Trees& trees, const Rules& rules, const Items<Count>& items, Techniques techniques)
        : trees_(trees), rules_(rules), items_(items), techniques_(techniques) {
        step_.assign(trees.size(), 0);
        for (std::size_t v = 0; v < trees.size(); ++v)
            if (trees.parent[v] >= 0) step_[v] = trees.weight[trees.parent[v]] - trees.weight[v];
        rest_.resize(items.stride());
    }

    // Whether the last group that was looked at loses all its rows for certain.
    bool hopeless() const { return hopeless_; }

    std::int64_t operator()(const GroupView<Count>& group) {
        hopeless_ = false;
        if (group.count == 1) return items_[group.items[0]].alone;
        switch (rules_.scheme) {
            case Scheme::NoSupp: return released(group);
            case Scheme::AllRec: return whole_items(group);
            case Scheme::VioRec: return single_rows(group);
            case Scheme::AllSA: return all_blanked(group);
            default: return some_blanked(group);
        }
    }

  private:
    // The cheapest step by which an item's rows can meet others.
    std::int64_t step(const GroupView<Count>& group, std::size_t i) const {
        if (!trees_.weighted || !techniques_.steps) return 0;
        std::int64_t least = kNever;
        const std::uint64_t* key = items_.key(i);
        for (std::uint64_t left = group.open; left != 0; left &= left - 1) {
            const int a = __builtin_ctzll(left), node = trees_.at(key, a);
            if (node != trees_.at(group.key, a)) least = std::min(least, step_[node]);
        }
        return least == kNever ? 0 : least;
    }

    std::int64_t all_lost(const GroupView<Count>& group) {
        hopeless_ = true;
        return group.rows * rules_.record_cost;
    }

    // What an item's rows cost at least when they are released.
    std::int64_t shown(const GroupView<Count>& group, std::size_t i) const {
        const Item& item = items_[i];
        if (item.need <= item.rows || !techniques_.needs) return item.rows * item.rate + items_.fine(i);
        return item.rows * (item.rate + step(group, i)) + items_.merged(i);
    }

    std::int64_t released(const GroupView<Count>& group) {
        if (group.rows < rules_.k || group.broken) return kNever;
        std::int64_t total = 0;
        for (std::size_t j = 0; j < group.count; ++j) {
            const std::size_t i = group.items[j];
            if (techniques_.needs && items_[i].need > group.rows) return kNever;
            total += shown(group, i);
        }
        return total;
    }

    std::int64_t whole_items(const GroupView<Count>& group) {
        const std::int64_t each = rules_.record_cost;
        std::int64_t cap = group.rows, most = 0;
        const Count* left = group.histogram;
        if (techniques_.needs)
            for (std::size_t j = 0; j < group.count; ++j) most = std::max<std::int64_t>(most, items_[group.items[j]].need);
        if (most > cap) {
            for (bool changed = true; changed;) {
                std::int64_t lost = 0;
                for (std::size_t j = 0; j < group.count; ++j)
                    if (items_[group.items[j]].need > cap) lost += items_[group.items[j]].rows;
                changed = group.rows - lost < cap;
                cap = group.rows - lost;
            }
            if (cap < rules_.k) return all_lost(group);
            left = without(group, cap);
        }
        const std::int64_t kept = group.broken || most > cap ? rules_.keep_most(cap, left) : cap;
        if (kept < rules_.k) return all_lost(group);
        const std::int64_t deleted = cap - kept;
        std::int64_t total = 0;
        gains_.clear();
        for (std::size_t j = 0; j < group.count; ++j) {
            const std::size_t i = group.items[j];
            const std::int64_t n = items_[i].rows, lost = n * each;
            if (techniques_.needs && items_[i].need > cap) {
                total += lost;
                continue;
            }
            const std::int64_t least = std::min(lost, shown(group, i));
            total += least;
            if (deleted > 0) gains_.add(lost - least, n);
        }
        return total + gains_.least(deleted);
    }

    std::int64_t single_rows(const GroupView<Count>& group) {
        const std::int64_t each = rules_.record_cost;
        const std::int64_t kept = group.broken ? rules_.keep_most(group.rows, group.histogram) : group.rows;
        if (kept < rules_.k) return all_lost(group);
        const std::int64_t deleted = group.rows - kept;
        std::int64_t rates = 0, fine = 0, highest = 0, largest = 0, items = 0;
        for (std::size_t j = 0; j < group.count; ++j) {
            const std::size_t i = group.items[j];
            const Item& item = items_[i];
            rates += item.rows * item.rate;
            fine += items_.fine(i);
            highest = std::max(highest, item.rate);
            largest = std::max<std::int64_t>(largest, item.rows);
            const std::int64_t least = item.rows * item.rate + items_.fine(i);
            items += item.alone <= least ? item.alone : std::min(item.alone, least + item.rows * step(group, i));
        }
        // A deleted row saves what the dearest row costs: its rate, and what it adds to the largest item.
        const std::int64_t saved = highest + margin(largest);
        std::int64_t bound = rates + fine;
        if (rules_.class_part != ClassPart::None)
            bound = std::max(bound, rates + deleted * std::max<std::int64_t>(0, each - highest));
        else if (each > saved)
            bound += deleted * (each - saved);
        return std::max(bound, techniques_.steps ? items : 0);
    }

    // The most that one more row adds to a group of at most n rows.
    std::int64_t margin(std::int64_t n) const {
        if (rules_.size_part == SizePart::None) return 0;
        if (rules_.size_part == SizePart::Square) return rules_.unit * (2 * n - 1);
        std::int64_t most = 0;
        for (std::int64_t m = 1; m <= n; ++m) most = std::max(most, rules_.size_table[m] - rules_.size_table[m - 1]);
        return most;
    }

    std::int64_t all_blanked(const GroupView<Count>& group) {
        if (group.rows < rules_.k) return kNever;
        std::int64_t rates = 0, blanked = 0, most = 0;
        for (std::size_t j = 0; j < group.count; ++j) {
            const Item& item = items_[group.items[j]];
            rates += item.rows * item.rate + items_.fine(group.items[j]);
            most = std::max<std::int64_t>(most, item.need);
        }
        caps_.assign(rules_.columns, group.rows);
        const bool risky = techniques_.needs && most > group.rows;
        for (int c = 0; (risky || group.broken) && c < rules_.columns; ++c) {
            std::int64_t lost = 0, values = 0;
            const Count* left = group.histogram;
            for (bool changed = risky; changed;) {
                lost = values = 0;
                for (std::size_t j = 0; j < group.count; ++j)
                    if (doomed(group.items[j], c, caps_[c])) {
                        lost += items_[group.items[j]].rows;
                        values += rules_.present(items_.histogram(group.items[j]), c);
                    }
                changed = group.rows - lost < caps_[c];
                caps_[c] = group.rows - lost;
            }
            if (lost > 0) left = without(group, caps_[c], c);
            blanked += values + caps_[c] - rules_.keep_most(caps_[c], left, c);
        }
        return rates + mixed(group, blanked, [&](std::size_t i) {
            std::int64_t sure = 0;
            for (int c = 0; risky && c < rules_.columns; ++c)
                if (doomed(i, c, caps_[c])) sure += rules_.present(items_.histogram(i), c);
            return sure;
        });
    }

    // Whether every group with an item's rows breaks a limit of the column: none may have more rows than `cap`.
    bool doomed(std::size_t i, int column, std::int64_t cap) const {
        if (items_[i].need <= cap) return false;
        if (rules_.columns == 1) return true;
        const Count* h = items_.histogram(i);
        for (int s = 0; s < rules_.values(); ++s)
            if (rules_.limits[s].column == column && rules_.limits[s].broken(h[s], cap)) return true;
        return false;
    }

    std::int64_t some_blanked(const GroupView<Count>& group) {
        if (group.rows < rules_.k) return kNever;
        std::int64_t rates = 0, most = 0;
        for (std::size_t j = 0; j < group.count; ++j) {
            const Item& item = items_[group.items[j]];
            rates += item.rows * item.rate + items_.fine(group.items[j]);
            most = std::max<std::int64_t>(most, item.need);
        }
        if (!techniques_.needs) most = 0;
        const bool easy = !group.broken && most <= group.rows;  // every limit can be kept
        const std::int64_t blanked = easy ? 0 : hidden(group, most);
        std::int64_t least = group.rows;
        for (int s = 0; !easy && s < rules_.values(); ++s) least = std::min(least, caps_[s]);
        return rates + mixed(group, blanked, [&](std::size_t i) {
            std::int64_t sure = 0;
            if (techniques_.needs && items_[i].need > least)
                each_value(i, [&](int s, Count in) { sure += in > tops_[s] ? in : 0; });
            return sure;
        });
    }

    // What blanked values and steps cost at least (`mixed`, above): `sure` tells how many values of an item are blanked in
    // any group.
    template <class Sure>
    std::int64_t mixed(const GroupView<Count>& group, std::int64_t blanked, Sure&& sure) {
        gains_.clear();
        std::int64_t certain = 0;
        for (std::size_t j = 0; techniques_.steps && j < group.count; ++j) {
            const std::size_t i = group.items[j];
            const Item& item = items_[i];
            const std::int64_t alone = item.alone - item.rows * item.rate - items_.fine(i);
            if (alone == 0) continue;
            const std::int64_t in_any = sure(i);
            certain += in_any;
            const std::int64_t rest = alone / std::max<std::int64_t>(1, rules_.value_cost) - in_any;
            if (rest > 0) gains_.add(item.rows * step(group, i), rest);
        }
        return gains_.mixed(blanked, certain, rules_.value_cost);
    }

    // How many values of a group are blanked at least, `most` being what any of its items needs. Afterwards `caps_` tells
    // how many rows a group can have that shows a value, and `tops_` how many of these can have it.
    std::int64_t hidden(const GroupView<Count>& group, std::int64_t most) {
        caps_.assign(rules_.values(), group.rows);
        tops_.assign(rules_.values(), rules_.uniform ? rules_.limits[0].top(group.rows) : 0);
        shown_.resize(rules_.values());
        std::int64_t least = group.rows;
        for (int s = 0; s < rules_.values(); ++s) {
            if (!rules_.uniform) tops_[s] = rules_.limits[s].top(group.rows);
            const std::int64_t all = shown_[s] = group.histogram[s];
            if (all <= tops_[s]) continue;
            shown_[s] = rules_.limits[s].shown(all, group.rows - all);
            cap(s, group.rows - all + shown_[s]);
            least = std::min(least, caps_[s]);
        }
        risky_.clear();
        if (most > least)
            for (std::size_t j = 0; j < group.count; ++j)
                if (items_[group.items[j]].need > least) risky_.push_back(group.items[j]);
        // Groups that show a value hold none of the items that break its limit in every group that P offers, and so
        // P offers them less: as often as that changes anything.
        for (bool changed = !risky_.empty(); changed;) {
            changed = false;
            with_.assign(rules_.values(), 0);
            rows_.assign(rules_.values(), 0);
            for (std::int32_t i : risky_)
                each_value(i, [&](int s, Count in) {
                    if (in <= tops_[s]) return;
                    with_[s] += in;
                    rows_[s] += items_[i].rows;
                });
            for (int s = 0; s < rules_.values(); ++s) {
                if (with_[s] == 0) continue;
                const std::int64_t left = group.histogram[s] - with_[s], others = group.rows - rows_[s] - left;
                const std::int64_t can = rules_.limits[s].shown(left, others);
                if (others + can >= caps_[s]) continue;
                shown_[s] = can;
                cap(s, others + can);
                changed = true;
            }
        }
        std::int64_t blanked = 0;
        for (int s = 0; s < rules_.values(); ++s) blanked += group.histogram[s] - shown_[s];
        return blanked;
    }

    // No group that shows a value has more rows than this.
    void cap(int s, std::int64_t rows) {
        caps_[s] = rows;
        tops_[s] = rules_.limits[s].top(rows);
    }

    // Calls f with every sensitive value that an item has, and how many rows have it.
    template <class F>
    void each_value(std::size_t i, F&& f) const {
        if (rules_.values() <= 64) {
            for (std::uint64_t left = items_[i].values; left != 0; left &= left - 1)
                f(__builtin_ctzll(left), items_.count(i, __builtin_ctzll(left)));
        } else {
            const Count* h = items_.histogram(i);
            for (int s = 0; s < rules_.values(); ++s)
                if (h[s] > 0) f(s, h[s]);
        }
    }

    // The histogram of the group without the items that need more than `cap` rows (of one column, or of any).
    const Count* without(const GroupView<Count>& group, std::int64_t cap, int column = -1) {
        std::copy(group.histogram, group.histogram + items_.stride(), rest_.begin());
        for (std::size_t j = 0; j < group.count; ++j) {
            const std::size_t i = group.items[j];
            if (items_[i].need <= cap || (column >= 0 && !doomed(i, column, cap))) continue;
            const Count* h = items_.histogram(i);
            for (int s = 0; s < items_.stride(); ++s) rest_[s] -= h[s];
        }
        return rest_.data();
    }

    const Trees& trees_;
    const Rules& rules_;
    const Items<Count>& items_;
    Techniques techniques_;
    bool hopeless_ = false;
    std::vector<std::int64_t> step_;
    std::vector<Count> rest_;
    Gains gains_;
    std::vector<std::int64_t> caps_, tops_, shown_, with_, rows_;
    std::vector<std::int32_t> risky_;
};

}  // namespace shoal
