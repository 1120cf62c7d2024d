// Two ways to a good cut without a proof: annealing, and descents from several ends.
#pragma once

#include <cmath>
#include <functional>
#include <random>

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
                if (walk_.better(cost, best_)) {
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
        if (cost.forbidden != walk_.cost().forbidden || walk_.excess(cost) != walk_.excess(walk_.cost()))
            return walk_.better(cost, walk_.cost());
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

// A good cut to start from, and the premium on what is lost (cuts/bounds.hpp) near which its limit begins to bind; 0
// where it does not.
struct GoodStart {
    CutMarks marks;
    std::int64_t premium = 0;
};

// Descents from the most general and the most specific cut, then from the best with a few random steps away, `kicks`
// times. Where there is a limit of what may be lost, the first descents go without it, at premiums that come closer and
// closer to the one from which on it is kept; from where each ends, one goes on with the limit.
template <class Count>
class StartSearch {
  public:
    StartSearch(CutWalk<Count>& walk, const Rules& rules, std::function<bool()> over)
        : walk_(walk), rules_(rules), over_(std::move(over)), best_{0, 0, 0} {}

    GoodStart operator()(std::uint64_t seed, int kicks) {
        std::mt19937_64 random(seed);
        try_ends();
        if (rules_.limited() && walk_.excess(without_limit(0)) > 0) find_premium();
        kick(random, kicks);
        return found_;
    }

    // The same from the answer to a question that was a little easier.
    GoodStart go_on(const GoodStart& before, std::uint64_t seed, int kicks) {
        std::mt19937_64 random(seed);
        walk_.go_to(before.marks);
        descend(true);
        walk_.go_to(CutMarks(before.marks.size(), 0));
        descend(true);
        const std::int64_t premium = rules_.limited() ? std::min(before.premium, most_premium()) : 0;
        if (rules_.limited() && walk_.excess(without_limit(premium)) > 0) {
            std::int64_t high = raised(premium);
            while (walk_.excess(without_limit(high)) > 0 && high < most_premium() && !over_()) high = raised(high);
            found_.premium = high;
        } else {
            found_.premium = premium;
        }
        kick(random, kicks);
        return found_;
    }

  private:
    static constexpr int kBisections = 4;
    static constexpr std::int64_t kMostPremium = 64;  // times what the metric says

    void kick(std::mt19937_64& random, int kicks) {
        for (int kick = 0; kick < kicks && !over_(); ++kick) {
            walk_.go_to(found_.marks);
            for (int step = 0; step < 3; ++step) {
                const std::size_t down = walk_.down().size(), all = down + walk_.up().size();
                if (all == 0) return;
                const std::size_t pick = random() % all;
                pick >= down ? walk_.step_up(walk_.up()[pick - down]) : walk_.step_down(walk_.down()[pick]);
            }
            descend(kick % 2 == 0);
        }
    }

    std::int64_t each() const {
        return std::max<std::int64_t>(1, rules_.blanks() ? rules_.value_cost : rules_.record_cost);
    }
    std::int64_t most_premium() const {
        const std::int64_t room = kNever / 4 / std::max<std::int64_t>(1, rules_.rows * std::max(1, rules_.columns));
        return std::min(kMostPremium * each(), std::max<std::int64_t>(0, room - each()));
    }
    std::int64_t raised(std::int64_t premium) const {
        return std::min(most_premium(), premium + premium / 4 + each() / 4 + 1);
    }

    void descend(bool largest_first) {
        walk_.descend(largest_first, over_);
        if (!found_.marks.empty() && !walk_.better(walk_.cost(), best_)) return;
        best_ = walk_.cost();
        found_.marks = walk_.marks();
    }

    void try_ends() {
        const std::size_t nodes = walk_.marks().size();
        walk_.go_to(CutMarks(nodes, 0));
        descend(true);
        walk_.go_to(CutMarks(nodes, 1));
        descend(false);
    }

    // Where descents with a premium in the place of the limit end; goes on from there with the limit.
    CutCost without_limit(std::int64_t premium) {
        const std::size_t nodes = walk_.marks().size();
        CutCost least;
        CutMarks at;
        walk_.set_premium(premium);
        for (const bool general : {true, false}) {
            walk_.go_to(CutMarks(nodes, general ? 0 : 1));
            walk_.descend(general, over_);
            if (!at.empty() && !walk_.better(walk_.cost(), least)) continue;
            least = walk_.cost();
            at = walk_.marks();
        }
        walk_.set_premium(-1);
        walk_.go_to(at);
        descend(true);
        return least;
    }

    void find_premium() {
        const std::int64_t most = most_premium();
        std::int64_t low = 0, high = std::min(each(), most);
        while (walk_.excess(without_limit(high)) > 0 && high < most && !over_()) {
            low = high;
            high = std::min(most, 2 * high);
        }
        for (int step = 0; step < kBisections && !over_(); ++step) {
            const std::int64_t middle = low + (high - low) / 2;
            (walk_.excess(without_limit(middle)) > 0 ? low : high) = middle;
        }
        found_.premium = high;
    }

    CutWalk<Count>& walk_;
    const Rules& rules_;
    std::function<bool()> over_;
    CutCost best_;
    GoodStart found_;
};

}  // namespace shoal
