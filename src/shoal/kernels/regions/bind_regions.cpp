// The Python face of group-wise recoding: splitting, neighbours and regrouping.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <unordered_map>

#include "common/arrays.hpp"
#include "common/deadline.hpp"
#include "common/given_persons.hpp"
#include "common/hearing.hpp"
#include "regions/near_enough.hpp"
#include "regions/neighbours.hpp"
#include "regions/regrouping.hpp"
#include "regions/splits.hpp"
#include "regions/value_rules.hpp"

using namespace nb::literals;
using namespace shoal;

namespace {

// Branches that a search for the nearest may look at on average, before near ones have to do.
constexpr std::int64_t kMostLooks = 2000;
// Splitting: after which share of the time the quickest splits are taken, and how long these go on when it is over.
constexpr double kQuick = 0.75, kGrace = 0.2;
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

// Who judges groups: of the members of all of them, and where each begins and ends, tells which are allowed. Rules about
// values are asked without Python.
using Asked = nb::typed<nb::callable, Marks(Array<std::int32_t>, Array<std::int64_t>, Array<std::int64_t>)>;
using Judge = std::optional<std::variant<const ValueRules*, Asked>>;

bool needs_python(const Judge& judge) { return judge && std::holds_alternative<Asked>(*judge); }

Allowed asked_of(const Regions& regions, const Judge& judge) {
    if (!needs_python(judge)) {
        const ValueRules* rules = std::get<const ValueRules*>(*judge);
        if (!rules || rules->size() != static_cast<std::size_t>(regions.whole()))
            throw std::invalid_argument("one row of counts per combination is needed");
        return [rules](const std::vector<std::int32_t>& members, const std::vector<std::int64_t>& begins,
                       const std::vector<std::int64_t>& ends) { return (*rules)(members, begins, ends); };
    }
    return [judge = std::get<Asked>(*judge)](const std::vector<std::int32_t>& members,
                                             const std::vector<std::int64_t>& begins,
                                             const std::vector<std::int64_t>& ends) {
        const auto kept = nb::cast<Marks>(judge(row_of(members), row_of(begins), row_of(ends)));
        if (kept.shape(0) != begins.size()) throw std::invalid_argument("one answer per group is needed");
        return std::vector<char>(kept.data(), kept.data() + kept.shape(0));
    };
}

// A judge knows the combinations of the whole table.
Allowed allowed_of(const Regions& regions, const Judge& judge) {
    if (!judge) return {};
    Allowed asked = asked_of(regions, judge);
    if (!regions.is_part()) return asked;
    return [asked = std::move(asked), &regions](const std::vector<std::int32_t>& members,
                                                const std::vector<std::int64_t>& begins,
                                                const std::vector<std::int64_t>& ends) {
        std::vector<std::int32_t> places;
        places.reserve(members.size());
        for (const std::int32_t c : members) places.push_back(regions.place(c));
        return asked(places, begins, ends);
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
    std::vector<std::int32_t> ends(count, 0), members(groups.size());  // first where each begins
    for (const std::int64_t group : groups)
        if (group + 1 < count) ++ends[group + 1];
    for (std::int64_t g = 1; g < count; ++g) ends[g] += ends[g - 1];
    for (std::size_t c = 0; c < groups.size(); ++c) members[ends[groups[c]]++] = static_cast<std::int32_t>(c);
    std::vector<std::int64_t> result;
    result.reserve(count);
    Extent extent(regions);
    for (std::int64_t g = 0; g < count; ++g) {
        extent.clear();
        for (std::int32_t i = g ? ends[g - 1] : 0; i < ends[g]; ++i) extent.add(members[i]);
        result.push_back(extent.cost());
    }
    return row_of(result);
}

Regions part_of(const Regions& regions, const Int32s& members) {
    if (members.shape(1) != 1) throw std::invalid_argument("one column of combinations is needed");
    if (regions.persons().counted()) throw std::invalid_argument("persons are known in the whole table only");
    for (std::size_t i = 0; i < members.size(); ++i)
        if (members.data()[i] < 0 || members.data()[i] >= regions.size())
            throw std::out_of_range("no such combination");
    return regions.part({members.data(), members.data() + members.size()});
}

Array<std::int32_t> neighbours(const Regions& regions, int many, double seconds, std::int64_t most_looks, int threads) {
    if (many < 0 || many > (1 << 20)) throw std::invalid_argument("no such number of neighbours");
    std::vector<std::int32_t> found;
    {
        nb::gil_scoped_release unlocked;
        const auto begun = Clock::now();
        const auto over = ending(seconds);
        const auto late = [&](double share) {
            const std::chrono::duration<double> passed = Clock::now() - begun;
            return over() || passed.count() > share * seconds;
        };
        Neighbours tree(regions, many);
        // With few combinations all can be looked at. Which way it is depends on the table alone, so that it is the same
        // at every run.
        if (regions.size() > most_looks && tree.looks(most_looks) > most_looks)
            found = NearEnough(regions, many).find(late, few_threads(threads));
        else
            found = tree.find(late, few_threads(threads));
    }
    return own(std::move(found), regions.size(), many);
}

// A k above all rows that there may be allows what the next larger one allows: nothing.
std::int64_t rows_needed(std::int64_t k) { return std::clamp<std::int64_t>(k, 0, kMostGrouped + 1); }

Array<std::int64_t> split(const Regions& regions, const Int64s& groups, std::int64_t k, bool strict, bool median,
                          int ahead, int most, double seconds, const Judge& judge) {
    const auto hurry = ending(seconds / 2), late = ending(kQuick * seconds), over = ending(seconds + kGrace);
    Splitter splitter(regions, {rows_needed(k), strict, median, ahead, most}, allowed_of(regions, judge));
    const std::vector<std::int64_t> given = groups_of(regions, groups);
    std::vector<std::int64_t> found;
    {
        std::optional<nb::gil_scoped_release> unlocked;
        if (!needs_python(judge)) unlocked.emplace();
        found = splitter.split(given, [&] { return over() ? 3 : late() ? 2 : hurry() ? 1 : 0; });
    }
    return row_of(found);
}

class PyRegrouping {
  public:
    PyRegrouping(const Regions& regions, const Int64s& groups, std::int64_t k, const Int32s& neighbours,
                 std::uint64_t seed, const Judge& judge, double heat)
        : locked_(needs_python(judge)),
          regrouping_(regions, groups_of(regions, groups), rows_needed(k), checked(regions, neighbours),
                      static_cast<int>(neighbours.shape(1)), seed, allowed_of(regions, judge), heat) {
        if (!std::isfinite(heat)) throw std::invalid_argument("no such heat");
    }

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
    double heat() const { return regrouping_.heat(); }
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
    nb::class_<Regions>(m, "Regions")
        .def(
            "__init__",
            [](Regions* self, const std::vector<std::tuple<int, std::int64_t, Int32s, Int64s>>& axes,
               const Int32s& codes, const Int64s& rows, const Int32s& blocks,
               const GivenPersons& persons) { new (self) Regions(regions_of(axes, codes, rows, blocks, persons)); },
            "axes"_a, "codes"_a, "rows"_a, "blocks"_a, "persons"_a = nb::none())
        .def("part", &part_of, "members"_a)
        .def("costs", &costs, "groups"_a)
        .def("neighbours", &neighbours, "many"_a, "seconds"_a = kEndless, "most_looks"_a = kMostLooks, "threads"_a = 1)
        .def("split", &split, "groups"_a, "k"_a, "strict"_a, "median"_a, "ahead"_a, "most"_a, "seconds"_a, "judge"_a);
    nb::class_<PyRegrouping>(m, "Regrouping")
        .def(
            nb::init<const Regions&, const Int64s&, std::int64_t, const Int32s&, std::uint64_t, const Judge&, double>(),
            nb::keep_alive<1, 2>(), nb::keep_alive<1, 7>(), "regions"_a, "groups"_a, "k"_a, "neighbours"_a, "seed"_a,
            "judge"_a, "heat"_a = -1.0)
        .def("gather", &PyRegrouping::gather, "seconds"_a = kEndless)
        .def("run", &PyRegrouping::run, "steps"_a, "warm"_a, "cold"_a, "seconds"_a = kEndless)
        .def("groups", &PyRegrouping::groups)
        .def_prop_ro("heat", &PyRegrouping::heat)
        .def_prop_ro("cost", &PyRegrouping::cost);
}
