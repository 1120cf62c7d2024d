// Arrays in and out: what the bindings share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/keys.hpp"

namespace nb = nanobind;

namespace shoal {

using Int32s = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Int64s = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Marks = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Words = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr std::int64_t kMostRows = std::int64_t{1} << 62;
constexpr std::size_t kMostNodes = std::size_t{1} << 40;

// Adds counts up; refuses those that are negative, and more rows than numbers of 64 bits can hold.
inline std::int64_t sum_of(const std::int64_t* counts, std::size_t n, std::int64_t most = kMostRows) {
    std::int64_t rows = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (counts[i] < 0) throw std::invalid_argument("a count of rows is negative");
        if (counts[i] > most - rows) throw std::invalid_argument("the counts add up to too many rows");
        rows += counts[i];
    }
    return rows;
}

// A box of the lattice above a table's own levels: how many nodes it has.
template <typename Levels>
std::size_t nodes_of(const Levels& levels, const Levels& lo, const Levels& hi) {
    std::size_t nodes = 1;
    for (std::size_t a = 0; a < lo.size(); ++a) {
        if (lo[a] < levels[a] || hi[a] < lo[a]) throw std::invalid_argument("the box is empty or below its table");
        nodes *= static_cast<std::size_t>(hi[a] - lo[a] + 1);
        if (nodes > kMostNodes) throw std::invalid_argument("the box has too many nodes");
    }
    return nodes;
}

// As many threads as are asked for, within reason: where the system starts no more, the process would end.
inline int few_threads(int asked) { return std::clamp(asked, 1, 256); }

// A table for Python, which owns its numbers.
template <typename T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

template <typename T>
Array<T> own(std::vector<T>&& values, std::size_t rows, std::size_t columns) {
    auto* held = new std::vector<T>(std::move(values));
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Array<T>(held->data(), {rows, columns}, owner);
}

// The first `words` of each key.
template <int W>
Array<std::uint64_t> own_keys(const std::vector<Key<W>>& keys, std::size_t words = W) {
    std::vector<std::uint64_t> flat(keys.size() * words);
    for (std::size_t i = 0; i < keys.size(); ++i) std::copy_n(keys[i].word.data(), words, flat.data() + i * words);
    return own(std::move(flat), keys.size(), words);
}

// Keys as they are held, in as many words or more.
template <int W>
std::vector<Key<W>> read_keys(const Words& keys) {
    const std::size_t words = keys.shape(1);
    if (words == 0 || words > kMaxWords || held_words(static_cast<int>(words)) != W)
        throw std::invalid_argument("keys have another number of words");
    std::vector<Key<W>> result(keys.shape(0));
    for (std::size_t i = 0; i < result.size(); ++i) std::copy_n(keys.data() + i * words, words, result[i].word.data());
    return result;
}

// Calls f with the number of words that keys are held in as a constant.
template <typename F>
auto with_words(int words, F&& f) {
    switch (held_words(words)) {
        case 1: return f(std::integral_constant<int, 1>{});
        case 2: return f(std::integral_constant<int, 2>{});
        case 4: return f(std::integral_constant<int, 4>{});
        case 8: return f(std::integral_constant<int, 8>{});
        default: throw std::invalid_argument("keys have one to eight words");
    }
}

}  // namespace shoal
