// A frame of the search: a cut whose values are open or locked, and what is known of its groups together.
#pragma once

#include "common/assert.hpp"
#include "cuts/groups.hpp"

namespace shoal {

enum class Phase { New, First, Done };

template <class Count>
struct CutFrame {
    typename Groups<Count>::Mark mark;  // its groups are listed from here
    std::size_t end = 0;                // to here
    std::vector<int> open;
    std::int64_t sum = 0;         // of the groups' bounds, less what the premium counts twice (cuts/bounds.hpp)
    std::int64_t bound = 0;       // the same, or that of a frame above where it is more
    std::int64_t cost = 0;        // of the groups that are allowed
    std::int64_t forbidden = 0;   // groups that are not
    std::int64_t kept = 0;        // rows that are released
    std::int64_t lost = 0;        // rows that are deleted, or values blanked
    std::int64_t least_lost = 0;  // the same at least, in every cut ahead
    std::int64_t alive = 0;       // groups of which some can be
    bool never = false;           // whether no cut ahead is allowed
    bool specialized = false;     // whether it is a first child
    int value = -1;               // which its children specialize, or lock
    Phase phase = Phase::New;

    // A child before its groups are worked out, which will be listed from the mark on.
    CutFrame child(const Trees& trees, const typename Groups<Count>::Mark& from, bool specializes) const {
        CutFrame child;
        child.mark = from;
        child.specialized = specializes;
        child.sum = sum;
        child.cost = cost;
        child.forbidden = forbidden;
        child.kept = kept;
        child.lost = lost;
        child.least_lost = least_lost;
        child.alive = alive;
        for (int v : open)
            if (v != value) child.open.push_back(v);
        if (specializes)
            for (int c : trees.children[value])
                if (!trees.leaf(c)) child.open.push_back(c);
        return child;
    }

    void count_in(const Group& group) {
        never = never || group.bound >= kNever;
        sum += group.bound;
        kept += group.kept;
        lost += group.lost;
        least_lost += group.least_lost;
        alive += group.alive;
        if (group.cost >= kNever)
            ++forbidden;
        else
            cost += group.cost;
    }

    void count_out(const Group& group) {
        sum -= group.bound;
        kept -= group.kept;
        lost -= group.lost;
        least_lost -= group.least_lost;
        alive -= group.alive;
        if (group.cost >= kNever)
            --forbidden;
        else
            cost -= group.cost;
        SHOAL_ASSERT(kept >= 0 && alive >= 0 && forbidden >= 0);
    }
};

}  // namespace shoal
