// Edges between values as Python gives them.
#pragma once

#include "common/arrays.hpp"
#include "lattice/closeness.hpp"

namespace shoal {

// Checked: lengths add up to `most` at most.
inline Edges edges_of(const Int32s& of, const std::vector<std::int64_t>& lengths, std::size_t values,
                      std::int64_t most) {
    if (of.shape(1) != values) throw std::invalid_argument("there is not one edge for each value");
    for (std::size_t i = 0; i < of.size(); ++i)
        if (of.data()[i] < -1 || of.data()[i] >= static_cast<std::int64_t>(lengths.size()))
            throw std::out_of_range("no such edge");
    // A value may be beyond the same edge once on every level.
    sum_of(lengths.data(), lengths.size(), most / static_cast<std::int64_t>(std::max<std::size_t>(of.shape(0), 1)));
    return {{of.data(), of.data() + of.size()}, of.shape(0), lengths};
}

}  // namespace shoal
