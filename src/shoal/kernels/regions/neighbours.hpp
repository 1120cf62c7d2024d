// The nearest combinations of every combination, found in a tree of their values.
#pragma once

#include <functional>
#include <numeric>

#include "regions/regions.hpp"

namespace shoal {

// Combinations of one block, sorted by the attributes, dearest first: a tree with one level an attribute. A search
// goes to the nearest branches first and leaves those that are farther than what it has: the distance, the sum over the
// attributes of what a label over both values costs more, only grows on the way down. Which of several equally far ones
// come last is decided by the order of the search.
class Neighbours {
  public:
    Neighbours(const Regions& regions, int many) : regions_(regions), many_(many) {
        const int n = regions.size(), attributes = regions.attributes();
        attributes_.resize(attributes);
        std::iota(attributes_.begin(), attributes_.end(), 0);
        std::stable_sort(attributes_.begin(), attributes_.end(),
                         [&](int one, int other) { return regions.axis(one).factor > regions.axis(other).factor; });
        sorted_.resize(n);
        std::iota(sorted_.begin(), sorted_.end(), 0);
        std::sort(sorted_.begin(), sorted_.end(), [&](int one, int other) {
            if (regions.block(one) != regions.block(other)) return regions.block(one) < regions.block(other);
            for (int a : attributes_) {
                const auto mine = regions.value(one, a), yours = regions.value(other, a);
                if (mine != yours) return mine < yours;
            }
            return one < other;
        });
        levels_.resize(attributes);
        for (int begin = 0, end; begin < n; begin = end) {
            end = begin;
            while (end < n && regions.block(sorted_[end]) == regions.block(sorted_[begin])) ++end;
            const auto roots = grow(0, begin, end);
            for (int i = begin; i < end; ++i) root_of_.push_back(roots);
        }
    }

    // One row a combination: the nearest first, -1 where there are no more. `late` is asked now and then whether more time
    // is over than the share of the combinations that have been searched for: then the nearest of those that were met, and
    // of the next ones in the order, have to do.
    std::vector<std::int32_t> find(const std::function<bool(double)>& late = {}) {
        const int n = regions_.size();
        std::vector<std::int32_t> result(std::size_t(n) * many_, -1);
        scratch_.resize(attributes_.size());
        for (int place = 0; place < n; ++place) {
            asked_ = sorted_[place];
            heap_.clear();
            looks_ = 0;
            stopped_ = false;
            late_ = [&late, share = (place + 1.0) / n] { return late && late(share); };
            if (!attributes_.empty() && many_ > 0) search(0, root_of_[place], 0);
            if (stopped_) add_next(place);
            std::sort_heap(heap_.begin(), heap_.end());
            for (std::size_t i = 0; i < heap_.size(); ++i) result[std::size_t(asked_) * many_ + i] = heap_[i].second;
        }
        return result;
    }

  private:
    using Range = std::pair<int, int>;
    struct Branch {
        std::int32_t value;
        Range below;  // the branches of the next level, or the places of combinations on the last
    };

    Range grow(std::size_t depth, int begin, int end) {
        if (depth == attributes_.size()) return {begin, end};
        std::vector<Branch> branches;
        for (int i = begin, j; i < end; i = j) {
            const auto value = regions_.value(sorted_[i], attributes_[depth]);
            j = i;
            while (j < end && regions_.value(sorted_[j], attributes_[depth]) == value) ++j;
            branches.push_back({value, {i, j}});
        }
        auto& level = levels_[depth];
        const int from = static_cast<int>(level.size());
        level.insert(level.end(), branches.begin(), branches.end());
        for (std::size_t b = 0; b < branches.size(); ++b) {
            const Range below = grow(depth + 1, branches[b].below.first, branches[b].below.second);
            levels_[depth][from + b].below = below;
        }
        return {from, from + static_cast<int>(branches.size())};
    }

    void search(std::size_t depth, Range range, std::int64_t so_far) {
        if (depth == attributes_.size()) {
            for (int place = range.first; place < range.second; ++place) offer({so_far, sorted_[place]});
            return;
        }
        const int a = attributes_[depth];
        auto& order = scratch_[depth];
        order.clear();
        for (int b = range.first; b < range.second; ++b)
            order.emplace_back(regions_.apart(a, regions_.value(asked_, a), levels_[depth][b].value), b);
        std::sort(order.begin(), order.end());
        for (std::size_t i = 0; i < scratch_[depth].size(); ++i) {
            const auto [distance, b] = scratch_[depth][i];
            if (full() && so_far + distance >= heap_.front().first) break;
            if (++looks_ % kEvery == 0 && late_()) stopped_ = true;
            if (stopped_) break;
            search(depth + 1, levels_[depth][b].below, so_far + distance);
        }
    }

    // The next ones in the order, of the same block, that have not been met.
    void add_next(int place) {
        const int n = regions_.size();
        const auto met = [&](int c) {
            return std::any_of(heap_.begin(), heap_.end(), [&](const auto& one) { return one.second == c; });
        };
        for (int step = 1; step <= many_; ++step)
            for (const int other : {place - step, place + step}) {
                if (other < 0 || other >= n || regions_.block(sorted_[other]) != regions_.block(asked_)) continue;
                if (met(sorted_[other])) continue;
                std::int64_t distance = 0;
                for (const int a : attributes_)
                    distance += regions_.apart(a, regions_.value(asked_, a), regions_.value(sorted_[other], a));
                offer({distance, sorted_[other]});
            }
    }

    bool full() const { return heap_.size() == static_cast<std::size_t>(many_); }

    void offer(std::pair<std::int64_t, std::int32_t> found) {
        if (found.second == asked_) return;
        if (full()) {
            if (!(found < heap_.front())) return;
            std::pop_heap(heap_.begin(), heap_.end());
            heap_.back() = found;
        } else {
            heap_.push_back(found);
        }
        std::push_heap(heap_.begin(), heap_.end());
    }

    const Regions& regions_;
    int many_;
    std::vector<int> attributes_;
    std::vector<std::int32_t> sorted_;
    std::vector<std::vector<Branch>> levels_;
    std::vector<Range> root_of_;
    std::vector<std::vector<std::pair<std::int64_t, int>>> scratch_;
    std::vector<std::pair<std::int64_t, std::int32_t>> heap_;
    int asked_ = 0;
    static constexpr std::int64_t kEvery = 256;  // branches between two looks at the time
    std::int64_t looks_ = 0;
    bool stopped_ = false;
    std::function<bool()> late_;
};

}  // namespace shoal
