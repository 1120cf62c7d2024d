// Classes with the sets of sensitive values that they hold, and their roll-up: sizes add, sets unite.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>

#include "lattice/codebook.hpp"

namespace shoal {

// Of class g: its key, its rows, and one bit a sensitive value in `words` words from bits[g * words] on.
template <int W>
struct SetTable {
    std::vector<Key<W>> keys;
    std::vector<std::int64_t> sizes;
    std::vector<std::uint64_t> bits;
    std::size_t words = 0;

    std::size_t size() const { return keys.size(); }
    std::size_t bytes() const { return size() * (sizeof(Key<W>) + (1 + words) * sizeof(std::uint64_t)); }
};

// How many values a set holds: of several columns, the fewest. `widths` are the words of each column.
inline std::int64_t distinct_values(const std::uint64_t* set, const std::vector<int>& widths) {
    std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
    for (int width : widths) {
        std::int64_t count = 0;
        for (int w = 0; w < width; ++w) count += std::popcount(*set++);
        fewest = std::min(fewest, count);
    }
    return fewest;
}

// The same transform with fewer look-ups: neighbouring codes are looked up as one where the table of both is
// small beside the number of keys.
inline Transform fused(Transform transform, std::size_t keys) {
    std::vector<Lookup>& lookups = transform.lookups;
    std::size_t kept = 0;
    for (std::size_t i = 1; i < lookups.size(); ++i) {
        Lookup& last = lookups[kept];
        Lookup& next = lookups[i];
        const int apart = next.from_shift - last.from_shift;
        const int width = apart + bits_for(static_cast<std::int64_t>(next.shifted.size()));
        if (last.from_word != next.from_word || last.to_word != next.to_word || width > 12 ||
            (std::size_t{4} << width) > keys) {
            if (++kept != i) lookups[kept] = std::move(next);
            continue;
        }
        std::vector<std::uint64_t> both(std::size_t{1} << width);
        for (std::uint64_t code = 0; code < both.size(); ++code)
            both[code] = last.shifted[code & last.mask] | next.shifted[(code >> apart) & next.mask];
        last.shifted = std::move(both);
        last.mask = (std::uint64_t{1} << width) - 1;
    }
    if (!lookups.empty()) lookups.resize(kept + 1);
    return transform;
}

// Unites classes of equal keys, in the order of their first appearance. Scratch memory is kept from call to
// call; one a thread.
template <int W>
class SetGrouper {
  public:
    void roll_up(const SetTable<W>& in, const Transform& transform, SetTable<W>& out) {
        map(in, transform);
        out.words = in.words;
        out.keys.resize(in.size());
        out.sizes.resize(in.size());
        out.bits.resize(in.size() * in.words);
        std::size_t groups;
        switch (in.words) {
            case 0: groups = group<0>(in, transform.target_bits, out); break;
            case 1: groups = group<1>(in, transform.target_bits, out); break;
            default: groups = group<-1>(in, transform.target_bits, out);
        }
        out.keys.resize(groups);
        out.sizes.resize(groups);
        out.bits.resize(groups * in.words);
    }

    // The rows of the rolled-up classes that have fewer than k rows or fewer than l distinct values.
    std::int64_t suppressed(const SetTable<W>& in, const Transform& transform, const std::vector<int>& widths,
                            std::int64_t k, std::int64_t l) {
        std::int64_t rows = 0;
        const auto count = [&](std::int64_t size, const std::uint64_t* set) {
            if (size < k || (!widths.empty() && distinct_values(set, widths) < l)) rows += size;
        };
        if (!direct(transform.target_bits, in.size())) {
            roll_up(in, transform, rolled_);
            for (std::size_t g = 0; g < rolled_.size(); ++g)
                count(rolled_.sizes[g], rolled_.bits.data() + g * in.words);
            return rows;
        }
        // Where cells are few, no class need be told from an empty one before the end.
        const std::size_t cells = std::size_t{1} << transform.target_bits;
        map(in, transform);
        rolled_.sizes.assign(cells, 0);
        rolled_.bits.assign(cells * in.words, 0);
        for (std::size_t i = 0; i < in.size(); ++i) {
            const std::size_t cell = mapped_[i].word[0];
            rolled_.sizes[cell] += in.sizes[i];
            for (std::size_t w = 0; w < in.words; ++w) rolled_.bits[cell * in.words + w] |= in.bits[i * in.words + w];
        }
        for (std::size_t cell = 0; cell < cells; ++cell)
            if (rolled_.sizes[cell] > 0) count(rolled_.sizes[cell], rolled_.bits.data() + cell * in.words);
        return rows;
    }

  private:
    void map(const SetTable<W>& in, const Transform& transform) {
        mapped_.resize(in.size());
        if (transform.lookups.size() < 2)
            transform.apply(in.keys.data(), in.size(), mapped_.data());
        else
            fused(transform, in.size()).apply(in.keys.data(), in.size(), mapped_.data());
    }

    // Direct indexing where the cells are few or not many more than the classes, else a small hash table.
    static bool direct(int bits, std::size_t n) {
        return bits <= 12 || (bits <= 24 && (std::size_t{1} << bits) <= 8 * n);
    }

    template <int B>
    std::size_t group(const SetTable<W>& in, int bits, SetTable<W>& out) {
        const std::size_t n = in.size();
        std::uint32_t groups = 0;
        if (direct(bits, n)) {
            if (slot_.size() < std::size_t{1} << bits) slot_.resize(std::size_t{1} << bits, 0);
            for (std::size_t i = 0; i < n; ++i) groups = add<B>(in, i, slot_[mapped_[i].word[0]], groups, out);
            for (std::uint32_t g = 0; g < groups; ++g) slot_[out.keys[g].word[0]] = 0;  // all zero between calls
            return groups;
        }
        int width = 4;
        while ((std::size_t{1} << width) < 2 * n) ++width;
        const std::size_t mask = (std::size_t{1} << width) - 1;
        hash_.assign(mask + 1, 0);
        for (std::size_t i = 0; i < n; ++i) {
            std::size_t at = mapped_[i].hash() >> (64 - width);
            while (hash_[at] != 0 && !(out.keys[hash_[at] - 1] == mapped_[i])) at = (at + 1) & mask;
            groups = add<B>(in, i, hash_[at], groups, out);
        }
        return groups;
    }

    // `slot` holds 1 + the group's place in the output. B words a set, or as many as the table says (-1).
    template <int B>
    std::uint32_t add(const SetTable<W>& in, std::size_t i, std::uint32_t& slot, std::uint32_t groups,
                      SetTable<W>& out) const {
        const std::size_t words = B >= 0 ? static_cast<std::size_t>(B) : in.words;
        const std::uint64_t* set = in.bits.data() + i * words;
        if (slot == 0) {
            out.keys[groups] = mapped_[i];
            out.sizes[groups] = in.sizes[i];
            std::copy(set, set + words, out.bits.data() + groups * words);
            return slot = groups + 1;
        }
        const std::size_t g = slot - 1;
        out.sizes[g] += in.sizes[i];
        std::uint64_t* united = out.bits.data() + g * words;
        for (std::size_t w = 0; w < words; ++w) united[w] |= set[w];
        return groups;
    }

    std::vector<Key<W>> mapped_;
    std::vector<std::uint32_t> slot_, hash_;
    SetTable<W> rolled_;
};

}  // namespace shoal
