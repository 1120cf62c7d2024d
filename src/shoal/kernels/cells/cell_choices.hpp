// Which cells of each row that stands out may be blanked: the cheapest sets of columns without which enough agree with it.
#pragma once

#include <algorithm>

#include "cells/agreeing.hpp"
#include "cells/known_cells.hpp"

namespace shoal {

// A set of columns that a combination may do without, and some of those that then agree with it: the first `whole` of
// them in all columns that anybody knows, the others in the set `known`, in which it lacks most.
struct CellChoice {
    Mask mask;
    int known;
    std::size_t whole;
    std::vector<std::int32_t> partners;
};

// A row that stands out in the table as it is (fewer than k persons, or l values, agree with it in some known set) must do
// without some cells. Whatever others do, the cells that it shows must be shown by k persons and l values of the table,
// since a blanked cell is like no value. So the cheapest such set of columns bounds what the row costs, and the sum over all rows what any blanking
// costs (`bound`). Sets are tried by rising price; when enough of them were tried, or their time is over, a row that has
// none yet costs at least what the next one costs, and gets one that is found in a walk over the columns (`Agreeing`).
class CellChoices {
  public:
    CellChoices(const KnownCells& cells, int many, bool minimal, const std::function<bool()>& tried_enough,
                const std::function<bool()>& over)
        : cells_(cells), minimal_(minimal), sums_(cells.asked()), crowds_(cells.asked()) {
        const int n = cells.size(), sets = cells.sets(), asked = cells.asked();
        for (const Need& need : cells.needs) census_.emplace_back(need.whose.numbers);
        base_.assign(asked, std::vector<std::vector<std::int64_t>>(sets, std::vector<std::int64_t>(n)));
        std::vector<bool> out(n, false);
        for (int j = 0; j < sets; ++j) {
            count(j, 0);
            for (int c = 0; c < n; ++c) {
                for (int m = 0; m < asked; ++m) base_[m][j][c] = sums_[m].get(keys_[c]);
                if (lacks(j, c)) out[c] = true;
            }
        }
        for (int c = 0; c < n; ++c)
            if (out[c]) outstanding_.push_back(c);
        choices_.resize(outstanding_.size());
        least_.assign(outstanding_.size(), -1);
        if (!find_hopeless()) return;
        MasksByPrice masks(cells);
        std::vector<int> left(outstanding_.size());
        for (std::size_t i = 0; i < left.size(); ++i) left[i] = static_cast<int>(i);
        const std::int64_t passes = std::max<std::int64_t>(64, kWork / (std::int64_t{n} * sets + 1));
        std::int64_t tried = 0, more = 0;
        while (!masks.done() && !left.empty() && !(tried_enough && tried_enough())) {
            // Once all have a choice, more of them are worth little: each is a pass over the table.
            if ((!open_ && ++more > passes) || ++tried > kPatience * passes) break;
            try_mask(masks.take(), left, many);
        }
        next_ = masks.done() ? cells.price(cells.free) : masks.price();
        complete_ = masks.done() && !full_;
        choose_for_others(over);
    }

    const std::vector<int>& outstanding() const { return outstanding_; }
    const std::vector<CellChoice>& of(std::size_t i) const { return choices_[i]; }
    // How many of those that a need counts agree with a combination in a known set of the table as it is.
    std::int64_t base(int m, int j, int c) const { return base_[m][j][c]; }
    // Whether every set of columns was tried, and every choice kept.
    bool complete() const { return complete_; }
    // Rows that stand out whatever is blanked, because of columns that may not be.
    std::int64_t hopeless() const { return hopeless_; }

    std::int64_t bound() const {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < least_.size(); ++i)
            sum += cells_.rows[outstanding_[i]] * (least_[i] < 0 ? next_ : least_[i]);
        return sum;
    }

  private:
    static constexpr std::int64_t kWork = 1 << 23, kPatience = 16;
    static constexpr int kPartners = 24, kWalked = 512;

    // How many are wanting for a combination in a known set of the table as it is.
    std::int64_t lacks(int j, int c) const {
        std::int64_t sum = 0;
        for (int m = 0; m < cells_.asked(); ++m)
            sum += std::max<std::int64_t>(cells_.needs[m].least - base_[m][j][c], 0);
        return sum;
    }
    // Whether enough agree with it in what was counted.
    bool enough(int c) const {
        for (int m = 0; m < cells_.asked(); ++m)
            if (sums_[m].get(keys_[c]) < cells_.needs[m].least) return false;
        return true;
    }

    bool find_hopeless() {
        std::vector<bool> lost(cells_.size(), false);
        for (int j = 0; j < cells_.sets(); ++j) {
            count(j, cells_.free);
            for (const int c : outstanding_)
                if (!enough(c)) lost[c] = true;
        }
        for (const int c : outstanding_) hopeless_ += lost[c] ? cells_.rows[c] : 0;
        open_ = outstanding_.size();
        return hopeless_ == 0;
    }

    void count(int j, Mask mask) {
        const int n = cells_.size();
        keys_.resize(n);
        for (int c = 0; c < n; ++c) keys_[c] = cells_.shown(j, c, mask);
        for (int m = 0; m < cells_.asked(); ++m) {
            sums_[m].resize(cells_.distinct[j]);
            crowds_[m].clear(cells_, m);
            for (int c = 0; c < n; ++c) sums_[m].at(keys_[c]) += crowds_[m].enter(cells_, m, c, keys_[c]);
        }
    }

    void try_mask(Mask mask, std::vector<int>& left, int many) {
        if (!mask) return;
        std::vector<int> good(left);
        int first = -1;
        for (int j = 0; j < cells_.sets() && !good.empty(); ++j) {
            if (!(mask & cells_.known[j])) {
                std::erase_if(good, [&](int i) { return lacks(j, outstanding_[i]) > 0; });
                continue;
            }
            if (first < 0) first = j;
            count(j, mask);
            std::erase_if(good, [&](int i) { return !enough(outstanding_[i]); });
        }
        std::erase_if(good, [&](int i) {
            if (!minimal_) return false;
            for (const CellChoice& one : choices_[i])
                if ((one.mask & mask) == one.mask) return true;
            return false;
        });
        if (good.empty()) return;
        // The known set in which the row lacks most tells whom to look for.
        std::vector<std::vector<int>> by_set(cells_.sets());
        for (const int i : good) {
            int most = first;
            for (int j = 0; j < cells_.sets(); ++j)
                if ((mask & cells_.known[j]) && lacks(j, outstanding_[i]) > lacks(most, outstanding_[i])) most = j;
            by_set[most].push_back(i);
        }
        for (int j = 0; j < cells_.sets(); ++j)
            if (!by_set[j].empty()) add(mask, j, by_set[j]);
        full_ |= std::erase_if(left, [&](int i) { return static_cast<int>(choices_[i].size()) >= many; }) > 0;
    }

    // Lists of those that show the same of some columns, in their order.
    void list(Mask shown) {
        head_.resize(cells_.size());
        after_.resize(cells_.size());
        for (int c = cells_.size() - 1; c >= 0; --c) {
            keys_[c] = cells_.key(c, shown);
            std::int64_t& first = head_.at(keys_[c]);
            after_[c] = static_cast<std::int32_t>(first - 1);
            first = c + 1;
        }
    }

    // Whoever has no choice yet does without what it cannot show; if several sets are known, without all columns.
    void choose_for_others(const std::function<bool()>& over) {
        std::vector<int> none;
        for (std::size_t i = 0; i < choices_.size(); ++i)
            if (choices_[i].empty()) none.push_back(static_cast<int>(i));
        if (none.empty()) return;
        if (cells_.sets() > 1) return add(cells_.free, 0, none, false);
        const auto enough = [&](const std::int32_t* first, const std::int32_t* last) {
            for (Census& one : census_) one.clear();
            for (; first != last; ++first) {
                meet(*first);
                if (met()) return true;
            }
            return false;
        };
        std::vector<int> place(cells_.size(), -1);
        Agreeing::Set wanted;
        for (const int i : none) {
            place[outstanding_[i]] = i;
            wanted.push_back(outstanding_[i]);
        }
        const auto tell = [&](const Agreeing::Set& agreeing, const Agreeing::Set& those, Mask without) {
            for (const std::int32_t c : those) {
                CellChoice& choice = choices_[place[c]].emplace_back(CellChoice{without, 0, 0, {}});
                found_.clear();
                for (std::size_t i = 0; i < agreeing.size() && i < kWalked; ++i)
                    if (agreeing[i] != c) found_.push_back(agreeing[i]);
                add_found(c, choice);
                choice.whole = choice.partners.size();
            }
        };
        Agreeing(cells_, cells_.known[0], enough, tell, over).walk(wanted);
    }

    // Adds those that are listed with a combination to its partners.
    void add_partners(int c, CellChoice& choice) {
        found_.clear();
        int walked = 0;
        for (int d = static_cast<int>(head_.get(keys_[c])) - 1; d >= 0 && walked < kWalked; d = after_[d], ++walked)
            if (d != c && std::find(choice.partners.begin(), choice.partners.end(), d) == choice.partners.end())
                found_.push_back(d);
        add_found(c, choice);
    }
    // Adds those that were found to its partners, the smallest first, until they are enough and many.
    void add_found(int c, CellChoice& choice) {
        std::stable_sort(found_.begin(), found_.end(), [&](int x, int y) { return cells_.rows[x] < cells_.rows[y]; });
        for (Census& one : census_) one.clear();
        meet(c);
        for (std::size_t i = 0; i < found_.size() && (i < kPartners || !met()); ++i) {
            meet(found_[i]);
            choice.partners.push_back(found_[i]);
        }
        enough_ = met();
    }
    void meet(int c) {
        for (int m = 0; m < cells_.asked(); ++m) {
            const auto others = cells_.others(m, c);
            census_[m].add(cells_.single(m, c), others.data(), others.data() + others.size());
        }
    }
    bool met() const {
        for (int m = 0; m < cells_.asked(); ++m)
            if (census_[m].count() < cells_.needs[m].least) return false;
        return true;
    }

    void add(Mask mask, int j, const std::vector<int>& good, bool bounds = true) {
        const std::int64_t price = cells_.price(mask);
        Mask all = 0;
        for (const Mask one : cells_.known) all |= one;
        list(all & ~mask);
        std::vector<int> few;
        for (const int i : good) {
            choices_[i].push_back({mask, j, 0, {}});
            add_partners(outstanding_[i], choices_[i].back());
            choices_[i].back().whole = choices_[i].back().partners.size();
            if (bounds && least_[i] < 0) least_[i] = price, --open_;
            if (!enough_) few.push_back(i);
        }
        if (few.empty()) return;
        list(cells_.known[j] & ~mask);
        for (const int i : few) add_partners(outstanding_[i], choices_[i].back());
    }

    const KnownCells& cells_;
    bool minimal_;
    std::vector<std::uint64_t> keys_;
    KeySums head_;
    std::vector<KeySums> sums_;  // by need
    std::vector<Crowds> crowds_;
    std::vector<Census> census_;
    std::vector<std::int32_t> after_, found_;
    bool enough_ = false;
    std::vector<std::vector<std::vector<std::int64_t>>> base_;  // by need, known set and combination
    std::vector<int> outstanding_;
    std::vector<std::vector<CellChoice>> choices_;
    std::vector<std::int64_t> least_;
    std::int64_t next_ = 0;
    std::size_t open_ = 0;  // those without a choice
    std::int64_t hopeless_ = 0;
    bool full_ = false, complete_ = true;
};

}  // namespace shoal
