// The steps of annealing by which groups are changed.
#pragma once

#include "regions/regrouping.hpp"

namespace shoal {

// Some combination goes to the group of a neighbour, or changes places with a member of it, or is replaced by another, or
// draws the neighbour into its own group; two groups are divided anew; now and then a group is divided, or its members all go elsewhere.
inline void Regrouping::step(double temperature) {
    const double chance = (static_cast<double>(random_() >> 11) + 1) * 0x1.0p-53;
    const double most = -std::log(chance) * temperature;
    const auto c = static_cast<std::int32_t>(below(of_.size()));
    const auto g = static_cast<int>(of_[c]);
    used_ = 0;
    if (taken_ % kWhole == 0) {
        const Group& group = groups_[g];
        if (group.members.size() < 2 || group.members.size() > kSmall) return;
        if (group.size < 2 * k_) return dissolve(g, most);
        std::vector<std::int32_t> members = group.members;
        return divide(members, g, -1, most);
    }
    if (groups_[g].cost == 0 && below(8)) return;
    const std::int32_t x = neighbour(c);
    if (x < 0 || of_[x] == g) return;
    const auto h = static_cast<int>(of_[x]);
    if (spares(c)) return relocate(c, g, h, most);
    const std::size_t kind = below(8);
    if (kind < 2) return swap(c, g, groups_[h].members[below(groups_[h].members.size())], h, most);
    if (kind < 5) return replace(c, g, h, most);
    if (kind < 7) {
        if (spares(x)) relocate(x, h, g, most);
        return;
    }
    if (groups_[g].members.size() + groups_[h].members.size() > kSmall) return;
    std::vector<std::int32_t> members = groups_[g].members;
    members.insert(members.end(), groups_[h].members.begin(), groups_[h].members.end());
    divide(members, g, h, most);
}

inline void Regrouping::relocate(std::int32_t c, int from, int to, double most) {
    change(to, true).push_back(c);
    remove(change(from, true), c);
    accept(most);
}

inline void Regrouping::swap(std::int32_t c, int g, std::int32_t d, int h, double most) {
    if (groups_[g].size - regions_.least(c) + regions_.most(d) < k_) return;
    if (groups_[h].size - regions_.least(d) + regions_.most(c) < k_) return;
    auto& mine = change(g, true);
    *std::find(mine.begin(), mine.end(), c) = d;
    auto& yours = change(h, true);
    *std::find(yours.begin(), yours.end(), d) = c;
    accept(most);
}

// Sends a combination to another group and takes a neighbour of one that stays instead, from whichever group can spare it.
inline void Regrouping::replace(std::int32_t c, int g, int h, double most) {
    const std::int32_t other = groups_[g].members[below(groups_[g].members.size())];
    const std::int32_t d = neighbour(other);
    if (other == c || d < 0 || of_[d] == g) return;
    const auto from = static_cast<int>(of_[d]);
    if (from == h) return swap(c, g, d, h, most);
    if (!spares(d) || groups_[g].size - regions_.least(c) + regions_.most(d) < k_) return;
    auto& mine = change(g, true);
    *std::find(mine.begin(), mine.end(), c) = d;
    change(h, true).push_back(c);
    remove(change(from, true), d);
    accept(most);
}

// Divides members among two groups, each grown from a random seed: one by one in random order they go where they cost
// less, or where k is still to be reached, each person counted as often as they have combinations there. A group of -1
// is a new one.
inline void Regrouping::divide(std::vector<std::int32_t>& members, int g, int h, double most) {
    std::swap(members[0], members[below(members.size())]);
    std::swap(members[1], members[1 + below(members.size() - 1)]);
    for (std::size_t i = members.size() - 1; i > 2; --i) std::swap(members[i], members[2 + below(i - 1)]);
    if (h < 0) {
        if (free_.empty()) {
            free_.push_back(static_cast<int>(groups_.size()));
            groups_.emplace_back();
        }
        h = free_.back();
    }
    const std::size_t stride = regions_.stride();
    std::vector<std::uint64_t> extents(4 * stride);
    std::uint64_t* extent[2] = {extents.data(), extents.data() + stride};
    std::uint64_t* grown[2] = {extents.data() + 2 * stride, extents.data() + 3 * stride};
    std::int64_t rows[2], size[2], left = 0;
    std::vector<std::int32_t>* part[2] = {nullptr, nullptr};
    change(g, false);
    change(h, false);
    for (int side = 0; side < 2; ++side) {
        part[side] = &changes_[side].to.members;
        regions_.clear(extent[side]);
        regions_.add(extent[side], members[side]);
        rows[side] = regions_.rows(members[side]);
        size[side] = regions_.most(members[side]);
        part[side]->push_back(members[side]);
    }
    for (std::size_t i = 2; i < members.size(); ++i) left += regions_.most(members[i]);
    for (std::size_t i = 2; i < members.size(); ++i) {
        const std::int64_t own = regions_.rows(members[i]);
        std::int64_t more[2];
        left -= regions_.most(members[i]);
        for (int side = 0; side < 2; ++side) {
            std::copy(extent[side], extent[side] + stride, grown[side]);
            regions_.add(grown[side], members[i]);
            more[side] = (rows[side] + own) * regions_.cost(grown[side]) - rows[side] * regions_.cost(extent[side]);
        }
        int side = more[1] < more[0];
        if (size[1 - side] + left < k_) side = 1 - side;
        std::swap(extent[side], grown[side]);
        rows[side] += own;
        size[side] += regions_.most(members[i]);
        part[side]->push_back(members[i]);
    }
    if (size[0] < k_ || size[1] < k_) return;
    if (accept(most) && !free_.empty() && free_.back() == h) free_.pop_back();
}

// Sends every member of a group to the neighbouring group that it costs least.
inline void Regrouping::dissolve(int g, double most) {
    change(g, false);
    double left = most + static_cast<double>(groups_[g].cost);
    for (const std::int32_t c : groups_[g].members) {
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        std::size_t target = 0;
        std::int64_t last = g;
        int best = -1;
        for (int j = 0; j < many_; ++j) {
            const std::int32_t x = neighbours_[std::size_t(c) * many_ + j];
            if (x < 0) break;
            const std::int64_t h = of_[x];
            if (h == g || h == last) continue;
            last = h;
            std::size_t i = 1;
            while (i < used_ && changes_[i].group != h) ++i;
            const Group& group = i < used_ ? changes_[i].to : groups_[h];
            extent_.clear();
            for (const std::int32_t member : group.members) extent_.add(member);
            extent_.add(c);
            const std::int64_t more = extent_.cost() - group.cost;
            if (more < least) {
                least = more;
                target = i;
                best = static_cast<int>(h);
            }
        }
        if (best < 0 || (left -= static_cast<double>(least)) < 0) return;
        if (target == used_) {
            change(best, true);
            changes_[target].to.cost = groups_[best].cost;
        }
        changes_[target].to.members.push_back(c);
        changes_[target].to.cost += least;
    }
    accept(most);
}

}  // namespace shoal
