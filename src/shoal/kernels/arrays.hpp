// Arrays in and out: what the bindings share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstring>
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

template <int W>
nb::object own_keys(const std::vector<Key<W>>& keys) {
    std::vector<std::uint64_t> flat(keys.size() * W);
    if (!keys.empty()) std::memcpy(flat.data(), keys.data(), flat.size() * sizeof(std::uint64_t));
    return own(std::move(flat), keys.size(), W);
}

// Calls f with the number of words as a constant.
template <typename F>
auto with_words(int words, F&& f) {
    switch (words) {
        case 1: return f(std::integral_constant<int, 1>{});
        case 2: return f(std::integral_constant<int, 2>{});
        case 3: return f(std::integral_constant<int, 3>{});
        case 4: return f(std::integral_constant<int, 4>{});
        case 5: return f(std::integral_constant<int, 5>{});
        case 6: return f(std::integral_constant<int, 6>{});
        case 7: return f(std::integral_constant<int, 7>{});
        case 8: return f(std::integral_constant<int, 8>{});
        default: throw std::invalid_argument("keys have one to eight words");
    }
}

}  // namespace shoal
