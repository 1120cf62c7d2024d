// Groups that are changed one by one until they cost less: merging from single combinations, and annealing.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <queue>
#include <tuple>

#include "common/assert.hpp"
#include "regions/paths.hpp"
#include "regions/regions.hpp"
#include "regions/sides.hpp"

namespace shoal {

// A partition of the combinations into groups. `neighbours` has one row of `many` combinations (or -1) for each: only
// groups of neighbours are tried. A group is good if it has k rows, or persons where those are counted, and is allowed;
// a change that makes a group of another kind is refused.
class Regrouping {
  public:
    Regrouping(const Regions& regions, const std::vector<std::int64_t>& groups, std::int64_t k,
               std::vector<std::int32_t>&& neighbours, int many, std::uint64_t seed, Allowed allowed, double heat = -1)
        : regions_(regions), paths_(regions), k_(k), neighbours_(std::move(neighbours)), many_(many), random_{seed},
          allowed_(std::move(allowed)), extent_(regions), sides_(regions, paths_), of_(groups.begin(), groups.end()),
          heat_(heat) {
        std::int64_t count = 0;
        for (const std::int64_t group : groups) count = std::max(count, group + 1);
        groups_.resize(count);
        widen();
        both_.resize(paths_.width());
        for (int c = 0; c < regions.size(); ++c) groups_[of_[c]].members.push_back(c);
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            measure(static_cast<int>(g));
            if (groups_[g].members.empty()) free_.push_back(static_cast<int>(g));
        }
        known_.resize(regions.size());
        for (int c = 0; c < regions.size(); ++c) {
            const auto row = neighbours_.begin() + std::ptrdiff_t(c) * many_;
            const auto end = std::remove(row, row + many_, -1);
            std::fill(end, row + many_, -1);
            known_[c] = static_cast<std::int32_t>(end - row);
        }
        for (std::size_t i = 0; i < chances_.size(); ++i)
            chances_[i] = -std::log((static_cast<double>(i) + 0.5) / static_cast<double>(chances_.size()));
    }

    std::vector<std::int64_t> groups() const { return {of_.begin(), of_.end()}; }

    std::int64_t cost() const {
        std::int64_t sum = 0;
        for (const Group& group : groups_) sum += group.cost;
        return sum;
    }

    // What changes cost, in size: as much as a costly group on average, but where that is more than half an attribute's
    // worth only in proportion to its root, for a single change touches few of many attributes.
    double heat() const {
        double costly = 0, rows = 0, attribute = 0;
        for (const Group& group : groups_)
            if (group.cost > 0) {
                ++costly;
                rows += static_cast<double>(group.rows);
            }
        for (int a = 0; a < regions_.attributes(); ++a)
            attribute += static_cast<double>(regions_.axis(a).most) / regions_.attributes();
        if (!costly) return 0;
        const double group = static_cast<double>(cost()) / costly, half = attribute * rows / costly / 2;
        return group > half ? std::sqrt(group * half) : group;
    }

    // Merges groups that are not good, each time the pair whose merging costs least, until all are good; a group without
    // neighbours outside of it is merged with the cheapest of its block. False where the only group of a block is not good.
    // Once `over` says so, those that are not good are merged as they come.
    bool gather(const std::function<bool()>& over = {});

    // Takes so many steps of annealing (Kirkpatrick et al. 1983): a change that costs more is made with probability
    // exp(-more / temperature). The temperature, in shares of `heat`, falls from one to the other by the same factor at
    // every step; where the last is 0 only what costs no more is done. The steps go through the combinations in their
    // order, in which near ones often follow each other. Returns how many steps were taken until `over` said so.
    std::int64_t run(std::int64_t steps, double warm, double cold, const std::function<bool()>& over = {}) {
        if (heat_ < 0) heat_ = heat();  // else it is that of a whole of which these are a part
        if (many_ == 0 || of_.empty()) return steps;
        double temperature = cold > 0 ? warm * heat_ : 0;
        const double cooling =
            cold > 0 ? std::pow(cold / warm, static_cast<double>(kEvery) / static_cast<double>(steps)) : 0;
        for (std::int64_t done = 0; done < steps; ++done) {
            if (done % kEvery == 0) {
                if (over && over()) return done;
                if (done) temperature *= cooling;
            }
            step(next_, temperature);
            if (++next_ == regions_.size()) next_ = 0;
        }
        return steps;
    }

  private:
    struct Group {
        std::vector<std::int32_t> members;
        std::int64_t rows = 0, size = 0, cost = 0;
    };
    // A group without one of its members (or -1) and with another combination (or -1), and what it costs then.
    struct Edit {
        int group;
        std::int32_t out, in;
        std::int64_t cost = 0;
    };
    // The new members of a group.
    struct Change {
        int group;
        std::vector<std::int32_t> members;
        std::int64_t cost = 0;
    };
    using Lane = Paths::Lane;

    // Numbers by chance (Steele, Lea and Flood 2014: SplitMix), the same everywhere.
    struct Random {
        std::uint64_t state;
        std::uint64_t operator()() {
            std::uint64_t z = state += 0x9E3779B97F4A7C15u;
            z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
            z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
            return z ^ (z >> 31);
        }
    };

    // Room for what is known of groups that were added.
    void widen() {
        if (paths_.usable()) extents_.resize(groups_.size() * paths_.width());
    }
    Lane* extent(int g) { return extents_.data() + std::size_t(g) * paths_.width(); }

    void measure(int g) {
        Group& group = groups_[g];
        if (!paths_.usable()) {
            measure_slowly(group.members, -1, -1);
            group.rows = extent_.rows();
            group.size = extent_.size();
            group.cost = extent_.cost();
            return;
        }
        Lane* mine = extent(g);
        paths_.clear(mine);
        group.rows = group.cost = 0;
        for (const std::int32_t c : group.members) {
            paths_.add(mine, c);
            group.rows += regions_.rows(c);
        }
        if (!group.members.empty()) group.cost = group.rows * paths_.price(mine, group.members[0]);
        group.size = regions_.persons().counted() ? size_of(group.members) : group.rows;
    }

    void measure_slowly(const std::vector<std::int32_t>& members, std::int32_t out, std::int32_t in) {
        extent_.clear();
        for (const std::int32_t c : members)
            if (c != out) extent_.add(c);
        if (in >= 0) extent_.add(in);
    }

    std::int64_t size_of(const std::vector<std::int32_t>& members) {
        measure_slowly(members, -1, -1);
        return extent_.size();
    }

    // What a group costs once it is edited.
    std::int64_t cost_of(const Edit& edit) {
        const Group& group = groups_[edit.group];
        if (!paths_.usable()) {
            measure_slowly(group.members, edit.out, edit.in);
            return extent_.cost();
        }
        std::int64_t rows = group.rows;
        std::int32_t one = edit.in;
        if (edit.out < 0) {
            paths_.grow(both_.data(), extent(edit.group), paths_.of(one), paths_.of(one));
        } else {
            rows -= regions_.rows(edit.out);
            paths_.clear(both_.data());
            for (const std::int32_t c : group.members)
                if (c != edit.out) paths_.add(both_.data(), one = c);
            if (edit.in >= 0) paths_.add(both_.data(), one = edit.in);
        }
        if (edit.in >= 0) rows += regions_.rows(edit.in);
        return one < 0 ? 0 : rows * paths_.price(both_.data(), one);
    }

    std::int64_t cost_together(int g, int h) {
        if (!paths_.usable()) {
            extent_.clear();
            for (const int one : {g, h})
                for (const std::int32_t c : groups_[one].members) extent_.add(c);
            return extent_.cost();
        }
        paths_.grow(both_.data(), extent(g), extent(h), extent(h) + paths_.stride());
        return (groups_[g].rows + groups_[h].rows) * paths_.price(both_.data(), groups_[g].members[0]);
    }

    std::size_t below(std::size_t end) {
        return static_cast<std::size_t>((random_() >> 32) * static_cast<std::uint64_t>(end) >> 32);
    }

    // How much more a change may cost, by chance.
    double chance(double temperature) { return temperature * chances_[random_() % chances_.size()]; }

    // A neighbour by chance, sooner a near one, or -1.
    std::int32_t neighbour(std::int32_t c) {
        const auto many = static_cast<std::size_t>(known_[c]);
        return many ? neighbours_[std::size_t(c) * many_ + std::min(below(many), below(many))] : -1;
    }

    // Whether the group of a combination has k rows without it, or nothing else; of persons, whether it may have k.
    bool spares(std::int32_t c) const {
        const Group& group = groups_[of_[c]];
        return group.members.size() == 1 || group.size - regions_.least(c) >= k_;
    }

    bool good(const Group& group) {
        if (group.size < k_) return false;
        if (!allowed_) return true;
        return allowed_(group.members, {0}, {static_cast<std::int64_t>(group.members.size())})[0] != 0;
    }

    std::pair<std::int64_t, int> cheapest(int g);
    void merge(int g, int h);
    bool hurry(std::vector<char>& done);
    void move_into(Group& heap, int g);
    int found(Group& heap);
    bool put_into_another(Group& heap, const std::vector<int>& kept);

    void step(std::int32_t c, double temperature);
    bool edit(Edit* edits, int many, double most);
    void replace(std::int32_t c, int g, int h, double most);
    void divide(int g, int h, double most);
    void dissolve(int g, double most);
    std::vector<std::int32_t>& change(int group, bool keep);
    bool accept();
    bool all_good();

    static constexpr std::int64_t kEvery = 64;     // steps between two looks at the time
    static constexpr int kTried = 16;              // groups that are tried for what is left in a hurry
    static constexpr std::int64_t kJudged = 1000;  // groups made in a hurry, about, where each has to be judged
    static constexpr std::int64_t kGrown = 4;      // a refused heap is judged again when it is a quarter larger
    static constexpr std::int64_t kWhole = 16;     // every so many steps a group is divided
    static constexpr std::int64_t kDissolved = 16 * kWhole;       // ... or dissolved, if it is too small for that
    static constexpr std::size_t kParted = 8, kPartedAlone = 22;  // of 64 steps those that divide two groups anew
    static constexpr std::size_t kSmall = 48;  // members of a group that is divided or dissolved as a whole

    const Regions& regions_;
    Paths paths_;
    std::int64_t k_;
    std::vector<std::int32_t> neighbours_, known_;  // in one row those that there are come first; how many they are
    int many_;
    Random random_;
    std::array<double, 4096> chances_;
    std::int64_t taken_ = 0;
    std::int32_t next_ = 0;
    Allowed allowed_;
    Extent extent_;
    Sides sides_;
    std::vector<std::int32_t> of_;
    std::vector<Group> groups_;
    std::vector<Lane> extents_, both_;
    std::vector<int> free_;
    std::vector<std::int32_t> members_;
    std::vector<char> sides_of_;
    std::vector<Change> changes_;
    std::size_t used_ = 0;
    double heat_;
};

}  // namespace shoal

#include "regions/gathering.hpp"
#include "regions/regrouping_steps.hpp"
