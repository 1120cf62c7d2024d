// Columns that combinations can do without, found for all of them in one walk over the columns.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "cells/known_cells.hpp"

namespace shoal {

// Shows one column after the other to all combinations at once: those that agree so far are divided by their values of the
// next one. Where enough of them have a combination's value it shows it, and goes on among these; otherwise it does
// without the column, and goes on among all that agreed before. Fewer never become enough, so a combination could show none
// of the columns that it does without in the end. Columns that may not be blanked come first, then heavy ones, then those
// in which most agree.
class Agreeing {
  public:
    using Set = std::vector<std::int32_t>;
    using Enough = std::function<bool(const std::int32_t*, const std::int32_t*)>;
    // Told: those that agree with what some of the wanted still show, these, and the columns that they do without.
    using Tell = std::function<void(const Set&, const Set&, Mask)>;

    Agreeing(const KnownCells& cells, Mask known, Enough enough, Tell tell, const std::function<bool()>& over)
        : cells_(cells), enough_(std::move(enough)), tell_(std::move(tell)), over_(over) {
        std::vector<double> alike(cells.columns);
        for (Mask left = known; left; left &= left - 1) {
            const int a = lowest(left);
            std::vector<std::int64_t> having(cells.mark[a].size());
            for (int c = 0; c < cells.size(); ++c) ++having[cells.at(c)[a]];
            for (const std::int64_t many : having) alike[a] += static_cast<double>(many) * static_cast<double>(many);
            order_.push_back(a);
        }
        std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) {
            if (is_free(a) != is_free(b)) return is_free(b);
            if (is_free(a) && cells.weight[a] != cells.weight[b]) return cells.weight[a] > cells.weight[b];
            return alike[a] > alike[b];
        });
    }

    // If the time is over, whoever is left does without all columns that were not looked at.
    void walk(Set wanted) {
        Set all(cells_.size());
        for (int c = 0; c < cells_.size(); ++c) all[c] = c;
        divide(all, std::move(wanted), 0, 0);
    }

  private:
    bool is_free(int a) const { return cells_.free >> a & 1; }

    void divide(const Set& set, Set wanted, std::size_t next, Mask without) {
        if (wanted.empty()) return;
        if (next == order_.size() || (is_free(order_[next]) && over_ && over_())) {
            for (std::size_t i = next; i < order_.size(); ++i) without |= Mask{1} << order_[i];
            tell_(set, wanted, without);
            return;
        }
        const int a = order_[next];
        const auto by_value = [&](std::int32_t c, std::int32_t d) {
            const std::int32_t x = cells_.at(c)[a], y = cells_.at(d)[a];
            return x != y ? x < y : c < d;
        };
        Set sorted(set), others;
        std::sort(sorted.begin(), sorted.end(), by_value);
        std::sort(wanted.begin(), wanted.end(), by_value);
        auto from = sorted.begin();
        for (auto first = wanted.begin(); first != wanted.end();) {
            const std::int32_t value = cells_.at(*first)[a];
            const auto last = std::find_if(first, wanted.end(), [&](auto c) { return cells_.at(c)[a] != value; });
            from = std::find_if(from, sorted.end(), [&](auto c) { return cells_.at(c)[a] == value; });
            const auto to = std::find_if(from, sorted.end(), [&](auto c) { return cells_.at(c)[a] != value; });
            if (!is_free(a) || enough_(&*from, &*from + (to - from)))
                divide(Set(from, to), Set(first, last), next + 1, without);
            else
                others.insert(others.end(), first, last);
            first = last;
            from = to;
        }
        divide(set, std::move(others), next + 1, without | Mask{1} << a);
    }

    const KnownCells& cells_;
    Enough enough_;
    Tell tell_;
    const std::function<bool()>& over_;
    std::vector<int> order_;
};

}  // namespace shoal
