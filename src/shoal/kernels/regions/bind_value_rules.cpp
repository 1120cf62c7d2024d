// The Python face of rules about the sensitive values of groups.
#include <nanobind/stl/vector.h>

#include "common/arrays.hpp"
#include "lattice/read_edges.hpp"
#include "regions/value_rules.hpp"

using namespace nb::literals;
using namespace shoal;

namespace {

ValueRules rules_of(const Int64s& counts) {
    if (!counts.shape(1)) throw std::invalid_argument("no values are counted");
    // Sums of any columns fit.
    sum_of(counts.data(), counts.size());
    return {{counts.data(), counts.data() + counts.size()}, counts.shape(1)};
}

std::vector<int> columns_of(const ValueRules& rules, const std::vector<int>& columns) {
    for (const int column : columns)
        if (column < 0 || static_cast<std::size_t>(column) >= rules.width()) throw std::out_of_range("no such column");
    return columns;
}

void add_share(ValueRules& rules, int column, const std::vector<int>& of, std::int64_t num, std::int64_t den) {
    if (num < 0 || den < 1) throw std::invalid_argument("no such share");
    columns_of(rules, {column});
    rules.add_share(column, columns_of(rules, of), num, den);
}

void add_close(ValueRules& rules, std::size_t first, const Int32s& edges, const std::vector<std::int64_t>& lengths,
               std::int64_t num, std::int64_t den) {
    const std::size_t values = edges.shape(1);
    if (first > rules.width() || values > rules.width() - first) throw std::out_of_range("no such column");
    const std::int64_t rows = rules.rows(first, values);
    if (rows > INT32_MAX) throw std::invalid_argument("the counts add up to too many rows");
    // Sums of products of two numbers of rows are times no more than this.
    const std::int64_t most = (std::int64_t{1} << 62) / (rows + 1) / (rows + 1);
    if (num < 0 || den < 1) throw std::invalid_argument("no such distance");
    if (num > most) throw std::invalid_argument("the distance has too many digits");
    rules.add_close(first, values, edges_of(edges, lengths, values, most), num, den);
}

Array<bool> judged(const ValueRules& rules, const Int32s& members, const Int64s& begins, const Int64s& ends) {
    const std::size_t n = members.shape(0), groups = begins.shape(0);
    if (members.shape(1) != 1 || begins.shape(1) != 1 || ends.shape(1) != 1 || ends.shape(0) != groups)
        throw std::invalid_argument("one begin and one end per group are needed");
    for (std::size_t i = 0; i < n; ++i)
        if (members.data()[i] < 0 || static_cast<std::size_t>(members.data()[i]) >= rules.size())
            throw std::out_of_range("no such combination");
    for (std::size_t g = 0; g < groups; ++g)
        if (begins.data()[g] < 0 || ends.data()[g] < begins.data()[g] || ends.data()[g] > static_cast<std::int64_t>(n))
            throw std::out_of_range("no such range");
    const std::vector<char> kept = rules({members.data(), members.data() + n}, {begins.data(), begins.data() + groups},
                                         {ends.data(), ends.data() + groups});
    auto* held = new bool[std::max<std::size_t>(groups, 1)];
    std::copy(kept.begin(), kept.end(), held);
    nb::capsule owner(held, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
    return Array<bool>(held, {groups, 1}, owner);
}

}  // namespace

void bind_value_rules(nb::module_& m) {
    nb::class_<ValueRules>(m, "ValueRules")
        .def(
            "__init__", [](ValueRules* self, const Int64s& counts) { new (self) ValueRules(rules_of(counts)); },
            "counts"_a)
        .def(
            "add_distinct",
            [](ValueRules& rules, const std::vector<int>& columns, std::int64_t least) {
                rules.add_distinct(columns_of(rules, columns), least);
            },
            "columns"_a, "least"_a)
        .def("add_share", &add_share, "column"_a, "of"_a, "num"_a, "den"_a)
        .def("add_close", &add_close, "first"_a, "edges"_a, "lengths"_a, "num"_a, "den"_a)
        .def("judged", &judged, "members"_a, "begins"_a, "ends"_a);
}
