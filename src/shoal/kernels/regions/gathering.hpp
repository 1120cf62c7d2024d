// How groups that are not good are merged until they are.
#pragma once

#include "regions/regrouping.hpp"

namespace shoal {

inline std::pair<std::int64_t, int> Regrouping::cheapest(int g) {
    const Group& mine = groups_[g];
    std::vector<int> tried;
    for (std::size_t i = 0; i < std::min(mine.members.size(), kSmall); ++i)
        for (int j = 0; j < many_; ++j) {
            const std::int32_t c = neighbours_[std::size_t(mine.members[i]) * many_ + j];
            if (c >= 0 && of_[c] != g) tried.push_back(of_[c]);
        }
    if (tried.empty())
        for (std::size_t h = 0; h < groups_.size(); ++h)
            if (static_cast<int>(h) != g && !groups_[h].members.empty() &&
                regions_.block(groups_[h].members[0]) == regions_.block(mine.members[0]))
                tried.push_back(static_cast<int>(h));
    std::sort(tried.begin(), tried.end());
    tried.erase(std::unique(tried.begin(), tried.end()), tried.end());
    std::pair<std::int64_t, int> best{std::numeric_limits<std::int64_t>::max(), -1};
    for (const int h : tried) best = std::min(best, {cost_together(g, h) - mine.cost - groups_[h].cost, h});
    return best;
}

// Group g becomes a part of group h.
inline void Regrouping::merge(int g, int h) {
    Group& into = groups_[h];
    for (const std::int32_t c : groups_[g].members) of_[c] = h;
    into.members.insert(into.members.end(), groups_[g].members.begin(), groups_[g].members.end());
    groups_[g] = Group();
    free_.push_back(g);
    measure(h);
}

inline bool Regrouping::gather(const std::function<bool()>& over) {
    using Merge = std::tuple<std::int64_t, int, int, std::int64_t, std::int64_t>;  // cost, pair, their ages
    std::priority_queue<Merge, std::vector<Merge>, std::greater<Merge>> merges;
    std::vector<std::int64_t> age(groups_.size(), 0);
    std::vector<char> done(groups_.size(), 0);  // groups that are good, as far as they were looked at
    bool alone = false;
    const auto offer = [&](int g) {
        const auto [cost, h] = cheapest(g);
        if (h < 0)
            alone = true;
        else
            merges.emplace(cost, g, h, age[g], age[h]);
    };
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        if (over && over()) return hurry(done);
        if (groups_[g].members.empty()) continue;
        done[g] = good(groups_[g]);
        if (!done[g]) offer(static_cast<int>(g));
    }
    while (!merges.empty()) {
        if (over && over()) return hurry(done);
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
        done[g] = 0;
        done[h] = good(groups_[h]);
        if (!done[h]) offer(h);
    }
    return !alone;
}

// Within each block groups that are not known to be good are put together in the order of their values, until they are.
// What is left then goes to a group that stays good with it, or else the whole block becomes one. False where that is not
// good. A judgement may take long, and many are refused where the promise is hard: so a heap that is refused is asked about
// again only when it has grown by a share, and there are not many heaps.
inline bool Regrouping::hurry(std::vector<char>& done) {
    std::vector<int> order;
    std::int64_t rows = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        if (!groups_[g].members.empty()) order.push_back(static_cast<int>(g));
        rows += groups_[g].size;
    }
    std::sort(order.begin(), order.end(), [&](int g, int h) {
        const std::int32_t one = groups_[g].members[0], other = groups_[h].members[0];
        if (regions_.block(one) != regions_.block(other)) return regions_.block(one) < regions_.block(other);
        for (int a = 0; a < regions_.attributes(); ++a)
            if (regions_.value(one, a) != regions_.value(other, a))
                return regions_.value(one, a) < regions_.value(other, a);
        return one < other;
    });
    const std::int64_t least = std::max(k_, allowed_ ? rows / kJudged : 0);
    bool all = true;
    for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
        const auto block = regions_.block(groups_[order[begin]].members[0]);
        end = begin;
        while (end < order.size() && regions_.block(groups_[order[end]].members[0]) == block) ++end;
        std::vector<int> kept;
        Group heap;
        std::int64_t asked = least;
        for (std::size_t i = begin; i < end; ++i) {
            const int g = order[i];
            if (done[g]) {
                kept.push_back(g);
                continue;
            }
            move_into(heap, g);
            if (heap.size < asked) continue;
            if (regions_.persons().counted()) heap.size = size_of(heap.members);
            if (good(heap)) {
                kept.push_back(found(heap));
                asked = least;
            } else {
                asked = std::max(heap.size + heap.size / kGrown, least);
            }
        }
        if (heap.members.empty() || put_into_another(heap, kept)) continue;
        for (const int g : kept) move_into(heap, g);
        const int whole = found(heap);
        all = good(groups_[whole]) && all;
    }
    return all;
}

// The members of a group go to a heap, which counts persons as often as they have combinations there.
inline void Regrouping::move_into(Group& heap, int g) {
    Group& group = groups_[g];
    heap.members.insert(heap.members.end(), group.members.begin(), group.members.end());
    heap.size += group.size;
    group = Group();
    free_.push_back(g);
}

// A heap becomes a group, and is empty then. There is a free number: that of a group whose members it has.
inline int Regrouping::found(Group& heap) {
    const int g = free_.back();
    free_.pop_back();
    groups_[g].members = std::move(heap.members);
    for (const std::int32_t c : groups_[g].members) of_[c] = g;
    measure(g);
    heap = Group();
    return g;
}

inline bool Regrouping::put_into_another(Group& heap, const std::vector<int>& kept) {
    const int many = std::min(static_cast<int>(kept.size()), kTried);
    for (int i = 0; i < many; ++i) {
        const int h = kept[kept.size() - 1 - i];
        Group both = groups_[h];
        both.members.insert(both.members.end(), heap.members.begin(), heap.members.end());
        both.size = size_of(both.members);
        if (!good(both)) continue;
        move_into(heap, h);
        found(heap);
        return true;
    }
    return false;
}

}  // namespace shoal
