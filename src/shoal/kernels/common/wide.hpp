// Products of numbers of 64 bits, exactly, also where they need 128.
#pragma once

#include <cstdint>

#include "common/assert.hpp"

namespace shoal {

// A number of 128 bits, in two halves.
struct Wide {
    std::int64_t high;
    std::uint64_t low;

    bool operator<(const Wide& other) const { return high != other.high ? high < other.high : low < other.low; }
};

// For compilers without a type of 128 bits, as MSVC is. Tests compare both ways.
namespace portable {

inline Wide product(std::int64_t one, std::int64_t other) {
    const auto a = static_cast<std::uint64_t>(one), b = static_cast<std::uint64_t>(other);
    constexpr std::uint64_t kHalf = 0xFFFFFFFFull;
    const std::uint64_t least = (a & kHalf) * (b & kHalf);
    const std::uint64_t left = (a >> 32) * (b & kHalf) + (least >> 32);
    const std::uint64_t right = (a & kHalf) * (b >> 32) + (left & kHalf);
    std::uint64_t high = (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32);
    // A negative number is read as 2^64 more than it is.
    if (one < 0) high -= b;
    if (other < 0) high -= a;
    return {static_cast<std::int64_t>(high), right << 32 | (least & kHalf)};
}

inline bool less(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    return product(a, b) < product(c, d);
}

// Long division, a bit a step: the rest stays below the divisor, so twice the rest is below 2^64.
inline std::int64_t scaled(std::int64_t all, std::int64_t of, std::int64_t count) {
    if (all < 0) return -scaled(-all, of, count);
    const Wide whole = product(all, of);
    const auto by = static_cast<std::uint64_t>(count);
    std::uint64_t rest = static_cast<std::uint64_t>(whole.high), result = 0;
    for (int bit = 63; bit >= 0; --bit) {
        rest = rest << 1 | (whole.low >> bit & 1);
        result = result << 1 | (rest >= by);
        if (rest >= by) rest -= by;
    }
    return static_cast<std::int64_t>(result);
}

}  // namespace portable

// Whether a * b < c * d.
inline bool less_products(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
#ifdef __SIZEOF_INT128__
    __extension__ using Int128 = __int128;
    return static_cast<Int128>(a) * b < static_cast<Int128>(c) * d;
#else
    return portable::less(a, b, c, d);
#endif
}

// all * of / count, towards zero, for 0 <= of <= count: so it is a number as all is.
inline std::int64_t scaled(std::int64_t all, std::int64_t of, std::int64_t count) {
    SHOAL_ASSERT(of >= 0 && of <= count && count > 0);
#ifdef __SIZEOF_INT128__
    __extension__ using Int128 = __int128;
    return static_cast<std::int64_t>(static_cast<Int128>(all) * of / count);
#else
    return portable::scaled(all, of, count);
#endif
}

}  // namespace shoal
