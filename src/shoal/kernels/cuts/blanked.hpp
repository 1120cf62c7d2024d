// Bounds of groups of which sensitive values are blanked (cuts/bounds.hpp has the arguments).
#pragma once

#include <bit>

#include "cuts/gains.hpp"
#include "cuts/ground.hpp"

namespace shoal {

template <class Count>
class BlankedBounds {
  public:
    explicit BlankedBounds(Ground<Count>& ground)
        : ground_(ground), rules_(ground.rules), items_(ground.items), techniques_(ground.techniques) {}

    // How many values of the last group that was looked at are blanked at least.
    std::int64_t lost() const { return lost_; }

    std::int64_t operator()(const GroupView<Count>& group) {
        lost_ = 0;
        return rules_.scheme == Scheme::AllSA ? all_blanked(group) : some_blanked(group);
    }

  private:
    std::int64_t all_blanked(const GroupView<Count>& group) {
        if (group.persons < rules_.k) return kNever;
        std::int64_t rates = 0, blanked = 0, most = 0;
        for (std::size_t j = 0; j < group.count; ++j) {
            const Item& item = items_[group.items[j]];
            rates += item.rows * item.rate + items_.fine(group.items[j]);
            most = std::max<std::int64_t>(most, item.need);
        }
        caps_.assign(rules_.columns, group.weight);
        const bool risky = techniques_.needs && most > group.weight;
        for (int c = 0; (risky || group.broken) && c < rules_.columns; ++c) {
            std::int64_t lost = 0, values = 0;
            const Count* left = group.histogram;
            for (bool changed = risky; changed;) {
                lost = values = 0;
                for (std::size_t j = 0; j < group.count; ++j)
                    if (doomed(group.items[j], c, caps_[c])) {
                        lost += items_.weight(group.items[j]);
                        values += rules_.present(items_.histogram(group.items[j]), c);
                    }
                changed = group.weight - lost < caps_[c];
                caps_[c] = group.weight - lost;
            }
            if (lost > 0) left = ground_.without(group, [&](std::int32_t i) { return doomed(i, c, caps_[c]); });
            blanked += values + rules_.fewest_rows(caps_[c] - rules_.keep_most(caps_[c], left, c));
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
        if (group.persons < rules_.k) return kNever;
        std::int64_t rates = 0, most = 0;
        for (std::size_t j = 0; j < group.count; ++j) {
            const Item& item = items_[group.items[j]];
            rates += item.rows * item.rate + items_.fine(group.items[j]);
            most = std::max<std::int64_t>(most, item.need);
        }
        if (!techniques_.needs) most = 0;
        const bool easy = !group.broken && most <= group.weight;  // every limit can be kept
        const std::int64_t blanked = easy ? 0 : hidden(group, most);
        std::int64_t least = group.weight;
        for (int s = 0; !easy && s < rules_.values(); ++s) least = std::min(least, caps_[s]);
        return rates + mixed(group, blanked, [&](std::size_t i) {
                   std::int64_t sure = 0;
                   if (techniques_.needs && items_[i].need > least)
                       each_value(i, [&](int s, Count in) { sure += in > tops_[s] ? rows_with(i, s, in) : 0; });
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
            if (rest > 0) gains_.add(item.rows * ground_.step(group, i), rest);
        }
        lost_ = std::max(blanked, certain);
        return gains_.mixed(blanked, certain, rules_.value_cost);
    }

    // How many values of a group are blanked at least, `most` being what any of its items needs. Afterwards `caps_` tells
    // how many rows a group can have that shows a value, and `tops_` how many of these can have it.
    std::int64_t hidden(const GroupView<Count>& group, std::int64_t most) {
        caps_.assign(rules_.values(), group.weight);
        tops_.assign(rules_.values(), rules_.uniform ? rules_.limits[0].top(group.weight) : 0);
        shown_.resize(rules_.values());
        std::int64_t least = group.weight;
        for (int s = 0; s < rules_.values(); ++s) {
            if (!rules_.uniform) tops_[s] = rules_.limits[s].top(group.weight);
            const std::int64_t all = shown_[s] = group.histogram[s];
            if (all <= tops_[s]) continue;
            shown_[s] = rules_.limits[s].shown(all, group.weight - all);
            cap(s, group.weight - all + shown_[s]);
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
            weights_.assign(rules_.values(), 0);
            for (std::int32_t i : risky_)
                each_value(i, [&](int s, Count in) {
                    if (in <= tops_[s]) return;
                    with_[s] += in;
                    weights_[s] += items_.weight(i);
                });
            for (int s = 0; s < rules_.values(); ++s) {
                if (with_[s] == 0) continue;
                const std::int64_t left = group.histogram[s] - with_[s], others = group.weight - weights_[s] - left;
                const std::int64_t can = rules_.limits[s].shown(left, others);
                if (others + can >= caps_[s]) continue;
                shown_[s] = can;
                cap(s, others + can);
                changed = true;
            }
        }
        std::int64_t blanked = 0;
        for (int s = 0; s < rules_.values(); ++s) blanked += rules_.fewest_rows(group.histogram[s] - shown_[s]);
        return blanked;
    }

    // No group that shows a value has more rows than this, or more weight.
    void cap(int s, std::int64_t most) {
        caps_[s] = most;
        tops_[s] = rules_.limits[s].top(most);
    }

    // How many rows of an item have a value, which counts or weighs so much there.
    std::int64_t rows_with(std::size_t i, int s, Count in) const {
        return rules_.weighed ? items_.count(i, rules_.values() + rules_.labels + s) : in;
    }

    // Calls f with every sensitive value that an item has, and how many rows have it, or what it weighs.
    template <class F>
    void each_value(std::size_t i, F&& f) const {
        if (rules_.values() <= 64) {
            for (std::uint64_t left = items_[i].values; left != 0; left &= left - 1)
                f(std::countr_zero(left), items_.count(i, std::countr_zero(left)));
        } else {
            const Count* h = items_.histogram(i);
            for (int s = 0; s < rules_.values(); ++s)
                if (h[s] > 0) f(s, h[s]);
        }
    }

    Ground<Count>& ground_;
    const Rules& rules_;
    const Items<Count>& items_;
    const Techniques techniques_;
    std::int64_t lost_ = 0;
    Gains gains_;
    std::vector<std::int64_t> caps_, tops_, shown_, with_, weights_;
    std::vector<std::int32_t> risky_;
};

}  // namespace shoal
