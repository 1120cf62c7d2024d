// Which cells are blanked so that every row is like those of k persons and l values, where a blanked cell is like any value.
#pragma once

#include <cmath>
#include <map>

#include "cells/cell_choices.hpp"

namespace shoal {

// The weaker reading. A row that stands out either takes one of its choices, after which enough of the table agree with
// what it still shows, or stays whole because enough others that took theirs became like it. No row is blanked beyond
// what it needs itself: where a blanked cell is like any value, k - 1 wholly blanked rows would make every row like k
// rows, and protect nobody. Annealing over who takes which choice; a row that neither took one nor is helped enough is
// fined by a little more than its cheapest choice costs, so that giving it that choice (`settle`) never costs more.
class Helping {
  public:
    Helping(const KnownCells& cells, const CellChoices& choices, std::uint64_t seed, const std::function<bool()>& over)
        : cells_(cells), choices_(choices), random_(seed) {
        const auto& out = choices.outstanding();
        const std::size_t n = out.size();
        slot_.assign(n * cells.sets(), {-1, 0});
        for (std::size_t i = 0; i < n; ++i)
            for (int j = 0; j < cells.sets(); ++j)
                for (int m = 0; m < cells.asked(); ++m) {
                    const std::int64_t lacks = cells.needs[m].least - choices.base(m, j, out[i]);
                    if (lacks <= 0) continue;
                    auto& [first, many] = slot_[i * cells.sets() + j];
                    if (first < 0) first = static_cast<int>(lacks_.size());
                    ++many;
                    lacks_.push_back(lacks);
                    whose_.push_back(static_cast<int>(i));
                    set_.push_back(j);
                    need_.push_back(m);
                }
        there_.assign(cells.asked(), std::vector<Crowds>(cells.sets()));
        for (int m = 0; m < cells.asked(); ++m)
            if (cells.needs[m].whose.counted())
                for (int j = 0; j < cells.sets(); ++j)
                    for (int c = 0; c < cells.size(); ++c) there_[m][j].enter(cells, m, c, cells.whole[j][c]);
        lacked_ = lacks_;
        unmet_.assign(n, 0);
        for (const int i : whose_) ++unmet_[i];
        for (std::size_t i = 0; i < n; ++i) {
            first_.push_back(links_.size());
            for (std::size_t s = 0; s < choices.of(i).size(); ++s) links_.emplace_back();
        }
        find_links(over);
        picked_.assign(n, 0);  // the cheapest choice of each, which is an answer
        for (std::size_t i = 0; i < n; ++i) {
            cost_ += price(i, 0);
            help(i, 0, true);
        }
        energy_ = cost_;
        settle();
    }

    std::int64_t run(std::int64_t steps, double warm, double cold, const std::function<bool()>& over) {
        std::int64_t scale = 1;
        for (int a = 0; a < cells_.columns; ++a)
            if (cells_.free >> a & 1) scale = std::max(scale, cells_.weight[a]);
        double temperature = cold > 0 ? warm * static_cast<double>(scale) : 0;
        const double cooling = cold > 0 ? std::pow(cold / warm, 1.0 / static_cast<double>(steps)) : 0;
        if (picked_.empty()) return steps;
        for (std::int64_t done = 0; done < steps; ++done, temperature *= cooling) {
            if (done % 256 == 0 && over && over()) return done;
            const std::size_t i = below(picked_.size());
            const int old = picked_[i], many = static_cast<int>(choices_.of(i).size());
            const int to = old >= 0 && below(3) ? -1 : static_cast<int>(std::min(below(many), below(many)));
            if (to == old) continue;
            const std::int64_t before = energy_;
            pick(i, to);
            const auto more = static_cast<double>(energy_ - before);
            if (more > 0 && (temperature <= 0 || uniform() >= std::exp(-more / temperature)))
                pick(i, old);
            else if (energy_ < lowest_) {
                lowest_ = energy_;
                kept_ = picked_;
            }
        }
        return steps;
    }

    // Goes back to the best so far, gives everybody who needs it a choice, and takes back what costs more than it saves:
    // whoever is helped no longer then needs a choice again.
    void settle() {
        if (!kept_.empty())
            for (std::size_t i = 0; i < kept_.size(); ++i) pick(i, kept_[i]);
        give();
        for (std::size_t i = 0; i < picked_.size(); ++i) {
            const int old = picked_[i];
            if (old < 0) continue;
            const std::int64_t before = energy_;
            pick(i, -1);
            if (energy_ >= before) pick(i, old);
        }
        give();
        lowest_ = energy_;
        kept_ = picked_;
    }

    std::int64_t cost() const { return cost_; }
    std::vector<Mask> masks() const {
        std::vector<Mask> result(cells_.size(), 0);
        for (std::size_t i = 0; i < picked_.size(); ++i)
            if (picked_[i] >= 0) result[choices_.outstanding()[i]] = choices_.of(i)[picked_[i]].mask;
        return result;
    }

    // What a solver needs: for each choice its combination, its columns and its price; for each set and need in which a
    // combination lacks some, the combination, the set, the need, and how many; and who helps whom: choice and lack.
    struct Model {
        std::vector<std::int64_t> choices, lacks, links;
    };
    Model model() const {
        Model made;
        for (std::size_t i = 0; i < picked_.size(); ++i)
            for (std::size_t s = 0; s < choices_.of(i).size(); ++s) {
                const auto c = static_cast<std::int64_t>(made.choices.size() / 3);
                made.choices.insert(made.choices.end(),
                                    {choices_.outstanding()[i], static_cast<std::int64_t>(choices_.of(i)[s].mask),
                                     price(i, static_cast<int>(s))});
                for (const int slot : links_[first_[i] + s]) made.links.insert(made.links.end(), {c, slot});
            }
        for (std::size_t slot = 0; slot < lacks_.size(); ++slot)
            made.lacks.insert(made.lacks.end(),
                              {choices_.outstanding()[whose_[slot]], set_[slot], need_[slot], lacked_[slot]});
        return made;
    }
    bool whole() const { return whole_; }

  private:
    static constexpr std::size_t kMostLinks = std::size_t{1} << 25;
    static constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15ull;

    std::int64_t price(std::size_t i, int s) const {
        return cells_.rows[choices_.outstanding()[i]] * cells_.price(choices_.of(i)[s].mask);
    }
    std::int64_t fine(std::size_t i) const { return price(i, 0) + 1; }

    // Gives everybody who needs it a choice, which costs less than the fine and takes help from nobody.
    void give() {
        for (std::size_t i = 0; i < picked_.size(); ++i)
            if (picked_[i] < 0 && unmet_[i]) pick(i, 0);
    }

    // Which lacks each choice helps: those of combinations that agree with what it still shows, and did not before.
    void find_links(const std::function<bool()>& over) {
        const auto& out = choices_.outstanding();
        std::map<Mask, std::vector<std::pair<std::size_t, std::size_t>>> by_mask;
        for (std::size_t i = 0; i < out.size(); ++i)
            for (std::size_t s = 0; s < choices_.of(i).size(); ++s) by_mask[choices_.of(i)[s].mask].push_back({i, s});
        std::vector<std::uint64_t> keys(out.size());
        std::vector<std::int64_t> after(out.size());
        for (const auto& [mask, having] : by_mask)
            for (int j = 0; j < cells_.sets(); ++j) {
                const Mask known = cells_.known[j];
                if (!(mask & known)) continue;
                KeySums head(out.size());
                for (std::size_t e = out.size(); e-- > 0;) {
                    if (slot_[e * cells_.sets() + j].first < 0) continue;
                    keys[e] = cells_.key(out[e], known & ~mask);
                    std::int64_t& first = head.at(keys[e]);
                    after[e] = first;
                    first = static_cast<std::int64_t>(e) + 1;
                }
                for (const auto& [i, s] : having) {
                    if (linked_ > kMostLinks || (over && over())) {  // fewer are known to be helped, and none wrongly
                        whole_ = false;
                        return;
                    }
                    for (std::int64_t e = head.get(cells_.key(out[i], known & ~mask)); e; e = after[e - 1]) {
                        if (!(cells_.apart(out[i], out[e - 1]) & known)) continue;
                        const auto& [first, many] = slot_[(e - 1) * cells_.sets() + j];
                        for (int slot = first; slot < first + many; ++slot) links_[first_[i] + s].push_back(slot);
                        linked_ += many;
                    }
                }
            }
    }

    // How many become like those of a lack, or are it no longer, when a combination takes a choice or gives it back: those
    // whom it had not, by itself or by another's help.
    std::int64_t brought(int slot, int c, bool taken) {
        const int j = set_[slot], m = need_[slot], mine = choices_.outstanding()[whose_[slot]];
        std::int64_t persons = cells_.single(m, c);
        for (const std::int32_t person : cells_.others(m, c)) {
            if (there_[m][j].has(cells_, m, person, cells_.whole[j][mine])) continue;
            std::int64_t& times =
                helped_.at(cells_.needs[m].named[person] + static_cast<std::uint64_t>(slot) * kSpread);
            persons += taken ? times++ == 0 : --times == 0;
        }
        return persons;
    }

    void help(std::size_t i, int s, bool taken) {
        for (const int slot : links_[first_[i] + s]) {
            const bool lacked = lacks_[slot] > 0;
            const std::int64_t persons = brought(slot, choices_.outstanding()[i], taken);
            lacks_[slot] -= taken ? persons : -persons;
            if (lacked == (lacks_[slot] > 0)) continue;
            const int e = whose_[slot];
            const bool fined = picked_[e] < 0 && unmet_[e];
            unmet_[e] += lacked ? -1 : 1;
            const bool now = picked_[e] < 0 && unmet_[e];
            if (fined != now) energy_ += now ? fine(e) : -fine(e);
        }
    }

    void pick(std::size_t i, int to) {
        const int old = picked_[i];
        if (old == to) return;
        if (old < 0 && unmet_[i]) energy_ -= fine(i);
        picked_[i] = to;
        if (to < 0 && unmet_[i]) energy_ += fine(i);
        const std::int64_t more = (to < 0 ? 0 : price(i, to)) - (old < 0 ? 0 : price(i, old));
        cost_ += more;
        energy_ += more;
        if (old >= 0) help(i, old, false);
        if (to >= 0) help(i, to, true);
    }

    std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }
    double uniform() { return static_cast<double>(random_() >> 11) * 0x1.0p-53; }

    const KnownCells& cells_;
    const CellChoices& choices_;
    std::mt19937_64 random_;
    std::vector<std::pair<int, int>>
        slot_;  // by combination that stands out and known set: its first lack, and how many
    std::vector<int> whose_, set_, need_, unmet_, picked_, kept_;
    std::vector<std::vector<Crowds>> there_;    // who is like a combination without any help, by need and known set
    KeySums helped_;                            // by lack and person: of how many helpers
    std::vector<std::int64_t> lacks_, lacked_;  // as it stands, and of the table as it is
    std::vector<std::size_t> first_;
    std::vector<std::vector<int>> links_;
    std::size_t linked_ = 0;
    bool whole_ = true;
    std::int64_t cost_ = 0, energy_ = 0, lowest_ = 0;
};

}  // namespace shoal
