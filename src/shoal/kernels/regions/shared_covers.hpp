// What rows cost at least together: where one needs dear labels, those that share its group pay for them too.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "common/assert.hpp"
#include "regions/covers.hpp"

namespace shoal {

// Every row has a share, at most what a suppressed row costs. A box is one label an attribute; the rows in it stand below
// all of them, and each would pay its price p. Where in every box with k rows or more the k largest shares sum to k p at
// most, the sum of all shares is a bound: a released group S has at least k rows, all in one box. Its k largest shares sum
// to k p at most, so the smallest of these is p at most, and so are the rest of S: the shares of S sum to |S| p at most,
// which is what S costs. (The shares solve the dual of the linear program that chooses groups.)
// Shares that are lowered keep to this in every box that was looked at before. So all boxes are gone through once, and
// where the k largest sum to too much, shares are lowered until they do not: a pass from shares that are too large ends
// with some that keep to all boxes. Those are raised again and lowered in the next pass, but never below what they were:
// as that kept to all boxes, there is a way. Boxes are gone through as in `CheapestCovers`; a class whose k largest shares sum
// to no more than k times what its labels cost so far goes no further down, where it has no more rows, and costs no less.
class SharedCovers {
  public:
    using Stop = std::function<bool()>;

    SharedCovers(const CoverTable& table, std::int64_t most_work)
        : table_(table), n_(static_cast<int>(table.rows.size())), attributes_(static_cast<int>(table.axes.size())),
          k_(table.ks[0]), work_(most_work), least_(n_, 0), share_(n_, table.dearest), depths_(attributes_ + 1) {
        int codes = 0;
        for (const CoverAxis& axis : table_.axes) codes = std::max(codes, axis.codes);
        members_.resize(codes);
        places_.resize(codes);
        Classes& all = depths_[0];
        all.members.resize(n_);
        std::iota(all.members.begin(), all.members.end(), 0);
        all.begins = {0, n_};
        all.costs = {0};
    }

    // The first pass; false where it was stopped, or had more work than was given: then nothing is known.
    bool first(const Stop& stop) {
        capping_ = true;
        return pass(stop);
    }

    // One pass more, from shares raised by so many hundredths; false where it was stopped: the last ones count then.
    bool raise(std::int64_t hundredths, const Stop& stop) {
        capping_ = false;
        for (int c = 0; c < n_; ++c) {
            const std::int64_t now = least_[c];
            const std::int64_t room = table_.dearest - now;
            const bool far = now / 100 > room / std::max<std::int64_t>(hundredths, 1);
            share_[c] = far ? table_.dearest
                            : now + std::min(now / 100 * hundredths + now % 100 * hundredths / 100 + (now > 0), room);
        }
        return pass(stop);
    }

    std::int64_t sum() const {
        std::int64_t result = 0;
        for (int c = 0; c < n_; ++c) result += table_.rows[c] * least_[c];
        return result;
    }

  private:
    // Combinations sorted by class: where each class begins, and what its labels cost.
    struct Classes {
        std::vector<std::int32_t> members;
        std::vector<int> begins;
        std::vector<std::int64_t> costs;
    };
    struct Rank {
        std::int64_t share, rows;
    };

    bool pass(const Stop& stop) {
        if (!refine(0, stop)) return false;
        least_ = share_;
        return true;
    }

    bool refine(int depth, const Stop& stop) {
        if (depth == attributes_) {
            const Classes& boxes = depths_[depth];
            for (std::size_t b = 0; b < boxes.costs.size(); ++b) {
                if (work_ < 0 || (b % kEvery == 0 && stop())) return false;
                lower(boxes.members.data() + boxes.begins[b], boxes.members.data() + boxes.begins[b + 1],
                      boxes.costs[b]);
            }
            return true;
        }
        if (stop()) return false;
        for (int level = 0; level < table_.axes[depth].levels; ++level) {
            Classes& to = depths_[depth + 1];
            to.members.clear();
            to.begins.assign(1, 0);
            to.costs.clear();
            for (std::size_t c = 0; c < depths_[depth].costs.size(); ++c) divide(depth, level, c);
            if (work_ < 0) return false;
            if (!to.costs.empty() && !refine(depth + 1, stop)) return false;
        }
        return true;
    }

    // Divides a class by the labels of one attribute, and keeps those whose shares are still too large.
    void divide(int depth, int level, std::size_t c) {
        const CoverAxis& axis = table_.axes[depth];
        const Classes& from = depths_[depth];
        Classes& to = depths_[depth + 1];
        const std::int32_t* code = axis.code.data() + std::size_t(level) * axis.values;
        const auto value = [&](std::int32_t member) {
            return table_.values[std::size_t(member) * attributes_ + depth];
        };
        const int begin = from.begins[c], end = from.begins[c + 1];
        work_ -= end - begin;
        seen_.clear();
        for (int i = begin; i < end; ++i)
            if (const std::int32_t label = code[value(from.members[i])]; !members_[label]++) seen_.push_back(label);
        const int base = to.begins.back();
        int place = base;
        for (const std::int32_t label : seen_) {
            places_[label] = place;
            place += members_[label];
            members_[label] = 0;
        }
        to.members.resize(place);
        for (int i = begin; i < end; ++i) to.members[places_[code[value(from.members[i])]]++] = from.members[i];
        int first = base, kept = base;
        for (const std::int32_t label : seen_) {
            const int last = places_[label];
            const std::int32_t* part = to.members.data() + first;
            const std::int64_t cost = from.costs[c] + axis.price[std::size_t(level) * axis.values + value(part[0])];
            if (largest(part, part + (last - first)) > k_ * cost) {
                std::copy(to.members.begin() + first, to.members.begin() + last, to.members.begin() + kept);
                kept += last - first;
                to.begins.push_back(kept);
                to.costs.push_back(cost);
            }
            first = last;
        }
        to.members.resize(kept);
    }

    // The sum of the k largest shares of some combinations, or -1 where they have fewer rows than k.
    std::int64_t largest(const std::int32_t* begin, const std::int32_t* end) {
        ranks_.clear();  // falling; the last ones are needed for k
        std::int64_t rows = 0;
        for (const std::int32_t* c = begin; c < end; ++c) {
            const Rank mine{share_[*c], std::min(table_.rows[*c], k_)};
            if (rows >= k_ && mine.share <= ranks_.back().share) continue;
            ranks_.insert(std::upper_bound(ranks_.begin(), ranks_.end(), mine,
                                           [](const Rank& one, const Rank& other) { return one.share > other.share; }),
                          mine);
            rows += mine.rows;
            while (rows - ranks_.back().rows >= k_) {
                rows -= ranks_.back().rows;
                ranks_.pop_back();
            }
        }
        if (rows < k_) return -1;
        std::int64_t sum = 0, left = k_;
        for (const Rank& rank : ranks_) {
            sum += std::min(rank.rows, left) * rank.share;
            left -= std::min(rank.rows, left);
        }
        return sum;
    }

    // Lowers the largest shares of a box to one height, the highest at which the k largest sum to no more than k labels
    // cost, but none below what it was; in the first pass to what the labels cost.
    void lower(const std::int32_t* begin, const std::int32_t* end, std::int64_t cost) {
        if (largest(begin, end) <= k_ * cost) return;
        std::vector<std::int64_t> given;
        std::int64_t high = cost, low = cost;
        for (const std::int32_t* c = begin; c < end; ++c) {
            given.push_back(share_[*c]);
            high = std::max(high, share_[*c]);
        }
        const auto at = [&](std::int64_t height) {
            for (std::size_t i = 0; i < given.size(); ++i)
                share_[begin[i]] = std::max(least_[begin[i]], std::min(given[i], height));
        };
        // At the cost itself the shares are what they were before, or as large: then k of them sum to no more.
        if (!capping_)
            for (low = 0; high - low > 1;) {
                const std::int64_t middle = low + (high - low) / 2;
                at(middle);
                work_ -= end - begin;
                (largest(begin, end) <= k_ * cost ? low : high) = middle;
            }
        at(low);
        SHOAL_ASSERT(largest(begin, end) <= k_ * cost);
    }

    static constexpr std::size_t kEvery = 64;  // boxes between two looks at the time

    const CoverTable& table_;
    int n_, attributes_;
    std::int64_t k_, work_;
    bool capping_ = true;
    std::vector<std::int64_t> least_, share_;  // shares that keep to all boxes, and those of the pass
    std::vector<Classes> depths_;
    std::vector<int> members_, places_;
    std::vector<std::int32_t> seen_;
    std::vector<Rank> ranks_;
};

}  // namespace shoal
