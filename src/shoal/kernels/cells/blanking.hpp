// Which cells are blanked so that every row shows what k persons and l values show, where a blanked cell is a value of its own.
#pragma once

#include <cmath>

#include "cells/blanked_cells.hpp"

namespace shoal {

// Annealing over the blanked columns of each combination: some groups are taken apart and put together anew, and that
// stays if it costs less, or by chance not much more (ruin and recreate, Schrimpf et al. 2000). Every step ends with
// groups that have enough, or is undone; on the way a group of too few costs a fine.
//
// If several sets of columns are known, a blanked cell is in a group of every set that has its column. So groups of those
// that were not taken apart come to lack some: these are followed up (`mend_suspects`), one cell at a time, too.
class Blanking : public BlankedCells {
  public:
    Blanking(const KnownCells& cells, const CellChoices& choices, std::uint64_t seed)
        : BlankedCells(cells, choices, seed) {}

    // Puts a first answer in place that keeps the promise: by its own means, or from cells that were blanked for another.
    void begin(const std::function<bool()>& over) { settle(over); }
    void begin(const std::vector<Mask>& masks, const std::function<bool()>& over) {
        for (int c = 0; c < cells_.size(); ++c) set(c, masks[c]);
        settle(over);
    }

    // Takes so many steps, or until `over` says so, and returns how many. The temperatures, in weights of the dearest
    // column, fall from one to the other by the same factor at every step.
    std::int64_t run(std::int64_t steps, double warm, double cold, const std::function<bool()>& over) {
        if (active_.empty() || best_cost_ < 0) return steps;
        double temperature = warm * static_cast<double>(scale_);
        const double cooling = cold > 0 ? std::pow(cold / warm, 1.0 / static_cast<double>(steps)) : 0;
        if (cold <= 0) temperature = 0;
        for (std::int64_t done = 0; done < steps; ++done, temperature *= cooling) {
            if (done % 8 == 0 && over && over()) return done;
            step(temperature);
            if (cost_ < best_cost_) keep();
        }
        return steps;
    }

    // Mends and prunes what there is, and goes back to the best so far if that is better.
    void settle(const std::function<bool()>& over) {
        mend(over);
        prune(over);
        if (best_cost_ < 0 || cost_ < best_cost_) keep();
        for (int c = 0; c < cells_.size(); ++c) set(c, best_[c]);
    }

  protected:
    // The combination takes the choice, and partners follow until enough show the same: first those that must go
    // somewhere anyway, then those that bring whom it lacks.
    void gather(int c, const CellChoice& choice, std::size_t from) {
        change(c, choice.mask);
        const Mask known = cells_.known[choice.known];
        const std::size_t n = choice.partners.size();
        for (const bool all : {false, true})
            for (std::size_t i = 0; i < n; ++i) {
                if (safe(c)) return;
                const std::size_t at = (from + i) % n;
                const int d = choice.partners[at];
                if (!all && (place_[d] < 0 || safe(d))) continue;
                const std::int64_t before = all && cells_.asked() > 1 ? lacking(c) : 0;
                const std::size_t mark = changed_.size();
                change(d, at < choice.whole ? choice.mask : (mask_[d] & ~known) | (choice.mask & known));
                if (before && lacking(c) >= before) undo(mark);
            }
    }

    // Blanks more until every group has enough: by the choice that costs least now, and if that does not do, everything.
    void mend(const std::function<bool()>& over) {
        for (int round = 0; round < 3 && short_; ++round)
            for (const int c : choices_.outstanding()) {
                if (!short_ || (over && over())) break;
                if (safe(c)) continue;
                improve(c, 0);
                changed_.clear();
            }
        blank_the_rest();
    }

  private:
    // Takes some groups apart and puts their combinations together anew, by chance in another way.
    void step(double temperature) {
        const std::int64_t before = cost_;
        taken_.clear();
        suspects_.clear();
        const int first = active_[below(active_.size())];
        if (lists_.size() > 1 && mask_[first] && !below(4))
            take_known(first, below(cells_.sets()));
        else
            take_group(first);
        const std::size_t most = taken_.size() + 2 + below(kTaken);
        for (int tries = 0; tries < 12 && taken_.size() < most; ++tries) {
            const int c = taken_[below(taken_.size())];
            if (place_[c] < 0 || choices_.of(place_[c]).empty()) continue;
            const auto& mine = choices_.of(place_[c]);
            const CellChoice& choice = mine[std::min(below(mine.size()), below(mine.size()))];
            if (choice.partners.empty()) continue;
            const int d = choice.partners[std::min(below(choice.partners.size()), below(choice.partners.size()))];
            if (mask_[d] || place_[d] >= 0) take_group(d);
        }
        Mask stays = 0;
        if (lists_.size() > 1 && mask_[first] && !below(4)) {  // only the blanks of one column go
            Mask left = mask_[first];
            for (std::size_t skip = below(8); skip > 0 && (left & (left - 1)); --skip) left &= left - 1;
            stays = ~(left & (~left + 1));
        }
        for (const int c : taken_) change(c, mask_[c] & stays);
        for (std::size_t i = taken_.size(); i > 1; --i) std::swap(taken_[i - 1], taken_[below(i)]);
        for (const int c : taken_)
            if (place_[c] >= 0 && !safe(c)) improve(c, 0.25);
        if (short_ && !suspects_.empty()) mend_suspects(2 * taken_.size() + kTaken);
        if (!short_) {
            for (const int c : taken_)
                if (mask_[c]) show_more(c);
            for (std::size_t i = 0; i < changed_.size(); ++i)
                if (mask_[changed_[i].first] && place_[changed_[i].first] < 0) show_more(changed_[i].first);
        }
        const auto more = static_cast<double>(cost_ - before);
        if (short_ || (more > 0 && (temperature <= 0 || uniform() >= std::exp(-more / temperature))))
            undo();
        else
            changed_.clear();
    }
    static constexpr std::size_t kTaken = 10;

    // Groups of known sets that came to have too few: a combination of one after the other changes its blanks.
    void mend_suspects(std::size_t tries) {
        for (; tries > 0 && short_ && !suspects_.empty(); --tries) {
            const std::size_t at = below(suspects_.size());
            const auto [j, key] = suspects_[at];
            if (!short_of(j, key)) {
                suspects_[at] = suspects_.back();
                suspects_.pop_back();
                ++tries;
                continue;
            }
            const Lists& same = lists_[1 + j];
            int c = same.first(key);
            for (std::size_t skip = below(8); skip > 0 && same.next[c] >= 0; --skip) c = same.next[c];
            improve(c, 0.25);
        }
    }

    // Adds a combination and all that are released with it.
    void take_group(int c) {
        if (!mask_[c]) {
            if (std::find(taken_.begin(), taken_.end(), c) == taken_.end()) taken_.push_back(c);
            return;
        }
        std::size_t count = 0;
        const Lists& same = lists_[0];
        for (int d = same.first(same.key(cells_, c, mask_[c])); d >= 0 && count < 64; d = same.next[d], ++count)
            if (std::find(taken_.begin(), taken_.end(), d) == taken_.end()) taken_.push_back(d);
    }

    // Adds a combination and some of those that show the same of a known set with a blank.
    void take_known(int c, std::size_t j) {
        taken_.push_back(c);
        const Lists& same = lists_[1 + j];
        if (!(mask_[c] & same.columns)) return;
        std::size_t count = 0;
        for (int d = same.first(same.key(cells_, c, mask_[c])); d >= 0 && count < 16; d = same.next[d], ++count)
            if (d != c) taken_.push_back(d);
    }

    // The combination takes the choice that costs least now; with some noise, another. If several sets are known, it may also
    // blank or show one cell, or show all of them.
    void improve(int c, double noise) {
        static const std::vector<CellChoice> none;
        const auto& mine = place_[c] < 0 ? none : choices_.of(place_[c]);
        double least = 0;
        bool found = false;
        std::size_t best = 0, best_from = 0;
        Mask best_mask = 0;
        const std::int64_t spared = std::min(fines_, most_fined_);
        linking_ = false;
        const auto judge = [&](std::int64_t before, std::size_t mark, std::size_t i, std::size_t from, Mask mask) {
            double more = static_cast<double>(cost_ + fines_ - before);
            if (noise > 0) more += noise * static_cast<double>(scale_) * 4 * uniform();
            undo(mark);
            if (!found || more < least) found = true, least = more, best = i, best_from = from, best_mask = mask;
        };
        for (std::size_t i = 0; i < mine.size(); ++i) {
            // Dearer choices come later; the fines that this one can save are known.
            if (found && static_cast<double>(cells_.rows[c] * (cells_.price(mine[i].mask) - cells_.price(mask_[c])) -
                                             spared) >= least)
                break;
            const std::size_t mark = changed_.size();
            const std::int64_t before = cost_ + fines_;
            const std::size_t from =
                noise > 0 && !mine[i].partners.empty() && below(2) ? below(mine[i].partners.size()) : 0;
            gather(c, mine[i], from);
            judge(before, mark, i, from, 0);
        }
        if (lists_.size() > 1) {
            const Mask now = mask_[c];
            for (Mask left = cells_.free;; left &= left - 1) {
                const std::size_t mark = changed_.size();
                const std::int64_t before = cost_ + fines_;
                const Mask mask = left ? now ^ (left & (~left + 1)) : 0;
                if (mask != now) {
                    change(c, mask);
                    judge(before, mark, mine.size(), 0, mask);
                }
                if (!left) break;
            }
        }
        linking_ = true;
        if (!found) return;
        if (best < mine.size())
            gather(c, mine[best], best_from);
        else
            change(c, best_mask);
    }

    std::vector<int> taken_;
};

}  // namespace shoal
