// What a group costs at least, seen one specialization ahead: dearer than cuts/bounds.hpp, and tried after it.
//
// For metrics with a cost of values. Of the open values of P, those of some set J
// are specialized and the others stay. Whoever stays costs its weight on every released row. And if value j is
// specialized, P is split at least by its children, so at least lost_j rows or values are lost, by Lemma 3 on
// each part. So P costs at least the least, over all J, of the weights outside J and the largest lost_j inside;
// with the largest one given, J had best hold all values that lose no more. (A deleted row saves what it would
// have cost: at most the highest rate and the weights of all that stay; rows that stay never cost less than 0.)
// A part has no more persons than its items have, added up.
#pragma once

#include <bit>

#include "cuts/items.hpp"

namespace shoal {

template <class Count>
class Ahead {
  public:
    Ahead(const Trees& trees, const Rules& rules, const Items<Count>& items)
        : trees_(trees), rules_(rules), items_(items) {}

    std::int64_t operator()(const GroupView<Count>& group) {
        std::int64_t rates = 0, highest = 0;
        for (std::size_t j = 0; j < group.count; ++j) {
            const Item& item = items_[group.items[j]];
            rates += item.rows * item.rate + items_.fine(group.items[j]);
            highest = std::max(highest, item.rate);
        }
        choices_.clear();
        const std::int64_t now = lost(group.size(), group.histogram);
        for (std::uint64_t left = group.open; left != 0; left &= left - 1)
            choices_.push_back(choice(group, std::countr_zero(left), now));
        std::sort(choices_.begin(), choices_.end(), [](const Choice& a, const Choice& b) { return a.lost < b.lost; });
        std::int64_t stays = 0, weights = highest;
        for (const Choice& choice : choices_) {
            stays += choice.stays;
            weights += choice.weight;
        }
        const bool counted = rules_.class_part == ClassPart::None && rules_.size_part == SizePart::None;
        std::int64_t least = kNever, most = now;
        for (std::size_t c = 0; c <= choices_.size(); ++c) {
            // All before c are specialized, all from c on stay.
            if (c > 0) {
                most = choices_[c - 1].lost;
                stays -= choices_[c - 1].stays;
                weights -= choices_[c - 1].weight;
            }
            if (most >= kNever) break;
            std::int64_t each = rules_.value_cost;
            if (rules_.deletes()) each = std::max<std::int64_t>(0, rules_.record_cost - weights);
            // A deleted row saves its part of a cost by size or class, which may be all it adds.
            if (rules_.deletes() && !counted) each = 0;
            least = std::min(least, rates + stays + most * each);
        }
        return least;
    }

  private:
    struct Choice {
        std::int64_t lost;
        std::int64_t stays;
        std::int64_t weight;
    };

    Choice choice(const GroupView<Count>& group, int a, std::int64_t now) {
        const int v = trees_.at(group.key, a), stride = items_.stride();
        const std::size_t parts = trees_.children[v].size();
        sizes_.assign(parts, Size(0));
        parts_.assign(parts * stride, Count{0});
        std::int64_t stays = 0;
        for (std::size_t j = 0; j < group.count; ++j) {
            const std::size_t i = group.items[j];
            const int node = trees_.at(items_.key(i), a);
            const std::size_t p = trees_.part(v, node);
            sizes_[p].rows += items_[i].rows;
            sizes_[p].persons += items_.persons(i);
            sizes_[p].weight += items_.weight(i);
            stays += items_[i].rows * (trees_.weight[v] - trees_.weight[node]);
            items_.add_to(parts_.data() + p * stride, i);
        }
        std::int64_t split = 0;
        for (std::size_t p = 0; p < parts && split < kNever; ++p)
            if (sizes_[p].rows > 0) split = std::min(kNever, split + lost(sizes_[p], parts_.data() + p * stride));
        return {std::max(split, now), stays, trees_.weight[v]};
    }

    // How many rows are deleted at least, or values blanked, of a group that may be split further.
    std::int64_t lost(Size size, const Count* h) const {
        const std::int64_t n = size.weight, crowd = rules_.scale * rules_.k;
        const bool is_broken = rules_.broken(n, h);
        switch (rules_.scheme) {
            case Scheme::NoSupp: return size.persons < rules_.k || is_broken ? kNever : 0;
            case Scheme::AllRec:
            case Scheme::VioRec: {
                const std::int64_t kept = is_broken ? rules_.keep_most(n, h) : n;
                const bool all = size.persons < rules_.k || kept < crowd || rules_.poor(h);
                return all ? size.rows : rules_.fewest_rows(n - kept);
            }
            case Scheme::AllSA: {
                if (size.persons < rules_.k) return kNever;
                std::int64_t total = 0;
                for (int c = 0; is_broken && c < rules_.columns; ++c)
                    total += rules_.fewest_rows(n - rules_.keep_most(n, h, c));
                return total;
            }
            default: {
                if (size.persons < rules_.k) return kNever;
                std::int64_t total = 0;
                const std::int64_t top = rules_.uniform ? rules_.limits[0].top(n) : 0;
                for (int s = 0; is_broken && s < rules_.values(); ++s)
                    if (h[s] > (rules_.uniform ? top : rules_.limits[s].top(n)))
                        total += rules_.fewest_rows(h[s] - rules_.limits[s].shown(h[s], n - h[s]));
                return total;
            }
        }
    }

    const Trees& trees_;
    const Rules& rules_;
    const Items<Count>& items_;
    std::vector<Choice> choices_;
    std::vector<Size> sizes_;
    std::vector<Count> parts_;
};

}  // namespace shoal
