// Top-down splitting of a table into groups: Mondrian (LeFevre, DeWitt and Ramakrishnan 2006) and its choices of a split.
#pragma once

#include "common/assert.hpp"
#include "regions/regions.hpp"

namespace shoal {

struct SplitRules {
    std::int64_t k = 1;
    bool strict = true;   // combinations with one value of the attribute that is split stay on one side
    bool median = false;  // split the widest attribute at its median; otherwise where the cost falls most
    int ahead = 1;        // how many of the best splits are followed to the end before one is chosen
    int most = 0;         // ... in groups of at most so many combinations
};

// A group is a range of one array of combinations; a split sorts the range and divides it. Every part has at least k
// rows, or persons where those are counted, and is allowed; groups are split until nothing can be. Blocks are apart from
// the start.
//
// An attribute of intervals or sets is cut in two along its order, one of sets also along falling frequency in the
// group, so that what is rare can be parted from what is common. An attribute with a tree is specialized: one part for
// every child of its node; where groups may overlap it is cut along its order too.
class Splitter {
  public:
    Splitter(const Regions& regions, const SplitRules& rules, Allowed allowed)
        : regions_(regions), rules_(rules), allowed_(std::move(allowed)), extent_(regions) {}

    // Splits the groups that the combinations are in, and returns the groups. `late` says how late it is: from 1 on no
    // split is followed to the end any more, from 2 on each is that of the median of one of the widest attributes, the
    // quickest, and from 3 on nothing more is split.
    std::vector<std::int64_t> split(const std::vector<std::int64_t>& groups, const std::function<int()>& late) {
        const int n = regions_.size();
        late_ = late;
        members_.resize(n);
        for (int i = 0; i < n; ++i) members_[i] = i;
        std::stable_sort(members_.begin(), members_.end(),
                         [&](int one, int other) { return groups[one] < groups[other]; });
        std::vector<Range> open;
        for (int begin = 0, end; begin < n; begin = end) {
            end = begin;
            while (end < n && groups[members_[end]] == groups[members_[begin]]) ++end;
            open.push_back({begin, end});
        }
        std::reverse(open.begin(), open.end());
        std::vector<std::int64_t> result(n, 0);
        std::int64_t found = 0;
        while (!open.empty()) {
            const Range range = open.back();
            open.pop_back();
            if (late_() > 1 && !hurried_) {
                rules_.median = hurried_ = true;
            }
            const Split split = choose(range);
            if (split.bounds.empty()) {
                for (int i = range.begin; i < range.end; ++i) result[members_[i]] = found;
                ++found;
                continue;
            }
            put(range, split);
            push(open, range, split);
        }
        return result;
    }

  private:
    struct Range {
        int begin, end;
    };

    // The members of a range in another order, and where the parts but the first begin, counted from the range's begin.
    struct Split {
        std::int64_t cost = 0;
        std::vector<std::int32_t> members;
        std::vector<int> bounds;
    };

    void put(Range range, const Split& split) {
        std::copy(split.members.begin(), split.members.end(), members_.begin() + range.begin);
    }

    static void push(std::vector<Range>& open, Range range, const Split& split) {
        int end = range.end;
        for (auto bound = split.bounds.rbegin(); bound != split.bounds.rend(); ++bound) {
            open.push_back({range.begin + *bound, end});
            end = range.begin + *bound;
        }
        open.push_back({range.begin, end});
    }

    Split choose(Range range) {
        std::vector<Split> splits = candidates(range);
        if (splits.empty()) return {};
        const auto cheaper = [](const Split& one, const Split& other) { return one.cost < other.cost; };
        if (rules_.median) return std::move(splits.front());
        std::stable_sort(splits.begin(), splits.end(), cheaper);
        const bool follow = rules_.ahead > 1 && splits.size() > 1 && range.end - range.begin <= rules_.most;
        if (!follow || late_() > 0) return std::move(splits.front());
        if (splits.size() > static_cast<std::size_t>(rules_.ahead)) splits.resize(rules_.ahead);
        std::size_t best = 0;
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (std::size_t s = 0; s < splits.size(); ++s) {
            const std::int64_t cost = followed(range, splits[s]);
            if (cost < least) {
                least = cost;
                best = s;
            }
        }
        return std::move(splits[best]);
    }

    // What a range costs in the end if it is split so, and all below it where the cost falls most at once; too much where
    // there is no time to see it.
    std::int64_t followed(Range range, const Split& split) {
        put(range, split);
        std::vector<Range> open;
        push(open, range, split);
        std::int64_t cost = 0;
        while (!open.empty()) {
            const Range part = open.back();
            open.pop_back();
            if (late_() > 0) return std::numeric_limits<std::int64_t>::max();
            const std::vector<Split> splits = candidates(part);
            if (splits.empty()) {
                cost += measure(part).cost();
                continue;
            }
            const Split* best = &splits.front();
            for (const Split& one : splits)
                if (one.cost < best->cost) best = &one;
            put(part, *best);
            push(open, part, *best);
        }
        return cost;
    }

    const Extent& measure(Range range) {
        extent_.clear();
        for (int i = range.begin; i < range.end; ++i) extent_.add(members_[i]);
        return extent_;
    }

    // The best split of every attribute and order that has one; with `median`, that of the widest attribute alone.
    std::vector<Split> candidates(Range range) {
        std::vector<Split> found;
        const Extent& whole = measure(range);
        // The parts may share persons, but no rows.
        if (range.end - range.begin < 2 || whole.rows() < 2 * rules_.k) return found;
        std::vector<std::pair<std::int64_t, int>> widths;
        std::vector<int> levels;
        for (int a = 0; a < regions_.attributes(); ++a) {
            widths.emplace_back(rules_.median ? -width(a) : 0, a);
            levels.push_back(regions_.axis(a).kind == Kind::tree ? Regions::level(whole.word(a)) : 0);
        }
        std::sort(widths.begin(), widths.end());
        int tried = 0;
        for (const auto& [negative, a] : widths) {
            const int late = late_();
            if (late > 2 || (late > 1 && !found.empty()) || (hurried_ && tried == kTriedLate)) break;
            const Axis& axis = regions_.axis(a);
            Split split;
            split.members.assign(members_.begin() + range.begin, members_.begin() + range.end);
            sort_by(split.members, a);
            if (regions_.value(split.members.front(), a) == regions_.value(split.members.back(), a)) continue;
            ++tried;
            if (axis.kind == Kind::tree) {
                Split nodes = split;
                if (specialize(nodes, a, levels[a])) found.push_back(std::move(nodes));
            }
            if (axis.kind != Kind::tree || !rules_.strict) {
                Split rare = split;
                if (cut(split, a)) found.push_back(std::move(split));
                if (axis.kind == Kind::set && !rules_.median) {
                    by_frequency(rare.members, a);
                    if (cut(rare, a)) found.push_back(std::move(rare));
                }
            }
            if (rules_.median && !found.empty()) break;
        }
        return found;
    }

    // What the attribute's label costs a row of the range that was measured last.
    std::int64_t width(int a) const {
        const Axis& axis = regions_.axis(a);
        const std::uint64_t* word = extent_.word(a);
        if (axis.kind == Kind::tree)
            return axis.price[std::size_t(Regions::level(word)) * axis.values + static_cast<std::int32_t>(word[0])];
        if (axis.kind == Kind::interval) {
            const bool empty = word[0] == ~std::uint64_t{0};
            const auto low = static_cast<std::int32_t>(word[0] >> 32), high = static_cast<std::int32_t>(word[0]);
            return axis.factor * ((empty ? 0 : high - low + 1) + static_cast<std::int64_t>(word[1]));
        }
        std::int64_t sum = 0;
        for (int v = 0; v < axis.values; ++v)
            if (word[v >> 6] >> (v & 63) & 1) sum += axis.price[v];
        return sum;
    }

    void sort_by(std::vector<std::int32_t>& members, int a) const {
        const auto& order = regions_.axis(a).order;
        std::stable_sort(members.begin(), members.end(), [&](int one, int other) {
            return order[regions_.value(one, a)] < order[regions_.value(other, a)];
        });
    }

    // Brings the values of members that are sorted by the attribute into the order of falling rows.
    void by_frequency(std::vector<std::int32_t>& members, int a) const {
        struct Run {
            std::int64_t rows;
            std::size_t begin, end;
        };
        std::vector<Run> runs;
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (i == 0 || regions_.value(members[i], a) != regions_.value(members[i - 1], a)) runs.push_back({0, i, i});
            runs.back().rows += regions_.rows(members[i]);
            runs.back().end = i + 1;
        }
        std::stable_sort(runs.begin(), runs.end(),
                         [](const Run& one, const Run& other) { return one.rows > other.rows; });
        std::vector<std::int32_t> sorted;
        sorted.reserve(members.size());
        for (const Run& run : runs) sorted.insert(sorted.end(), members.begin() + run.begin, members.begin() + run.end);
        members.swap(sorted);
    }

    // Finds the cheapest cut in two, or the one nearest to the median, of those that are allowed.
    bool cut(Split& split, int a) {
        const auto& members = split.members;
        const int n = static_cast<int>(members.size());
        before_.resize(n);
        extent_.clear();
        std::vector<std::int64_t> rows(n + 1, 0);
        int least = n;  // where the first part has k
        for (int i = 0; i < n; ++i) {
            before_[i] = extent_.cost();
            extent_.add(members[i]);
            rows[i + 1] = extent_.rows();
            if (least == n && extent_.size() >= rules_.k) least = i + 1;
        }
        extent_.clear();
        std::vector<std::pair<std::int64_t, int>> cuts;  // by cost, or by distance from the median
        for (int i = n - 1; i > 0; --i) {
            extent_.add(members[i]);
            if (rules_.strict && regions_.value(members[i], a) == regions_.value(members[i - 1], a)) continue;
            if (extent_.size() < rules_.k || i < least) continue;
            const std::int64_t cost = before_[i] + extent_.cost();
            cuts.emplace_back(rules_.median ? std::abs(2 * rows[i] - rows[n]) : cost, i);
        }
        std::sort(cuts.begin(), cuts.end());
        if (rules_.median && cuts.size() > 1) cuts.resize(1);
        const std::size_t best = first_allowed(members, cuts);
        if (best == cuts.size()) return false;
        split.cost = cuts[best].first;
        split.bounds = {cuts[best].second};
        return true;
    }

    // The first of some cuts that is allowed, or their number where none is. They are asked about a few at a time, then ever
    // more; those of persons one by one at first, and never too many: what is said of them does not add up from one to the
    // next. When nothing more is split, no more are asked about.
    std::size_t first_allowed(const std::vector<std::int32_t>& members,
                              const std::vector<std::pair<std::int64_t, int>>& cuts) {
        if (!allowed_) return 0;
        const auto n = static_cast<std::int64_t>(members.size());
        const bool persons = regions_.persons().counted();
        const std::size_t most = persons ? 1 + kMembers / members.size() : cuts.size();
        std::size_t many = persons ? 1 : kAsked;
        for (std::size_t from = 0; from < cuts.size(); from += many, many *= 2) {
            if (from > 0 && late_() > 2) break;
            many = std::min({many, most, cuts.size() - from});
            std::vector<std::int64_t> begins, ends;
            for (std::size_t c = from; c < from + many; ++c) {
                begins.insert(begins.end(), {0, cuts[c].second});
                ends.insert(ends.end(), {cuts[c].second, n});
            }
            const std::vector<char> kept = allowed_(members, begins, ends);
            for (std::size_t c = 0; c < many; ++c)
                if (kept[2 * c] && kept[2 * c + 1]) return from + c;
        }
        return cuts.size();
    }

    // Parts a range whose node is on a level by the nodes one level below; all parts must be allowed.
    bool specialize(Split& split, int a, int level) {
        const Axis& axis = regions_.axis(a);
        SHOAL_ASSERT(level > 0);
        const auto& members = split.members;
        const std::size_t n = members.size();
        const auto node = [&](std::size_t i) {
            return axis.code[std::size_t(level - 1) * axis.values + regions_.value(members[i], a)];
        };
        std::vector<std::int64_t> begins, ends;
        for (std::size_t i = 0; i < n;) {
            const std::size_t begin = i;
            extent_.clear();
            while (i < n && node(i) == node(begin)) extent_.add(members[i++]);
            if (extent_.size() < rules_.k) return false;
            split.cost += extent_.cost();
            begins.push_back(static_cast<std::int64_t>(begin));
            ends.push_back(static_cast<std::int64_t>(i));
            if (begin > 0) split.bounds.push_back(static_cast<int>(begin));
        }
        if (!allowed_) return true;
        const std::vector<char> kept = allowed_(members, begins, ends);
        return std::all_of(kept.begin(), kept.end(), [](char one) { return one != 0; });
    }

    static constexpr std::size_t kAsked = 16;          // cuts that are judged at once, at first
    static constexpr std::size_t kMembers = 1u << 19;  // members of the parts of persons that are judged at once
    static constexpr int kTriedLate = 4;               // attributes that are tried when it is late

    const Regions& regions_;
    SplitRules rules_;
    std::function<int()> late_;
    bool hurried_ = false;
    Allowed allowed_;
    Extent extent_;
    std::vector<std::int32_t> members_;
    std::vector<std::int64_t> before_;
};

}  // namespace shoal
