// Bounds of groups of which rows are deleted, or nothing is suppressed (cuts/bounds.hpp has the arguments).
#pragma once

#include "cuts/gains.hpp"
#include "cuts/ground.hpp"

namespace shoal {

template <class Count>
class DeletedBounds {
  public:
    explicit DeletedBounds(Ground<Count>& ground)
        : ground_(ground), rules_(ground.rules), items_(ground.items), techniques_(ground.techniques) {}

    // Whether the last group that was looked at loses all its rows for certain.
    bool hopeless() const { return hopeless_; }

    // How many of its rows are deleted at least.
    std::int64_t lost() const { return lost_; }

    std::int64_t operator()(const GroupView<Count>& group) {
        hopeless_ = false;
        lost_ = 0;
        switch (rules_.scheme) {
            case Scheme::NoSupp: return released(group);
            case Scheme::AllRec: return whole_items(group);
            default: return single_rows(group);
        }
    }

  private:
    std::int64_t all_lost(const GroupView<Count>& group) {
        hopeless_ = true;
        lost_ = group.rows;
        return group.rows * rules_.record_cost;
    }

    // What an item's rows cost at least when they are released.
    std::int64_t shown(const GroupView<Count>& group, std::size_t i) const {
        const Item& item = items_[i];
        if (item.need <= items_.weight(i) || !techniques_.needs) return item.rows * item.rate + items_.fine(i);
        return item.rows * (item.rate + ground_.step(group, i)) + items_.merged(i);
    }

    std::int64_t released(const GroupView<Count>& group) {
        if (group.persons < rules_.k || group.broken || group.poor) return kNever;
        std::int64_t total = 0;
        for (std::size_t j = 0; j < group.count; ++j) {
            const std::size_t i = group.items[j];
            if (techniques_.needs && items_[i].need > group.weight) return kNever;
            total += shown(group, i);
        }
        return total;
    }

    std::int64_t whole_items(const GroupView<Count>& group) {
        if (group.persons < rules_.k || group.poor) return all_lost(group);
        const std::int64_t each = rules_.record_cost, crowd = rules_.scale * rules_.k;
        std::int64_t cap = group.weight, most = 0;
        const Count* left = group.histogram;
        if (techniques_.needs)
            for (std::size_t j = 0; j < group.count; ++j)
                most = std::max<std::int64_t>(most, items_[group.items[j]].need);
        if (most > cap) {
            for (bool changed = true; changed;) {
                std::int64_t lost = 0;
                for (std::size_t j = 0; j < group.count; ++j)
                    if (items_[group.items[j]].need > cap) lost += items_.weight(group.items[j]);
                changed = group.weight - lost < cap;
                cap = group.weight - lost;
            }
            if (cap < crowd) return all_lost(group);
            left = ground_.without(group, [&](std::int32_t i) { return items_[i].need > cap; });
        }
        const std::int64_t kept = group.broken || most > cap ? rules_.keep_most(cap, left) : cap;
        if (kept < crowd || rules_.poor(left)) return all_lost(group);
        const std::int64_t deleted = cap - kept;
        lost_ = rules_.fewest_rows(deleted);
        std::int64_t total = 0;
        gains_.clear();
        for (std::size_t j = 0; j < group.count; ++j) {
            const std::size_t i = group.items[j];
            const std::int64_t n = items_[i].rows, lost = n * each;
            if (techniques_.needs && items_[i].need > cap) {
                total += lost;
                lost_ += n;
                continue;
            }
            const std::int64_t least = std::min(lost, shown(group, i));
            total += least;
            if (deleted > 0) gains_.add(lost - least, items_.weight(i));
        }
        return total + gains_.least(deleted);
    }

    std::int64_t single_rows(const GroupView<Count>& group) {
        const std::int64_t each = rules_.record_cost;
        const std::int64_t kept = group.broken ? rules_.keep_most(group.rows, group.histogram) : group.rows;
        if (group.persons < rules_.k || kept < rules_.k) return all_lost(group);
        const std::int64_t deleted = lost_ = group.rows - kept;
        std::int64_t rates = 0, fine = 0, highest = 0, largest = 0, items = 0;
        for (std::size_t j = 0; j < group.count; ++j) {
            const std::size_t i = group.items[j];
            const Item& item = items_[i];
            rates += item.rows * item.rate;
            fine += items_.fine(i);
            highest = std::max(highest, item.rate);
            largest = std::max<std::int64_t>(largest, item.rows);
            const std::int64_t least = item.rows * item.rate + items_.fine(i);
            items +=
                item.alone <= least ? item.alone : std::min(item.alone, least + item.rows * ground_.step(group, i));
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

    Ground<Count>& ground_;
    const Rules& rules_;
    const Items<Count>& items_;
    const Techniques techniques_;
    bool hopeless_ = false;
    std::int64_t lost_ = 0;
    Gains gains_;
};

}  // namespace shoal
