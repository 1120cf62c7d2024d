// Persons as Python gives them.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "common/arrays.hpp"
#include "common/persons.hpp"

namespace shoal {

// How many persons have all their rows in each combination, and pairs of a combination and the number of another person
// with rows there, in ascending order; nothing where rows are counted.
using GivenPersons = std::optional<std::tuple<Int64s, Int32s>>;

// The persons of combinations that have so many rows. Nobody has less than one row, so that no group has more persons
// than rows; and numbers are below the number of pairs, so that they take no more memory than those.
inline Persons read_persons(const GivenPersons& given, const std::int64_t* rows, std::size_t n) {
    Persons result;
    if (!given) return result;
    const auto& [single, pairs] = *given;
    if (single.shape(0) != n || single.shape(1) != 1 || pairs.shape(1) != 2)
        throw std::invalid_argument("persons are one count a combination, and pairs");
    if (pairs.shape(0) > INT32_MAX) throw std::invalid_argument("more than 2,147,483,647 pairs of persons");
    result.numbers = static_cast<std::int32_t>(pairs.shape(0));
    result.single.reserve(n);
    result.first.assign(n + 1, 0);
    result.others.reserve(pairs.shape(0));
    for (std::size_t i = 0; i < pairs.shape(0); ++i) {
        const std::int32_t *pair = pairs.data() + 2 * i, *before = pair - 2;
        if (pair[0] < 0 || static_cast<std::size_t>(pair[0]) >= n || pair[1] < 0 || pair[1] >= result.numbers)
            throw std::out_of_range("no such combination, or no such person");
        if (i > 0 && (pair[0] < before[0] || (pair[0] == before[0] && pair[1] <= before[1])))
            throw std::invalid_argument("pairs of persons ascend");
        ++result.first[pair[0] + 1];
        result.others.push_back(pair[1]);
    }
    for (std::size_t c = 0; c < n; ++c) {
        const std::int64_t alone = single.data()[c], others = result.first[c + 1];
        if (alone < 0 || alone > INT32_MAX || alone + others > rows[c])
            throw std::out_of_range("a combination has more persons than rows");
        result.single.push_back(static_cast<std::int32_t>(alone));
        result.first[c + 1] += result.first[c];
    }
    return result;
}

}  // namespace shoal
