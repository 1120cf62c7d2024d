// The Python face of blanking single cells.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "cells/alike.hpp"
#include "cells/blanking.hpp"
#include "cells/helping.hpp"
#include "common/arrays.hpp"
#include "common/given_persons.hpp"
#include "common/hearing.hpp"

using namespace nb::literals;
using namespace shoal;

namespace {

constexpr int kMostColumns = 62;

// For each sensitive column: how many values are needed, and the values as if they were persons.
using GivenValues = std::vector<std::tuple<std::int64_t, Int64s, Int32s>>;

// What must be counted of those that show the same: k persons, and l values of each sensitive column.
std::vector<Need> needs_of(const Int64s& rows, std::int64_t k, const GivenPersons& persons, const GivenValues& values) {
    const std::size_t n = rows.shape(0);
    std::int64_t wanted = k;
    if (k < 1 || k > kMostRows) throw std::invalid_argument("k is 1 or more");
    for (const auto& [least, single, pairs] : values) {
        if (least < 1 || least > kMostRows - wanted) throw std::invalid_argument("l is 1 or more");
        wanted += least;
    }
    for (std::size_t i = 0; i < n; ++i)
        if (rows(i, 0) < 1) throw std::invalid_argument("a combination has no row");
    std::vector<Need> needs;
    needs.push_back({k, read_persons(persons, rows.data(), n), {}});
    if (needs[0].whose.counted())
        for (std::size_t i = 0; i < n; ++i)
            if (needs[0].whose.in(i) < 1) throw std::invalid_argument("a combination has no person");
    for (const auto& [least, single, pairs] : values)
        needs.push_back({least, read_persons(std::make_tuple(single, pairs), rows.data(), n), {}});
    return needs;
}

KnownCells cells_of(const Int32s& codes, const Int64s& rows, const std::vector<std::int64_t>& weights,
                    const std::vector<Mask>& known, Mask free, std::int64_t k, const GivenPersons& persons,
                    const GivenValues& values) {
    KnownCells cells;
    const std::size_t n = codes.shape(0), columns = codes.shape(1);
    if (!columns || columns > kMostColumns) throw std::invalid_argument("1 to 62 columns are needed");
    if (rows.shape(0) != n || rows.shape(1) != 1 || weights.size() != columns)
        throw std::invalid_argument("one count per combination and one weight per column are needed");
    if (n > 0x3FFFFFFE) throw std::invalid_argument("too many combinations");
    const Mask all = (Mask{1} << columns) - 1;
    if (known.empty() || (free & ~all)) throw std::invalid_argument("no such columns");
    for (const Mask one : known)
        if (!one || (one & ~all)) throw std::invalid_argument("no such columns");
    cells.needs = needs_of(rows, k, persons, values);
    std::int64_t most = 0;
    for (const std::int64_t weight : weights) {
        if (weight < 0 || weight > kMostRows - most) throw std::invalid_argument("a cell has no such weight");
        most += weight;
    }
    std::int64_t wanted = 0;
    for (const Need& need : cells.needs) wanted += need.least;
    const std::int64_t table = sum_of(rows.data(), n);
    // Costs and fines of all rows are added up.
    if (table > kMostRows / 8 / std::max<std::int64_t>(most, 1) ||
        (most > 0 &&
         wanted > kMostRows / 8 / most / static_cast<std::int64_t>(n + 1) / static_cast<std::int64_t>(known.size())))
        throw std::invalid_argument("the costs are too large to be added up");
    for (std::size_t i = 0; i < codes.size(); ++i) {
        if (codes.data()[i] < 0) throw std::out_of_range("no such code");
        // Each code has a random number in a table.
        if (static_cast<std::size_t>(codes.data()[i]) > 4 * n + 1024)
            throw std::invalid_argument("the codes are far apart; number the values of each column from 0");
    }
    cells.columns = static_cast<int>(columns);
    cells.free = free;
    cells.codes.assign(codes.data(), codes.data() + codes.size());
    cells.rows.assign(rows.data(), rows.data() + n);
    cells.weight = weights;
    cells.known = known;
    cells.prepare();
    return cells;
}

struct Choices {
    Choices(const Int32s& codes, const Int64s& rows, const std::vector<std::int64_t>& weights,
            const std::vector<Mask>& known, Mask free, std::int64_t k, int many, bool minimal, double seconds,
            const GivenPersons& persons, const GivenValues& values)
        : cells(cells_of(codes, rows, weights, known, free, k, persons, values)), choices([&] {
              if (many < 1) throw std::invalid_argument("one choice or more is needed");
              nb::gil_scoped_release unlocked;
              return CellChoices(cells, many, minimal, ending(seconds / 2), ending(seconds));
          }()) {}
    Choices(const Choices&) = delete;
    KnownCells cells;
    CellChoices choices;
};

const Choices& hopeful(const Choices& given) {
    if (given.choices.hopeless()) throw std::invalid_argument("some rows stand out whatever is blanked");
    return given;
}

void check_heat(double warm, double cold) {
    if (!(cold >= 0 && cold <= warm && std::isfinite(warm)))
        throw std::invalid_argument("a temperature falls, and is not negative");
}

Array<std::uint64_t> column_of(std::vector<Mask> masks) {
    const std::size_t n = masks.size();
    return own(std::move(masks), n, 1);
}

void begin(Blanking& self, const std::optional<Words>& masks, double seconds) {
    std::vector<Mask> given;
    if (masks) {
        if (masks->shape(0) != self.size() || masks->shape(1) != 1)
            throw std::invalid_argument("one mask per combination is needed");
        given.assign(masks->data(), masks->data() + masks->size());
        for (const Mask one : given)
            if (one & ~self.free()) throw std::invalid_argument("a column may not be blanked");
    }
    nb::gil_scoped_release unlocked;
    if (masks)
        self.begin(given, ending(seconds));
    else
        self.begin(ending(seconds));
}

// Whether those that are like each of some combinations are enough; a blank (-1) is like any value.
bool enough_alike(const Int32s& codes, const Int64s& rows, std::int64_t k, const std::vector<std::int64_t>& asked,
                  const GivenPersons& persons, const GivenValues& values) {
    const std::size_t n = codes.shape(0), columns = codes.shape(1);
    if (rows.shape(0) != n || rows.shape(1) != 1 || n > 0x3FFFFFFE || columns > kMostColumns)
        throw std::invalid_argument("one count per combination of at most 62 columns is needed");
    for (std::size_t i = 0; i < codes.size(); ++i) {
        if (codes.data()[i] < -1) throw std::out_of_range("no such code");
        if (codes.data()[i] > 0 && static_cast<std::size_t>(codes.data()[i]) > 4 * n + 1024)
            throw std::invalid_argument("the codes are far apart; number the values of each column from 0");
    }
    for (const std::int64_t c : asked)
        if (c < 0 || static_cast<std::size_t>(c) >= n) throw std::out_of_range("no such combination");
    const std::vector<Need> needs = needs_of(rows, k, persons, values);
    const std::vector<std::int64_t> counts(rows.data(), rows.data() + n);
    const auto over = ending(kEndless);  // Ctrl-C is heard
    nb::gil_scoped_release unlocked;
    Alike alike({codes.data(), codes.data() + codes.size()}, static_cast<int>(columns), counts, needs);
    for (const std::int64_t c : asked) {
        over();
        if (!alike.enough(static_cast<int>(c))) return false;
    }
    return true;
}

}  // namespace

void bind_cells(nb::module_& m) {
    m.def("enough_alike", &enough_alike, "codes"_a, "rows"_a, "k"_a, "asked"_a, "persons"_a = nb::none(),
          "values"_a = GivenValues{});
    nb::class_<Choices>(m, "CellChoices")
        .def(nb::init<const Int32s&, const Int64s&, const std::vector<std::int64_t>&, const std::vector<Mask>&, Mask,
                      std::int64_t, int, bool, double, const GivenPersons&, const GivenValues&>(),
             "codes"_a, "rows"_a, "weights"_a, "known"_a, "free"_a, "k"_a, "many"_a, "minimal"_a,
             "seconds"_a = kEndless, "persons"_a = nb::none(), "values"_a = GivenValues{})
        .def_prop_ro("outstanding", [](const Choices& self) { return self.choices.outstanding(); })
        .def_prop_ro("hopeless", [](const Choices& self) { return self.choices.hopeless(); })
        .def_prop_ro("complete", [](const Choices& self) { return self.choices.complete(); })
        .def_prop_ro("bound", [](const Choices& self) { return self.choices.bound(); });
    nb::class_<Blanking>(m, "Blanking")
        .def(
            "__init__",
            [](Blanking* self, const Choices& of, std::uint64_t seed) {
                new (self) Blanking(hopeful(of).cells, of.choices, seed);
            },
            nb::keep_alive<1, 2>(), "choices"_a, "seed"_a)
        .def("begin", &begin, "masks"_a = nb::none(), "seconds"_a = kEndless)
        .def(
            "run",
            [](Blanking& self, std::int64_t steps, double warm, double cold, double seconds) {
                check_heat(warm, cold);
                nb::gil_scoped_release unlocked;
                return self.run(steps, warm, cold, ending(seconds));
            },
            "steps"_a, "warm"_a, "cold"_a, "seconds"_a = kEndless)
        .def(
            "settle",
            [](Blanking& self, double seconds) {
                nb::gil_scoped_release unlocked;
                self.settle(ending(seconds));
            },
            "seconds"_a = kEndless)
        .def_prop_ro("cost", &Blanking::cost)
        .def("masks", [](const Blanking& self) { return column_of(self.masks()); });
    nb::class_<Helping>(m, "Helping")
        .def(
            "__init__",
            [](Helping* self, const Choices& of, std::uint64_t seed, double seconds) {
                hopeful(of);
                nb::gil_scoped_release unlocked;
                new (self) Helping(of.cells, of.choices, seed, ending(seconds));
            },
            nb::keep_alive<1, 2>(), "choices"_a, "seed"_a, "seconds"_a = kEndless)
        .def(
            "run",
            [](Helping& self, std::int64_t steps, double warm, double cold, double seconds) {
                check_heat(warm, cold);
                nb::gil_scoped_release unlocked;
                return self.run(steps, warm, cold, ending(seconds));
            },
            "steps"_a, "warm"_a, "cold"_a, "seconds"_a = kEndless)
        .def("settle", &Helping::settle)
        .def_prop_ro("cost", &Helping::cost)
        .def_prop_ro("whole", &Helping::whole)
        .def("masks", [](const Helping& self) { return column_of(self.masks()); })
        .def("model", [](const Helping& self) {
            Helping::Model made = self.model();
            const std::size_t choices = made.choices.size() / 3, lacks = made.lacks.size() / 4,
                              links = made.links.size() / 2;
            return std::make_tuple(own(std::move(made.choices), choices, 3), own(std::move(made.lacks), lacks, 4),
                                   own(std::move(made.links), links, 2));
        });
}
