// What values weigh in a group where persons have several rows: a person weighs one, spread evenly over their rows there.
//
// A person whose rows are all in one combination weighs the same in every group that has it. So these weights add up as
// rows do: in histograms, over a common denominator, which is the `scale` of the rules. The others are listed, with their
// rows of every value in every combination: what they weigh depends on the group. (So are those whose denominators would
// make the scale too large; and where distinct values are asked for, all who have several.) A listed person with r of
// their R rows of a value in a combination counts there in the histogram with r / R, rounded down, and in the weight of
// every item that they have rows in (cuts/items.hpp) with one. That is no more than they weigh: of their rows in a group they
// have no more than R, so their r / R of all its combinations add up to no more than their share of the value in it. And no
// fewer heads: they are one person of the group, and of each of its items one. So
//   bounded     a group in which no value's share is above its limit has none above it by histogram and weight,
//               and these add up: what cuts/bounds.hpp says of rows (Lemma 3, need) holds for them.
// Whether a group is broken is worked out from the list, in exact arithmetic.
#pragma once

#include <stdexcept>
#include <utility>

#include "common/fractions.hpp"
#include "cuts/rules.hpp"

namespace shoal {

// Rows of a listed person with a value, in a combination, and what the histogram counts for them.
struct ListedRows {
    std::int32_t person;
    std::int32_t slot;
    std::int32_t rows;
    std::int32_t part;
};

// The rows of listed persons, combination by combination.
struct ListedPersons {
    std::vector<std::uint32_t>
        first;  // where a combination's begin; one more than there are combinations, or none at all
    std::vector<ListedRows> rows;

    const ListedRows* begin(std::size_t c) const { return rows.data() + first[c]; }
    const ListedRows* end(std::size_t c) const { return rows.data() + first[c + 1]; }
};

// Weighs the persons of one group after the other.
class PersonShares {
  public:
    explicit PersonShares(const Rules& rules)
        : rules_(rules), totals_(rules.weighed ? std::max(rules.numbers, 0) : 0, 0), seen_(totals_.size(), 0),
          place_(totals_.empty() ? 0 : rules.most_rows + 1, -1) {}

    // Begins a group.
    void clear() { ranges_.clear(); }

    // Adds rows of listed persons.
    void add(const ListedRows* begin, const ListedRows* end) {
        if (begin != end) ranges_.emplace_back(begin, end);
    }

    // What holds of the group of so many persons, of whose listed ones all rows were added.
    template <class Count>
    Verdict judge(std::int64_t persons, const Count* h) {
        Verdict verdict{false, 0, -1};
        if (ranges_.empty() && rules_.distinct == 0) {
            verdict.broken = rules_.broken(rules_.scale * persons, h);
            if (!verdict.broken || !rules_.blanks()) return verdict;
        }
        weigh(h);
        over_.assign(rules_.values(), 0);
        for (int s = 0; s < rules_.values(); ++s) {
            const Limit& limit = rules_.limits[s];
            if (limit.none()) continue;
            gather(s);
            over_[s] = exceed(parts_, limit.exact_num, limit.exact_den, persons);
            verdict.broken = verdict.broken || over_[s];
        }
        if (rules_.distinct > 0) {
            verdict.variety = variety();
            verdict.broken = verdict.broken || verdict.variety < rules_.distinct;
        }
        if (verdict.broken && rules_.blanks()) verdict.blanked = blanked(h);
        return verdict;
    }

    // The largest share of a value that is not missing.
    template <class Count>
    Fraction largest(std::int64_t persons, const Count* h) {
        weigh(h);
        Fraction most{0, 1};
        for (int s = 0; s < rules_.values(); ++s) {
            if (rules_.limits[s].missing) continue;
            gather(s);
            const std::int64_t common = common_denominator(parts_, persons);
            if (common == 0) throw std::overflow_error("the shares of persons have denominators above 2^62");
            const std::int64_t sum = sum_over(parts_, common), of = common * persons;
            if (less_products(most.count, of, sum, most.of)) most = {sum, of};
        }
        return most;
    }

    // Of how many values, in the column where they are the fewest, so many different persons each have another one. All who
    // have several values are listed.
    template <class Count>
    std::int64_t distinct(const Count* h) {
        weigh(h);
        return variety();
    }

  private:
    // Separates what the histogram says of listed persons from the rest, and weighs them by their rows in the group.
    template <class Count>
    void weigh(const Count* h) {
        const int values = rules_.values();
        base_.assign(h, h + values);
        for (const std::int64_t of : denominators_) place_[of] = -1;
        denominators_.clear();
        sums_.clear();
        if (++turn_ == 0) {
            std::fill(seen_.begin(), seen_.end(), 0);
            turn_ = 1;
        }
        each([&](const ListedRows& one) {
            if (rules_.limits[one.slot].column != 0) return;  // in every column all rows have a value
            if (seen_[one.person] != turn_) totals_[one.person] = 0;
            seen_[one.person] = turn_;
            totals_[one.person] += one.rows;
        });
        each([&](const ListedRows& one) {
            const std::int32_t of = totals_[one.person];
            base_[one.slot] -= one.part;
            SHOAL_ASSERT(base_[one.slot] >= 0 && one.rows <= of && of <= rules_.most_rows);
            if (place_[of] < 0) {
                place_[of] = static_cast<std::int32_t>(denominators_.size());
                denominators_.push_back(of);
                sums_.resize(sums_.size() + values, 0);
            }
            sums_[std::size_t(place_[of]) * values + one.slot] += one.rows;
        });
    }

    template <class F>
    void each(F&& f) const {
        for (const auto& [begin, end] : ranges_)
            for (const ListedRows* one = begin; one != end; ++one) f(*one);
    }

    // What a value weighs, as fractions.
    void gather(int s) {
        parts_.clear();
        parts_.push_back({base_[s], rules_.scale});
        for (std::size_t d = 0; d < denominators_.size(); ++d) {
            const std::int64_t sum = sums_[d * rules_.values() + s];
            if (sum > 0) parts_.push_back({sum, denominators_[d]});
        }
    }

    template <class Count>
    std::int64_t blanked(const Count* h) const {
        std::int64_t total = 0;
        const Count* rows = rules_.row_counts(h);
        if (rules_.scheme == Scheme::VioSA) {
            for (int s = 0; s < rules_.values(); ++s) total += over_[s] ? rows[s] : 0;
            return total;
        }
        for (int c = 0; c < rules_.columns; ++c) {
            bool hit = false;
            for (int s = 0; s < rules_.values() && !hit; ++s) hit = over_[s] && rules_.limits[s].column == c;
            if (hit) total += rules_.present(h, c);
        }
        return total;
    }

    std::int64_t variety() {
        std::int64_t least = rules_.columns == 0 ? 0 : kNever;
        for (int c = 0; c < rules_.columns; ++c) least = std::min(least, matched(c));
        return least;
    }

    // The size of a largest matching of a column's values with persons who have them. Whoever has one value alone takes
    // it: no matching is larger where they do not, since nobody else gains by it but one. The values that are left are
    // matched with listed persons, each by a path that moves others.
    std::int64_t matched(int column) {
        const int values = rules_.values();
        taken_.assign(values, 0);
        std::int64_t total = 0;
        const auto take = [&](int s) {
            const bool is_new = !taken_[s] && rules_.limits[s].column == column && !rules_.limits[s].missing;
            if (is_new) taken_[s] = 1;
            total += is_new;
        };
        for (int s = 0; s < values; ++s)
            if (base_[s] > 0) take(s);
        owned_.clear();
        each([&](const ListedRows& one) {
            if (rules_.limits[one.slot].column == column) owned_.emplace_back(one.person, one.slot);
        });
        std::sort(owned_.begin(), owned_.end());
        owned_.erase(std::unique(owned_.begin(), owned_.end()), owned_.end());
        const auto starts = [&](std::size_t i) { return i == 0 || owned_[i].first != owned_[i - 1].first; };
        for (std::size_t i = 0; i < owned_.size(); ++i)
            if (starts(i) && (i + 1 == owned_.size() || starts(i + 1))) take(owned_[i].second);
        // Values that are left, and who has them.
        who_.assign(values, {});
        for (const auto& [person, slot] : owned_)
            if (!taken_[slot] && !rules_.limits[slot].missing) who_[slot].push_back(person);
        holder_.clear();
        for (int s = 0; s < values; ++s) {
            asked_.clear();
            if (!who_[s].empty()) total += match(s);
        }
        return total;
    }

    bool match(int s) {
        for (const std::int32_t person : who_[s]) {
            if (std::find(asked_.begin(), asked_.end(), person) != asked_.end()) continue;
            asked_.push_back(person);
            const auto held =
                std::find_if(holder_.begin(), holder_.end(), [&](auto& one) { return one.first == person; });
            if (held == holder_.end()) {
                holder_.emplace_back(person, s);
                return true;
            }
            const auto at = held - holder_.begin();
            if (match(held->second)) {
                holder_[at].second = s;
                return true;
            }
        }
        return false;
    }

    const Rules& rules_;
    std::vector<std::pair<const ListedRows*, const ListedRows*>> ranges_;
    std::vector<std::int32_t> totals_;  // of every listed person, their rows in the group
    std::vector<std::uint32_t> seen_;   // the turn in which that was counted last
    std::uint32_t turn_ = 0;
    std::vector<std::int32_t> place_;  // of denominators
    std::vector<std::int64_t> denominators_, base_, sums_;
    std::vector<Fraction> parts_;
    std::vector<char> over_, taken_;
    std::vector<std::pair<std::int32_t, std::int32_t>> owned_, holder_;
    std::vector<std::vector<std::int32_t>> who_;
    std::vector<std::int32_t> asked_;
};

}  // namespace shoal
