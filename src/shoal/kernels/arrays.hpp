// Arrays in and out: what the bindings share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "keys.hpp"

namespace nb = nanobind;

namespace shoal {

using Int32s = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Int64s = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Marks = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Words = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <typename T>
nb::object own(std::vector<T>&& values, std::size_t rows, std::size_t columns) {
    auto* held = new std::vector<T>(std::move(values));
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<2>>(held->data(), {rows, columns}, owner));
}

// The first `words` of each key.
template <int W>
nb::object own_keys(const std::vector<Key<W>>& keys, std::size_t words = W) {
    std::vector<std::uint64_t> flat(keys.size() * words);
    for (std::size_t i = 0; i < keys.size(); ++i)
        std::copy_n(keys[i].word.data(), words, flat.data() + i * words);
    return own(std::move(flat), keys.size(), words);
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
