// The Python face of the kernels that say who stands out.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "common/arrays.hpp"
#include "common/hearing.hpp"
#include "risk/suda.hpp"

using namespace nb::literals;
using namespace shoal;

namespace {

using Scored = std::tuple<Array<double>, Array<double>, Array<std::int32_t>, std::vector<std::int64_t>>;

// Scores by combination, their parts by attribute, the sizes of the smallest minimal uniques, and how many there are.
Scored suda(const Int32s& codes, const Int64s& counts, const std::vector<double>& scores, int threads,
            std::size_t mark_words) {
    const std::size_t rows = codes.shape(0), attributes = codes.shape(1);
    const bool owned = counts.shape(1) == 2;
    if (counts.shape(0) != rows || counts.shape(1) < 1 || counts.shape(1) > 2)
        throw std::invalid_argument("one row of codes and one count per combination are needed, and maybe who has it");
    if (attributes == 0 || attributes > 64) throw std::invalid_argument("1 to 64 attributes are needed");
    if (scores.empty() || scores.size() > attributes)
        throw std::invalid_argument("one score per size is needed, for sizes up to the number of attributes");
    for (double score : scores)
        if (!std::isfinite(score) || score < 0) throw std::invalid_argument("a score is a number from 0");
    if (rows > 0x7FFFFFFE) throw std::invalid_argument("more than 2,147,483,646 combinations");
    std::int32_t most = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        if (counts(i, 0) < 1) throw std::invalid_argument("a combination has no row");
        if (owned && (counts(i, 1) < 0 || counts(i, 1) >= kSeveral)) throw std::out_of_range("no such person");
    }
    for (std::size_t i = 0; i < codes.size(); ++i) {
        if (codes.data()[i] < -1 || codes.data()[i] > 0x7FFFFFFE - 1) throw std::out_of_range("no such code");
        most = std::max(most, codes.data()[i]);
    }
    // Each code has a place in a table while classes are split.
    if (most > 0 && static_cast<std::size_t>(most) > 4 * rows + 1024)
        throw std::invalid_argument("the codes are far apart; number the values of each attribute from 0");
    const AttributeSets sets(static_cast<int>(attributes), static_cast<int>(scores.size()));
    SudaScores found;
    {
        nb::gil_scoped_release unlocked;
        const auto search = [&](auto suda) { return suda.run(few_threads(threads), hearing()); };
        const auto run = [&](auto code) {
            using Code = decltype(code);
            if (owned) return search(Suda<Code, true>(codes.data(), counts.data(), rows, sets, scores, mark_words));
            return search(Suda<Code>(codes.data(), counts.data(), rows, sets, scores, mark_words));
        };
        found = most < 0xFE ? run(std::uint8_t{}) : most < 0xFFFE ? run(std::uint16_t{}) : run(std::uint32_t{});
    }
    return {own(std::move(found.score), rows, 1), own(std::move(found.part), rows, attributes),
            own(std::move(found.smallest), rows, 1), std::move(found.by_size)};
}

}  // namespace

void bind_risk(nb::module_& m) {
    m.def("suda", &suda, "codes"_a, "counts"_a, "scores"_a, "threads"_a = 1,
          "mark_words"_a = Suda<std::uint8_t>::kMarkWords);
}
