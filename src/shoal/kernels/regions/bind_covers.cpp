// The Python face of what any recoding costs at least.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "common/arrays.hpp"
#include "common/deadline.hpp"
#include "regions/covers.hpp"
#include "regions/near_covers.hpp"
#include "regions/shared_covers.hpp"

using namespace nb::literals;
using namespace shoal;

namespace {

CoverTable cover_table_of(const std::vector<std::tuple<Int32s, Int64s>>& given, const Int32s& values,
                          const Int64s& rows, const Int64s& sizes, std::vector<std::int64_t>&& ks,
                          std::int64_t dearest) {
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
    table.ks = std::move(ks);
    const auto falls = std::adjacent_find(table.ks.begin(), table.ks.end(), std::greater_equal<>());
    if (table.ks.front() < 1 || falls != table.ks.end())
        throw std::invalid_argument("every k is larger than the one before, and at least 1");
    table.values.assign(values.data(), values.data() + values.size());
    table.rows.assign(rows.data(), rows.data() + n);
    table.sizes.assign(sizes.data(), sizes.data() + n);
    table.dearest = dearest;
    return table;
}

// What all rows cost at least, for each k, which counts `sizes`; nothing where the time is over before all is looked at.
std::optional<Array<std::int64_t>> cheapest_covers(const std::vector<std::tuple<Int32s, Int64s>>& given,
                                                   const Int32s& values, const Int64s& rows, const Int64s& sizes,
                                                   const Int64s& ks, std::int64_t dearest, int threads,
                                                   double seconds) {
    if (ks.shape(1) != 1 || !ks.shape(0)) throw std::invalid_argument("one column of k is needed");
    CoverTable table = cover_table_of(given, values, rows, sizes, {ks.data(), ks.data() + ks.shape(0)}, dearest);
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
    const std::size_t kinds = sums.size();
    return own(std::move(sums), kinds, 1);
}

// What all rows cost at least together, for one k: after a first pass, one more for each of `raises`, in hundredths, as far
// as time and work last. Nothing where not even the first pass ends.
std::optional<std::int64_t> shared_covers(const std::vector<std::tuple<Int32s, Int64s>>& given, const Int32s& values,
                                          const Int64s& rows, std::int64_t k, std::int64_t dearest,
                                          const std::vector<std::int64_t>& raises, std::int64_t work, double seconds) {
    // A k above all rows allows what the next larger one allows: nothing.
    k = std::clamp<std::int64_t>(k, 1, sum_of(rows.data(), rows.size()) + 1);
    const CoverTable table = cover_table_of(given, values, rows, rows, {k}, dearest);
    for (const std::int64_t raise : raises)
        if (raise < 0 || raise > 10000) throw std::invalid_argument("shares are raised by 0 to 10,000 hundredths");
    nb::gil_scoped_release unlocked;
    const auto deadline = deadline_after(seconds);
    const auto over = [&] { return Clock::now() >= deadline; };
    SharedCovers covers(table, work);
    if (!covers.first(over)) return std::nullopt;
    for (const std::int64_t raise : raises)
        if (!covers.raise(raise, over)) break;
    return covers.sum();
}

// What the rows cost at least, and how many combinations there was time and work for; `upper` is what labels over each that
// cover k are known to cost.
std::pair<std::int64_t, int> near_covers(const std::vector<std::tuple<Int32s, Int64s>>& given, const Int32s& values,
                                         const Int64s& rows, const Int64s& sizes, std::int64_t k, std::int64_t dearest,
                                         const Int64s& upper, const Int32s& near, std::int64_t work, int threads,
                                         double seconds) {
    const CoverTable table = cover_table_of(given, values, rows, sizes, {k}, dearest);
    if (upper.shape(0) != rows.shape(0) || upper.shape(1) != 1)
        throw std::invalid_argument("one cost per combination is needed");
    for (std::size_t i = 0; i < upper.size(); ++i)
        if (upper.data()[i] < 0) throw std::invalid_argument("a label has a negative cost");
    for (const CoverAxis& axis : table.axes)
        if (axis.levels > UINT8_MAX) throw std::invalid_argument("more than 255 levels");
    if (dearest >= NearCovers::kNever / 256 || table.axes.size() > 128)
        throw std::invalid_argument("labels cost too much to be added up");
    if (near.shape(0) != rows.shape(0) || near.shape(1) > INT32_MAX)
        throw std::invalid_argument("one row of near ones per combination is needed");
    for (std::size_t i = 0; i < near.size(); ++i)
        if (near.data()[i] < -1 || near.data()[i] >= static_cast<std::int64_t>(near.shape(0)))
            throw std::out_of_range("no such combination");
    nb::gil_scoped_release unlocked;
    const auto deadline = deadline_after(seconds);
    NearCovers covers(table, {upper.data(), upper.data() + upper.size()}, {near.data(), near.data() + near.size()},
                      static_cast<int>(near.shape(1)));
    return covers.run(work, few_threads(threads), [&] { return Clock::now() >= deadline; });
}

}  // namespace

void bind_covers(nb::module_& m) {
    m.def("cheapest_covers", &cheapest_covers, "axes"_a, "values"_a, "rows"_a, "sizes"_a, "ks"_a, "dearest"_a,
          "threads"_a, "seconds"_a);
    m.def("near_covers", &near_covers, "axes"_a, "values"_a, "rows"_a, "sizes"_a, "k"_a, "dearest"_a, "upper"_a,
          "near"_a, "work"_a, "threads"_a, "seconds"_a);
    m.def("shared_covers", &shared_covers, "axes"_a, "values"_a, "rows"_a, "k"_a, "dearest"_a, "raises"_a, "work"_a,
          "seconds"_a);
}
