// What a group of rows costs under a scheme of suppression: the definitions, in exact arithmetic.
//
// A group is its size and a histogram: how many rows have each sensitive value (all limited columns side
// by side), then each class label, then, where it matters, each pair of the two, or each tuple of sensitive values.
//
// Where persons have several rows, the first part of the histogram is what each value weighs (cuts/person_shares.hpp),
// `scale` being the weight of a person, and where values are blanked the last part is how many rows have each.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <stdexcept>

#include "cuts/joint.hpp"

namespace shoal {

enum class Scheme { NoSupp, AllRec, VioRec, AllSA, VioSA };
enum class SizePart { None, Square, Table };
enum class ClassPart { None, Minority, Table };

// The rows of a group, and its persons where they are counted, which k is about; else every row is a person. The weight
// is what shares are of: no less than what its persons weigh, and its rows where persons are not weighed.
struct Size {
    std::int64_t rows;
    std::int64_t persons;
    std::int64_t weight;

    Size(std::int64_t n) : Size(n, n) {}
    Size(std::int64_t n, std::int64_t heads) : Size(n, heads, n) {}
    Size(std::int64_t n, std::int64_t heads, std::int64_t all) : rows(n), persons(heads), weight(all) {
        SHOAL_ASSERT(heads <= n);
    }
};

// Whether a group breaks what is asked of it, and where persons are weighed how many values are blanked then, and how
// many distinct values it has, if that matters.
struct Verdict {
    bool broken;
    std::int64_t blanked = -1;
    std::int64_t variety = -1;
};

struct Rules {
    Scheme scheme = Scheme::AllRec;
    std::int64_t k = 1;
    std::int64_t rows = 0;            // of the whole table
    std::int32_t numbers = -1;        // of persons in several combinations; -1 where every row is a person
    bool weighed = false;             // whether histograms tell what persons weigh
    std::int64_t scale = 1;           // what a person weighs there
    std::int32_t most_rows = 0;       // of a person who is listed (cuts/person_shares.hpp)
    std::int64_t unit = 1;            // the whole number that stands for 1
    std::int64_t record_cost = 0;     // of a deleted row
    std::int64_t value_cost = 0;      // of a blanked sensitive value
    std::int64_t most_lost = kNever;  // rows that may be deleted, or values blanked
    std::int64_t premium = 0;         // what each of them costs beyond the metric, see cuts/bounds.hpp
    std::int64_t distinct = 0;        // sensitive values that a group must have, in every column
    std::vector<Limit> limits;        // of every sensitive value
    int columns = 0;                  // sensitive columns
    int labels = 0;                   // class labels
    bool joint = false;               // whether histograms count the pairs, too
    std::vector<int> tuples;          // of vioRec with several columns: which values occur together, one a column
    std::shared_ptr<std::atomic<bool>> gave_up =
        std::make_shared<std::atomic<bool>>(false);  // on a group, see JointKeep
    bool uniform = false;                            // one column, one limit for all its values
    SizePart size_part = SizePart::None;
    ClassPart class_part = ClassPart::None;
    std::vector<std::int64_t> size_table;   // cost of a group by its rows
    std::vector<std::int64_t> class_table;  // cost of a group's label by its rows

    int values() const { return values_; }
    int together() const { return columns == 0 ? 0 : static_cast<int>(tuples.size()) / columns; }
    int width() const {
        return values() + labels + (joint ? values() * labels : 0) + together() + (counts_rows() ? values() : 0);
    }
    // Whether the rows of values are counted beside their weights, and where.
    bool counts_rows() const { return weighed && blanks(); }
    template <class Count>
    const Count* row_counts(const Count* h) const {
        return weighed ? h + values() + labels : h;
    }
    // The fewest rows that weigh so much: no row weighs more than a person.
    std::int64_t fewest_rows(std::int64_t weight) const { return (weight + scale - 1) / scale; }
    bool deletes() const { return scheme == Scheme::AllRec || scheme == Scheme::VioRec; }
    bool blanks() const { return scheme == Scheme::AllSA || scheme == Scheme::VioSA; }

    bool limited() const { return most_lost < kNever; }
    bool by_persons() const { return numbers >= 0; }
    // What the premium of all that may be lost comes to.
    std::int64_t refund() const { return premium == 0 ? 0 : premium * most_lost; }

    // Makes all that is lost dearer.
    void raise(std::int64_t by) {
        premium += by;
        (blanks() ? value_cost : record_cost) += by;
    }

    void clear_limits() {
        limits.clear();
        uniform = false;
        columns = values_ = 0;
    }

    void add_limit(Limit limit) {
        uniform = limit.column == 0 && !limit.none() && !limit.missing &&
                  (limits.empty() || (uniform && limit.same(limits[0])));
        columns = std::max(columns, limit.column + 1);
        limits.push_back(limit);
        values_ = static_cast<int>(limits.size());
    }

    std::int64_t size_cost(std::int64_t n) const {
        switch (size_part) {
            case SizePart::None: return 0;
            case SizePart::Square: return unit * n * n;
            default: return size_table[n];
        }
    }

    template <class Count>
    std::int64_t class_cost(std::int64_t n, const Count* h) const {
        if (class_part == ClassPart::None) return 0;
        const Count* label = h + values();
        if (class_part == ClassPart::Minority) return unit * (n - *std::max_element(label, label + labels));
        std::int64_t total = 0;
        for (int y = 0; y < labels; ++y) total += class_table[label[y]];
        return total;
    }

    // How many distinct values a group has, in the column where they are the fewest; none is missing.
    template <class Count>
    std::int64_t variety(const Count* h) const {
        std::int64_t least = columns == 0 ? 0 : kNever;
        for (int c = 0; c < columns; ++c) {
            std::int64_t own = 0;
            for (int s = 0; s < values(); ++s) own += limits[s].column == c && !limits[s].missing && h[s] > 0;
            least = std::min(least, own);
        }
        return least;
    }

    // Whether a group has too few distinct values, as far as its histogram tells.
    template <class Count>
    bool poor(const Count* h) const {
        return distinct > 0 && !weighed && variety(h) < distinct;
    }

    // Of so many rows, or so much weight; where persons are weighed, a group that respects all limits is never broken.
    template <class Count>
    bool broken(std::int64_t n, const Count* h) const {
        if (poor(h)) return true;
        if (uniform) return limits[0].broken(largest(h), n);
        for (int s = 0; s < values(); ++s)
            if (limits[s].broken(h[s], n)) return true;
        return false;
    }

    // The most rows of the histogram that respect the limits (of one column, or of all where column < 0), an upper
    // bound where several columns are limited. Any such set of m rows has m <= sum of min(n_s, most_s(m)) in every
    // column, the right side never falls as m rises, so stepping down from all rows never passes it. With weights for rows
    // it is the same, but that some of the weight is no value's.
    template <class Count>
    std::int64_t keep_most(std::int64_t n, const Count* h, int column = -1) const {
        std::int64_t m = n;
        for (bool changed = true; changed && m > 0;) {
            changed = false;
            for (int c = column < 0 ? 0 : column; c < (column < 0 ? columns : column + 1); ++c) {
                const std::int64_t in_column =
                    (uniform ? kept_uniform(m, h) : kept_of(m, h, c)) + (weighed ? n - in_values(h, c) : 0);
                if (in_column < m) {
                    m = in_column;
                    changed = true;
                }
            }
        }
        return m;
    }

    // The most rows of the histogram that respect all limits, whichever columns they are of.
    template <class Count>
    std::int64_t kept(std::int64_t n, const Count* h) const {
        const std::int64_t most = keep_most(n, h);
        if (tuples.empty() || most < k) return most;
        JointKeep keep(limits, tuples, columns);
        const std::int64_t found = keep(most, h + values() + labels);
        if (keep.gave_up()) gave_up->store(true, std::memory_order_relaxed);
        return found;
    }

    // The fewest rows that a group must have for these n rows to be released in it, or the least weight.
    template <class Count>
    std::int64_t need(Size n, const Count* h, const Verdict& alone) const {
        // Each person that is missing comes with a row of their own, and so does each value.
        std::int64_t need = blanks() ? 0 : scale * k;
        if (!blanks() && n.persons < k) need = n.weight + scale * (k - n.persons);
        if (distinct > 0) {
            const std::int64_t has = weighed ? alone.variety : variety(h);
            need = std::max(need, n.weight + scale * std::max<std::int64_t>(0, distinct - has));
        }
        if (uniform) return std::max(need, limits[0].need(largest(h)));
        for (int s = 0; s < values(); ++s) need = std::max(need, limits[s].need(h[s]));
        return need;
    }

    template <class Count>
    std::int64_t present(const Count* h, int column) const {
        std::int64_t rows_with_a_value = 0;
        const Count* rows = row_counts(h);
        for (int s = 0; s < values(); ++s)
            if (limits[s].column == column && !limits[s].missing) rows_with_a_value += rows[s];
        return rows_with_a_value;
    }

    // What vioRec leaves of the majority, when it keeps m rows: its rows of each value, those of one label first.
    template <class Count>
    std::int64_t majority_kept(std::int64_t m, const Count* h) const {
        const Count* pair = h + values() + labels;
        std::int64_t best = 0;
        for (int y = 0; y < labels; ++y) {
            std::int64_t rows_kept = 0;
            for (int s = 0; s < values(); ++s) {
                const std::int64_t kept = limits[s].none() ? h[s] : std::min<std::int64_t>(h[s], limits[s].most(m));
                rows_kept += std::min<std::int64_t>(kept, pair[s * labels + y]);
            }
            best = std::max(best, rows_kept);
        }
        return best;
    }

    // How many sensitive values the scheme blanks in a group that is broken.
    template <class Count>
    std::int64_t blanked(std::int64_t n, const Count* h) const {
        std::int64_t total = 0;
        if (scheme == Scheme::VioSA) {
            if (uniform) {
                const Count most = static_cast<Count>(limits[0].most(n));
                Count sum = 0;
                for (int s = 0; s < values(); ++s) sum += h[s] > most ? h[s] : 0;
                return sum;
            }
            for (int s = 0; s < values(); ++s)
                if (limits[s].broken(h[s], n)) total += h[s];
        } else if (scheme == Scheme::AllSA) {
            for (int c = 0; c < columns; ++c) {
                bool hit = false;
                for (int s = 0; s < values() && !hit; ++s) hit = limits[s].column == c && limits[s].broken(h[s], n);
                if (hit) total += present(h, c);
            }
        }
        return total;
    }

    // What holds of a group where every row is a person, or k alone is asked for.
    template <class Count>
    Verdict judge(std::int64_t n, const Count* h) const {
        return {broken(n, h)};
    }

    template <class Count>
    std::int64_t cost(Size size, const Count* h, std::int64_t rate) const {
        return cost(size, h, rate, judge(size.rows, h));
    }

    // The cost of a group whose rows each cost `rate` for their values, or kNever where the scheme does not allow it.
    template <class Count>
    std::int64_t cost(Size size, const Count* h, std::int64_t rate, const Verdict& verdict) const {
        const std::int64_t n = size.rows;
        const bool is_broken = verdict.broken;
        switch (scheme) {
            case Scheme::NoSupp:
                if (size.persons < k || is_broken) return kNever;
                break;
            case Scheme::AllRec:
                if (size.persons < k || is_broken) return n * record_cost;
                break;
            case Scheme::VioRec: {
                const std::int64_t m = is_broken ? kept(n, h) : n;
                if ((is_broken ? m : size.persons) < k) return n * record_cost;
                if (m == n) break;
                std::int64_t part = 0;
                if (class_part == ClassPart::Minority) part = unit * (m - majority_kept(m, h));
                return (n - m) * record_cost + m * rate + size_cost(m) + part;
            }
            default:
                if (size.persons < k) return kNever;
                return n * rate + size_cost(n) + class_cost(n, h) +
                       (is_broken ? hidden(n, h, verdict) * value_cost : 0);
        }
        return n * rate + size_cost(n) + class_cost(n, h);
    }

    // How many rows of a group that is allowed are released, and so pay for their values.
    template <class Count>
    std::int64_t paying(Size n, const Count* h, const Verdict& verdict) const {
        if (!deletes() || !verdict.broken) return n.persons < k && deletes() ? 0 : n.rows;
        const std::int64_t m = scheme == Scheme::VioRec ? kept(n.rows, h) : 0;
        return m < k ? 0 : m;
    }

    // How many rows of a group are deleted, or values blanked, `paying` being how many are released.
    template <class Count>
    std::int64_t lost(Size n, const Count* h, const Verdict& verdict, std::int64_t paying) const {
        if (deletes()) return n.rows - paying;
        return verdict.broken && n.persons >= k ? hidden(n.rows, h, verdict) : 0;
    }

    // How many sensitive values the scheme blanks in a group that is broken.
    template <class Count>
    std::int64_t hidden(std::int64_t n, const Count* h, const Verdict& verdict) const {
        return weighed ? verdict.blanked : blanked(n, h);
    }

  private:
    int values_ = 0;  // of limits: loops ask for it at every turn

    template <class Count>
    Count largest(const Count* h) const {
        Count most = 0;
        for (int s = 0; s < values(); ++s) most = std::max(most, h[s]);
        return most;
    }

    template <class Count>
    std::int64_t kept_uniform(std::int64_t m, const Count* h) const {
        const Count most = static_cast<Count>(limits[0].most(m));
        Count kept = 0;
        for (int s = 0; s < values(); ++s) kept += std::min(h[s], most);
        return kept;
    }

    // What the values of a column weigh together.
    template <class Count>
    std::int64_t in_values(const Count* h, int column) const {
        std::int64_t sum = 0;
        for (int s = 0; s < values(); ++s)
            if (limits[s].column == column) sum += h[s];
        return sum;
    }

    template <class Count>
    std::int64_t kept_of(std::int64_t m, const Count* h, int column) const {
        std::int64_t kept = 0;
        for (int s = 0; s < values(); ++s) {
            if (limits[s].column != column) continue;
            kept += limits[s].none() ? h[s] : std::min<std::int64_t>(h[s], limits[s].most(m));
        }
        return kept;
    }
};

}  // namespace shoal
