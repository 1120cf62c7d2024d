// Which cells are blanked at the moment, and which groups that leaves with too few.
#pragma once

#include "cells/cell_choices.hpp"
#include "common/assert.hpp"

namespace shoal {

// The blanked columns of each combination, where a blanked cell is a value of its own, with what they cost and what groups
// lack. All rows of a combination are blanked alike. The best blanking so far that keeps the promise is kept beside it.
class BlankedCells {
  public:
    BlankedCells(const KnownCells& cells, const CellChoices& choices, std::uint64_t seed)
        : cells_(cells), choices_(choices), random_(seed), mask_(cells.size(), 0), place_(cells.size(), -1),
          active_at_(cells.size(), -1), crowds_(cells.asked(), std::vector<Crowds>(cells.sets())) {
        sums_.resize(cells.asked());
        for (auto& sums : sums_)
            for (const std::size_t distinct : cells.distinct) sums.emplace_back(2 * distinct);
        for (int m = 0; m < cells.asked(); ++m)
            for (int j = 0; j < cells.sets(); ++j)
                for (int c = 0; c < cells.size(); ++c)
                    sums_[m][j].at(cells.whole[j][c]) += crowds_[m][j].enter(cells, m, c, cells.whole[j][c]);
        const auto& out = choices.outstanding();
        for (std::size_t i = 0; i < out.size(); ++i) {
            place_[out[i]] = static_cast<int>(i);
            add(out[i]);
        }
        for (int a = 0; a < cells.columns; ++a)
            if (cells.free >> a & 1) scale_ = std::max(scale_, cells.weight[a]);
        for (int j = 0; j < cells.sets(); ++j) {
            KeySums seen(cells.distinct[j]);
            for (int c = 0; c < cells.size(); ++c) {
                std::int64_t& first = seen.at(cells.whole[j][c]);
                if (!first) charge(j, cells.whole[j][c], 1);
                first = 1;
            }
        }
        for (const Need& need : cells.needs)
            most_fined_ += (need.least + 1) * cells.sets() * fine(need.least / 2, need.least);
        lists_.push_back(listed((Mask{1} << cells.columns) - 1));
        if (cells.sets() > 1)
            for (const Mask known : cells.known) lists_.push_back(listed(known));
    }

    std::size_t size() const { return mask_.size(); }
    Mask free() const { return cells_.free; }
    std::int64_t cost() const { return best_cost_; }
    const std::vector<Mask>& masks() const { return best_; }

  protected:
    // What a group of too few costs while it is there, if it has so many of those that a need counts.
    std::int64_t fine(std::int64_t found, std::int64_t least) const {
        return found >= least ? 0 : scale_ * (3 + std::min(found, least - found));
    }

    // Counts a group in or out (times 1 or -1), given how many it has of those that a need counts.
    void charge(std::int64_t found, std::int64_t least, int times) {
        if (found >= least) return;
        lack_ += times * (least - found);
        fines_ += times * fine(found, least);
        short_ += times;
    }
    void charge(int j, std::uint64_t key, int times) {
        if (sums_[0][j].get(key) <= 0) return;  // nobody shows it
        for (int m = 0; m < cells_.asked(); ++m) charge(sums_[m][j].get(key), cells_.needs[m].least, times);
    }

    // A combination comes to those that show something of a known set, or leaves them.
    void move(int j, std::uint64_t key, int c, bool comes) {
        const std::int64_t lacked = lack_;
        const bool many = cells_.asked() > 1;
        if (many) charge(j, key, -1);
        for (int m = 0; m < cells_.asked(); ++m) {
            std::int64_t& sum = sums_[m][j].at(key);
            const std::int64_t before = sum;
            sum += comes ? crowds_[m][j].enter(cells_, m, c, key) : -crowds_[m][j].leave(cells_, m, c, key);
            if (many) continue;
            if (before > 0) charge(before, cells_.needs[m].least, -1);
            if (sum > 0) charge(sum, cells_.needs[m].least, 1);
        }
        if (many) charge(j, key, 1);
        if (linking_ && lists_.size() > 1 && lack_ > lacked) suspects_.push_back({j, key});
    }
    bool short_of(int j, std::uint64_t key) const {
        if (sums_[0][j].get(key) <= 0) return false;
        for (int m = 0; m < cells_.asked(); ++m)
            if (sums_[m][j].get(key) < cells_.needs[m].least) return true;
        return false;
    }

    // Blanks these columns of a combination, and no others.
    void set(int c, Mask mask) {
        const Mask old = mask_[c];
        if (old == mask) return;
        for (int j = 0; j < cells_.sets(); ++j) {
            if (!((old ^ mask) & cells_.known[j])) continue;
            move(j, cells_.shown(j, c, old), c, false);
            move(j, cells_.shown(j, c, mask), c, true);
        }
        cost_ += cells_.rows[c] * (cells_.price(mask) - cells_.price(old));
        if (linking_)
            for (Lists& lists : lists_) {
                if (!((old ^ mask) & lists.columns)) continue;
                lists.unlink(c, lists.key(cells_, c, old));
                lists.link(c, lists.key(cells_, c, mask));
            }
        mask_[c] = mask;
        if (place_[c] < 0) {
            if (mask && active_at_[c] < 0) add(c);
            if (!mask && active_at_[c] >= 0) drop(c);
        }
    }

    void change(int c, Mask mask) {
        if (mask_[c] == mask) return;
        changed_.push_back({c, mask_[c]});
        set(c, mask);
    }
    void undo(std::size_t to = 0) {
        for (; changed_.size() > to; changed_.pop_back()) set(changed_.back().first, changed_.back().second);
    }

    // How many are wanting in the groups of a combination.
    std::int64_t lacking(int c) const {
        std::int64_t sum = 0;
        for (int j = 0; j < cells_.sets(); ++j) {
            const std::uint64_t key = cells_.shown(j, c, mask_[c]);
            for (int m = 0; m < cells_.asked(); ++m)
                sum += std::max<std::int64_t>(cells_.needs[m].least - sums_[m][j].get(key), 0);
        }
        return sum;
    }
    bool safe(int c) const {
        for (int j = 0; j < cells_.sets(); ++j)
            if (short_of(j, cells_.shown(j, c, mask_[c]))) return false;
        return true;
    }

    // Blanks more until no group lacks any.
    void blank_the_rest() {
        if (lists_.size() > 1) blank_what_lacks();
        blank_everything();
    }

    // Where several sets are known, a combination blanks a few columns, one at least of every known set in which it lacks
    // some; if it still does after some times, all columns of those sets. Each round looks at groups that came to lack some.
    // One known set is looked at after the other: the sums of all of them fit into no cache.
    void blank_what_lacks() {
        std::vector<std::pair<int, int>> waiting;  // combinations, each with a known set in which it lacks some
        std::vector<int> times(cells_.size(), 0), sets;
        for (int j = 0; j < cells_.sets() && short_; ++j)
            for (int c = 0; c < cells_.size(); ++c)
                if (short_of(j, cells_.shown(j, c, mask_[c]))) waiting.push_back({c, j});
        while (short_ && !waiting.empty()) {
            std::sort(waiting.begin(), waiting.end());
            waiting.erase(std::unique(waiting.begin(), waiting.end()), waiting.end());
            suspects_.clear();
            for (std::size_t i = 0; i < waiting.size();) {
                const int c = waiting[i].first;
                for (sets.clear(); i < waiting.size() && waiting[i].first == c; ++i) sets.push_back(waiting[i].second);
                if (mask_[c] != cells_.free) set(c, mask_[c] | lacking_columns(c, sets, ++times[c] <= kFew));
            }
            waiting.clear();
            for (const auto& [j, key] : suspects_)
                if (short_of(j, key))
                    for (int c = lists_[1 + j].first(key); c >= 0; c = lists_[1 + j].next[c]) waiting.push_back({c, j});
        }
    }
    // Columns of those known sets in which a combination lacks some: one of each at least, or all of them.
    Mask lacking_columns(int c, const std::vector<int>& sets, bool few) {
        Mask all = 0, chosen = 0;
        std::vector<Mask> lacking;
        std::vector<std::int64_t> having(cells_.columns, 0);
        for (const int j : sets) {
            const Mask shown = cells_.known[j] & cells_.free & ~mask_[c];
            if (!shown || !short_of(j, cells_.shown(j, c, mask_[c]))) continue;
            all |= shown;
            lacking.push_back(shown);
            for (Mask left = shown; left; left &= left - 1) ++having[lowest(left)];
        }
        if (!few) return all;
        while (!lacking.empty()) {
            int best = lowest(all);
            for (Mask left = all; left; left &= left - 1) {
                const int a = lowest(left);
                if (having[a] * (cells_.weight[best] + 1) > having[best] * (cells_.weight[a] + 1)) best = a;
            }
            chosen |= Mask{1} << best;
            std::erase_if(lacking, [&](Mask one) {
                if (!(one >> best & 1)) return false;
                for (Mask left = one; left; left &= left - 1) --having[lowest(left)];
                return true;
            });
        }
        return chosen;
    }
    static constexpr int kFew = 3;

    // Blanks everything of those that lack some until no group does; if these are too few, the smallest others join.
    void blank_everything() {
        while (short_) {  // each round blanks at least one more combination, and all blanked ones are safe
            bool more = false;
            for (int c = 0; c < cells_.size(); ++c)
                if (mask_[c] != cells_.free && !safe(c)) set(c, cells_.free), more = true;
            if (more) continue;
            int least = -1;
            for (int c = 0; c < cells_.size(); ++c)
                if (mask_[c] != cells_.free && (least < 0 || cells_.rows[c] < cells_.rows[least]) && joins(c))
                    least = c;
            SHOAL_ASSERT(least >= 0);
            if (least < 0) break;
            set(least, cells_.free);
        }
    }
    // Whether a combination that is wholly blanked is in a group with others that are, and are too few.
    bool joins(int c) const {
        for (int j = 0; j < cells_.sets(); ++j)
            if (short_of(j, cells_.shown(j, c, cells_.free))) return true;
        return false;
    }

    // Shows again whatever may be shown while every group has enough: the largest combinations first.
    void prune(const std::function<bool()>& over) {
        if (short_) return;
        bool more = true;
        while (more) {
            more = false;
            std::vector<int> blanked;
            for (const int c : active_)
                if (mask_[c]) blanked.push_back(c);
            std::sort(blanked.begin(), blanked.end(), [&](int c, int d) {
                return cells_.rows[c] != cells_.rows[d] ? cells_.rows[c] > cells_.rows[d] : c < d;
            });
            for (const int c : blanked) {
                if (over && over()) return;
                const Mask old = mask_[c];
                show_more(c);
                changed_.clear();
                more |= mask_[c] != old;
            }
        }
    }

    // Shows again what may be shown of a combination, or blanks cheaper cells instead.
    void show_more(int c) {
        tried_.assign(1, 0);
        if (place_[c] >= 0)
            for (const CellChoice& one : choices_.of(place_[c])) tried_.push_back(one.mask);
        for (Mask left = mask_[c]; left; left &= left - 1) tried_.push_back(mask_[c] & ~(left & (~left + 1)));
        for (const Mask mask : tried_) {
            const Mask now = mask_[c];
            if (mask == now || (cells_.price(mask) >= cells_.price(now) && (mask & now) != mask)) continue;
            change(c, mask);
            if (short_) undo(changed_.size() - 1);
        }
    }

    void keep() {
        best_ = mask_;
        best_cost_ = cost_;
    }

    // The combinations that show the same are a list: of all columns, and if several sets are known, of each of them. While
    // `linking_` is off the lists do not follow: whoever turns it off goes back to the same blanks.
    struct Lists {
        Mask columns = 0;
        std::vector<std::uint64_t> whole;  // what each shows without blanks
        KeySums heads;
        std::vector<std::int32_t> next, prev;

        std::uint64_t key(const KnownCells& cells, int c, Mask mask) const {
            return whole[c] ^ cells.key(c, mask & columns);
        }
        int first(std::uint64_t key) const { return static_cast<int>(heads.get(key)) - 1; }
        void link(int c, std::uint64_t key) {
            std::int64_t& head = heads.at(key);
            next[c] = static_cast<std::int32_t>(head - 1);
            prev[c] = -1;
            if (head) prev[head - 1] = c;
            head = c + 1;
        }
        void unlink(int c, std::uint64_t key) {
            if (next[c] >= 0) prev[next[c]] = prev[c];
            if (prev[c] >= 0)
                next[prev[c]] = next[c];
            else
                heads.at(key) = next[c] + 1;
        }
    };
    Lists listed(Mask columns) const {
        const std::size_t n = cells_.size();
        Lists made{columns, std::vector<std::uint64_t>(n), KeySums(), std::vector<std::int32_t>(n, -1),
                   std::vector<std::int32_t>(n, -1)};
        for (int c = 0; c < cells_.size(); ++c) {
            made.whole[c] = cells_.key(c, columns);
            made.link(c, made.whole[c]);
        }
        return made;
    }

    std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }
    double uniform() { return static_cast<double>(random_() >> 11) * 0x1.0p-53; }

    const KnownCells& cells_;
    const CellChoices& choices_;
    std::mt19937_64 random_;
    std::vector<Mask> mask_, best_, tried_;
    std::vector<int> place_, active_at_, active_;  // active are those that stand out, and those that are blanked
    std::vector<std::vector<KeySums>> sums_;       // who is counted, by need, known set and what is shown
    std::vector<std::vector<Crowds>> crowds_;
    std::vector<std::pair<int, Mask>> changed_;
    std::vector<Lists> lists_;  // of all columns, then of the known sets if these are several
    bool linking_ = true;
    std::vector<std::pair<int, std::uint64_t>> suspects_;  // groups that came to have too few, by known set
    std::int64_t most_fined_ = 0;  // the fines that one combination and those that follow it can save
    // What blanks cost, what groups are fined, how many they lack, and how many lack some.
    std::int64_t cost_ = 0, fines_ = 0, lack_ = 0, short_ = 0, best_cost_ = -1, scale_ = 1;

  private:
    void add(int c) {
        if (active_at_[c] >= 0) return;
        active_at_[c] = static_cast<int>(active_.size());
        active_.push_back(c);
    }
    void drop(int c) {
        const int at = active_at_[c], last = active_.back();
        active_[at] = last;
        active_at_[last] = at;
        active_.pop_back();
        active_at_[c] = -1;
    }
};

}  // namespace shoal
