// What a search is asked for, and its parts that threads hand to one another.
#pragma once

#include "cuts/groups.hpp"

namespace shoal {

struct SearchOptions {
    int keep = 1;            // how many of the best cuts are kept
    std::int64_t slack = 0;  // see Incumbents
    bool ascending = false;  // the reverse of the paper's order of values
    bool update = true;      // whether bounds are updated on backtracking
    bool learn = true;       // whether the order follows what values have added to the bounds
    Techniques techniques;
};

// A part of the search on its own, ready to be taken up by any thread.
template <class Count>
struct Task {
    typename Groups<Count>::Packed groups;
    std::vector<int> open;
    std::vector<int> specialized;
    std::int64_t bound = 0;
};

}  // namespace shoal
