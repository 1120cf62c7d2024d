// The values of persons with several cells from Python, checked.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>

#include "common/arrays.hpp"
#include "lattice/person_measures.hpp"

namespace shoal {

// The widths of the columns that are weighed, the weights of the whole table one column after the other, the scale, and
// the entries of each column that is weighed and of each set: rows (combination, person, value, rows), by person.
using SpreadGiven =
    std::optional<std::tuple<std::vector<int>, std::vector<std::int64_t>, std::int64_t, std::vector<Int64s>>>;

constexpr std::int64_t kMostWeight = std::int64_t{1} << 60;

inline Weighed read_weighed(const SpreadGiven& given) {
    Weighed weighed;
    if (!given) return weighed;
    weighed.widths = std::get<0>(*given);
    weighed.whole = std::get<1>(*given);
    weighed.scale = std::get<2>(*given);
    if (weighed.scale < 1) throw std::invalid_argument("nobody weighs less than one");
    std::size_t at = 0;
    for (const int width : weighed.widths) {
        if (width < 1 || static_cast<std::size_t>(width) > weighed.whole.size() - at)
            throw std::invalid_argument("the whole table's weights are not as wide as the columns");
        const std::int64_t sum = sum_of(weighed.whole.data() + at, static_cast<std::size_t>(width));
        if (sum < 1 || (at > 0 && sum != weighed.sum))
            throw std::invalid_argument("the whole table weighs nothing, or not the same in every column");
        weighed.sum = sum;
        at += static_cast<std::size_t>(width);
    }
    if (at != weighed.whole.size())
        throw std::invalid_argument("the whole table's weights are not as wide as the columns");
    return weighed;
}

// Refuses weights whose products with those of the whole table would not fit; `counts` has `stride` numbers a
// combination, the weights from `first` on.
inline void check_weights(const std::int64_t* counts, std::size_t n, std::size_t stride, std::size_t first,
                          const Weighed& weighed, std::int64_t persons, const std::vector<Int64s>& entries) {
    if (weighed.widths.empty()) return;
    const std::int64_t most = kMostWeight / weighed.sum;
    std::int64_t listed = 0, weights = 0, pairs = 0;
    for (const Int64s& column : entries) listed = std::max(listed, static_cast<std::int64_t>(column.shape(0)));
    // Everybody weighs the scale in a class.
    if (persons > most / weighed.scale || listed > most / weighed.scale)
        throw std::invalid_argument("the weights are too large");
    const std::size_t columns = weighed.columns() - 1;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t* row = counts + i * stride + first;
        weights += sum_of(row, columns, most - weights);
        pairs += sum_of(row + columns, 1, most / weighed.scale - pairs);
    }
}

// One column of values: of a set of so many words, or of so many weights.
inline SpreadValues read_spread_values(const Int64s& given, std::size_t combinations, bool weighed, std::size_t at,
                                       std::size_t values, std::int64_t scale) {
    if (given.shape(1) != 4) throw std::invalid_argument("values of persons are rows of four numbers");
    if (combinations >= SpreadValues::kLast) throw std::invalid_argument("too many combinations of persons");
    SpreadValues found;
    found.weighed = weighed;
    found.at = at;
    found.scale = scale;
    std::int64_t rows = 0;
    for (std::size_t i = 0; i < given.shape(0); ++i) {
        const std::int64_t* row = given.data() + 4 * i;
        const bool last = i + 1 == given.shape(0) || row[5] != row[1];
        if (row[0] < 0 || static_cast<std::size_t>(row[0]) >= combinations)
            throw std::out_of_range("no such combination");
        if (!last && row[5] < row[1]) throw std::invalid_argument("values are sorted by person");
        if (row[2] < 0 || static_cast<std::size_t>(row[2]) >= values) throw std::out_of_range("no such value");
        if (row[3] < 1 || row[3] > INT32_MAX) throw std::invalid_argument("no such number of rows");
        rows += row[3];
        if (weighed && rows > SpreadValues::kMostRows)
            throw std::invalid_argument("a person has too many rows to be weighed");
        for (std::int64_t part = rows - row[3] + 1; weighed && part <= rows; ++part)
            if (scale % part != 0) throw std::invalid_argument("a person's rows do not divide the scale");
        found.entries.push_back({static_cast<std::uint32_t>(row[0]), static_cast<std::uint32_t>(row[2]),
                                 static_cast<std::uint32_t>(weighed ? row[3] : 1)});
        if (last) {
            found.entries.back().group |= SpreadValues::kLast;
            rows = 0;
        }
    }
    return found;
}

// Fills in the spread of a table whose persons and counts are there; its sets begin at `first_set`.
template <int W>
void read_spread(const SpreadGiven& given, const Weighed& weighed, const std::vector<int>& sets, std::size_t first,
                 std::size_t first_set, Table<W>& table) {
    if (!given) return;
    const std::vector<Int64s>& entries = std::get<3>(*given);
    if (entries.size() != weighed.widths.size() + sets.size())
        throw std::invalid_argument("every weighed column and every set needs the values of persons");
    std::int64_t persons = 0;
    for (const std::int64_t size : table.people.sizes) persons += size;
    const std::size_t stride = static_cast<std::size_t>(table.labels);
    check_weights(table.counts.data(), table.size(), stride, first, weighed, persons, entries);
    Spread listed;
    for (std::size_t c = 0; c < entries.size(); ++c) {
        const bool heavy = c < weighed.widths.size();
        const std::size_t width = static_cast<std::size_t>(heavy ? weighed.widths[c] : sets[c - weighed.widths.size()]);
        listed.columns.push_back(read_spread_values(entries[c], table.size(), heavy, heavy ? first : first_set,
                                                    heavy ? width : 64 * width, weighed.scale));
        (heavy ? first : first_set) += heavy ? 2 * width : width;
    }
    // Who need not be listed is put into the counts, and everybody's entries are sorted.
    std::vector<std::uint32_t> same(table.size());
    for (std::size_t i = 0; i < same.size(); ++i) same[i] = static_cast<std::uint32_t>(i);
    listed.roll_up(same.data(), table.counts.data(), stride, table.spread);
}

}  // namespace shoal
