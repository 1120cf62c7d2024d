// The Python face of the kernels for several objectives.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>

#include "common/arrays.hpp"
#include "lattice/class_tables.hpp"
#include "lattice/pareto.hpp"
#include "lattice/read_edges.hpp"
#include "lattice/read_people.hpp"
#include "lattice/read_spread.hpp"
#include "lattice/thresholds.hpp"

using namespace nb::literals;
using namespace shoal;

namespace {

std::size_t columns_of(const std::vector<int>& widths) {
    std::size_t columns = 0;
    for (int width : widths) {
        if (width < 0) throw std::invalid_argument("no column has a negative width");
        columns += static_cast<std::size_t>(width);
    }
    return columns;
}

// How the counts of every combination are laid out, checked, with the totals of their histograms.
Parts parts_of(const Int64s& counts, int labels, const std::vector<int>& histograms, const std::vector<int>& sets,
               const SpreadGiven& spread) {
    const std::size_t columns = counts.shape(1), counted = columns_of(histograms);
    Parts parts{labels, histograms, sets, std::vector<std::int64_t>(counted, 0), 0, read_weighed(spread)};
    if (labels < 1 ||
        static_cast<std::size_t>(labels) + counted + parts.weighed.columns() + columns_of(sets) != columns)
        throw std::invalid_argument("labels, histograms, weights and sets are not as wide as the counts");
    std::int64_t all = 0;
    for (std::size_t i = 0; i < counts.shape(0); ++i) {
        const std::int64_t* row = counts.data() + i * columns;
        all += sum_of(row, labels + counted, kMostRows - all);
        for (int label = 0; label < labels; ++label) parts.rows += row[label];
        for (std::size_t v = 0; v < counted; ++v) parts.totals[v] += row[labels + v];
    }
    // Distances are sums of products of rows.
    if (counted > 0 && all > INT32_MAX) throw std::invalid_argument("distances are for up to 2,147,483,647 rows");
    return parts;
}

Thresholds thresholds_of(const Parts& parts, std::int64_t k, bool every_size, int diversity, std::int64_t limit) {
    if (diversity < kNoDiversity || diversity > kEveryDiversity) throw std::invalid_argument("no such diversity");
    if (diversity != kNoDiversity && parts.sets.empty()) throw std::invalid_argument("diversity needs sets of values");
    return {k, every_size, static_cast<Diversity>(diversity), limit};
}

template <int W>
Table<W> wide_table(const Words& keys, const Int64s& counts, const Parts& parts, const Persons& persons,
                    const SpreadGiven& spread) {
    const std::size_t n = keys.shape(0), columns = counts.shape(1);
    if (counts.shape(0) != n) throw std::invalid_argument("keys and counts differ in length");
    if (n > 0xFFFFFFFEull) throw std::invalid_argument("more than 4,294,967,294 combinations");
    if (keys.shape(1) != W) throw std::invalid_argument("keys have another number of words");
    Table<W> table;
    table.labels = static_cast<int>(columns);
    table.sets = static_cast<int>(columns_of(parts.sets));
    table.keys = read_keys<W>(keys);
    table.counts.assign(counts.data(), counts.data() + n * columns);
    table.people = read_people(persons, n);
    // Values of different persons, and what a person weighs, do not add up.
    if (persons ? !parts.histograms.empty() || (!spread && !parts.sets.empty()) : spread.has_value())
        throw std::invalid_argument("persons with several rows and their values go together");
    const std::size_t weights = static_cast<std::size_t>(parts.labels) + columns_of(parts.histograms);
    read_spread(spread, parts.weighed, parts.sets, weights, weights + parts.weighed.columns(), table);
    return table;
}

std::pair<Array<std::int64_t>, Array<std::int64_t>> thresholds_box_py(
    const Codebook& book, const Words& keys, const Int64s& counts, int labels, const std::vector<int>& histograms,
    const std::vector<int>& sets, const Levels& levels, const Levels& lo, const Levels& hi, std::int64_t k,
    bool every_size, int diversity, std::int64_t limit, int threads, const Persons& persons,
    const SpreadGiven& spread) {
    for (const Levels* given : {&levels, &lo, &hi}) book.check(*given);
    nodes_of(levels, lo, hi);
    const Parts parts = parts_of(counts, labels, histograms, sets, spread);
    const Thresholds asked = thresholds_of(parts, k, every_size, diversity, limit);
    return with_words(book.words(), [&](auto words) {
        constexpr int W = decltype(words)::value;
        const Table<W> table = wide_table<W>(keys, counts, parts, persons, spread);
        ThresholdRows found;
        {
            nb::gil_scoped_release unlocked;
            found = thresholds_box<W>(book, table, levels, lo, hi, parts, asked, few_threads(threads));
        }
        const std::size_t rows = found.places.size();
        return std::make_pair(own(std::move(found.places), rows, 1),
                              own(std::move(found.rows), rows, kWeights + lo.size() + kExtra));
    });
}

// Single nodes at thresholds, each rolled up from the smallest class table kept below it.
class ThresholdTables {
  public:
    ThresholdTables(const Codebook& book, const Words& keys, const Int64s& counts, int labels,
                    const std::vector<int>& histograms, const std::vector<int>& sets, const Levels& levels,
                    std::size_t budget, const Persons& persons, const SpreadGiven& spread)
        : book_(book), parts_(parts_of(counts, labels, histograms, sets, spread)) {
        book.check(levels);
        with_words(book.words(), [&](auto words) {
            constexpr int W = decltype(words)::value;
            auto tables = std::make_shared<ClassTables<W>>(book, wide_table<W>(keys, counts, parts_, persons, spread),
                                                           levels, 0, budget);
            auto measurer = std::make_shared<ThresholdMeasurer<W>>();
            measure_ = [this, tables, measurer](const Levels& node, const Thresholds& asked,
                                                std::vector<std::int64_t>& out) {
                return tables->at(
                    node, [&](const Table<W>& table) { measurer->measure(book_, table, node, parts_, asked, out); });
            };
            bytes_ = [tables] { return tables->bytes(); };
        });
    }
    ThresholdTables(const ThresholdTables&) = delete;

    Array<std::int64_t> measure(const Levels& node, std::int64_t k, bool every_size, int diversity,
                                std::int64_t limit) {
        book_.check(node);
        const Thresholds asked = thresholds_of(parts_, k, every_size, diversity, limit);
        std::vector<std::int64_t> rows;
        bool below;
        {
            nb::gil_scoped_release unlocked;
            below = measure_(node, asked, rows);
        }
        if (!below) throw std::invalid_argument("the node is not above the bottom table");
        const std::size_t columns = kWeights + node.size() + kExtra, count = rows.size() / columns;
        return own(std::move(rows), count, columns);
    }

    std::size_t bytes() const { return bytes_(); }

  private:
    const Codebook& book_;
    Parts parts_;
    std::function<bool(const Levels&, const Thresholds&, std::vector<std::int64_t>&)> measure_;
    std::function<std::size_t()> bytes_;
};

using Strided = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::device::cpu>;

// The counts of groups, checked, and how many rows they have at most. A group may be what others have too much
// together: its counts are below 0 then, and nothing is said of it.
std::pair<GroupCounts, std::int64_t> group_counts(const Strided& given, bool below) {
    const GroupCounts counts{given.data(), given.stride(0), given.shape(0), given.shape(1)};
    if (counts.groups > 0 && counts.values > 0 && given.stride(1) != 1)
        throw std::invalid_argument("the counts of a group do not lie side by side");
    std::int64_t rows = 0;
    for (std::size_t g = 0; g < counts.groups; ++g)
        for (std::size_t v = 0; v < counts.values; ++v) {
            const std::int64_t count = counts.at(g)[v];
            if (count < 0 && !below) throw std::invalid_argument("a count of rows is negative");
            if (count < -INT32_MAX || std::abs(count) > INT32_MAX - rows)
                throw std::invalid_argument("the counts add up to too many rows");
            rows += std::abs(count);
        }
    return {counts, rows};
}

Array<std::uint8_t> within_py(const Strided& given, const Int32s& of, const std::vector<std::int64_t>& lengths,
                              std::int64_t num, std::int64_t den) {
    const auto [counts, rows] = group_counts(given, true);
    // Sums of products of two numbers of rows are times no more than this.
    const std::int64_t most = (std::int64_t{1} << 62) / (rows + 1) / (rows + 1);
    const Edges edges = edges_of(of, lengths, counts.values, most);
    if (num < 0 || den < 1) throw std::invalid_argument("no such distance");
    if (num > most) throw std::invalid_argument("the distance has too many digits");
    nb::gil_scoped_release unlocked;
    std::vector<std::uint8_t> found = within(counts, edges, num, den);
    nb::gil_scoped_acquire locked;
    return own(std::move(found), counts.groups, 1);
}

Array<std::int64_t> least_gone_py(const Strided& given, const Int32s& of, const std::vector<std::int64_t>& lengths,
                                  std::int64_t unit, double far) {
    const GroupCounts counts = group_counts(given, false).first;
    const Edges edges = edges_of(of, lengths, counts.values, INT32_MAX);
    if (unit < 1 || !std::isfinite(far)) throw std::invalid_argument("no such distance");
    nb::gil_scoped_release unlocked;
    std::vector<std::int64_t> found = least_gone(counts, edges, unit, far);
    nb::gil_scoped_acquire locked;
    return own(std::move(found), counts.groups, 1);
}

Array<std::uint8_t> undominated_py(const Int64s& points) {
    const std::size_t n = points.shape(0), width = points.shape(1);
    if (width < 1 || width > 3) throw std::invalid_argument("points have one to three numbers");
    std::vector<std::uint8_t> kept;
    {
        nb::gil_scoped_release unlocked;
        kept = undominated(points.data(), n, width);
    }
    return own(std::move(kept), n, 1);
}

}  // namespace

void bind_thresholds(nb::module_& m) {
    m.def("thresholds_box", &thresholds_box_py, "book"_a, "keys"_a, "counts"_a, "labels"_a, "histograms"_a, "sets"_a,
          "levels"_a, "lo"_a, "hi"_a, "k"_a, "every_size"_a, "diversity"_a, "limit"_a, "threads"_a,
          "persons"_a = nb::none(), "spread"_a = nb::none());
    nb::class_<ThresholdTables>(m, "ThresholdTables")
        .def(nb::init<const Codebook&, const Words&, const Int64s&, int, const std::vector<int>&,
                      const std::vector<int>&, const Levels&, std::size_t, const Persons&, const SpreadGiven&>(),
             nb::keep_alive<1, 2>(), "book"_a, "keys"_a, "counts"_a, "labels"_a, "histograms"_a, "sets"_a, "levels"_a,
             "budget"_a, "persons"_a = nb::none(), "spread"_a = nb::none())
        .def("measure", &ThresholdTables::measure, "node"_a, "k"_a, "every_size"_a, "diversity"_a, "limit"_a)
        .def_prop_ro("bytes", &ThresholdTables::bytes);
    m.def("within", &within_py, "counts"_a, "edges"_a, "lengths"_a, "num"_a, "den"_a);
    m.def("least_gone", &least_gone_py, "counts"_a, "edges"_a, "lengths"_a, "unit"_a, "far"_a);
    m.def("undominated", &undominated_py, "points"_a);
}
