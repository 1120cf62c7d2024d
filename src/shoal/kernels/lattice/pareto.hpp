// Which of many points no other dominates.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "common/assert.hpp"

namespace shoal {

// Points of up to three numbers, all to be small; missing numbers count as 0. A point is dominated where another is
// no larger in any number and smaller in one; equal points do not dominate each other.
// In lexicographic order a point comes after all that dominate it. The stairs hold, of the points so far, the least
// third number for every second one, so one look tells whether one of them is no larger in both.
inline std::vector<std::uint8_t> undominated(const std::int64_t* points, std::size_t n, std::size_t width) {
    SHOAL_ASSERT(width >= 1 && width <= 3);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto compare = [&](std::size_t i, std::size_t j) {
        return std::lexicographical_compare(points + i * width, points + (i + 1) * width, points + j * width,
                                            points + (j + 1) * width);
    };
    std::sort(order.begin(), order.end(), compare);
    std::vector<std::uint8_t> kept(n, 0);
    std::map<std::int64_t, std::int64_t> stairs;
    for (std::size_t at = 0; at < n; ++at) {
        const std::size_t i = order[at];
        if (at > 0 && !compare(order[at - 1], i)) {  // equal to the one before
            kept[i] = kept[order[at - 1]];
            continue;
        }
        const std::int64_t second = width > 1 ? points[i * width + 1] : 0,
                           third = width > 2 ? points[i * width + 2] : 0;
        auto after = stairs.upper_bound(second);
        if (after != stairs.begin() && std::prev(after)->second <= third) continue;
        kept[i] = 1;
        while (after != stairs.end() && after->second >= third) after = stairs.erase(after);
        stairs[second] = third;
    }
    return kept;
}

}  // namespace shoal
