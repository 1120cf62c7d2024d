// Two ways to a good cut without a proof: annealing, and descents from several ends.
#pragma once

#include <cmath>
#include <random>

#include "common/deadline.hpp"
#include "cuts/walk.hpp"

namespace shoal {

// Simulated annealing (Kirkpatrick et al. 1983) over single steps, from the most general cut: a worse step is taken
// with probability exp(-increase / temperature), and the temperature falls by the same factor at every step.
template <class Count>
class Annealing {
  public:
    Annealing(CutWalk<Count>& walk, std::uint64_t seed, std::int64_t steps)
        : walk_(walk), random_(seed), left_(steps), best_(walk.cost()), best_marks_(walk.marks()) {
        const double cost = std::max<double>(1.0, static_cast<double>(walk.cost().cost));
        temperature_ = cost / 20;
        cooling_ = std::pow(1e-4, 1.0 / static_cast<double>(std::max<std::int64_t>(steps, 1)));
    }

    const CutCost& best() const { return best_; }
    const CutMarks& best_marks() const { return best_marks_; }

    // Takes up to so many steps; returns whether any are left.
    bool run(std::int64_t steps) {
        for (; steps > 0 && left_ > 0; --steps, --left_) {
            const std::size_t down = walk_.down().size(), all = down + walk_.up().size();
            if (all == 0) return false;
            const std::size_t pick = random_() % all;
            const bool is_up = pick >= down;
            const int v = is_up ? walk_.up()[pick - down] : walk_.down()[pick];
            const CutCost cost = is_up ? walk_.if_up(v) : walk_.if_down(v);
            if (accept(cost)) {
                is_up ? walk_.step_up(v) : walk_.step_down(v);
                if (cost < best_) {
                    best_ = cost;
                    best_marks_ = walk_.marks();
                }
            }
            temperature_ *= cooling_;
        }
        return left_ > 0;
    }

  private:
    bool accept(const CutCost& cost) {
        const double chance = static_cast<double>(random_() >> 11) * 0x1.0p-53;
        if (cost.forbidden != walk_.cost().forbidden) return cost.forbidden < walk_.cost().forbidden;
        const double increase = static_cast<double>(cost.cost - walk_.cost().cost);
        return increase <= 0 || chance < std::exp(-increase / temperature_);
    }

    CutWalk<Count>& walk_;
    std::mt19937_64 random_;
    std::int64_t left_;
    CutCost best_;
    CutMarks best_marks_;
    double temperature_;
    double cooling_;
};

// A good cut to start from: descents from the most general and the most specific cut, then from the best with a few
// random steps away, `kicks` times.
template <class Count>
CutMarks good_start(CutWalk<Count>& walk, std::uint64_t seed, int kicks, double seconds) {
    const auto deadline = deadline_after(seconds);
    std::mt19937_64 random(seed);
    walk.go_to(CutMarks(walk.marks().size(), 0));
    walk.descend(true, deadline);
    CutCost best = walk.cost();
    CutMarks marks = walk.marks();
    const auto keep = [&] {
        if (!(walk.cost() < best)) return;
        best = walk.cost();
        marks = walk.marks();
    };
    walk.go_to(CutMarks(marks.size(), 1));
    walk.descend(false, deadline);
    keep();
    for (int kick = 0; kick < kicks && Clock::now() < deadline; ++kick) {
        walk.go_to(marks);
        for (int step = 0; step < 3; ++step) {
            const std::size_t down = walk.down().size(), all = down + walk.up().size();
            if (all == 0) return marks;
            const std::size_t pick = random() % all;
            pick >= down ? walk.step_up(walk.up()[pick - down]) : walk.step_down(walk.down()[pick]);
        }
        walk.descend(kick % 2 == 0, deadline);
        keep();
    }
    return marks;
}

}  // namespace shoal
