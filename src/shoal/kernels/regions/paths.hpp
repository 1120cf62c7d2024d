// Values of trees as paths of bits: what the labels over a group cost, from the AND and the OR of its members' paths.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/assert.hpp"
#include "regions/regions.hpp"

namespace shoal {

// A value's path tells the way down from its tree's last level: for every level one field of bits, the highest level first,
// with the number of the node among those below the same node. Values share a node exactly where their fields from there on
// are equal. So the highest bit in which some members' paths differ tells the lowest node above all of them, and that is
// the highest bit of the AND of all paths xor their OR. Both are kept for a group, a few lanes of 16 bits an attribute: a
// member more costs a few operations on registers, whatever the size of the group. Short paths of trees whose labels cost
// the same throughout a level share a lane: what differs there is a place in a table of what it costs in all of them. What
// is no tree has no paths, and those of more than 64 bits do not fit.
class Paths {
  public:
    using Lane = std::uint16_t;
    static constexpr int kBlock = 8;  // lanes that are handled at once

    // Where some attribute has no paths, `usable` is false, and nothing else may be asked.
    explicit Paths(const Regions& regions) : attributes_(regions.attributes()) {
        std::vector<std::vector<std::uint64_t>> paths(attributes_);
        int lanes = 0;
        for (int a = 0; a < attributes_; ++a)
            if (regions.axis(a).kind != Kind::tree || !lay_out(regions.axis(a), a, paths[a], lanes)) return;
        for (Shared& one : shared_) tabulate(one);
        stride_ = std::max((lanes + kBlock - 1) / kBlock, 1) * kBlock;
        const int n = regions.size();
        lanes_.assign(std::size_t(n) * stride_, 0);
        values_.resize(std::size_t(n) * attributes_);
        for (int c = 0; c < n; ++c) {
            for (int a = 0; a < attributes_; ++a) values_[std::size_t(c) * attributes_ + a] = regions.value(c, a);
            Lane* mine = lanes_.data() + std::size_t(c) * stride_;
            for (const Shared& one : shared_)
                for (const Level& level : one.levels)
                    mine[one.at] |=
                        static_cast<Lane>(paths[level.attribute][regions.value(c, level.attribute)] << level.shift);
            for (const auto* columns : {&narrow_, &wide_})
                for (const Column& column : *columns)
                    for (int i = 0; i < column.lanes; ++i)
                        mine[column.at + i] =
                            static_cast<Lane>(paths[column.attribute][regions.value(c, column.attribute)] >> (16 * i));
        }
        usable_ = true;
    }

    bool usable() const { return usable_; }
    int stride() const { return stride_; }
    const Lane* of(int combination) const { return lanes_.data() + std::size_t(combination) * stride_; }

    // The AND of paths and their OR, one after the other: of nothing, and with more.
    std::size_t width() const { return std::size_t(2) * stride_; }
    void clear(Lane* both) const {
        std::fill(both, both + stride_, static_cast<Lane>(~Lane{0}));
        std::fill(both + stride_, both + 2 * stride_, Lane{0});
    }
    void add(Lane* both, int combination) const { grow(both, both, of(combination), of(combination)); }
    // What is `from`, with all and any of others, becomes `to`, which may be the same.
    void grow(Lane* to, const Lane* from, const Lane* all, const Lane* any) const {
        for (int begin = 0; begin < stride_; begin += kBlock) {
            both(to + begin, from + begin, all + begin, [](auto one, auto other) { return one & other; });
            both(to + stride_ + begin, from + stride_ + begin, any + begin,
                 [](auto one, auto other) { return one | other; });
        }
    }

    // What the labels over a group cost one row, given one of its members.
    std::int64_t price(const Lane* both, int member) const {
        const Lane *all = both, *any = both + stride_;
        const std::int32_t* value = values_.data() + std::size_t(member) * attributes_;
        std::int64_t sum = 0;
        for (const Shared& one : shared_) sum += one.prices[static_cast<Lane>(all[one.at] ^ any[one.at])];
        for (const Column& column : narrow_) {
            // One bit more at the end, so that there always is a highest one.
            const std::uint32_t apart = 2u * static_cast<Lane>(all[column.at] ^ any[column.at]) + 1;
            sum += prices_[starts_[column.starts + 31 - std::countl_zero(apart)] + value[column.attribute]];
        }
        for (const Column& column : wide_) {
            std::uint64_t apart = 0;
            for (int i = 0; i < column.lanes; ++i)
                apart |= std::uint64_t{static_cast<Lane>(all[column.at + i] ^ any[column.at + i])} << (16 * i);
            sum += prices_[starts_[column.starts + std::bit_width(apart)] + value[column.attribute]];
        }
        return sum;
    }

  private:
    struct Column {
        int attribute, at, lanes;
        std::uint32_t starts;
    };
    // One attribute of a lane that several share: where its bits begin, and what it costs by how many of them differ.
    struct Level {
        int attribute, shift;
        std::vector<std::int64_t> costs;
    };
    struct Shared {
        int at, bits = 0;
        std::vector<Level> levels;
        std::vector<std::int64_t> prices;  // by the bits that differ
    };

    bool lay_out(const Axis& axis, int attribute, std::vector<std::uint64_t>& path, int& lanes_used) {
        const int values = axis.values;
        path.assign(values, 0);
        std::vector<int> level_at(1, 0);  // the level of the node above, by how many bits differ
        for (int level = 0; level + 1 < axis.levels; ++level) {
            std::vector<std::pair<std::int32_t, std::int32_t>> nodes;  // the node above, and the node
            for (int v = 0; v < values; ++v) nodes.emplace_back(node(axis, level + 1, v), node(axis, level, v));
            std::vector<std::pair<std::int32_t, std::int32_t>> sorted = nodes;
            std::sort(sorted.begin(), sorted.end());
            sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
            if (!nested(sorted)) return false;
            std::vector<std::uint64_t> among(sorted.size(), 0);
            std::uint64_t most = 0;
            for (std::size_t i = 1; i < sorted.size(); ++i) {
                among[i] = sorted[i].first == sorted[i - 1].first ? among[i - 1] + 1 : 0;
                most = std::max(most, among[i]);
            }
            const int shift = static_cast<int>(level_at.size()) - 1;
            const int bits = std::bit_width(most);
            if (shift + bits > 64) return false;
            for (int v = 0; bits && v < values; ++v)
                path[v] |= among[std::lower_bound(sorted.begin(), sorted.end(), nodes[v]) - sorted.begin()] << shift;
            level_at.insert(level_at.end(), bits, level + 1);
        }
        if (share(axis, attribute, level_at, lanes_used)) return true;
        if (prices_.size() + axis.price.size() > UINT32_MAX) return false;
        const int lanes = std::max((static_cast<int>(level_at.size()) + 14) / 16, 1);
        (lanes == 1 ? narrow_ : wide_)
            .push_back({attribute, lanes_used, lanes, static_cast<std::uint32_t>(starts_.size())});
        lanes_used += lanes;
        for (const int level : level_at)
            starts_.push_back(static_cast<std::uint32_t>(prices_.size() + std::size_t(level) * values));
        for (const std::int64_t price : axis.price) prices_.push_back(price - axis.factor);
        return true;
    }

    // Puts a tree into a lane with others, if it has few bits and all labels of a level cost the same.
    bool share(const Axis& axis, int attribute, const std::vector<int>& level_at, int& lanes_used) {
        const int bits = static_cast<int>(level_at.size()) - 1;
        if (bits > kShared) return false;
        Level mine{attribute, 0, {}};
        for (const int level : level_at) {
            const auto price = axis.price.begin() + std::ptrdiff_t(level) * axis.values;
            if (std::any_of(price, price + axis.values, [&](std::int64_t one) { return one != *price; })) return false;
            mine.costs.push_back(*price - axis.factor);
        }
        if (shared_.empty() || shared_.back().bits + bits > kShared) shared_.push_back({lanes_used++, 0, {}, {}});
        mine.shift = shared_.back().bits;
        shared_.back().bits += bits;
        shared_.back().levels.push_back(std::move(mine));
        return true;
    }

    static void tabulate(Shared& one) {
        one.prices.resize(std::size_t{1} << one.bits, 0);
        for (const Level& level : one.levels)
            for (std::size_t apart = 0; apart < one.prices.size(); ++apart) {
                const std::size_t own = apart >> level.shift & ((std::size_t{1} << (level.costs.size() - 1)) - 1);
                one.prices[apart] += level.costs[std::bit_width(own)];
            }
    }

    // Copies first: the compiler need not ask whether what is written is what is read next.
    template <typename F>
    static void both(Lane* to, const Lane* one, const Lane* other, F&& joined) {
        std::uint64_t mine[kBlock / 4], yours[kBlock / 4];
        std::memcpy(mine, one, sizeof mine);
        std::memcpy(yours, other, sizeof yours);
        for (int i = 0; i < kBlock / 4; ++i) mine[i] = joined(mine[i], yours[i]);
        std::memcpy(to, mine, sizeof mine);
    }

    // Whether every node lies below one other.
    static bool nested(const std::vector<std::pair<std::int32_t, std::int32_t>>& pairs) {
        std::vector<std::int32_t> nodes;
        for (const auto& pair : pairs) nodes.push_back(pair.second);
        std::sort(nodes.begin(), nodes.end());
        return std::adjacent_find(nodes.begin(), nodes.end()) == nodes.end();
    }

    static std::int32_t node(const Axis& axis, int level, int v) {
        return axis.code[std::size_t(level) * axis.values + v];
    }

    static constexpr int kShared = 8;  // the most bits of a lane that trees share

    int attributes_;
    bool usable_ = false;
    int stride_ = 0;
    std::vector<Shared> shared_;
    std::vector<Column> narrow_, wide_;  // with paths in one lane, and in more
    std::vector<std::uint32_t> starts_;  // where the prices of a level begin, by how many bits differ
    std::vector<std::int64_t> prices_;   // of every tree: by level and value, what a label costs a row
    std::vector<Lane> lanes_;
    std::vector<std::int32_t> values_;
};

}  // namespace shoal
