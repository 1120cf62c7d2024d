// The nearest combinations of every combination, found in a tree of their values.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <numeric>
#include <thread>

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

    // How many branches a search looks at on average, of a few combinations; searches are given up at the most there may be.
    std::int64_t looks(std::int64_t most) const {
        const int n = regions_.size(), asked = std::min(n, kAsked);
        Search one(*this);
        std::int64_t sum = 0;
        for (int i = 0; i < asked && sum <= asked * most; ++i) {
            const int place = static_cast<int>(static_cast<std::int64_t>(n) * i / asked);
            one.nearest(place, [&] { return one.looks >= 16 * most; });
            sum += one.looks;
        }
        return asked ? sum / asked : 0;
    }

    // One row a combination: the nearest first, -1 where there are no more. `late` is asked now and then whether more time
    // is over than the share of the combinations that have been searched for: then the nearest of those that were met, and
    // of the next ones in the order, have to do. It is the same with any number of threads; only the first one asks.
    std::vector<std::int32_t> find(const std::function<bool(double)>& late = {}, int threads = 1) const {
        const int n = regions_.size();
        std::vector<std::int32_t> result(std::size_t(n) * many_, -1);
        std::atomic<int> next{0};
        std::atomic<bool> is_late{false};
        const auto work = [&](bool first) {
            Search one(*this);
            for (int begin = next.fetch_add(kPart); begin < n; begin = next.fetch_add(kPart))
                for (int place = begin; place < std::min(begin + kPart, n); ++place) {
                    one.nearest(place, [&, share = (place + 1.0) / n] {
                        if (first && late) is_late = late(share);
                        return is_late.load();
                    });
                    std::copy(one.found.begin(), one.found.end(), result.begin() + std::size_t(sorted_[place]) * many_);
                }
        };
        std::vector<std::thread> others;
        for (int i = 1; i < threads; ++i) others.emplace_back(work, false);
        std::exception_ptr problem;
        try {
            work(true);
        } catch (...) {  // who asks may be told to end at once
            problem = std::current_exception();
            next = n;
            is_late = true;
        }
        for (std::thread& other : others) other.join();
        if (problem) std::rethrow_exception(problem);
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

    // One thread's search for the nearest of one combination after the other.
    struct Search {
        explicit Search(const Neighbours& neighbours) : tree(neighbours), scratch(neighbours.attributes_.size()) {}

        void nearest(int place, const std::function<bool()>& late) {
            asked = tree.sorted_[place];
            heap.clear();
            found.clear();
            looks = 0;
            stopped = false;
            is_late = &late;
            if (!tree.attributes_.empty() && tree.many_ > 0) search(0, tree.root_of_[place], 0);
            if (stopped) add_next(place);
            std::sort_heap(heap.begin(), heap.end());
            for (const auto& one : heap) found.push_back(one.second);
        }

        void search(std::size_t depth, Range range, std::int64_t so_far) {
            if (depth == tree.attributes_.size()) {
                for (int place = range.first; place < range.second; ++place) offer({so_far, tree.sorted_[place]});
                return;
            }
            const Regions& regions = tree.regions_;
            const int a = tree.attributes_[depth];
            auto& order = scratch[depth];
            order.clear();
            for (int b = range.first; b < range.second; ++b)
                order.emplace_back(regions.apart(a, regions.value(asked, a), tree.levels_[depth][b].value), b);
            std::sort(order.begin(), order.end());
            for (const auto& [distance, b] : order) {
                if (full() && so_far + distance >= heap.front().first) break;
                if (++looks % kEvery == 0 && (*is_late)()) stopped = true;
                if (stopped) break;
                search(depth + 1, tree.levels_[depth][b].below, so_far + distance);
            }
        }

        // The next ones in the order, of the same block, that have not been met.
        void add_next(int place) {
            const Regions& regions = tree.regions_;
            const auto met = [&](int c) {
                return std::any_of(heap.begin(), heap.end(), [&](const auto& one) { return one.second == c; });
            };
            for (int step = 1; step <= tree.many_; ++step)
                for (const int other : {place - step, place + step}) {
                    if (other < 0 || other >= regions.size()) continue;
                    const std::int32_t c = tree.sorted_[other];
                    if (regions.block(c) != regions.block(asked) || met(c)) continue;
                    std::int64_t distance = 0;
                    for (const int a : tree.attributes_)
                        distance += regions.apart(a, regions.value(asked, a), regions.value(c, a));
                    offer({distance, c});
                }
        }

        bool full() const { return heap.size() == static_cast<std::size_t>(tree.many_); }

        void offer(std::pair<std::int64_t, std::int32_t> met) {
            if (met.second == asked) return;
            if (full()) {
                if (!(met < heap.front())) return;
                std::pop_heap(heap.begin(), heap.end());
                heap.back() = met;
            } else {
                heap.push_back(met);
            }
            std::push_heap(heap.begin(), heap.end());
        }

        const Neighbours& tree;
        std::vector<std::vector<std::pair<std::int64_t, int>>> scratch;
        std::vector<std::pair<std::int64_t, std::int32_t>> heap;
        std::vector<std::int32_t> found;  // the nearest first
        std::int32_t asked = 0;
        std::int64_t looks = 0;
        bool stopped = false;
        const std::function<bool()>* is_late = nullptr;
    };

    const Regions& regions_;
    int many_;
    std::vector<int> attributes_;
    std::vector<std::int32_t> sorted_;
    std::vector<std::vector<Branch>> levels_;
    std::vector<Range> root_of_;
    static constexpr std::int64_t kEvery = 256;  // branches between two looks at the time
    static constexpr int kAsked = 64;            // combinations that are asked how long a search takes
    static constexpr int kPart = 256;            // combinations that a thread takes at once
};

}  // namespace shoal
