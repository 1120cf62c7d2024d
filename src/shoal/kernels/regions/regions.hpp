// What a group of combinations is released as: for every attribute an interval, a set or a node of a tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "common/assert.hpp"
#include "common/persons.hpp"

namespace shoal {

// Says of each range [begin, end) of some combinations whether a group of them is allowed.
using Allowed =
    std::function<std::vector<char>(const std::vector<std::int32_t>& members, const std::vector<std::int64_t>& begins,
                                    const std::vector<std::int64_t>& ends)>;

enum class Kind { interval, set, tree };

// One attribute: what a label over some of its values costs. Values are numbered from 0.
struct Axis {
    Kind kind;
    int values;
    std::int64_t factor;              // what a leaf more costs one row
    std::vector<std::int32_t> order;  // the place of each value in the order that cuts follow
    // interval: the places of a value's first and last leaf; a value at -1 lies outside of all intervals
    std::vector<std::int32_t> first, last;
    // set: factor times the leaves of a value; tree: the same of the node above it, level by level
    std::vector<std::int64_t> price;
    std::vector<std::int32_t> code;  // tree: the node above a value, level by level
    int levels = 0;
    std::int64_t most = 0;  // no label costs a row more
    int offset = 0;         // where the attribute's words begin in an extent
    int words = 1;
};

// All combinations of a table, and the extents of groups of them. An extent is a few words an attribute, and last
// what the group's labels cost one row: the sum over the attributes of factor * (leaves covered - 1).
class Regions {
  public:
    Regions(std::vector<Axis>&& axes, std::vector<std::int32_t>&& codes, std::vector<std::int64_t>&& rows,
            std::vector<std::int32_t>&& blocks, Persons&& persons = {})
        : codes_(std::move(codes)), rows_(std::move(rows)), blocks_(std::move(blocks)), persons_(std::move(persons)),
          whole_(static_cast<int>(rows_.size())) {
        for (Axis& axis : axes) {
            if (axis.kind == Kind::set) axis.words = (axis.values + 63) / 64;
            if (axis.kind == Kind::interval) axis.words = 2;
            axis.offset = words_;
            words_ += axis.words;
            nothing_ -= axis.factor;
        }
        axes_ = std::make_shared<const std::vector<Axis>>(std::move(axes));
    }

    // Some of the combinations by themselves, numbered as they are given. Persons have to be nobody's concern: whose rows lie
    // in combinations elsewhere would not be known.
    Regions part(const std::vector<std::int32_t>& members) const {
        SHOAL_ASSERT(!persons_.counted());
        Regions some(*this, members.size());
        for (const std::int32_t c : members) {
            some.codes_.insert(some.codes_.end(), codes_.begin() + std::ptrdiff_t(c) * attributes(),
                               codes_.begin() + (std::ptrdiff_t(c) + 1) * attributes());
            some.rows_.push_back(rows_[c]);
            some.blocks_.push_back(blocks_[c]);
            some.places_.push_back(place(c));
        }
        return some;
    }
    // Which combination of the whole table one of a part is, and how many that has.
    bool is_part() const { return whole_ != size() || !places_.empty(); }
    std::int32_t place(int combination) const { return places_.empty() ? combination : places_[combination]; }
    int whole() const { return whole_; }

    int size() const { return static_cast<int>(rows_.size()); }
    int attributes() const { return static_cast<int>(axes_->size()); }
    const Axis& axis(int a) const { return (*axes_)[a]; }
    std::int32_t value(int combination, int a) const { return codes_[std::size_t(combination) * axes_->size() + a]; }
    std::int64_t rows(int combination) const { return rows_[combination]; }
    const Persons& persons() const { return persons_; }
    // By how much a combination raises the size of a group, which is its persons where they are counted, else its rows:
    // at least by those who have rows nowhere else, at most by all who have rows there.
    std::int64_t least(int combination) const {
        return persons_.counted() ? persons_.single[combination] : rows_[combination];
    }
    std::int64_t most(int combination) const {
        return persons_.counted() ? persons_.in(combination) : rows_[combination];
    }
    // Combinations of different blocks are never in one group.
    std::int32_t block(int combination) const { return blocks_[combination]; }
    // Whether every tree has a node above both, so that one group can hold them.
    bool meet(int one, int other) const {
        for (int a = 0; a < attributes(); ++a) {
            const Axis& tree = axis(a);
            if (tree.kind != Kind::tree) continue;
            const std::int32_t* top = tree.code.data() + std::size_t(tree.levels - 1) * tree.values;
            if (top[value(one, a)] != top[value(other, a)]) return false;
        }
        return true;
    }
    std::size_t stride() const { return words_ + 1; }
    std::int64_t cost(const std::uint64_t* extent) const { return static_cast<std::int64_t>(extent[words_]); }

    void clear(std::uint64_t* extent) const {
        std::fill(extent, extent + words_, 0);
        for (const Axis& axis : *axes_)
            if (axis.kind != Kind::set) extent[axis.offset] = kEmpty;
        extent[words_] = static_cast<std::uint64_t>(nothing_);
    }

    void add(std::uint64_t* extent, int combination) const {
        const std::int32_t* value = codes_.data() + std::size_t(combination) * axes_->size();
        std::int64_t more = 0;
        for (const Axis& axis : *axes_) {
            const std::int32_t v = *value++;
            std::uint64_t* word = extent + axis.offset;
            switch (axis.kind) {
                case Kind::set: {
                    const std::uint64_t bit = std::uint64_t{1} << (v & 63);
                    if (!(word[v >> 6] & bit)) {
                        word[v >> 6] |= bit;
                        more += axis.price[v];
                    }
                    break;
                }
                case Kind::interval: more += widen(axis, word, v); break;
                case Kind::tree: more += climb(axis, word, v); break;
            }
        }
        extent[words_] += static_cast<std::uint64_t>(more);
    }

    // What a label over two values costs more than a label over the first alone.
    std::int64_t apart(int a, std::int32_t one, std::int32_t other) const {
        const Axis& axis = (*axes_)[a];
        if (one == other) return 0;
        if (axis.kind == Kind::set) return axis.price[other];
        std::uint64_t word[2] = {kEmpty, 0};
        if (axis.kind == Kind::tree) {
            climb(axis, word, one);
            return climb(axis, word, other);
        }
        widen(axis, word, one);
        return widen(axis, word, other);
    }

    // The level of a tree's node in an extent.
    static int level(const std::uint64_t* word) { return static_cast<int>(word[0] >> 32); }

  private:
    static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

    // Nothing of a table so far, with room for some of it.
    Regions(const Regions& all, std::size_t many)
        : axes_(all.axes_), whole_(all.whole_), words_(all.words_), nothing_(all.nothing_) {
        codes_.reserve(many * attributes());
        rows_.reserve(many);
        blocks_.reserve(many);
        places_.reserve(many);
    }

    static std::int64_t widen(const Axis& axis, std::uint64_t* word, std::int32_t v) {
        if (axis.first[v] < 0) {
            if (word[1]) return 0;
            word[1] = 1;
            return axis.factor;
        }
        std::int32_t low = axis.first[v], high = axis.last[v];
        std::int64_t before = 0;
        if (word[0] != kEmpty) {
            const auto from = static_cast<std::int32_t>(word[0] >> 32), to = static_cast<std::int32_t>(word[0]);
            before = to - from + 1;
            low = std::min(low, from);
            high = std::max(high, to);
        }
        word[0] = std::uint64_t(low) << 32 | std::uint64_t(high);
        return axis.factor * (high - low + 1 - before);
    }

    static std::int64_t climb(const Axis& axis, std::uint64_t* word, std::int32_t v) {
        if (word[0] == kEmpty) {
            word[0] = std::uint64_t(v);
            return axis.price[v];
        }
        const auto known = static_cast<std::int32_t>(word[0]);
        const int from = level(word);
        int to = from;
        while (axis.code[std::size_t(to) * axis.values + v] != axis.code[std::size_t(to) * axis.values + known]) ++to;
        SHOAL_ASSERT(to < axis.levels);
        if (to == from) return 0;
        word[0] = std::uint64_t(to) << 32 | std::uint64_t(known);
        return axis.price[std::size_t(to) * axis.values + known] - axis.price[std::size_t(from) * axis.values + known];
    }

    std::shared_ptr<const std::vector<Axis>> axes_;  // those of a part are those of the whole
    std::vector<std::int32_t> codes_;
    std::vector<std::int64_t> rows_;
    std::vector<std::int32_t> blocks_;
    Persons persons_;
    std::vector<std::int32_t> places_;  // of a part's combinations, in the whole
    int whole_;
    int words_ = 0;
    std::int64_t nothing_ = 0;
};

// The extent of one group while combinations are added to it.
class Extent {
  public:
    explicit Extent(const Regions& regions)
        : regions_(regions), words_(regions.stride()), by_persons_(regions.persons().counted()),
          census_(regions.persons().numbers) {
        clear();
    }

    void clear() {
        regions_.clear(words_.data());
        rows_ = 0;
        if (by_persons_) census_.clear();
    }

    void add(int combination) {
        regions_.add(words_.data(), combination);
        rows_ += regions_.rows(combination);
        if (by_persons_) census_.add(regions_.persons(), combination);
    }

    std::int64_t rows() const { return rows_; }
    // What k is about: its persons where they are counted, else its rows.
    std::int64_t size() const { return by_persons_ ? census_.count() : rows_; }
    std::int64_t cost() const { return rows_ ? rows_ * regions_.cost(words_.data()) : 0; }
    const std::uint64_t* word(int a) const { return words_.data() + regions_.axis(a).offset; }

  private:
    const Regions& regions_;
    std::vector<std::uint64_t> words_;
    std::int64_t rows_ = 0;
    bool by_persons_;
    Census census_;
};

}  // namespace shoal
