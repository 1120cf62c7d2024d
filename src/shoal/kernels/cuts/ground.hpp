// What bounds of groups stand on: the question, its items, and what is asked of them more than once.
#pragma once

#include <bit>

#include "cuts/items.hpp"

namespace shoal {

// Which of the techniques beyond the paper's are used: `needs` and `steps` are in cuts/bounds.hpp, `ahead` is in
// cuts/ahead.hpp, `remember` in cuts/memo.hpp.
struct Techniques {
    bool needs = true;
    bool steps = true;
    bool ahead = true;
    bool remember = true;
};

template <class Count>
class Ground {
  public:
    Ground(const Trees& trees, const Rules& rules, const Items<Count>& items, Techniques techniques)
        : trees(trees), rules(rules), items(items), techniques(techniques), step_(trees.size(), 0),
          rest_(items.stride()) {
        for (std::size_t v = 0; v < trees.size(); ++v)
            if (trees.parent[v] >= 0) step_[v] = trees.weight[trees.parent[v]] - trees.weight[v];
    }

    const Trees& trees;
    const Rules& rules;
    const Items<Count>& items;
    const Techniques techniques;

    // The cheapest step by which an item's rows can meet others.
    std::int64_t step(const GroupView<Count>& group, std::size_t i) const {
        if (!trees.weighted || !techniques.steps) return 0;
        std::int64_t least = kNever;
        const std::uint64_t* key = items.key(i);
        for (std::uint64_t left = group.open; left != 0; left &= left - 1) {
            const int a = std::countr_zero(left), node = trees.at(key, a);
            if (node != trees.at(group.key, a)) least = std::min(least, step_[node]);
        }
        return least == kNever ? 0 : least;
    }

    // The histogram of a group without the items of which `gone` is true; good until the next one is asked for.
    template <class Gone>
    const Count* without(const GroupView<Count>& group, Gone&& gone) {
        std::copy(group.histogram, group.histogram + items.stride(), rest_.begin());
        for (std::size_t j = 0; j < group.count; ++j) {
            if (!gone(group.items[j])) continue;
            const Count* h = items.histogram(group.items[j]);
            for (int s = 0; s < items.stride(); ++s) rest_[s] -= h[s];
        }
        return rest_.data();
    }

  private:
    std::vector<std::int64_t> step_;
    std::vector<Count> rest_;
};

}  // namespace shoal
