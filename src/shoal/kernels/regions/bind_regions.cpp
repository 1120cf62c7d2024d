// The Python face of group-wise recoding: splitting, neighbours, regrouping, and what any recoding costs at least.
#include <nanobind/stl/vector.h>

#include <cmath>
#include <unordered_map>

#include "common/arrays.hpp"
#include "common/deadline.hpp"
#include "common/given_persons.hpp"
#include "common/hearing.hpp"
#include "regions/covers.hpp"
#include "regions/neighbours.hpp"
#include "regions/regrouping.hpp"
#include "regions/splits.hpp"

using namespace nb::literals;
using namespace shoal;

namespace {

constexpr std::int64_t kMostGrouped = kMostRows / 2;  // rows: splitting looks at twice as many

Axis axis_of(int kind, std::int64_t factor, const Int32s& order, const Int64s& table) {
    Axis axis;
    axis.kind = static_cast<Kind>(kind);
    axis.values = static_cast<int>(table.shape(1));
    axis.factor = factor;
    const std::int64_t* row = table.data();
    const std::size_t values = table.shape(1), rows = table.shape(0);
    if (factor < 0 || factor > kMostRows) throw std::invalid_argument("a leaf has no such cost");
    if (values > INT32_MAX) throw std::invalid_argument("too many values");
    if (order.shape(0) != 1 || order.shape(1) != values)
        throw std::invalid_argument("the order names every value once");
    axis.order.assign(order.data(), order.data() + values);
    for (const std::int32_t place : axis.order)
        if (place < 0 || static_cast<std::size_t>(place) >= values)
            throw std::invalid_argument("the order names every value once");
    const auto price = [&](std::int64_t leaves) {
        if (leaves < 0 || (factor > 0 && leaves > kMostRows / factor))
            throw std::invalid_argument("a value has no such leaves");
        return factor * leaves;
    };
    if (axis.kind == Kind::interval) {
        if (rows != 2) throw std::invalid_argument("intervals need the first and the last leaf of every value");
        for (std::size_t v = 0; v < values; ++v) {
            const std::int64_t first = row[v], last = row[values + v];
            if (first < -1 || last < first || last >= INT32_MAX)
                throw std::invalid_argument("a value lies at no such leaves");
            axis.first.push_back(static_cast<std::int32_t>(first));
            axis.last.push_back(static_cast<std::int32_t>(last));
            axis.most = std::max(axis.most, price(last + 2));  // an interval, and what lies outside of all
        }
    } else if (axis.kind == Kind::set) {
        if (rows != 1) throw std::invalid_argument("sets need the leaves of every value");
        for (std::size_t v = 0; v < values; ++v) {
            axis.price.push_back(price(row[v]));
            axis.most = std::min(axis.most + axis.price.back(), kMostRows);
        }
    } else if (axis.kind == Kind::tree) {
        if (rows < 2 || rows % 2) throw std::invalid_argument("trees need codes and leaves for every level");
        axis.levels = static_cast<int>(rows / 2);
        for (const std::int64_t* code = row; code < row + axis.levels * values; ++code) {
            if (*code < 0 || *code > INT32_MAX) throw std::invalid_argument("codes are not negative, and below 2^31");
            axis.code.push_back(static_cast<std::int32_t>(*code));
        }
        // A group with two values has a node above the lowest level, so that it can be specialized.
        std::vector<std::int32_t> lowest(axis.code.begin(), axis.code.begin() + static_cast<std::ptrdiff_t>(values));
        std::sort(lowest.begin(), lowest.end());
        if (std::adjacent_find(lowest.begin(), lowest.end()) != lowest.end())
            throw std::invalid_argument("the lowest level tells every value apart");
        for (const std::int64_t* leaves = row + axis.levels * values; leaves < row + rows * values; ++leaves) {
            axis.price.push_back(price(*leaves));
            axis.most = std::max(axis.most, axis.price.back());
        }
        // A climb ends at the last level at the latest, within a block: blocks are checked below.
    } else {
        throw std::invalid_argument("no such kind of labels");
    }
    return axis;
}

Regions regions_of(const std::vector<std::tuple<int, std::int64_t, Int32s, Int64s>>& given, const Int32s& codes,
                   const Int64s& rows, const Int32s& blocks, const GivenPersons& persons) {
    const std::size_t n = codes.shape(0), attributes = given.size();
    if (codes.shape(1) != attributes || rows.shape(0) != n || rows.shape(1) != 1 || blocks.shape(0) != n ||
        blocks.shape(1) != 1)
        throw std::invalid_argument("one row of codes, one count and one block per combination are needed");
    if (n > 0x7FFFFFFE) throw std::invalid_argument("more than 2,147,483,646 combinations");
    std::vector<Axis> axes;
    for (const auto& [kind, factor, order, table] : given) axes.push_back(axis_of(kind, factor, order, table));
    const std::int64_t all = sum_of(rows.data(), n, kMostGrouped);
    // A label costs a row its leaves less one: at least -factor, where it has none, and at most what `most` says.
    std::int64_t dearest = 1;
    for (const Axis& axis : axes) dearest = std::min(dearest + std::max(axis.most, axis.factor), kMostRows);
    if (all > kMostRows / dearest) throw std::invalid_argument("the costs of all rows are too large to be added up");
    std::vector<std::int32_t> top(attributes);
    std::unordered_map<std::int32_t, std::vector<std::int32_t>> tops;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t block = blocks.data()[i];
        if (block < 0) throw std::invalid_argument("blocks are not negative");
        for (std::size_t a = 0; a < attributes; ++a) {
            const std::int32_t value = codes.data()[i * attributes + a];
            if (value < 0 || value >= axes[a].values) throw std::out_of_range("no such value");
            if (axes[a].kind == Kind::tree)
                top[a] = axes[a].code[std::size_t(axes[a].levels - 1) * axes[a].values + value];
        }
        if (tops.try_emplace(block, top).first->second != top)
            throw std::invalid_argument("a block has more than one node on a last level");
    }
    return Regions(std::move(axes), {codes.data(), codes.data() + codes.size()}, {rows.data(), rows.data() + n},
                   {blocks.data(), blocks.data() + n}, read_persons(persons, rows.data(), n));
}

template <typename T>
Array<T> row_of(const std::vector<T>& values) {
    return own(std::vector<T>(values), values.size(), 1);
}

// Who judges groups: of the members of all of them, and where each begins and ends, tells which are allowed.
using Judge =
    std::optional<nb::typed<nb::callable, Marks(Array<std::int32_t>, Array<std::int64_t>, Array<std::int64_t>)>>;

Allowed allowed_of(const Judge& judge) {
    if (!judge) return {};
    return [judge = *judge](const std::vector<std::int32_t>& members, const std::vector<std::int64_t>& begins,
                            const std::vector<std::int64_t>& ends) {
        const auto kept = nb::cast<Marks>(judge(row_of(members), row_of(begins), row_of(ends)));
        if (kept.shape(0) != begins.size()) throw std::invalid_argument("one answer per group is needed");
        return std::vector<char>(kept.data(), kept.data() + kept.shape(0));
    };
}

std::vector<std::int64_t> groups_of(const Regions& regions, const Int64s& groups) {
    const auto n = static_cast<std::size_t>(regions.size());
    if (groups.shape(0) != n || groups.shape(1) != 1)
        throw std::invalid_argument("one group per combination is needed");
    std::vector<std::int64_t> result(groups.data(), groups.data() + n);
    std::vector<int> first(n, -1);
    for (std::size_t i = 0; i < n; ++i) {
        const int c = static_cast<int>(i);
        if (result[i] < 0 || result[i] >= static_cast<std::int64_t>(n)) throw std::out_of_range("no such group");
        int& known = first[result[i]];
        if (known < 0) known = c;
        if (!regions.meet(known, c)) throw std::invalid_argument("a group has more than one node on a last level");
    }
    return result;
}

Array<std::int64_t> costs(const Regions& regions, const Int64s& given) {
    const std::vector<std::int64_t> groups = groups_of(regions, given);
    std::int64_t count = 0;
    for (const std::int64_t group : groups) count = std::max(count, group + 1);
    std::vector<std::vector<std::int32_t>> members(count);
    for (std::size_t c = 0; c < groups.size(); ++c) members[groups[c]].push_back(static_cast<std::int32_t>(c));
    std::vector<std::int64_t> result;
    Extent extent(regions);
    for (const auto& group : members) {
        extent.clear();
        for (const std::int32_t c : group) extent.add(c);
        result.push_back(extent.cost());
    }
    return row_of(result);
}

Array<std::int32_t> neighbours(const Regions& regions, int many, double seconds) {
    if (many < 0 || many > (1 << 20)) throw std::invalid_argument("no such number of neighbours");
    std::vector<std::int32_t> found;
    {
        nb::gil_scoped_release unlocked;
        const auto begun = Clock::now();
        const auto over = ending(seconds);
        found = Neighbours(regions, many).find([&](double share) {
            const std::chrono::duration<double> passed = Clock::now() - begun;
            return over() || passed.count() > share * seconds;
        });
    }
    return own(std::move(found), regions.size(), many);
}

// A k above all rows that there may be allows what the next larger one allows: nothing.
std::int64_t rows_needed(std::int64_t k) { return std::clamp<std::int64_t>(k, 0, kMostGrouped + 1); }

Array<std::int64_t> split(const Regions& regions, const Int64s& groups, std::int64_t k, bool strict, bool median,
                          int ahead, int most, double seconds, const Judge& judge) {
    const auto hurry = ending(seconds / 2), over = ending(seconds);
    Splitter splitter(regions, {rows_needed(k), strict, median, ahead, most}, allowed_of(judge));
    const std::vector<std::int64_t> given = groups_of(regions, groups);
    std::vector<std::int64_t> found;
    {
        std::optional<nb::gil_scoped_release> unlocked;
        if (!judge) unlocked.emplace();
        found = splitter.split(given, [&] { return over() ? 2 : hurry() ? 1 : 0; });
    }
    return row_of(found);
}

// What all rows cost at least, for each k, which counts `sizes`; nothing where the time is over before all is looked at.
std::optional<Array<std::int64_t>> cheapest_covers(const std::vector<std::tuple<Int32s, Int64s>>& given,
                                                   const Int32s& values, const Int64s& rows, const Int64s& sizes,
                                                   const Int64s& ks, std::int64_t dearest, int threads,
                                                   double seconds) {
    const std::size_t n = values.shape(0), attributes = given.size();
    if (values.shape(1) != attributes || rows.shape(0) != n || rows.shape(1) != 1 || sizes.shape(0) != n ||
        sizes.shape(1) != 1 || !attributes)
        throw std::invalid_argument("one row of values, one count and one size per combination are needed");
    if (n > 0x7FFFFFFE) throw std::invalid_argument("more than 2,147,483,646 combinations");
    CoverTable table;
    std::int64_t most = std::max<std::int64_t>(dearest, 1);
    if (dearest < 0 || dearest > kMostRows) throw std::invalid_argument("a suppressed row has no such cost");
    for (const auto& [codes, prices] : given) {
        CoverAxis axis;
        if (codes.shape(0) != prices.shape(0) || codes.shape(1) != prices.shape(1) || !codes.shape(0) ||
            codes.shape(0) > INT32_MAX || codes.shape(1) > INT32_MAX)
            throw std::invalid_argument("one price per code is needed, and at least one level");
        axis.levels = static_cast<int>(codes.shape(0));
        axis.values = static_cast<int>(codes.shape(1));
        axis.code.assign(codes.data(), codes.data() + codes.size());
        axis.price.assign(prices.data(), prices.data() + prices.size());
        std::int64_t highest = 0;
        for (std::size_t i = 0; i < axis.code.size(); ++i) {
            // Labels are numbered within a level, where there are no more of them than values.
            if (axis.code[i] < 0 || axis.code[i] >= axis.values) throw std::out_of_range("no such code");
            if (axis.price[i] < 0) throw std::invalid_argument("a label has a negative cost");
            highest = std::max(highest, axis.price[i]);
            axis.codes = std::max(axis.codes, axis.code[i] + 1);
        }
        if (highest > kMostRows - most) throw std::invalid_argument("labels cost too much to be added up");
        most += highest;
        table.axes.push_back(std::move(axis));
    }
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values.data()[i] < 0 || values.data()[i] >= table.axes[i % attributes].values)
            throw std::out_of_range("no such value");
    if (sum_of(rows.data(), n) > kMostRows / most)
        throw std::invalid_argument("the costs of all rows are too large to be added up");
    sum_of(sizes.data(), n);
    if (ks.shape(1) != 1 || !ks.shape(0)) throw std::invalid_argument("one column of k is needed");
    table.ks.assign(ks.data(), ks.data() + ks.shape(0));
    const auto falls = std::adjacent_find(table.ks.begin(), table.ks.end(), std::greater_equal<>());
    if (table.ks.front() < 1 || falls != table.ks.end())
        throw std::invalid_argument("every k is larger than the one before, and at least 1");
    table.values.assign(values.data(), values.data() + values.size());
    table.rows.assign(rows.data(), rows.data() + n);
    table.sizes.assign(sizes.data(), sizes.data() + n);
    table.dearest = dearest;
    std::vector<std::int64_t> sums;
    bool whole = false;
    {
        nb::gil_scoped_release unlocked;
        const auto deadline = deadline_after(seconds);
        CheapestCovers covers(std::move(table));
        whole = covers.run(few_threads(threads), [&] { return Clock::now() >= deadline; });
        sums = covers.sums();
    }
    if (!whole) return std::nullopt;
    return row_of(sums);
}

class PyRegrouping {
  public:
    PyRegrouping(const Regions& regions, const Int64s& groups, std::int64_t k, const Int32s& neighbours,
                 std::uint64_t seed, const Judge& judge)
        : locked_(judge.has_value()),
          regrouping_(regions, groups_of(regions, groups), rows_needed(k), checked(regions, neighbours),
                      static_cast<int>(neighbours.shape(1)), seed, allowed_of(judge)) {}

    template <typename F>
    auto unlocked(F&& work) {
        if (locked_) return work();
        nb::gil_scoped_release unlocked;
        return work();
    }

    bool gather(double seconds) {
        return unlocked([&] { return regrouping_.gather(ending(seconds)); });
    }
    std::int64_t run(std::int64_t steps, double warm, double cold, double seconds) {
        if (!(cold >= 0 && cold <= warm && std::isfinite(warm)))
            throw std::invalid_argument("a temperature falls, and is not negative");
        return unlocked([&] { return regrouping_.run(steps, warm, cold, ending(seconds)); });
    }
    std::int64_t cost() const { return regrouping_.cost(); }
    Array<std::int64_t> groups() const { return row_of(regrouping_.groups()); }

  private:
    static std::vector<std::int32_t> checked(const Regions& regions, const Int32s& neighbours) {
        const std::size_t n = regions.size(), many = neighbours.shape(1);
        if (neighbours.shape(0) != n) throw std::invalid_argument("one row of neighbours per combination is needed");
        std::vector<std::int32_t> result(neighbours.data(), neighbours.data() + n * many);
        for (std::size_t i = 0; i < result.size(); ++i)
            if (result[i] < -1 || result[i] >= static_cast<std::int32_t>(n) ||
                (result[i] >= 0 && regions.block(result[i]) != regions.block(static_cast<int>(i / many))))
                throw std::out_of_range("neighbours are combinations of the same block");
        return result;
    }

    bool locked_;
    Regrouping regrouping_;
};

}  // namespace

void bind_regions(nb::module_& m) {
    m.def("cheapest_covers", &cheapest_covers, "axes"_a, "values"_a, "rows"_a, "sizes"_a, "ks"_a, "dearest"_a,
          "threads"_a, "seconds"_a);
    nb::class_<Regions>(m, "Regions")
        .def(
            "__init__",
            [](Regions* self, const std::vector<std::tuple<int, std::int64_t, Int32s, Int64s>>& axes,
               const Int32s& codes, const Int64s& rows, const Int32s& blocks,
               const GivenPersons& persons) { new (self) Regions(regions_of(axes, codes, rows, blocks, persons)); },
            "axes"_a, "codes"_a, "rows"_a, "blocks"_a, "persons"_a = nb::none())
        .def("costs", &costs, "groups"_a)
        .def("neighbours", &neighbours, "many"_a, "seconds"_a = kEndless)
        .def("split", &split, "groups"_a, "k"_a, "strict"_a, "median"_a, "ahead"_a, "most"_a, "seconds"_a, "judge"_a);
    nb::class_<PyRegrouping>(m, "Regrouping")
        .def(nb::init<const Regions&, const Int64s&, std::int64_t, const Int32s&, std::uint64_t, const Judge&>(),
             nb::keep_alive<1, 2>(), "regions"_a, "groups"_a, "k"_a, "neighbours"_a, "seed"_a, "judge"_a)
        .def("gather", &PyRegrouping::gather, "seconds"_a = kEndless)
        .def("run", &PyRegrouping::run, "steps"_a, "warm"_a, "cold"_a, "seconds"_a = kEndless)
        .def("groups", &PyRegrouping::groups)
        .def_prop_ro("cost", &PyRegrouping::cost);
}
