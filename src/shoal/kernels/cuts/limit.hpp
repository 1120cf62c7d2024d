// The share of a group's rows that a sensitive value may have, in exact arithmetic.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/assert.hpp"

namespace shoal {

constexpr std::int64_t kNever = INT64_MAX / 4;  // the cost of what is not allowed; two of them still add up

// The share num / den that a sensitive value may have in a group; den = 0 is no limit. Neither is above the number of
// rows, which is below 2^31, so that products fit into 64 bits.
struct Limit {
    std::int64_t num = 0;
    std::int64_t den = 0;
    int column = 0;
    bool missing = false;
    std::int64_t exact_num = num;  // the limit itself, where shares of persons have larger denominators than rows
    std::int64_t exact_den = den;

    bool none() const { return den == 0; }
    bool same(const Limit& other) const { return num == other.num && den == other.den; }
    bool broken(std::int64_t count, std::int64_t rows) const { return den != 0 && count * den > num * rows; }
    // The most rows with the value that a group of so many rows may have.
    std::int64_t most(std::int64_t rows) const {
        SHOAL_ASSERT(num >= 0 && num <= den && den > 0 && rows >= 0 && rows <= INT32_MAX);
        return num * rows / den;
    }
    // The same, or more than any where there is no limit: it is broken by more, and by nothing else.
    std::int64_t top(std::int64_t rows) const { return den == 0 ? kNever : most(rows); }
    // The fewest rows that a group with so many of the value must have.
    std::int64_t need(std::int64_t count) const {
        if (den == 0 || count == 0) return 0;
        if (num == 0) return kNever;
        return (count * den + num - 1) / num;
    }
    // Of so many rows with the value and so many others, how many of the value a union of groups can show (Lemma 3).
    std::int64_t shown(std::int64_t with, std::int64_t others) const {
        if (num >= den) return with;
        return std::min(with, num * others / (den - num));
    }
};

}  // namespace shoal
