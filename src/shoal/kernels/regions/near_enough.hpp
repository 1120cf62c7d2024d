// Combinations that are near each combination, not always the nearest: for tables of many columns.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <future>
#include <numeric>
#include <vector>

#include "regions/paths.hpp"
#include "regions/regions.hpp"

namespace shoal {

// Where there are many attributes, nearly all combinations are about as far from one another, and a tree of them has to be
// searched nearly whole. Here they are sorted by their attributes in several orders, and those that follow each other in one
// are looked at; then, in some rounds, the neighbours of neighbours, who are often near too (Dong, Moses and Li 2011). The work
// is in proportion to the combinations. It is the same at every run.
class NearEnough {
  public:
    NearEnough(const Regions& regions, int many)
        : regions_(regions), paths_(regions), many_(many),
          reach_(std::min({many, std::max(many / 2, kLeast), kReach})) {
        const int n = regions.size();
        ids_.assign(std::size_t(n) * many, -1);
        far_.assign(std::size_t(n) * many, std::numeric_limits<std::int64_t>::max());
        both_.resize(regions.stride());
        lanes_.resize(paths_.width());
        for (int c = 0; c < n; ++c) own_.push_back(price(c, c));
    }

    // One row a combination: the nearest of those that were met first, -1 where its block has no more. `late` is asked
    // now and then whether more than a share of the time is over; what has not been looked at then is left out.
    std::vector<std::int32_t> find(const std::function<bool(double)>& late = {}, int threads = 1) {
        const int n = regions_.size();
        std::future<std::vector<std::int32_t>> next;
        for (int round = 0; round < kOrders; ++round) {
            const std::vector<std::int32_t> sorted = round ? next.get() : order_of(0);
            // The next order is made meanwhile.
            if (round + 1 < kOrders)
                next = std::async(threads > 1 ? std::launch::async : std::launch::deferred,
                                  [this, round] { return order_of(round + 1); });
            // The first order is gone through in any case, far enough that nobody has too few, and less far when it is late.
            int reach = round ? reach_ : many_;
            for (int i = 0; i < n; ++i) {
                if (i % kEvery == 0 && late && late(1)) {
                    if (round) return ids_;
                    reach = std::min(many_, kLate);
                }
                for (int j = i + 1; j < n && j <= i + reach; ++j) {
                    if (regions_.block(sorted[i]) != regions_.block(sorted[j])) break;
                    meet(sorted[i], sorted[j]);
                }
            }
        }
        for (int round = 0; round < kRounds; ++round)
            for (int c = 0; c < n; ++c) {
                if (c % kEvery == 0 && late && late(1)) return ids_;
                std::array<std::int32_t, kReach> mine;
                std::copy_n(ids_.begin() + std::size_t(c) * many_, reach_, mine.begin());
                for (int i = 0; i < reach_ && mine[i] >= 0; ++i)
                    for (int j = 0; j < reach_; ++j) {
                        const std::int32_t other = ids_[std::size_t(mine[i]) * many_ + j];
                        if (other < 0) break;
                        if (other != c) meet(c, other);
                    }
            }
        return ids_;
    }

  private:
    std::vector<std::int32_t> order_of(int round) const {
        std::vector<std::int32_t> sorted(regions_.size());
        std::iota(sorted.begin(), sorted.end(), 0);
        std::vector<int> attributes(regions_.attributes());
        std::iota(attributes.begin(), attributes.end(), 0);
        std::stable_sort(attributes.begin(), attributes.end(),
                         [&](int one, int other) { return regions_.axis(one).factor > regions_.axis(other).factor; });
        // Every order begins with another attribute; the rest is shuffled.
        std::uint64_t state = static_cast<std::uint64_t>(round);
        for (std::size_t i = attributes.size(); round && i > 1; --i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            std::swap(attributes[i - 1], attributes[(state >> 33) % i]);
        }
        if (round && !attributes.empty()) {
            const auto head = std::find(attributes.begin(), attributes.end(), round % regions_.attributes());
            std::rotate(attributes.begin(), head, head + 1);
        }
        std::sort(sorted.begin(), sorted.end(), [&](int one, int other) {
            if (regions_.block(one) != regions_.block(other)) return regions_.block(one) < regions_.block(other);
            for (const int a : attributes) {
                const auto& order = regions_.axis(a).order;
                const auto mine = order[regions_.value(one, a)], yours = order[regions_.value(other, a)];
                if (mine != yours) return mine < yours;
            }
            return one < other;
        });
        return sorted;
    }

    // What labels over two combinations cost a row.
    std::int64_t price(int one, int other) {
        if (paths_.usable()) {
            paths_.clear(lanes_.data());
            paths_.add(lanes_.data(), one);
            paths_.add(lanes_.data(), other);
            return paths_.price(lanes_.data(), one);
        }
        regions_.clear(both_.data());
        regions_.add(both_.data(), one);
        regions_.add(both_.data(), other);
        return regions_.cost(both_.data());
    }

    void meet(std::int32_t one, std::int32_t other) {
        const std::int64_t both = price(one, other);
        offer(one, other, both - own_[one]);
        offer(other, one, both - own_[other]);
    }

    void offer(std::int32_t to, std::int32_t found, std::int64_t distance) {
        std::int64_t* far = far_.data() + std::size_t(to) * many_;
        std::int32_t* ids = ids_.data() + std::size_t(to) * many_;
        if (many_ == 0 || (ids[many_ - 1] >= 0 && distance >= far[many_ - 1])) return;
        int place = static_cast<int>(std::upper_bound(far, far + many_, distance) - far);
        for (int i = place - 1; i >= 0 && far[i] == distance; --i)
            if (ids[i] == found) return;
        if (place == many_) return;
        std::copy_backward(far + place, far + many_ - 1, far + many_);
        std::copy_backward(ids + place, ids + many_ - 1, ids + many_);
        far[place] = distance;
        ids[place] = found;
    }

    static constexpr int kOrders = 12, kRounds = 2;
    static constexpr int kLeast = 8,
                         kReach = 12;  // how many of the next ones are looked at: half of those wanted, within this
    static constexpr int kLate = 4;    // how far the first order is gone through when it is late
    static constexpr int kEvery = 64;  // combinations between two looks at the time

    const Regions& regions_;
    Paths paths_;
    int many_, reach_;
    std::vector<std::uint64_t> both_;
    std::vector<Paths::Lane> lanes_;
    std::vector<std::int32_t> ids_;
    std::vector<std::int64_t> far_, own_;
};

}  // namespace shoal
