// The Python face of the negotiation's kernels.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>

#include "common/arrays.hpp"
#include "common/deadline.hpp"
#include "common/hearing.hpp"
#include "lattice/read_people.hpp"
#include "negotiation/lazy_search.hpp"
#include "negotiation/node_losses.hpp"

using namespace nb::literals;
using namespace shoal;

namespace {

using Answer = std::optional<std::pair<Levels, std::int64_t>>;

// When a search ends with the best it has: after so many seconds, or where its thread is asked to.
class Ending {
  public:
    explicit Ending(double seconds) : until_(deadline_after(seconds)) {}

    Pause pause() {
        return Pause([this] {
            nb::gil_scoped_acquire locked;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            const nb::module_ stopping = nb::module_::import_("shoal.running.stopping");
            stopping.attr("look")();
            if (nb::cast<bool>(stopping.attr("asked")())) over_ = true;
        });
    }

    std::function<bool()> over() {
        return [this] { return over_ || Clock::now() >= until_; };
    }

  private:
    Clock::time_point until_;
    std::atomic<bool> over_{false};
};

// The sum of two costs of a row; refuses what so many rows make too much of.
std::int64_t checked_cost(std::int64_t one, std::int64_t other, std::int64_t rows) {
    if (one < 0 || other < 0 || other > kMostRows - one || one + other > kMostRows / std::max<std::int64_t>(rows, 1))
        throw std::invalid_argument("the costs add up to too much");
    return one + other;
}

Answer answer(const HistogramIndex& index, const std::optional<Found>& found) {
    if (!found) return std::nullopt;
    return std::make_pair(index.levels(found->node), found->suppressed);
}

using PricedAnswer = std::optional<std::tuple<Levels, std::int64_t, std::int64_t>>;

PricedAnswer answer(const NodeLosses& losses, const std::optional<Priced>& found) {
    if (!found) return std::nullopt;
    return std::make_tuple(losses.index().levels(found->node), found->suppressed, found->loss);
}

// What the dearest row costs by the weights of a codebook, kNoCosts where it has none; or refuses what adds up to too much.
std::int64_t dearest_row(const Codebook& book, std::int64_t rows) {
    std::int64_t row = 0;
    if (!CellCosts(book).priced()) return kNoCosts;
    for (const auto& attribute : book.attributes()) {
        std::int64_t most = 0;
        for (const auto& level : attribute.weights)
            for (const std::int64_t weight : level) {
                if (weight < 0) throw std::invalid_argument("a cost is negative");
                most = std::max(most, weight);
            }
        row = checked_cost(row, most, rows);
    }
    return row;
}

// A number for each node, none negative, or refuses them.
std::vector<std::int64_t> by_node(const HistogramIndex& index, const Int64s& given) {
    if (given.shape(0) != index.nodes() || given.shape(1) != 1)
        throw std::invalid_argument("one number a node is needed");
    std::vector<std::int64_t> numbers(given.data(), given.data() + index.nodes());
    for (const std::int64_t number : numbers)
        if (number < 0 || number > kMostRows) throw std::invalid_argument("no such loss");
    return numbers;
}

Array<std::int64_t> own_entries(const std::vector<Entry>& entries) {
    std::vector<std::int64_t> flat;
    flat.reserve(entries.size() * 3);
    for (const Entry& entry : entries) flat.insert(flat.end(), {entry.size, entry.distinct, entry.classes});
    return own(std::move(flat), entries.size(), 3);
}

template <int W>
SetTable<W> sets_of(const Words& keys, const Int64s& sizes, const Words& bits, const std::vector<int>& widths) {
    const std::size_t n = keys.shape(0);
    std::size_t words = 0;
    for (int width : widths) {
        if (width < 0) throw std::invalid_argument("a column has no negative number of words");
        words += static_cast<std::size_t>(width);
    }
    if (sizes.shape(0) != n || bits.shape(0) != n) throw std::invalid_argument("keys, sizes and sets differ in length");
    if (sizes.shape(1) != 1 || bits.shape(1) != words) throw std::invalid_argument("sizes or sets have another width");
    if (keys.shape(1) != W) throw std::invalid_argument("keys have another number of words");
    if (n > 0xFFFFFFFEull) throw std::invalid_argument("more than 4,294,967,294 combinations");
    sum_of(sizes.data(), n);
    SetTable<W> table;
    table.words = words;
    table.keys = read_keys<W>(keys);
    table.sizes.assign(sizes.data(), sizes.data() + n);
    table.bits.assign(bits.data(), bits.data() + n * words);
    return table;
}

void check_box(const Codebook& book, const Levels& levels, const Levels& lo, const Levels& hi) {
    for (const Levels* given : {&levels, &lo, &hi}) book.check(*given);
    nodes_of(levels, lo, hi);
}

HistogramIndex build(const Codebook& book, const Words& keys, const Int64s& sizes, const Words& bits,
                     const std::vector<int>& widths, const Levels& levels, const Levels& lo, const Levels& hi,
                     int threads) {
    check_box(book, levels, lo, hi);
    return with_words(book.words(), [&](auto words) {
        constexpr int W = decltype(words)::value;
        const SetTable<W> table = sets_of<W>(keys, sizes, bits, widths);
        const std::int64_t rows = sum_of(sizes.data(), sizes.shape(0));
        const std::int64_t row = dearest_row(book, rows);
        nb::gil_scoped_release unlocked;
        return HistogramIndex(lo, hi, !widths.empty(), rows, row,
                              pack_box<W>(book, table, levels, lo, hi, widths, few_threads(threads), hearing()));
    });
}

// The same where `persons` tells whose the rows are; distinct values are then distinct persons.
HistogramIndex build_by_persons(const Codebook& book, const Words& keys, const Int64s& rows, const Persons& persons,
                                const Levels& levels, const Levels& lo, const Levels& hi, int threads) {
    check_box(book, levels, lo, hi);
    if (!persons) throw std::invalid_argument("persons are needed");
    if (rows.shape(0) != keys.shape(0) || rows.shape(1) != 1)
        throw std::invalid_argument("one number of rows a combination is needed");
    if (keys.shape(0) > 0xFFFFFFFEull) throw std::invalid_argument("more than 4,294,967,294 combinations");
    const std::int64_t total = sum_of(rows.data(), rows.shape(0));
    return with_words(book.words(), [&](auto words) {
        constexpr int W = decltype(words)::value;
        if (keys.shape(1) != W) throw std::invalid_argument("keys have another number of words");
        Table<W> table;
        table.keys = read_keys<W>(keys);
        table.counts.assign(rows.data(), rows.data() + rows.shape(0));
        table.people = read_people(persons, table.size());
        for (std::size_t i = 0; i < table.size(); ++i)
            if (table.people.sizes[i] > table.counts[i])
                throw std::invalid_argument("a combination has more persons than rows");
        const std::int64_t row = dearest_row(book, total);
        nb::gil_scoped_release unlocked;
        return HistogramIndex(lo, hi, true, total, row,
                              pack_persons<W>(book, table, levels, lo, hi, few_threads(threads), hearing()));
    });
}

Array<std::int64_t> suppressed_map(const Codebook& book, const Words& keys, const Int64s& sizes, const Words& bits,
                                   const std::vector<int>& widths, const Levels& levels, const Levels& lo,
                                   const Levels& hi, std::int64_t k, std::int64_t l, int threads) {
    check_box(book, levels, lo, hi);
    return with_words(book.words(), [&](auto words) {
        constexpr int W = decltype(words)::value;
        const SetTable<W> table = sets_of<W>(keys, sizes, bits, widths);
        std::vector<std::int64_t> out;
        {
            nb::gil_scoped_release unlocked;
            out = suppressed_box<W>(book, table, levels, lo, hi, widths, k, l, few_threads(threads), hearing());
        }
        const std::size_t nodes = out.size();
        return own(std::move(out), nodes, 1);
    });
}

// LazyHistograms for keys of any number of words.
class AnyLazyHistograms {
  public:
    AnyLazyHistograms(const Codebook& book, const Words& keys, const Int64s& sizes, const Words& bits,
                      const std::vector<int>& widths, const Levels& levels, std::size_t budget)
        : book_(book) {
        book.check(levels);
        with_words(book.words(), [&](auto words) {
            constexpr int W = decltype(words)::value;
            auto lazy = std::make_shared<LazyHistograms<W>>(book, sets_of<W>(keys, sizes, bits, widths), levels, widths,
                                                            budget);
            get_ = [lazy](const Levels& node) { return lazy->histogram(node); };
            lowest_ = [lazy](LevelSet& visits, const Levels& lo, const Levels& hi, int least, std::int64_t k,
                             std::int64_t l, std::int64_t limit, int threads, double seconds) {
                Ending ending(seconds);
                nb::gil_scoped_release unlocked;
                return LazySearch<W>(*lazy, visits, k, l, threads, ending.pause(), ending.over())
                    .lowest(lo, hi, least, limit);
            };
            bytes_ = [lazy] { return lazy->bytes(); };
            evaluated_ = [lazy] { return lazy->evaluated(); };
            bottom_ = levels;
        });
    }

    Histogram of(const Levels& node) {
        check(node);
        nb::gil_scoped_release unlocked;  // a node of a large table takes long
        return get_(node);
    }

    // A node, its suppressed rows, whether it is proven the best, and a height below which there is none.
    using Answer = std::optional<std::tuple<Levels, std::int64_t, bool, int>>;

    Answer lowest(LevelSet& visits, const Levels& lo, const Levels& hi, int least, std::int64_t k, std::int64_t l,
                  std::int64_t limit, int threads, double seconds) {
        check(lo);
        check(hi);
        for (std::size_t a = 0; a < lo.size(); ++a)
            if (lo[a] > hi[a]) throw std::invalid_argument("the box is empty");
        const auto found = lowest_(visits, lo, hi, least, k, l, limit, few_threads(threads), seconds);
        if (!found) return std::nullopt;
        return std::make_tuple(found->node, found->suppressed, found->proven, found->bound);
    }

    std::size_t bytes() const { return bytes_(); }
    std::size_t evaluated() const { return evaluated_(); }

  private:
    void check(const Levels& node) const {
        book_.check(node);
        for (std::size_t a = 0; a < node.size(); ++a)
            if (node[a] < bottom_[a]) throw std::invalid_argument("the node is not above the bottom table");
    }

    const Codebook& book_;
    Levels bottom_;
    std::function<Histogram(const Levels&)> get_;
    std::function<std::optional<Lowest>(LevelSet&, const Levels&, const Levels&, int, std::int64_t, std::int64_t,
                                        std::int64_t, int, double)>
        lowest_;
    std::function<std::size_t()> bytes_, evaluated_;
};

}  // namespace

void bind_negotiation(nb::module_& m) {
    nb::class_<Visits>(m, "Visits").def(nb::init<std::size_t>(), "nodes"_a).def("__len__", &Visits::count);
    nb::class_<HistogramIndex>(m, "HistogramIndex")
        .def_static("build", &build, "book"_a, "keys"_a, "sizes"_a, "bits"_a, "widths"_a, "levels"_a, "lo"_a, "hi"_a,
                    "threads"_a)
        .def_static("build_by_persons", &build_by_persons, "book"_a, "keys"_a, "rows"_a, "persons"_a, "levels"_a,
                    "lo"_a, "hi"_a, "threads"_a)
        .def_static(
            "load",
            [](const Levels& lo, const Levels& hi, bool sensitive, std::int64_t rows, const nb::bytes& data,
               std::optional<std::int64_t> row) {
                if (lo.size() != hi.size()) throw std::invalid_argument("lo and hi differ in length");
                for (std::size_t a = 0; a < lo.size(); ++a)
                    if (lo[a] < 0 || hi[a] < lo[a] || hi[a] > 127) throw std::invalid_argument("no such levels");
                if (rows > kMostRows) throw std::invalid_argument("too many rows");
                const std::int64_t dearest = row ? checked_cost(*row, 0, rows) : kNoCosts;
                return HistogramIndex::load(lo, hi, sensitive, rows, dearest,
                                            static_cast<const std::uint8_t*>(data.data()), data.size());
            },
            "lo"_a, "hi"_a, "sensitive"_a, "rows"_a, "data"_a, "row"_a = nb::none())
        .def("dump",
             [](const HistogramIndex& self) {
                 const Bytes out = self.dump();
                 return nb::bytes(out.data(), out.size());
             })
        .def_prop_ro("nodes", &HistogramIndex::nodes)
        .def_prop_ro("rows", &HistogramIndex::rows)
        .def_prop_ro("priced", &HistogramIndex::priced)
        .def_prop_ro("size", &HistogramIndex::size)
        .def(
            "seen",
            [](const HistogramIndex& self, const Visits& visits) {
                std::vector<Levels> nodes;
                for (const std::size_t place : visits.places()) nodes.push_back(self.levels(place));
                return nodes;
            },
            "visits"_a)
        .def(
            "suppressed",
            [](const HistogramIndex& self, Visits& visits, const Levels& node, std::int64_t k, std::int64_t l) {
                visits.mark(self.place(node));
                return self.histogram(self.place(node)).suppressed(k, l, kNoLimit);
            },
            "visits"_a, "node"_a, "k"_a, "l"_a)
        .def(
            "lowest",
            [](const HistogramIndex& self, Visits& visits, const Levels& top, std::int64_t k, std::int64_t l,
               std::int64_t limit) { return answer(self, self.lowest(visits, top, k, l, limit)); },
            "visits"_a, "top"_a, "k"_a, "l"_a, "limit"_a)
        .def(
            "lowest_from",
            [](const HistogramIndex& self, Visits& visits, std::int64_t height, std::int64_t k, std::int64_t l,
               std::int64_t limit) { return answer(self, self.lowest_from(visits, height, k, l, limit)); },
            "visits"_a, "height"_a, "k"_a, "l"_a, "limit"_a)
        .def(
            "largest_k",
            [](const HistogramIndex& self, const Levels& node, std::int64_t l, std::int64_t limit, std::int64_t most) {
                return self.histogram(self.place(node)).largest_k(l, limit, most);
            },
            "node"_a, "l"_a, "limit"_a, "most"_a)
        .def(
            "largest_l",
            [](const HistogramIndex& self, const Levels& node, std::int64_t limit, std::int64_t most) {
                return self.histogram(self.place(node)).largest_l(limit, most);
            },
            "node"_a, "limit"_a, "most"_a)
        .def(
            "entries",
            [](const HistogramIndex& self, const Levels& node) {
                return own_entries(self.histogram(self.place(node)).entries());
            },
            "node"_a)
        .def(
            "map",
            [](const HistogramIndex& self, std::int64_t k, std::int64_t l) {
                return own(self.map(k, l), self.nodes(), 1);
            },
            "k"_a, "l"_a);
    nb::class_<NodeLosses>(m, "NodeLosses")
        .def_static(
            "by_cells",
            [](const HistogramIndex& index, std::int64_t row) {
                if (!index.priced()) throw std::invalid_argument("the index holds no costs");
                if (row < index.row()) throw std::invalid_argument("a suppressed row costs less than a released one");
                checked_cost(row, 0, index.rows());
                return std::make_unique<NodeLosses>(index, Costs::kCells, row);
            },
            nb::keep_alive<0, 1>(), "index"_a, "row"_a)
        .def_static(
            "by_squares",
            [](const HistogramIndex& index) {
                checked_cost(index.rows(), 0, index.rows());
                return std::make_unique<NodeLosses>(index, Costs::kSquares, index.rows());
            },
            nb::keep_alive<0, 1>(), "index"_a)
        .def_static(
            "alike",
            [](const HistogramIndex& index, const Int64s& loss0, const Int64s& excess) {
                auto losses = by_node(index, loss0), more = by_node(index, excess);
                for (std::size_t node = 0; node < index.nodes(); ++node)
                    checked_cost(losses[node] / std::max<std::int64_t>(index.rows(), 1) + 1, more[node], index.rows());
                return std::make_unique<NodeLosses>(index, Costs::kAlike, 0, std::move(losses), std::move(more));
            },
            nb::keep_alive<0, 1>(), "index"_a, "loss0"_a, "excess"_a)
        .def(
            "of",
            [](const NodeLosses& self, Visits& visits, const Levels& node, std::int64_t k, std::int64_t l) {
                const Priced found = self.of(visits, self.index().place(node), k, l);
                return std::make_pair(found.suppressed, found.loss);
            },
            "visits"_a, "node"_a, "k"_a, "l"_a)
        .def(
            "cheapest",
            [](const NodeLosses& self, Visits& visits, const Levels& top, std::int64_t k, std::int64_t l,
               std::int64_t limit) { return answer(self, self.cheapest(visits, top, k, l, limit)); },
            "visits"_a, "top"_a, "k"_a, "l"_a, "limit"_a)
        .def(
            "cheapest_from",
            [](const NodeLosses& self, Visits& visits, std::int64_t height, std::int64_t k, std::int64_t l,
               std::int64_t limit) { return answer(self, self.cheapest_from(visits, height, k, l, limit)); },
            "visits"_a, "height"_a, "k"_a, "l"_a, "limit"_a);
    nb::class_<LevelSet>(m, "LazyVisits")
        .def(nb::init<>())
        .def("__len__", [](const LevelSet& self) { return self.size(); })
        .def("seen", [](const LevelSet& self) { return std::vector<Levels>(self.begin(), self.end()); });
    nb::class_<AnyLazyHistograms>(m, "LazyHistograms")
        .def(nb::init<const Codebook&, const Words&, const Int64s&, const Words&, const std::vector<int>&,
                      const Levels&, std::size_t>(),
             nb::keep_alive<1, 2>(), "book"_a, "keys"_a, "sizes"_a, "bits"_a, "widths"_a, "levels"_a, "budget"_a)
        .def_prop_ro("bytes", &AnyLazyHistograms::bytes)
        .def_prop_ro("evaluated", &AnyLazyHistograms::evaluated)
        .def(
            "suppressed",
            [](AnyLazyHistograms& self, LevelSet& visits, const Levels& node, std::int64_t k, std::int64_t l) {
                visits.insert(node);
                return self.of(node).suppressed(k, l, kNoLimit);
            },
            "visits"_a, "node"_a, "k"_a, "l"_a)
        .def("lowest", &AnyLazyHistograms::lowest, "visits"_a, "lo"_a, "hi"_a, "least"_a, "k"_a, "l"_a, "limit"_a,
             "threads"_a, "seconds"_a = std::numeric_limits<double>::infinity())
        .def(
            "largest_k",
            [](AnyLazyHistograms& self, const Levels& node, std::int64_t l, std::int64_t limit, std::int64_t most) {
                return self.of(node).largest_k(l, limit, most);
            },
            "node"_a, "l"_a, "limit"_a, "most"_a)
        .def(
            "largest_l",
            [](AnyLazyHistograms& self, const Levels& node, std::int64_t limit, std::int64_t most) {
                return self.of(node).largest_l(limit, most);
            },
            "node"_a, "limit"_a, "most"_a)
        .def(
            "entries", [](AnyLazyHistograms& self, const Levels& node) { return own_entries(self.of(node).entries()); },
            "node"_a);
    m.def("suppressed_map", &suppressed_map, "book"_a, "keys"_a, "sizes"_a, "bits"_a, "widths"_a, "levels"_a, "lo"_a,
          "hi"_a, "k"_a, "l"_a, "threads"_a);
}
