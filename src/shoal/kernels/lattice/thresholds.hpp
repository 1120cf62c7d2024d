// What a node gives at thresholds: the rows of classes that are too small or too uniform are suppressed.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "lattice/box_walk.hpp"
#include "lattice/measure.hpp"
#include "lattice/person_measures.hpp"
#include "lattice/value_sets.hpp"

namespace shoal {

// The counts of a class: `labels` numbers that add up to its rows, the histograms of sensitive columns, what persons
// weigh in them, and the sets of sensitive values, `histograms`, `weighed` and `sets` columns wide.
struct Parts {
    int labels;
    std::vector<int> histograms, sets;
    std::vector<std::int64_t> totals;  // of the histograms' columns, over the whole table
    std::int64_t rows;
    Weighed weighed;
};

enum Diversity { kNoDiversity, kLargestDiversity, kEveryDiversity };

// Which thresholds a node is measured at. Sizes: the least that is at least k, or every such one. Distinct values: none
// asked for, the most that the limit of suppressed rows allows, or every number.
struct Thresholds {
    std::int64_t k;
    bool every_size;
    Diversity diversity;
    std::int64_t limit;
};

// After the columns of a measurement: distinct values, the largest distance of a class's histogram from the table's as a
// fraction of 2 * rows (or see `Far`), and the same that no node below goes below.
constexpr int kExtra = 5;

template <int W>
class ThresholdMeasurer {
  public:
    // Appends one row of kWeights + attributes + kExtra numbers a threshold to `out`; none where no row would be left
    // or more than the limit would go.
    void measure(const Codebook& book, const Table<W>& table, const Levels& levels, const Parts& parts,
                 const Thresholds& asked, std::vector<std::int64_t>& out) {
        survey(book, table, levels, parts, asked);
        order_.resize(cells_.size());
        for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
        std::sort(order_.begin(), order_.end(), [&](std::size_t i, std::size_t j) {
            return std::make_pair(cells_[i].distinct, cells_[i].size) <
                   std::make_pair(cells_[j].distinct, cells_[j].size);
        });
        base_.assign(width_, 0);
        const std::size_t start = out.size();
        for (std::size_t first = 0; first < order_.size();) {
            const std::int64_t distinct = cells_[order_[first]].distinct;
            if (base_[0] > asked.limit) break;
            if (asked.diversity == kNoDiversity || distinct >= 1) {
                const std::size_t before = out.size();
                sizes(first, distinct, asked, out);
                if (out.size() == before) break;  // more diversity suppresses more
                if (asked.diversity == kLargestDiversity && before > start)
                    out.erase(out.begin() + start, out.begin() + before);
            }
            for (; first < order_.size() && cells_[order_[first]].distinct == distinct; ++first)
                add(base_, order_[first]);
        }
    }

  private:
    // Classes of the same size with as many distinct values; their sums lie in sums_.
    struct Cell {
        std::int64_t distinct, size;
    };

    // The rows that the size thresholds give once the classes before `first` are gone.
    void sizes(std::size_t first, std::int64_t distinct, const Thresholds& asked, std::vector<std::int64_t>& out) {
        by_size_.assign(order_.begin() + first, order_.end());
        if (asked.diversity != kNoDiversity)
            std::sort(by_size_.begin(), by_size_.end(),
                      [&](std::size_t i, std::size_t j) { return cells_[i].size < cells_[j].size; });
        gone_ = base_;
        for (std::size_t i = 0; i < by_size_.size();) {
            const std::int64_t size = cells_[by_size_[i]].size;
            if (gone_[0] > asked.limit) return;
            if (size >= asked.k) {
                out.insert(out.end(), {size, classes_, squares_, minority_, products_});
                out.insert(out.end(), gone_.begin(), gone_.end());
                out.push_back(distinct);
                for (const Far& far : {largest_, below_}) {
                    const std::int64_t common = std::gcd(far.far, far.of);
                    out.insert(out.end(), {far.far / common, far.of / common});
                }
                if (!asked.every_size) return;
            }
            for (; i < by_size_.size() && cells_[by_size_[i]].size == size; ++i) add(gone_, by_size_[i]);
        }
    }

    void add(std::vector<std::int64_t>& total, std::size_t cell) const {
        for (std::size_t c = 0; c < width_; ++c) total[c] = wrapped(total[c], sums_[cell * width_ + c]);
    }

    // One pass over all classes: totals, and the sums of every cell.
    void survey(const Codebook& book, const Table<W>& table, const Levels& levels, const Parts& parts,
                const Thresholds& asked) {
        const auto& attributes = book.attributes();
        const Layout layout = book.layout(levels);
        width_ = kWeights - kRows + attributes.size();
        cells_.clear();
        sums_.clear();
        slots_.assign(256, 0);
        squares_ = minority_ = products_ = 0;
        classes_ = static_cast<std::int64_t>(table.size());
        largest_ = below_ = {};
        int histogram_columns = 0;
        for (int columns : parts.histograms) histogram_columns += columns;
        const std::size_t weighed = static_cast<std::size_t>(parts.labels + histogram_columns);
        const std::size_t sets = weighed + parts.weighed.columns();
        const bool of_persons = !table.spread.columns.empty();
        if (!parts.weighed.widths.empty()) persons_.distances(table, weighed, parts.weighed, largest_, below_);
        if (of_persons && asked.diversity != kNoDiversity) persons_.count(table, sets, parts.sets);
        for (std::size_t g = 0; g < table.size(); ++g) {
            const std::int64_t* row = table.counts.data() + g * table.labels;
            std::int64_t size = row[0], most = row[0];
            for (int label = 1; label < parts.labels; ++label) {
                size += row[label];
                most = std::max(most, row[label]);
            }
            const std::int64_t minority = size - most;
            squares_ = wrapped(squares_, times(size, size));
            minority_ += minority;
            if (histogram_columns > 0) look_at_distances(row + parts.labels, size, parts);
            std::int64_t distinct = 0;
            if (asked.diversity != kNoDiversity)
                distinct = of_persons ? persons_.distinct(g, parts.sets)
                                      : distinct_values(reinterpret_cast<const std::uint64_t*>(row + sets), parts.sets);
            const std::int64_t product = book.multiplies() ? multiplied(book, layout, table, levels, g, size) : 0;
            products_ = wrapped(products_, product);
            // What k is about; rows are what may be suppressed.
            const std::int64_t people = table.people.counted ? table.people.sizes[g] : size;
            const std::size_t cell = cell_of(distinct, people);
            std::int64_t* sums = sums_.data() + cell * width_;
            sums[0] += size;
            // What surely stays is not added up further.
            if (size > asked.limit || (people >= asked.k && !asked.every_size && asked.diversity == kNoDiversity))
                continue;
            sums[kSuppressedClasses - kRows] += 1;
            sums[kSuppressedSquares - kRows] = wrapped(sums[kSuppressedSquares - kRows], times(size, size));
            sums[kSuppressedMinority - kRows] += minority;
            sums[kSuppressedProducts - kRows] = wrapped(sums[kSuppressedProducts - kRows], product);
            for (std::size_t a = 0; a < attributes.size(); ++a) {
                if (attributes[a].weights.empty()) continue;
                const auto code = layout.fields[a].code(table.keys[g].word.data());
                std::int64_t& weights = sums[kWeights - kRows + a];
                weights = wrapped(weights, times(size, attributes[a].weights[levels[a]][code]));
            }
        }
        if (histogram_columns > 0) below_ = largest_;
    }

    // The rows of a class, each times the product of its weights.
    static std::int64_t multiplied(const Codebook& book, const Layout& layout, const Table<W>& table,
                                   const Levels& levels, std::size_t g, std::int64_t size) {
        std::uint64_t result = static_cast<std::uint64_t>(size);
        const auto& attributes = book.attributes();
        for (std::size_t a = 0; a < attributes.size(); ++a)
            result *= static_cast<std::uint64_t>(
                attributes[a].weights[levels[a]][layout.fields[a].code(table.keys[g].word.data())]);
        return static_cast<std::int64_t>(result);
    }

    // Squares and weights that do not fit wrap around, as in a measurement: so sums are unsigned.
    static std::int64_t wrapped(std::int64_t one, std::int64_t other) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(one) + static_cast<std::uint64_t>(other));
    }

    static std::int64_t times(std::int64_t one, std::int64_t other) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(one) * static_cast<std::uint64_t>(other));
    }

    // By rows the largest distance never rises upwards, so it bounds those below.
    void look_at_distances(const std::int64_t* row, std::int64_t size, const Parts& parts) {
        const std::int64_t* total = parts.totals.data();
        for (int columns : parts.histograms) {
            std::int64_t twice = 0;
            for (int v = 0; v < columns; ++v) twice += std::abs(*row++ * parts.rows - *total++ * size);
            largest_.raise({twice, size});
        }
    }

    std::size_t cell_of(std::int64_t distinct, std::int64_t size) {
        std::size_t mask = slots_.size() - 1;
        std::size_t at = place(distinct, size) & mask;
        while (slots_[at] != 0) {
            const Cell& cell = cells_[slots_[at] - 1];
            if (cell.size == size && cell.distinct == distinct) return slots_[at] - 1;
            at = (at + 1) & mask;
        }
        cells_.push_back({distinct, size});
        sums_.resize(sums_.size() + width_, 0);
        slots_[at] = static_cast<std::uint32_t>(cells_.size());
        if (2 * cells_.size() > slots_.size()) grow();
        return cells_.size() - 1;
    }

    void grow() {
        slots_.assign(2 * slots_.size(), 0);
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t i = 0; i < cells_.size(); ++i) {
            std::size_t at = place(cells_[i].distinct, cells_[i].size) & mask;
            while (slots_[at] != 0) at = (at + 1) & mask;
            slots_[at] = static_cast<std::uint32_t>(i + 1);
        }
    }

    static std::size_t place(std::int64_t distinct, std::int64_t size) {
        return static_cast<std::size_t>(size) + static_cast<std::size_t>(distinct) * 0x9E3779B97F4A7C15ull;
    }

    std::size_t width_ = 0;
    std::vector<Cell> cells_;
    std::vector<std::int64_t> sums_, base_, gone_;
    std::vector<std::uint32_t> slots_;
    std::vector<std::size_t> order_, by_size_;
    std::int64_t classes_ = 0, squares_ = 0, minority_ = 0, products_ = 0;
    Far largest_, below_;
    PersonMeasures<W> persons_;
};

// The rows of all nodes of a box, and the place of each row's node, in the order of the places.
struct ThresholdRows {
    std::vector<std::int64_t> places, rows;
};

template <int W>
ThresholdRows thresholds_box(const Codebook& book, const Table<W>& base, const Levels& base_levels, const Levels& lo,
                             const Levels& hi, const Parts& parts, const Thresholds& asked, int threads) {
    std::vector<int> order(lo.size());
    for (std::size_t a = 0; a < order.size(); ++a) order[a] = static_cast<int>(a);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return hi[a] - lo[a] > hi[b] - lo[b]; });
    Table<W> start;
    Grouper<W>().roll_up(base, book.transform(base_levels, lo), start);
    std::vector<std::vector<std::int64_t>> of(Strides(lo, hi).nodes);
    walk_box<Grouper<W>>(book, start, lo, lo, hi, order, of.size() < 32 ? 1 : threads, [&] {
        return [&, measurer = ThresholdMeasurer<W>()](std::size_t place, const Levels& levels,
                                                      const Table<W>& table) mutable {
            measurer.measure(book, table, levels, parts, asked, of[place]);
        };
    });
    const std::size_t columns = kWeights + lo.size() + kExtra;
    ThresholdRows found;
    for (std::size_t place = 0; place < of.size(); ++place) {
        found.places.insert(found.places.end(), of[place].size() / columns, static_cast<std::int64_t>(place));
        found.rows.insert(found.rows.end(), of[place].begin(), of[place].end());
        std::vector<std::int64_t>().swap(of[place]);
    }
    return found;
}

}  // namespace shoal
