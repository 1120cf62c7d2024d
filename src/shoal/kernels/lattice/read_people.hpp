// Persons from Python: how many have all their rows in each combination, and whom the other rows are of.
#pragma once

#include <nanobind/stl/optional.h>

#include <optional>

#include "common/arrays.hpp"
#include "lattice/people.hpp"

namespace shoal {

using Persons = std::optional<std::pair<Int64s, Int64s>>;

// `alone` has one number a combination, `spread` a row (combination, person) for every other entry, by person.
inline People read_people(const Persons& persons, std::size_t combinations) {
    People people;
    if (!persons) return people;
    const auto& [alone, spread] = *persons;
    if (alone.shape(0) != combinations || alone.shape(1) != 1 || spread.shape(1) != 2)
        throw std::invalid_argument("persons need a number for each combination, and pairs");
    if (combinations >= People::kLast) throw std::invalid_argument("more than 2,147,483,647 combinations of persons");
    sum_of(alone.data(), combinations);
    people.counted = true;
    people.sizes.assign(alone.data(), alone.data() + combinations);
    std::vector<std::uint32_t> person;
    for (std::size_t i = 0; i < spread.shape(0); ++i) {
        const std::int64_t* row = spread.data() + 2 * i;
        const bool last = i + 1 == spread.shape(0) || row[3] != row[1];
        if (row[0] < 0 || static_cast<std::size_t>(row[0]) >= combinations)
            throw std::out_of_range("no such combination");
        if (!last && row[2] <= row[0]) throw std::invalid_argument("a person's combinations rise");
        if (i + 1 < spread.shape(0) && row[3] < row[1]) throw std::invalid_argument("pairs are sorted by person");
        person.push_back(static_cast<std::uint32_t>(row[0]));
        if (!last) continue;
        if (person.size() > 1)
            people.add(person.data(), person.data() + person.size());
        else
            ++people.sizes[person[0]];
        person.clear();
    }
    return people;
}

}  // namespace shoal
