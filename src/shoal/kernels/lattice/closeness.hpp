// How far the values of groups are from those of all groups together, by distances on a tree of values.
//
// The distance is a sum over the tree's edges: length / unit times the difference of the shares beyond the edge.
// `edges` says for each level of the tree, and each value, beyond which of its edges the value is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/assert.hpp"

namespace shoal {

// Counts of values, one row a group; rows may lie apart, as parts of a wider table do.
struct GroupCounts {
    const std::int64_t* first;
    std::int64_t stride;
    std::size_t groups, values;

    const std::int64_t* at(std::size_t g) const { return first + static_cast<std::int64_t>(g) * stride; }
};

struct Edges {
    std::vector<std::int32_t> of;  // levels times values; -1 where a value is beyond no edge of the level
    std::size_t levels;
    std::vector<std::int64_t> lengths;

    // Adds up what is beyond each edge.
    void sum(const std::int64_t* counts, std::size_t values, std::vector<std::int64_t>& beyond) const {
        std::fill(beyond.begin(), beyond.end(), 0);
        for (std::size_t level = 0; level < levels; ++level)
            for (std::size_t v = 0; v < values; ++v)
                if (const std::int32_t edge = of[level * values + v]; edge >= 0) beyond[edge] += counts[v];
    }
};

// All groups together.
struct AllGroups {
    std::vector<std::int64_t> beyond;
    std::int64_t rows = 0;

    AllGroups(const GroupCounts& counts, const Edges& edges) : beyond(edges.lengths.size()) {
        std::vector<std::int64_t> all(counts.values, 0);
        for (std::size_t g = 0; g < counts.groups; ++g)
            for (std::size_t v = 0; v < counts.values; ++v) all[v] += counts.at(g)[v];
        for (const std::int64_t count : all) rows += count;
        edges.sum(all.data(), counts.values, beyond);
    }
};

// Whether the counts of a group are within num / den of all, which is t times the unit; the caller sees to it that nothing
// overflows, and gives room for what is beyond each edge.
//
// In whole numbers: the sum of length * |beyond * rows - all beyond * size| is at most num * size * rows / den. The sum
// only grows, so it ends at the first edge that makes it too large.
inline bool near(const std::int64_t* counts, std::size_t values, const Edges& edges, const AllGroups& all,
                 std::int64_t num, std::int64_t den, std::vector<std::int64_t>& beyond) {
    std::int64_t size = 0, moved = 0;
    for (std::size_t v = 0; v < values; ++v) size += counts[v];
    beyond.resize(edges.lengths.size());
    edges.sum(counts, values, beyond);
    const std::int64_t most = num * size * all.rows / den;
    for (std::size_t e = 0; e < beyond.size() && moved <= most; ++e)
        moved += edges.lengths[e] * std::abs(beyond[e] * all.rows - all.beyond[e] * size);
    return moved <= most;
}

// Which groups are within num / den of all of them.
inline std::vector<std::uint8_t> within(const GroupCounts& counts, const Edges& edges, std::int64_t num,
                                        std::int64_t den) {
    const AllGroups all(counts, edges);
    std::vector<std::uint8_t> result(counts.groups);
    std::vector<std::int64_t> beyond;
    for (std::size_t g = 0; g < counts.groups; ++g)
        result[g] = near(counts.at(g), counts.values, edges, all, num, den, beyond);
    return result;
}

// How many rows of each group must go at least, whichever, so that the others are within `far` of all groups.
//
// Let c be a group, r what is left of it when s rows go, x_e the share of c beyond edge e and a_e that of all, and
// sign_e whether x_e >= a_e. r's distance is at least the sum of length_e * sign_e * (r's share beyond e - a_e): a sum
// over r's rows of what each row's value gives (g), divided by r's rows, less that sum over all rows (G). A row that
// goes takes away no more than the largest g of c. So with d, the distance of c: c * (d - far) <= s * (largest - G -
// far), and the bracket is at least d - far. Rounded down a little, so that no error of floats matters.
inline std::vector<std::int64_t> least_gone(const GroupCounts& counts, const Edges& edges, std::int64_t unit,
                                            double far) {
    constexpr double kNear = 1e-9, kPart = 1e-3;
    const AllGroups all(counts, edges);
    std::vector<std::int64_t> result(counts.groups, 0), beyond(edges.lengths.size());
    std::vector<double> signs(edges.lengths.size());
    const double per_row = 1.0 / static_cast<double>(std::max<std::int64_t>(all.rows, 1));
    for (std::size_t g = 0; g < counts.groups; ++g) {
        std::int64_t size = 0;
        for (std::size_t v = 0; v < counts.values; ++v) size += counts.at(g)[v];
        if (size == 0) continue;
        edges.sum(counts.at(g), counts.values, beyond);
        double distance = 0, whole = 0;
        const double each = 1.0 / static_cast<double>(size);
        for (std::size_t e = 0; e < beyond.size(); ++e) {
            const double share = static_cast<double>(all.beyond[e]) * per_row;
            const double more = static_cast<double>(beyond[e]) * each - share;
            const double length = static_cast<double>(edges.lengths[e]) / static_cast<double>(unit);
            signs[e] = more >= 0 ? length : -length;
            distance += signs[e] * more;
            whole += signs[e] * share;
        }
        if (distance - far <= 2 * kNear) continue;
        double largest = -1e300;
        for (std::size_t v = 0; v < counts.values; ++v) {
            if (counts.at(g)[v] == 0) continue;
            double given = 0;
            for (std::size_t level = 0; level < edges.levels; ++level)
                if (const std::int32_t edge = edges.of[level * counts.values + v]; edge >= 0) given += signs[edge];
            largest = std::max(largest, given);
        }
        const double part = (distance - far - kNear) / (largest - whole - far + kNear);
        result[g] = std::clamp<std::int64_t>(
            static_cast<std::int64_t>(std::ceil(part * static_cast<double>(size) - kPart)), 0, size);
    }
    return result;
}

}  // namespace shoal
