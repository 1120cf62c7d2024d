// Adds up the counts of equal keys. The groups come out in the order of their first appearance.
#pragma once

#include <algorithm>
#include <cstring>

#include "common/assert.hpp"
#include "lattice/codebook.hpp"
#include "lattice/people.hpp"
#include "lattice/spread.hpp"

namespace shoal {

// Groups and their counts: `labels` numbers a group (one where no label column is asked for), the last `sets` of
// which are no counts but words of sets, which unite where counts add.
// Where `people` tells of persons with several rows, a group's size is its distinct persons; `spread` has their values
// where these are asked for.
template <int W>
struct Table {
    std::vector<Key<W>> keys;
    std::vector<std::int64_t> counts;
    int labels = 1;
    int sets = 0;
    People people;
    Spread spread;

    std::size_t size() const { return keys.size(); }
};

// Scratch memory is kept from call to call; one grouper a thread.
template <int W>
class Grouper {
  public:
    // With `listed`, `of` says afterwards which group each of the classes went into.
    void roll_up(const Table<W>& in, const Transform& transform, Table<W>& out, bool listed = false) {
        mapped_.resize(in.size());
        transform.apply(in.keys.data(), in.size(), mapped_.data());
        out.sets = in.sets;
        out.people.counted = in.people.counted;
        group(mapped_.data(), in.counts.data(), in.size(), in.labels, transform.target_bits, out, listed);
        if (!in.people.counted) return;
        in.people.roll_up(of_, out.size(), out.people);
        in.spread.roll_up(of_.data(), out.counts.data(), static_cast<std::size_t>(out.labels), out.spread);
    }

    void group(const Key<W>* keys, const std::int64_t* counts, std::size_t n, int labels, int bits, Table<W>& out,
               bool listed = false) {
        out.labels = labels;
        out.keys.resize(n);
        out.counts.resize(n * labels);
        // Direct indexing pays while the cells are few or not many more than the input; beyond that
        // a small hash table stays in the cache.
        const bool direct = bits <= 12 || (bits <= 24 && (std::size_t{1} << bits) <= 8 * n);
        std::size_t groups;
        if (listed || out.people.counted) {
            of_.resize(n);
            if (labels == 1)
                groups = direct ? group_direct<1, true>(keys, counts, n, bits, out)
                                : group_hashed<1, true>(keys, counts, n, out);
            else
                groups = direct ? group_direct<0, true>(keys, counts, n, bits, out)
                                : group_hashed<0, true>(keys, counts, n, out);
        } else if (labels == 1) {
            groups = direct ? group_direct<1>(keys, counts, n, bits, out) : group_hashed<1>(keys, counts, n, out);
        } else {
            groups = direct ? group_direct<0>(keys, counts, n, bits, out) : group_hashed<0>(keys, counts, n, out);
        }
        out.keys.resize(groups);
        out.counts.resize(groups * labels);
    }

    const std::vector<std::uint32_t>& of() const { return of_; }

  private:
    // slot_ holds 1 + the group's place in the output, and is all zero between calls. Where it is asked for, of_ gets
    // the group of every key.
    template <int L, bool Of = false>
    std::size_t group_direct(const Key<W>* keys, const std::int64_t* counts, std::size_t n, int bits, Table<W>& out) {
        const std::size_t cells = std::size_t{1} << bits;
        if (slot_.size() < cells) slot_.resize(cells, 0);
        std::uint32_t* slots = slot_.data();
        std::uint32_t groups = 0;
        for (std::size_t i = 0; i < n; ++i) {
            SHOAL_ASSERT(keys[i].word[0] < cells);
            groups = add<L>(keys[i], counts, i, slots[keys[i].word[0]], groups, out);
            if constexpr (Of) of_[i] = slots[keys[i].word[0]] - 1;
        }
        for (std::uint32_t g = 0; g < groups; ++g) slots[out.keys[g].word[0]] = 0;
        return groups;
    }

    template <int L, bool Of = false>
    std::size_t group_hashed(const Key<W>* keys, const std::int64_t* counts, std::size_t n, Table<W>& out) {
        int width = 4;
        while ((std::size_t{1} << width) < 2 * n) ++width;
        const std::size_t mask = (std::size_t{1} << width) - 1;
        hash_.assign(mask + 1, 0);
        std::uint32_t groups = 0;
        for (std::size_t i = 0; i < n; ++i) {
            std::size_t at = keys[i].hash() >> (64 - width);
            while (hash_[at] != 0 && !(out.keys[hash_[at] - 1] == keys[i])) at = (at + 1) & mask;
            groups = add<L>(keys[i], counts, i, hash_[at], groups, out);
            if constexpr (Of) of_[i] = hash_[at] - 1;
        }
        return groups;
    }

    // L labels a group, or as many as the table says where L is 0. Returns the number of groups.
    template <int L>
    static std::uint32_t add(const Key<W>& key, const std::int64_t* counts, std::size_t i, std::uint32_t& slot,
                             std::uint32_t groups, Table<W>& out) {
        const std::size_t labels = L > 0 ? L : out.labels;
        counts += i * labels;
        if (slot == 0) {
            out.keys[groups] = key;
            std::copy(counts, counts + labels, out.counts.data() + groups * labels);
            return slot = groups + 1;
        }
        std::int64_t* sum = out.counts.data() + (slot - 1) * labels;
        const std::size_t added = L > 0 ? L : labels - out.sets;
        for (std::size_t label = 0; label < added; ++label) sum[label] += counts[label];
        for (std::size_t word = added; word < labels; ++word) sum[word] |= counts[word];
        return groups;
    }

    std::vector<Key<W>> mapped_;
    std::vector<std::uint32_t> slot_;
    std::vector<std::uint32_t> hash_;
    std::vector<std::uint32_t> of_;
};

}  // namespace shoal
