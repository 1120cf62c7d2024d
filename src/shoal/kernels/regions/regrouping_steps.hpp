// The steps of annealing by which groups are changed.
#pragma once

#include "regions/regrouping.hpp"

namespace shoal {

// A combination goes to the group of a neighbour, or changes places with a member of it, or is replaced by another, or
// draws the neighbour into its own group; two groups are divided anew; now and then a group is divided, or its members all
// go elsewhere.
inline void Regrouping::step(std::int32_t c, double temperature) {
    const int g = of_[c];
    if (++taken_ % kWhole == 0) {
        const Group& group = groups_[g];
        if (group.members.size() < 2 || group.members.size() > kSmall) return;
        if (group.size >= 2 * k_) return divide(g, -1, chance(temperature));
        if (taken_ % kDissolved == 0) dissolve(g, chance(temperature));
        return;
    }
    if (groups_[g].cost == 0 && below(8)) return;
    const std::int32_t x = neighbour(c);
    if (x < 0 || of_[x] == g) return;
    const int h = of_[x];
    const double most = chance(temperature);
    const std::size_t kind = below(64);
    const bool spare = spares(c);
    if (kind < (spare ? kParted : kPartedAlone)) {
        if (groups_[g].members.size() + groups_[h].members.size() <= kSmall) divide(g, h, most);
        return;
    }
    Edit edits[2] = {{h, -1, c}, {g, c, -1}};
    if (spare) {
        edit(edits, 2, most);
    } else if (kind % 8 < 2) {
        edits[1].in = edits[0].out = groups_[h].members[below(groups_[h].members.size())];
        edit(edits, 2, most);
    } else if (kind % 8 < 6) {
        replace(c, g, h, most);
    } else if (spares(x)) {
        Edit drawn[2] = {{g, -1, x}, {h, x, -1}};
        edit(drawn, 2, most);
    }
}

// Sends a combination to another group and takes a neighbour of one that stays instead, from whichever group can spare it.
inline void Regrouping::replace(std::int32_t c, int g, int h, double most) {
    const std::int32_t other = groups_[g].members[below(groups_[g].members.size())];
    if (other == c) return;
    const std::int32_t d = neighbour(other);
    if (d < 0 || of_[d] == g) return;
    const int from = of_[d];
    Edit edits[3] = {{h, -1, c}, {g, c, d}, {from, d, -1}};
    if (from == h) {
        edits[0].out = d;
        edit(edits, 2, most);
    } else if (spares(d)) {
        edit(edits, 3, most);
    }
}

// Edits groups if that costs at most so much more and all of them are good then.
inline bool Regrouping::edit(Edit* edits, int many, double most) {
    double left = most;
    for (Edit* one = edits; one < edits + many; ++one) {
        const Group& group = groups_[one->group];
        left += static_cast<double>(group.cost);
        // A group that loses its only member is empty; of persons, this is no more than what may be.
        const std::int64_t gone = one->out < 0 ? 0 : regions_.least(one->out);
        const std::int64_t come = one->in < 0 ? 0 : regions_.most(one->in);
        if (one->out >= 0 && group.size - gone + come < k_ && (one->in >= 0 || group.members.size() > 1)) return false;
    }
    for (Edit* one = edits; one < edits + many; ++one)
        if ((left -= static_cast<double>(one->cost = cost_of(*one))) < 0) return false;
    if (allowed_ || regions_.persons().counted()) {
        used_ = 0;
        for (const Edit* one = edits; one < edits + many; ++one) {
            auto& members = change(one->group, true);
            if (one->out >= 0) members.erase(std::find(members.begin(), members.end(), one->out));
            if (one->in >= 0) members.push_back(one->in);
        }
        if (!all_good()) return false;
    }
    for (const Edit* one = edits; one < edits + many; ++one) {
        auto& members = groups_[one->group].members;
        if (one->out >= 0) {
            *std::find(members.begin(), members.end(), one->out) = members.back();
            members.pop_back();
        }
        if (one->in >= 0) {
            members.push_back(one->in);
            of_[one->in] = one->group;
        }
        if (members.empty()) free_.push_back(one->group);
        measure(one->group);
        SHOAL_ASSERT(members.empty() || groups_[one->group].size >= k_);
        SHOAL_ASSERT(groups_[one->group].cost == one->cost);
    }
    return true;
}

// The new members of a group, to be filled in; until `accept` nothing is changed.
inline std::vector<std::int32_t>& Regrouping::change(int group, bool keep) {
    if (used_ == changes_.size()) changes_.emplace_back();
    Change& change = changes_[used_++];
    change.group = group;
    change.members.clear();
    if (keep) change.members = groups_[group].members;
    return change.members;
}

// Carries the changes out if all changed groups are good.
inline bool Regrouping::accept() {
    if (!all_good()) return false;
    for (std::size_t i = 0; i < used_; ++i) {
        const int g = changes_[i].group;
        std::swap(groups_[g].members, changes_[i].members);
        if (groups_[g].members.empty()) free_.push_back(g);
        for (const std::int32_t c : groups_[g].members) of_[c] = g;
        measure(g);
        SHOAL_ASSERT(groups_[g].members.empty() || groups_[g].size >= k_);
    }
    return true;
}

inline bool Regrouping::all_good() {
    std::vector<std::int32_t> members;
    std::vector<std::int64_t> begins, ends;
    for (std::size_t i = 0; i < used_; ++i) {
        const auto& mine = changes_[i].members;
        if (mine.empty()) continue;
        if (regions_.persons().counted()) {
            if (size_of(mine) < k_) return false;
        } else {
            std::int64_t rows = 0;
            for (const std::int32_t c : mine) rows += regions_.rows(c);
            if (rows < k_) return false;
        }
        if (!allowed_) continue;
        begins.push_back(static_cast<std::int64_t>(members.size()));
        members.insert(members.end(), mine.begin(), mine.end());
        ends.push_back(static_cast<std::int64_t>(members.size()));
    }
    if (!allowed_) return true;
    const std::vector<char> kept = allowed_(members, begins, ends);
    return std::all_of(kept.begin(), kept.end(), [](char one) { return one != 0; });
}

// Divides the members of a group, or of two, among two groups, each grown from a random seed: one by one in random order
// they go where they cost less, or where k is still to be reached, each person counted as often as they have combinations
// there. A group of -1 is a new one.
inline void Regrouping::divide(int g, int h, double most) {
    auto& members = members_;
    members = groups_[g].members;
    double left = most + static_cast<double>(groups_[g].cost);
    if (h >= 0) {
        members.insert(members.end(), groups_[h].members.begin(), groups_[h].members.end());
        left += static_cast<double>(groups_[h].cost);
    }
    const std::size_t n = members.size();
    std::swap(members[0], members[below(n)]);
    std::swap(members[1], members[1 + below(n - 1)]);
    for (std::size_t i = n - 1; i > 2; --i) std::swap(members[i], members[2 + below(i - 1)]);
    std::int64_t rows[2], size[2], rest = 0;
    sides_of_.resize(n);
    for (int side = 0; side < 2; ++side) {
        sides_.begin(side, members[side]);
        rows[side] = regions_.rows(members[side]);
        size[side] = regions_.most(members[side]);
        sides_of_[side] = static_cast<char>(side);
    }
    for (std::size_t i = 2; i < n; ++i) rest += regions_.most(members[i]);
    for (std::size_t i = 2; i < n; ++i) {
        const std::int64_t own = regions_.rows(members[i]);
        std::int64_t more[2];
        rest -= regions_.most(members[i]);
        for (int side = 0; side < 2; ++side)
            more[side] = (rows[side] + own) * sides_.with(side, members[i]) - rows[side] * sides_.price(side);
        int side = more[1] < more[0];
        if (size[1 - side] + rest < k_) side = 1 - side;
        sides_.take(side);
        rows[side] += own;
        size[side] += regions_.most(members[i]);
        sides_of_[i] = static_cast<char>(side);
    }
    if (size[0] < k_ || size[1] < k_) return;
    if (left < static_cast<double>(rows[0] * sides_.price(0) + rows[1] * sides_.price(1))) return;
    const bool fresh = h < 0;
    if (!fresh) {
        bool same = of_[members[0]] != of_[members[1]];
        for (std::size_t i = 2; same && i < n; ++i) same = of_[members[i]] == of_[members[sides_of_[i]]];
        if (same) return;
    }
    if (fresh) {
        if (free_.empty()) {
            free_.push_back(static_cast<int>(groups_.size()));
            groups_.emplace_back();
            widen();
        }
        h = free_.back();
    }
    used_ = 0;
    change(g, false);
    change(h, false);
    for (std::size_t i = 0; i < n; ++i) changes_[sides_of_[i]].members.push_back(members[i]);
    if (accept() && fresh) free_.pop_back();
}

// Sends every member of a group to the neighbouring group that it costs least.
inline void Regrouping::dissolve(int g, double most) {
    used_ = 0;
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
            const int h = of_[x];
            if (h == g || h == last) continue;
            last = h;
            std::size_t i = 1;
            while (i < used_ && changes_[i].group != h) ++i;
            std::int64_t more;
            if (i < used_) {
                measure_slowly(changes_[i].members, -1, c);
                more = extent_.cost() - changes_[i].cost;
            } else {
                more = cost_of({h, -1, c}) - groups_[h].cost;
            }
            if (more < least) {
                least = more;
                target = i;
                best = h;
            }
        }
        if (best < 0 || (left -= static_cast<double>(least)) < 0) return;
        if (target == used_) {
            change(best, true);
            changes_[target].cost = groups_[best].cost;
        }
        changes_[target].members.push_back(c);
        changes_[target].cost += least;
    }
    accept();
}

}  // namespace shoal
