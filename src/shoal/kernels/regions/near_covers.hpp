// The cheapest labels above a row that cover k rows, found among the rows near it: for tables of many columns.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include "common/assert.hpp"
#include "regions/covers.hpp"
#include "regions/row_tree.hpp"

namespace shoal {

// Where there are many attributes no lattice can be gone through, and `CheapestCovers` has to leave attributes out. But labels
// over a row r that cover k rows cover k - 1 others (more or fewer where k counts sizes), and cost at least what the labels
// over r and each of these cost. So only rows s matter that are nearer than what is known to be enough, `upper`; each asks for
// a level or a higher one in every attribute, the lowest on which r and s have the same label. Sought are the cheapest levels
// that satisfy enough of them.
//
// Branch and bound: from some levels, either enough rows are satisfied, or one more has to be. Let it be the first of those that
// are not, in the order of what the levels cost with it; those before it are then not satisfied, and are left out. Every set
// of levels below the best is found so. What costs as much as the best, or where too few are left, is not followed.
// A label's price may fall from a level to a higher one by some metrics; what counts is the least from a level on.
// Where a row has too many near ones, or branches, the distance to the last of the nearest k counts, which is no more.
// If `upper` is too low, so is the result: it is a bound in any case. Rows that are not looked at count 0.
class NearCovers {
  public:
    using Stop = std::function<bool()>;
    static constexpr std::int64_t kNever = std::int64_t{1} << 55;  // what no labels cost

    // `near` has a row of `many` different others for each combination, or -1: any, the nearer the better.
    NearCovers(const CoverTable& table, std::vector<std::int64_t>&& upper, std::vector<std::int32_t>&& near, int many)
        : n_(static_cast<int>(table.rows.size())), attributes_(static_cast<int>(table.axes.size())), k_(table.ks[0]),
          table_(table), upper_(std::move(upper)), near_(std::move(near)), many_(many) {
        for (std::int64_t& one : upper_) one = std::min(one, table.dearest);
        lay_out();
        order_.resize(n_);
        std::iota(order_.begin(), order_.end(), 0);
        std::stable_sort(order_.begin(), order_.end(), [&](int one, int other) { return upper_[one] > upper_[other]; });
    }

    // What the rows cost at least, those first that may cost most, and how many combinations there was time and `work` for:
    // so many costs may be looked at, as is counted after some thousand combinations each.
    std::pair<std::int64_t, int> run(std::int64_t work, int threads, const Stop& stop) {
        std::atomic<int> next{0}, done{0};
        std::atomic<std::int64_t> sum{0}, looked{0};
        while (next < n_ && looked < work && !stop()) {
            const int last = static_cast<int>(std::min<std::int64_t>(std::int64_t{next} + kInTurn, n_));
            std::sort(order_.begin() + next, order_.begin() + last,
                      [&](int one, int other) { return tree_->place(one) < tree_->place(other); });
            const auto some = [&] {
                Row row(*this);
                for (int i = next++; i < last && !stop(); i = next++) {
                    sum += table_.rows[order_[i]] * row.least(order_[i]);
                    ++done;
                }
                looked += row.looked;
            };
            std::vector<std::thread> others;
            for (int i = 1; i < threads; ++i) others.emplace_back(some);
            some();
            for (std::thread& other : others) other.join();
            next = last;
        }
        return {sum.load(), done.load()};
    }

  private:
    // The attributes by how much two rows differ in them for each bit that tells rows apart: what is far is soon known to
    // be, and for many rows at once.
    void lay_out() {
        std::vector<std::pair<double, int>> apart;
        for (int a = 0; a < attributes_; ++a) {
            const CoverAxis& axis = table_.axes[a];
            std::vector<double> often(axis.values, 0);
            for (int c = 0; c < n_; ++c) often[table_.values[std::size_t(c) * attributes_ + a]] += 1.0 / n_;
            double same = 0, bits = 1e-9, most = 0;
            for (const double share : often)
                if (share > 0) same += share * share, bits -= share * std::log2(share);
            for (const std::int64_t price : axis.price) most = std::max(most, static_cast<double>(price));
            apart.emplace_back(-most * (1 - same) / bits, a);
        }
        std::sort(apart.begin(), apart.end());
        for (const auto& one : apart) axes_.push_back(one.second);
        values_.resize(table_.values.size());
        for (int c = 0; c < n_; ++c)
            for (int i = 0; i < attributes_; ++i)
                values_[std::size_t(c) * attributes_ + i] = table_.values[std::size_t(c) * attributes_ + axes_[i]];
        std::vector<int> many;
        for (const int a : axes_) many.push_back(table_.axes[a].values);
        tree_.emplace(values_, many);
    }

    struct Near {
        std::int64_t distance;
        std::int32_t other;
    };

    // One thread's work: one row after the other.
    struct Row {
        explicit Row(const NearCovers& covers) : all(covers) {
            for (const int a : all.axes_) {
                const CoverAxis& axis = all.table_.axes[a];
                begins.push_back(static_cast<int>(costs.size()));
                costs.resize(costs.size() + axis.values);
                starts.push_back(static_cast<int>(prices.size()));
                prices.resize(prices.size() + axis.levels);
            }
            levels.resize(costs.size());
        }

        std::int64_t least(int c) {
            mine = all.values_.data() + std::size_t(c) * all.attributes_;
            best = all.upper_[c];
            std::int64_t lowest = 0;
            for (int i = 0; i < all.attributes_; ++i) lowest += prepare(i);
            looked += static_cast<std::int64_t>(costs.size());
            need = all.k_ - all.table_.sizes[c];
            if (need <= 0 || best <= lowest) return std::min(best, lowest);
            // Some that are near tell soon how far the others may be.
            near.clear();
            for (int j = 0; j < all.many_; ++j)
                if (const std::int32_t other = all.near_[std::size_t(c) * all.many_ + j]; other >= 0) meet(c, other);
            if (cover(lowest) <= lowest) return best;
            near.clear();
            looked += all.tree_->near(costs, begins, best, room, [&](std::int64_t distance, std::int32_t other) {
                if (other != c) near.push_back({distance, other});
            });
            return cover(lowest);
        }

        // Sorts those that are near, if they are not too many, and returns how far the last of the nearest that are enough is.
        std::int64_t nearest_enough() {
            const auto sooner = [](const Near& one, const Near& other) {
                return one.distance != other.distance ? one.distance < other.distance : one.other < other.other;
            };
            for (const std::size_t some : {std::min(kMostNear, near.size()), near.size()}) {
                if (some < near.size()) std::nth_element(near.begin(), near.begin() + some, near.end(), sooner);
                std::sort(near.begin(), near.begin() + some, sooner);
                std::int64_t size = 0;
                for (std::size_t j = 0; j < some; ++j)
                    if ((size += all.table_.sizes[near[j].other]) >= need) return near[j].distance;
            }
            return best;
        }

        // The least cost of labels that cover enough, if all that matter are near; what is known to be enough, otherwise.
        std::int64_t cover(std::int64_t lowest) {
            const std::int64_t enough = nearest_enough();
            if (near.size() > kMostNear) return enough;
            asked.resize(near.size() * all.attributes_);
            std::vector<int> some(near.size());
            for (std::size_t j = 0; j < near.size(); ++j) {
                some[j] = static_cast<int>(j);
                const std::int32_t* yours = all.values_.data() + std::size_t(near[j].other) * all.attributes_;
                for (int i = 0; i < all.attributes_; ++i) asked[j * all.attributes_ + i] = levels[begins[i] + yours[i]];
            }
            branches = 0;
            follow(std::vector<std::uint8_t>(all.attributes_, 0), lowest, some);
            return branches > kMostBranches ? enough : best;
        }

        // For one attribute: the lowest level that this row shares with each value, and what it costs. Returns what the
        // lowest of all costs.
        std::int64_t prepare(int i) {
            const CoverAxis& axis = all.table_.axes[all.axes_[i]];
            std::int64_t* price = prices.data() + starts[i];
            std::int64_t from = std::numeric_limits<std::int64_t>::max();
            for (int level = axis.levels - 1; level >= 0; --level)
                price[level] = from = std::min(from, axis.price[std::size_t(level) * axis.values + mine[i]]);
            for (int v = 0; v < axis.values; ++v) {
                costs[begins[i] + v] = kNever;
                for (int level = 0; level < axis.levels; ++level) {
                    const std::int32_t* code = axis.code.data() + std::size_t(level) * axis.values;
                    if (code[v] != code[mine[i]]) continue;
                    costs[begins[i] + v] = price[level];
                    levels[begins[i] + v] = static_cast<std::uint8_t>(level);
                    break;
                }
            }
            return price[0];
        }

        // Another row is near if labels with it cost less than what is known to be enough.
        void meet(int c, std::int32_t other) {
            const std::int32_t* yours = all.values_.data() + std::size_t(other) * all.attributes_;
            std::int64_t sum = 0;
            for (int i = 0; i < all.attributes_ && sum < best; ++i) sum += costs[begins[i] + yours[i]];
            if (sum < best && other != c) near.push_back({sum, other});
        }

        void follow(const std::vector<std::uint8_t>& now, std::int64_t cost, const std::vector<int>& some) {
            if (cost >= best || ++branches > kMostBranches) return;
            looked += static_cast<std::int64_t>(some.size());
            std::vector<int> left;
            std::vector<std::pair<std::int64_t, int>> open;
            std::int64_t size = 0, covered = 0;
            for (const int j : some) {
                const std::uint8_t* level = asked.data() + std::size_t(j) * all.attributes_;
                std::int64_t with = cost;
                bool inside = true;
                for (int i = 0; i < all.attributes_ && with < best; ++i) {
                    if (level[i] <= now[i]) continue;
                    inside = false;
                    with += prices[starts[i] + level[i]] - prices[starts[i] + now[i]];
                }
                if (inside) {
                    left.push_back(j);
                    covered += all.table_.sizes[near[j].other];
                } else if (with < best) {
                    open.emplace_back(with, j);
                    size += all.table_.sizes[near[j].other];
                }
            }
            if (covered >= need) {
                best = cost;
                return;
            }
            std::sort(open.begin(), open.end());
            for (const auto& one : open) left.push_back(one.second);
            const std::size_t inside = left.size() - open.size();
            std::vector<std::uint8_t> higher(now);
            for (std::size_t o = 0; o < open.size() && covered + size >= need && open[o].first < best; ++o) {
                const std::uint8_t* level = asked.data() + std::size_t(open[o].second) * all.attributes_;
                for (int i = 0; i < all.attributes_; ++i) higher[i] = std::max(now[i], level[i]);
                std::vector<int> rest(left.begin(), left.begin() + inside);
                rest.insert(rest.end(), left.begin() + inside + o, left.end());
                follow(higher, open[o].first, rest);
                size -= all.table_.sizes[near[open[o].second].other];
            }
        }

        const NearCovers& all;
        const std::int32_t* mine = nullptr;
        std::vector<int> begins, starts;  // where an attribute begins in costs and levels, and in prices
        std::vector<std::int64_t> costs, prices;
        std::vector<std::uint8_t> levels, asked;
        std::vector<Near> near;
        RowTree::Room room;
        std::int64_t best = 0, need = 0, branches = 0, looked = 0;
    };

    static constexpr int kInTurn = 8192;
    static constexpr std::size_t kMostNear = 2048;
    static constexpr std::int64_t kMostBranches = 1000;

    int n_, attributes_;
    std::int64_t k_;
    const CoverTable& table_;
    std::vector<std::int64_t> upper_;
    std::vector<std::int32_t> near_;
    int many_;
    std::vector<int> axes_, order_;
    std::vector<std::int32_t> values_;  // one row a combination, the attributes in the order of `axes_`
    std::optional<RowTree> tree_;       // of these
};

}  // namespace shoal
