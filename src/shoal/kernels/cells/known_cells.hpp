// Combinations of values of which single cells may be blanked, and the sets of columns that somebody may know of a row.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <queue>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "common/persons.hpp"

namespace shoal {

using Mask = std::uint64_t;  // the blanked columns of a combination, one bit each

inline int lowest(Mask mask) { return std::countr_zero(mask); }

// A table of sums by key, with open addresses.
class KeySums {
  public:
    explicit KeySums(std::size_t most = 16) { resize(most); }
    void resize(std::size_t most) {
        std::size_t size = 16;
        while (size < 2 * most) size *= 2;
        keys_.assign(size, 0);
        values_.assign(size, 0);
        used_ = 0;
    }
    // How many keys there are, sums of 0 included until it grows.
    std::size_t size() const { return used_; }
    // The sum of a key; the place stays valid until a key is added.
    std::int64_t& at(std::uint64_t key) {
        if (2 * used_ >= keys_.size()) grow();
        std::size_t place = find(key);
        if (!keys_[place]) {
            keys_[place] = named(key);
            ++used_;
        }
        return values_[place];
    }
    std::int64_t get(std::uint64_t key) const {
        const std::size_t place = find(key);
        return keys_[place] ? values_[place] : 0;
    }

  private:
    static std::uint64_t named(std::uint64_t key) { return key ? key : 1; }
    std::size_t find(std::uint64_t key) const {
        const std::uint64_t wanted = named(key);
        std::size_t place = (wanted * 0x9E3779B97F4A7C15ull >> 20) & (keys_.size() - 1);
        while (keys_[place] && keys_[place] != wanted) place = (place + 1) & (keys_.size() - 1);
        return place;
    }
    void grow() {
        std::vector<std::uint64_t> keys(std::move(keys_));
        std::vector<std::int64_t> values(std::move(values_));
        keys_.assign(2 * keys.size(), 0);
        values_.assign(2 * keys.size(), 0);
        used_ = 0;
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (keys[i] && values[i]) at(keys[i]) = values[i];  // sums of 0 are forgotten here
    }

    std::vector<std::uint64_t> keys_;
    std::vector<std::int64_t> values_;
    std::size_t used_ = 0;
};

// Whom rows must show the same as: at least so many of those that are counted. First that are k persons; then, for each
// sensitive column that l is asked of, l values: a value is counted like somebody with a row wherever it occurs.
struct Need {
    std::int64_t least = 1;
    Persons whose;                     // each row another's if nobody is counted
    std::vector<std::uint64_t> named;  // by the number of one with rows in several combinations
};

// The table. Every set of columns in `known` is looked at by itself: of the columns of such a set, every row must show
// what rows of k persons, and of l values, show. Columns outside of `free` are never blanked. Keys are sums (xor) of random numbers, one for each
// value of each column, over the columns that are shown: two different combinations have the same key with a chance of
// 2^-64, and whoever publishes counts again.
struct KnownCells {
    int columns = 0;
    Mask free = 0;
    std::vector<std::int32_t> codes;  // n times columns
    std::vector<std::int64_t> rows;   // of each combination
    std::vector<Need> needs;
    std::vector<std::int64_t> weight;  // of a blanked cell, by column
    std::vector<Mask> known;
    std::vector<std::vector<std::uint64_t>> mark;   // by column and value
    std::vector<std::vector<std::uint64_t>> whole;  // by known set and combination: what is shown without blanks
    std::vector<std::size_t> distinct;              // by known set: of how many kinds that is

    int size() const { return static_cast<int>(rows.size()); }
    int sets() const { return static_cast<int>(known.size()); }
    const std::int32_t* at(int c) const { return codes.data() + std::size_t(c) * columns; }

    void prepare() {
        std::mt19937_64 random(0x5eed);
        mark.assign(columns, {});
        for (int a = 0; a < columns; ++a) {
            std::int32_t most = -1;
            for (int c = 0; c < size(); ++c) most = std::max(most, at(c)[a]);
            mark[a].resize(most + 1);
            for (auto& one : mark[a]) one = random();
        }
        for (Need& need : needs) {
            need.named.resize(need.whose.numbers);
            for (auto& one : need.named) one = random();
        }
        whole.assign(sets(), std::vector<std::uint64_t>(size()));
        for (int j = 0; j < sets(); ++j)
            for (int c = 0; c < size(); ++c) whole[j][c] = key(c, known[j]);
        for (const std::vector<std::uint64_t>& shown : whole) {
            KeySums seen;
            for (const std::uint64_t one : shown) seen.at(one) = 1;
            distinct.push_back(seen.size());
        }
    }

    int asked() const { return static_cast<int>(needs.size()); }
    // How many of those that a need counts have rows in one combination alone.
    std::int64_t single(int m, int c) const {
        return needs[m].whose.counted() ? std::int64_t{needs[m].whose.single[c]} : rows[c];
    }
    // The numbers of the others that have rows there.
    std::span<const std::int32_t> others(int m, int c) const {
        const Persons& whose = needs[m].whose;
        if (!whose.counted()) return {};
        return {whose.begin(c), whose.end(c)};
    }

    // What a combination shows of some columns.
    std::uint64_t key(int c, Mask shown) const {
        std::uint64_t sum = 0;
        for (; shown; shown &= shown - 1) {
            const int a = lowest(shown);
            sum ^= mark[a][at(c)[a]];
        }
        return sum;
    }
    // What it shows of a known set if some columns are blanked.
    std::uint64_t shown(int j, int c, Mask blanked) const { return whole[j][c] ^ key(c, blanked & known[j]); }
    std::int64_t price(Mask mask) const {
        std::int64_t sum = 0;
        for (; mask; mask &= mask - 1) sum += weight[lowest(mask)];
        return sum;
    }
    // The columns in which two combinations differ.
    Mask apart(int c, int d) const {
        Mask mask = 0;
        for (int a = 0; a < columns; ++a)
            if (at(c)[a] != at(d)[a]) mask |= Mask{1} << a;
        return mask;
    }
};

// All sets of the free columns, the cheapest first; of equally cheap ones always in the same order.
class MasksByPrice {
  public:
    explicit MasksByPrice(const KnownCells& cells) : cells_(cells) {
        for (Mask left = cells.free; left; left &= left - 1) order_.push_back(lowest(left));
        std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) { return cells.weight[a] < cells.weight[b]; });
        next_.push({0, 0, Mask{0}, -1});
    }
    bool done() const { return next_.empty(); }
    std::int64_t price() const { return next_.top().price; }
    Mask take() {
        const Next now = next_.top();
        next_.pop();
        const int after = now.last + 1;
        if (after < static_cast<int>(order_.size())) {
            const Mask bit = Mask{1} << order_[after];
            const std::int64_t more = cells_.weight[order_[after]];
            next_.push({now.price + more, now.cells + 1, now.mask | bit, after});
            if (now.last >= 0) {
                const Mask old = Mask{1} << order_[now.last];
                next_.push(
                    {now.price + more - cells_.weight[order_[now.last]], now.cells, (now.mask & ~old) | bit, after});
            }
        }
        return now.mask;
    }

  private:
    struct Next {
        std::int64_t price;
        int cells;
        Mask mask;
        int last;
        bool operator<(const Next& other) const {
            if (price != other.price) return price > other.price;
            if (cells != other.cells) return cells > other.cells;
            return mask > other.mask;
        }
    };
    const KnownCells& cells_;
    std::vector<int> order_;
    std::priority_queue<Next> next_;
};

// Those whom a need counts, by what their rows show: someone with rows in several combinations that show the same is one.
class Crowds {
  public:
    // Returns how many a combination brings to those who show something, and how many it takes away.
    std::int64_t enter(const KnownCells& cells, int m, int c, std::uint64_t key) {
        std::int64_t more = cells.single(m, c);
        for (const std::int32_t one : cells.others(m, c)) more += rows_.at(key ^ cells.needs[m].named[one])++ == 0;
        return more;
    }
    std::int64_t leave(const KnownCells& cells, int m, int c, std::uint64_t key) {
        std::int64_t less = cells.single(m, c);
        for (const std::int32_t one : cells.others(m, c)) less += --rows_.at(key ^ cells.needs[m].named[one]) == 0;
        return less;
    }
    bool has(const KnownCells& cells, int m, std::int32_t one, std::uint64_t key) const {
        return rows_.get(key ^ cells.needs[m].named[one]) > 0;
    }
    void clear(const KnownCells& cells, int m) { rows_.resize(cells.needs[m].whose.others.size()); }

  private:
    KeySums rows_;  // by who and what is shown: of how many combinations
};

}  // namespace shoal
