// Groups that are changed one by one until they cost less: merging from single combinations, and annealing.
#pragma once

#include <cmath>
#include <functional>
#include <queue>
#include <random>
#include <tuple>

#include "common/assert.hpp"
#include "regions/regions.hpp"

namespace shoal {

// A partition of the combinations into groups. `neighbours` has one row of `many` combinations (or -1) for each: only
// groups of neighbours are tried. A group is good if it has k rows, or persons where those are counted, and is allowed;
// a change that makes a group of another kind is refused.
class Regrouping {
  public:
    Regrouping(const Regions& regions, const std::vector<std::int64_t>& groups, std::int64_t k,
               std::vector<std::int32_t>&& neighbours, int many, std::uint64_t seed, Allowed allowed)
        : regions_(regions), k_(k), neighbours_(std::move(neighbours)), many_(many), random_(seed),
          allowed_(std::move(allowed)), extent_(regions), of_(groups) {
        std::int64_t count = 0;
        for (const std::int64_t group : groups) count = std::max(count, group + 1);
        groups_.resize(count);
        for (int c = 0; c < regions.size(); ++c) groups_[of_[c]].members.push_back(c);
        for (Group& group : groups_) measure(group);
        for (std::size_t g = 0; g < groups_.size(); ++g)
            if (groups_[g].members.empty()) free_.push_back(static_cast<int>(g));
    }

    const std::vector<std::int64_t>& groups() const { return of_; }

    std::int64_t cost() const {
        std::int64_t sum = 0;
        for (const Group& group : groups_) sum += group.cost;
        return sum;
    }

    // Merges groups that are not good, each time the pair whose merging costs least, until all are good; a group without
    // neighbours outside of it is merged with the cheapest of its block. False where the only group of a block is not good.
    // Once `over` says so, those that are not good are merged as they come.
    bool gather(const std::function<bool()>& over = {});

    // Takes so many steps of annealing (Kirkpatrick et al. 1983): a change that costs more is made with probability
    // exp(-more / temperature). The temperature, in shares of what a costly group costs on average at first, falls from
    // one to the other by the same factor at every step; where the last is 0 only what costs no more is done. Returns how
    // many steps were taken until `over` said so.
    std::int64_t run(std::int64_t steps, double warm, double cold, const std::function<bool()>& over = {}) {
        if (heat_ < 0) {
            const auto costly =
                std::count_if(groups_.begin(), groups_.end(), [](const Group& g) { return g.cost > 0; });
            heat_ = static_cast<double>(cost()) / std::max(1.0, static_cast<double>(costly));
        }
        if (many_ == 0 || of_.empty()) return steps;
        double temperature = cold > 0 ? warm * heat_ : 0;
        const double cooling = cold > 0 ? std::pow(cold / warm, 1.0 / static_cast<double>(steps)) : 0;
        for (std::int64_t done = 0; done < steps; ++done, ++taken_, temperature *= cooling) {
            if (done % kEvery == 0 && over && over()) return done;
            step(temperature);
        }
        return steps;
    }

  private:
    struct Group {
        std::vector<std::int32_t> members;
        std::int64_t size = 0, cost = 0;
    };
    struct Change {
        int group;
        Group to;
    };

    void measure(Group& group) {
        extent_.clear();
        for (const std::int32_t c : group.members) extent_.add(c);
        group.size = extent_.size();
        group.cost = extent_.cost();
    }

    std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }

    // A neighbour by chance, sooner a near one, or -1.
    std::int32_t neighbour(std::int32_t c) {
        return neighbours_[std::size_t(c) * many_ + std::min(below(many_), below(many_))];
    }

    // Whether the group of a combination has k rows without it, or nothing else; of persons, whether it may have k.
    bool spares(std::int32_t c) const {
        const Group& group = groups_[of_[c]];
        return group.members.size() == 1 || group.size - regions_.least(c) >= k_;
    }

    // The new members of a group, to be filled in; until `accept` nothing is changed.
    std::vector<std::int32_t>& change(int group, bool keep) {
        if (used_ == changes_.size()) changes_.emplace_back();
        Change& change = changes_[used_++];
        change.group = group;
        change.to.members.clear();
        if (keep) change.to.members = groups_[group].members;
        return change.to.members;
    }

    // Carries the changes out if they cost at most so much more and all changed groups are good.
    bool accept(double most) {
        double left = most;
        for (std::size_t i = 0; i < used_; ++i) left += static_cast<double>(groups_[changes_[i].group].cost);
        for (std::size_t i = 0; i < used_; ++i) {
            measure(changes_[i].to);
            left -= static_cast<double>(changes_[i].to.cost);
            if (left < 0 || (!changes_[i].to.members.empty() && changes_[i].to.size < k_)) return false;
        }
        if (!all_allowed()) return false;
        for (std::size_t i = 0; i < used_; ++i) {
            Change& change = changes_[i];
            if (change.to.members.empty()) free_.push_back(change.group);
            for (const std::int32_t c : change.to.members) of_[c] = change.group;
            SHOAL_ASSERT(change.to.members.empty() || change.to.size >= k_);
            std::swap(groups_[change.group], change.to);
        }
        return true;
    }

    bool all_allowed() {
        if (!allowed_) return true;
        std::vector<std::int32_t> members;
        std::vector<std::int64_t> begins, ends;
        for (std::size_t i = 0; i < used_; ++i) {
            const auto& mine = changes_[i].to.members;
            if (mine.empty()) continue;
            begins.push_back(static_cast<std::int64_t>(members.size()));
            members.insert(members.end(), mine.begin(), mine.end());
            ends.push_back(static_cast<std::int64_t>(members.size()));
        }
        const std::vector<char> kept = allowed_(members, begins, ends);
        return std::all_of(kept.begin(), kept.end(), [](char one) { return one != 0; });
    }

    bool good(const Group& group) {
        if (group.size < k_) return false;
        if (!allowed_) return true;
        return allowed_(group.members, {0}, {static_cast<std::int64_t>(group.members.size())})[0] != 0;
    }

    static void remove(std::vector<std::int32_t>& members, std::int32_t c) {
        members.erase(std::find(members.begin(), members.end(), c));
    }

    // The group that is cheapest to merge with, among those of neighbours, or of the whole block where there are none.
    std::pair<std::int64_t, int> cheapest(int g);
    void step(double temperature);
    void relocate(std::int32_t c, int from, int to, double most);
    void swap(std::int32_t c, int g, std::int32_t d, int h, double most);
    void replace(std::int32_t c, int g, int h, double most);
    void divide(std::vector<std::int32_t>& members, int g, int h, double most);
    void dissolve(int g, double most);
    void merge(int g, int h);
    bool hurry();
    bool put_into_another(int g, const std::vector<int>& kept);

    static constexpr std::int64_t kEvery = 64;     // steps between two looks at the time
    static constexpr int kTried = 16;              // groups that are tried for what is left in a hurry
    static constexpr std::int64_t kJudged = 1000;  // groups made in a hurry, about, where each has to be judged
    static constexpr std::int64_t kWhole = 16;     // every so many steps a group is divided or dissolved
    static constexpr std::size_t kSmall = 48;      // members of a group that is divided or dissolved as a whole

    const Regions& regions_;
    std::int64_t k_;
    std::vector<std::int32_t> neighbours_;
    int many_;
    std::mt19937_64 random_;
    std::int64_t taken_ = 0;
    Allowed allowed_;
    Extent extent_;
    std::vector<std::int64_t> of_;
    std::vector<Group> groups_;
    std::vector<int> free_;
    std::vector<Change> changes_;
    std::size_t used_ = 0;
    double heat_ = -1;
};

inline std::pair<std::int64_t, int> Regrouping::cheapest(int g) {
    const Group& mine = groups_[g];
    std::vector<int> tried;
    for (std::size_t i = 0; i < std::min(mine.members.size(), kSmall); ++i)
        for (int j = 0; j < many_; ++j) {
            const std::int32_t c = neighbours_[std::size_t(mine.members[i]) * many_ + j];
            if (c >= 0 && of_[c] != g) tried.push_back(static_cast<int>(of_[c]));
        }
    if (tried.empty())
        for (std::size_t h = 0; h < groups_.size(); ++h)
            if (static_cast<int>(h) != g && !groups_[h].members.empty() &&
                regions_.block(groups_[h].members[0]) == regions_.block(mine.members[0]))
                tried.push_back(static_cast<int>(h));
    std::sort(tried.begin(), tried.end());
    tried.erase(std::unique(tried.begin(), tried.end()), tried.end());
    std::pair<std::int64_t, int> best{std::numeric_limits<std::int64_t>::max(), -1};
    for (const int h : tried) {
        extent_.clear();
        for (const std::int32_t c : mine.members) extent_.add(c);
        for (const std::int32_t c : groups_[h].members) extent_.add(c);
        best = std::min(best, {extent_.cost() - mine.cost - groups_[h].cost, h});
    }
    return best;
}

// Group g becomes a part of group h.
inline void Regrouping::merge(int g, int h) {
    Group& into = groups_[h];
    for (const std::int32_t c : groups_[g].members) of_[c] = h;
    into.members.insert(into.members.end(), groups_[g].members.begin(), groups_[g].members.end());
    groups_[g] = Group();
    free_.push_back(g);
    measure(into);
}

inline bool Regrouping::gather(const std::function<bool()>& over) {
    using Merge = std::tuple<std::int64_t, int, int, std::int64_t, std::int64_t>;  // cost, pair, their ages
    std::priority_queue<Merge, std::vector<Merge>, std::greater<Merge>> merges;
    std::vector<std::int64_t> age(groups_.size(), 0);
    bool alone = false;
    const auto offer = [&](int g) {
        const auto [cost, h] = cheapest(g);
        if (h < 0)
            alone = true;
        else
            merges.emplace(cost, g, h, age[g], age[h]);
    };
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        if (over && over()) return hurry();
        if (!groups_[g].members.empty() && !good(groups_[g])) offer(static_cast<int>(g));
    }
    while (!merges.empty()) {
        if (over && over()) return hurry();
        const auto [cost, g, h, mine, yours] = merges.top();
        merges.pop();
        if (age[g] != mine) continue;
        if (age[h] != yours) {
            offer(g);
            continue;
        }
        merge(g, h);
        ++age[g];
        ++age[h];
        if (!good(groups_[h])) offer(h);
    }
    return !alone;
}

// Within each block groups that are not good are merged in the order of their values, until they are. What is left then
// goes to a group that stays good with it, or else the whole block becomes one. False where that is not good.
inline bool Regrouping::hurry() {
    std::vector<int> order;
    for (std::size_t g = 0; g < groups_.size(); ++g)
        if (!groups_[g].members.empty()) order.push_back(static_cast<int>(g));
    std::sort(order.begin(), order.end(), [&](int g, int h) {
        const std::int32_t one = groups_[g].members[0], other = groups_[h].members[0];
        if (regions_.block(one) != regions_.block(other)) return regions_.block(one) < regions_.block(other);
        for (int a = 0; a < regions_.attributes(); ++a)
            if (regions_.value(one, a) != regions_.value(other, a))
                return regions_.value(one, a) < regions_.value(other, a);
        return one < other;
    });
    // Where groups are judged one by one there are few of them: a judgement may take long.
    std::int64_t rows = 0;
    for (const Group& group : groups_) rows += group.size;
    const std::int64_t least = allowed_ ? rows / kJudged : 0;
    bool all = true;
    for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
        const auto block = regions_.block(groups_[order[begin]].members[0]);
        end = begin;
        while (end < order.size() && regions_.block(groups_[order[end]].members[0]) == block) ++end;
        std::vector<int> kept;
        int open = -1;
        for (std::size_t i = begin; i < end; ++i) {
            const int g = order[i];
            if (good(groups_[g])) {
                kept.push_back(g);
                continue;
            }
            if (open < 0) {
                open = g;
                continue;
            }
            merge(g, open);
            if (groups_[open].size < least || !good(groups_[open])) continue;
            kept.push_back(open);
            open = -1;
        }
        if (open < 0 || put_into_another(open, kept)) continue;
        for (const int g : kept) merge(g, open);
        all = good(groups_[open]) && all;
    }
    return all;
}

inline bool Regrouping::put_into_another(int g, const std::vector<int>& kept) {
    const int many = std::min(static_cast<int>(kept.size()), kTried);
    for (int i = 0; i < many; ++i) {
        const int h = kept[kept.size() - 1 - i];
        Group both = groups_[h];
        both.members.insert(both.members.end(), groups_[g].members.begin(), groups_[g].members.end());
        measure(both);
        if (!good(both)) continue;
        merge(g, h);
        return true;
    }
    return false;
}

}  // namespace shoal

#include "regions/regrouping_steps.hpp"
