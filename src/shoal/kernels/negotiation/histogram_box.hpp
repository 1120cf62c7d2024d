// What a box of the lattice holds for negotiations: histograms of its nodes, or the rows that each suppresses.
#pragma once

#include <memory>
#include <numeric>

#include "lattice/box_walk.hpp"
#include "lattice/grouper.hpp"
#include "lattice/value_sets.hpp"
#include "negotiation/histograms.hpp"

namespace shoal {

// Walks the box with a sink for every thread, the attributes with many levels first, since what lies below them is
// then small soon.
template <class Grouper, class Table, class MakeSink>
void walk_classes(const Codebook& book, const Table& base, const Levels& base_levels, const Levels& lo,
                  const Levels& hi, int threads, MakeSink&& make_sink, Pause pause) {
    std::vector<int> order(lo.size());
    for (std::size_t a = 0; a < order.size(); ++a) order[a] = static_cast<int>(a);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return hi[a] - lo[a] > hi[b] - lo[b]; });
    walk_box<Grouper>(book, base, base_levels, lo, hi, order, threads, make_sink, std::move(pause));
}

// What a row of each class of a node costs, by the weights of its cells, in steps of the node's scale.
//
// The base is the sum of the least weights on the attributes' levels, and the step divides all differences from
// these, so it divides their sums.
class CellCosts {
  public:
    explicit CellCosts(const Codebook& book) : book_(book) {
        for (const auto& attribute : book.attributes()) {
            std::vector<Scale> scales;
            for (std::size_t level = 0; level < attribute.weights.size(); ++level) {
                const auto begin = attribute.weights[level].begin();
                const auto end = begin + attribute.sizes[level];
                Scale scale{begin == end ? 0 : *std::min_element(begin, end), 0};
                for (auto weight = begin; weight != end; ++weight)
                    scale.step = std::gcd(scale.step, *weight - scale.base);
                scales.push_back(scale);
            }
            scales_.push_back(std::move(scales));
        }
    }

    bool priced() const { return !scales_.empty() && !scales_[0].empty(); }

    Scale scale(const Levels& levels) const {
        Scale scale;
        for (std::size_t a = 0; a < scales_.size(); ++a) {
            scale.base += scales_[a][levels[a]].base;
            scale.step = std::gcd(scale.step, scales_[a][levels[a]].step);
        }
        return scale;
    }

    // Calls f(class, steps) for all classes of a table on these levels.
    template <typename Table, typename F>
    void each(const Table& table, const Levels& levels, const Scale& scale, F&& f) const {
        const Layout layout = book_.layout(levels);
        std::vector<std::size_t> uneven;
        for (std::size_t a = 0; a < scales_.size(); ++a)
            if (scales_[a][levels[a]].step > 0) uneven.push_back(a);
        for (std::size_t g = 0; g < table.size(); ++g) {
            std::int64_t beyond = 0;
            for (std::size_t a : uneven) {
                const auto& weights = book_.attributes()[a].weights[levels[a]];
                const std::int64_t weight = weights[layout.fields[a].code(table.keys[g].word.data())];
                beyond += std::max<std::int64_t>(weight - scales_[a][levels[a]].base, 0);  // 0 where no value is
            }
            f(g, scale.step > 0 ? beyond / scale.step : 0);
        }
    }

  private:
    const Codebook& book_;
    std::vector<std::vector<Scale>> scales_;  // by attribute and level
};

// The packed histograms of all nodes, one after the other; that of node i ends where that of i + 1 begins.
struct PackedHistograms {
    std::vector<std::uint64_t> starts;  // one more than nodes
    Bytes bytes;
};

// The histograms of a box of classes whose rows and distinct values are told by facts(table, class).
//
// Every thread packs into memory of its own; the parts are put together by the places of the nodes, so the
// bytes do not depend on the threads.
template <class Grouper, class Table, class Facts>
PackedHistograms pack_classes(const Codebook& book, const Table& base, const Levels& base_levels, const Levels& lo,
                              const Levels& hi, bool distinct, const Facts& facts, int threads, Pause pause) {
    struct Piece {
        std::size_t place, start, length;
    };
    struct Part {
        Bytes bytes;
        std::vector<Piece> pieces;
    };
    std::vector<std::unique_ptr<Part>> parts;
    std::mutex adding;
    const CellCosts costs(book);
    walk_classes<Grouper>(
        book, base, base_levels, lo, hi, threads,
        [&] {
            const std::lock_guard<std::mutex> lock(adding);
            parts.push_back(std::make_unique<Part>());
            return [&facts, &costs, part = parts.back().get(), writer = HistogramWriter(distinct)](
                       std::size_t place, const Levels& levels, const Table& table) mutable {
                const auto add = [&](std::size_t g, std::int64_t steps) {
                    const auto [rows, values] = facts(table, g);
                    writer.add(rows, values, steps);
                };
                const std::size_t start = part->bytes.size();
                if (costs.priced()) {
                    const Scale scale = costs.scale(levels);
                    costs.each(table, levels, scale, add);
                    writer.write(part->bytes, &scale);
                } else {
                    for (std::size_t g = 0; g < table.size(); ++g) add(g, 0);
                    writer.write(part->bytes);
                }
                part->pieces.push_back({place, start, part->bytes.size() - start});
            };
        },
        std::move(pause));
    PackedHistograms packed;
    packed.starts.assign(Strides(lo, hi).nodes + 1, 0);
    for (const auto& part : parts)
        for (const Piece& piece : part->pieces) packed.starts[piece.place + 1] = piece.length;
    for (std::size_t i = 1; i < packed.starts.size(); ++i) packed.starts[i] += packed.starts[i - 1];
    packed.bytes.resize(packed.starts.back());
    for (const auto& part : parts)
        for (const Piece& piece : part->pieces)
            std::copy_n(part->bytes.data() + piece.start, piece.length,
                        packed.bytes.data() + packed.starts[piece.place]);
    return packed;
}

// By the sets of sensitive values that classes hold, of several columns the fewest.
template <int W>
PackedHistograms pack_box(const Codebook& book, const SetTable<W>& base, const Levels& base_levels, const Levels& lo,
                          const Levels& hi, const std::vector<int>& widths, int threads, Pause pause) {
    const auto facts = [&](const SetTable<W>& table, std::size_t g) {
        return std::make_pair(table.sizes[g], widths.empty()
                                                  ? std::int64_t{0}
                                                  : distinct_values(table.bits.data() + g * table.words, widths));
    };
    return pack_classes<SetGrouper<W>>(book, base, base_levels, lo, hi, !widths.empty(), facts, threads,
                                       std::move(pause));
}

// By distinct persons, which stand where distinct values stand: a class has no more of them than rows, and they only
// become more when classes merge, too.
template <int W>
PackedHistograms pack_persons(const Codebook& book, const Table<W>& base, const Levels& base_levels, const Levels& lo,
                              const Levels& hi, int threads, Pause pause) {
    const auto facts = [](const Table<W>& table, std::size_t g) {
        return std::make_pair(table.counts[g], table.people.sizes[g]);
    };
    return pack_classes<Grouper<W>>(book, base, base_levels, lo, hi, true, facts, threads, std::move(pause));
}

// The suppressed rows of every node, without keeping any histogram.
template <int W>
std::vector<std::int64_t> suppressed_box(const Codebook& book, const SetTable<W>& base, const Levels& base_levels,
                                         const Levels& lo, const Levels& hi, const std::vector<int>& widths,
                                         std::int64_t k, std::int64_t l, int threads, Pause pause) {
    std::vector<std::int64_t> out(Strides(lo, hi).nodes, 0);
    walk_classes<SetGrouper<W>>(
        book, base, base_levels, lo, hi, threads,
        [&] {
            return [&](std::size_t place, const Levels&, const SetTable<W>& table) {
                std::int64_t rows = 0;
                for (std::size_t g = 0; g < table.size(); ++g)
                    if (table.sizes[g] < k ||
                        (!widths.empty() && distinct_values(table.bits.data() + g * table.words, widths) < l))
                        rows += table.sizes[g];
                out[place] = rows;
            };
        },
        std::move(pause));
    return out;
}

}  // namespace shoal
