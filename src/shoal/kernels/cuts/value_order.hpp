// Which open value a search decides next. Every order reaches all cuts, and ties have one answer, so the order only
// makes the proof longer or shorter.
#pragma once

#include "cuts/trees.hpp"

namespace shoal {

class ValueOrder {
  public:
    ValueOrder(const Trees& trees, bool ascending)
        : trees_(trees), ascending_(ascending),
          seen_{std::vector<Seen>(trees.size()), std::vector<Seen>(trees.size())} {}

    // The open value with the most rows (Observation 4), or with the fewest.
    int most_rows(const std::vector<int>& open) const {
        int best = open[0];
        for (int v : open) {
            const bool more = trees_.rows[v] != trees_.rows[best] ? trees_.rows[v] > trees_.rows[best] : v < best;
            if (v != best && more != ascending_) best = v;
        }
        return best;
    }

    // Whether it was seen what specializing a value, or locking it, adds to the bound.
    bool seen(int v, bool specialized) const { return seen_[specialized][v].times > 0; }

    void see(int v, bool specialized, double rise) {
        seen_[specialized][v].rise += rise;
        seen_[specialized][v].times += 1;
    }

    // The open value of which both together have added the most, on average; all must have been seen. Locking counts
    // twice: of the 55 questions on Adult (benchmarks/lplus_questions.py) the hardest take fewer cuts so (LM with vioSA,
    // l = 6: 12,593 instead of 14,515), and all together no more.
    int most_rise(const std::vector<int>& open) const {
        int best = open[0];
        double most = -1;
        for (int v : open) {
            const double rise = 2 * seen_[0][v].average() + seen_[1][v].average();
            if (rise < most || (rise == most && v > best)) continue;
            best = v;
            most = rise;
        }
        return best;
    }

  private:
    struct Seen {
        double rise = 0;
        double times = 0;

        double average() const { return rise / times; }
    };

    const Trees& trees_;
    bool ascending_;
    std::vector<Seen> seen_[2];
};

}  // namespace shoal
