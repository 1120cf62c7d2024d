// The persons of a table's groups: those whose rows all lie in one group as counts, and the others one by one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/assert.hpp"

namespace shoal {

// alone[g] persons have all their rows in group g. Every other person is in `spread` with the groups of their rows, each
// once; the last of a person's has kLast added. Groups that merge hold the union of their persons, so a person whose
// groups all merge becomes a count: the higher a node, the fewer are listed.
struct People {
    static constexpr std::uint32_t kLast = 1u << 31;
    static constexpr std::ptrdiff_t kFew = 16;

    std::vector<std::int64_t> alone;
    std::vector<std::uint32_t> spread;
    bool counted = false;  // otherwise every row is a person, and nothing is listed

    std::size_t length() const { return spread.size(); }
    std::size_t bytes() const { return alone.size() * sizeof(std::int64_t) + spread.size() * sizeof(std::uint32_t); }

    // How many persons each group has.
    void count(std::vector<std::int64_t>& sizes) const {
        sizes = alone;
        for (std::uint32_t group : spread) ++sizes[group & ~kLast];
    }

    // The persons of fewer groups, where of[g] is what group g becomes a part of.
    void roll_up(const std::vector<std::uint32_t>& of, std::size_t groups, People& out) const {
        SHOAL_ASSERT(of.size() == alone.size());
        out.counted = true;
        out.alone.assign(groups, 0);
        for (std::size_t g = 0; g < alone.size(); ++g) out.alone[of[g]] += alone[g];
        out.spread.resize(spread.size());
        std::uint32_t* begin = out.spread.data();
        std::uint32_t* end = begin;
        for (std::uint32_t group : spread) {
            // Most persons have few groups, for which looking at all is quicker than sorting.
            const std::uint32_t merged = of[group & ~kLast];
            if (end - begin > kFew || std::find(begin, end, merged) == end) *end++ = merged;
            if (!(group & kLast)) continue;
            if (end - begin > kFew) {
                std::sort(begin, end);
                end = std::unique(begin, end);
            }
            if (end - begin == 1) {
                ++out.alone[*begin];
                end = begin;
            } else {
                end[-1] |= kLast;
                begin = end;
            }
        }
        out.spread.resize(static_cast<std::size_t>(end - out.spread.data()));
    }
};

}  // namespace shoal
