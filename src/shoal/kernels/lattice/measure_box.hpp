// Measures every node of a box of the lattice, on several threads.
#pragma once

#include "lattice/box_walk.hpp"
#include "lattice/measure.hpp"

namespace shoal {

template <int W>
void measure_box(const Codebook& book, const Table<W>& base, const Levels& base_levels, const Levels& lo,
                 const Levels& hi, const std::vector<int>& order, std::int64_t eta, int threads, std::int64_t* out) {
    const std::size_t columns = kWeights + book.attributes().size();
    walk_box<Grouper<W>>(book, base, base_levels, lo, hi, order, threads, [&] {
        return [&, measurer = Measurer<W>()](std::size_t place, const Levels& levels, const Table<W>& table) mutable {
            measurer.measure(book, table, levels, eta, out + place * columns);
        };
    });
}

}  // namespace shoal
