// A walk from cut to cut: what each costs, and what a step to its neighbours would.
#pragma once

#include <functional>

#include "cuts/items.hpp"

namespace shoal {

// The tally: distinct combinations of leaves, with their rows and histograms.
template <class Count>
struct Combinations {
    std::vector<std::int32_t> leaves;  // a node an attribute
    std::vector<std::int64_t> rows;
    Histograms<Count> histograms;
    std::vector<std::uint32_t> places;  // of the histograms
    Persons persons;
    ListedPersons listed;
    std::int64_t scale = 0;  // what a person weighs in the histograms; 0 where rows are counted

    std::size_t size() const { return rows.size(); }
    // No count of a combination's histogram is above this.
    std::int64_t bulk(std::size_t c) const { return scale == 0 ? rows[c] : std::max(rows[c], scale * persons.in(c)); }
};

// A cut as a mark on every node: whether it is specialized. Marks below an unmarked node mean nothing.
using CutMarks = std::vector<char>;

// What a cut costs: the rows in groups that the scheme does not allow, the cost of the others, and how many rows of
// them are deleted, or values blanked; the last is 0 where it is not limited.
struct CutCost {
    std::int64_t forbidden = 0;
    std::int64_t cost = 0;
    std::int64_t lost = 0;
};

template <class Count>
class CutWalk {
  public:
    CutWalk(const Trees& trees, const Rules& rules, const Combinations<Count>& combinations)
        : trees_(trees), rules_(rules), data_(combinations), stride_(padded(rules.width())), words_(trees.words()),
          histograms_(stride_), merged_histograms_(stride_), census_(combinations.persons.numbers), shares_(rules) {
        go_to(CutMarks(trees.size(), 0));
    }

    // A premium on all that is lost, instead of a limit; negative: the limit holds.
    void set_premium(std::int64_t premium) { premium_ = premium; }

    // First comes what is not allowed, then what is lost beyond the limit, then the cost.
    bool better(const CutCost& a, const CutCost& b) const {
        if (a.forbidden != b.forbidden) return a.forbidden < b.forbidden;
        if (premium_ >= 0) return a.cost + premium_ * a.lost < b.cost + premium_ * b.lost;
        const std::int64_t over = excess(a), other = excess(b);
        return over != other ? over < other : a.cost < b.cost;
    }
    std::int64_t excess(const CutCost& cost) const { return std::max<std::int64_t>(0, cost.lost - rules_.most_lost); }

    const CutMarks& marks() const { return marks_; }
    const CutCost& cost() const { return cost_; }
    std::size_t groups() const { return groups_.size(); }
    const std::vector<int>& down() const { return down_; }  // values of the cut that can be specialized
    const std::vector<int>& up() const { return up_; }      // values above it that it can be generalized to

    void go_to(CutMarks marks) {
        marks_ = std::move(marks);
        std::vector<int> shown(trees_.size());
        down_.clear();
        up_.clear();
        for (std::size_t v = 0; v < trees_.size(); ++v) {
            const int p = trees_.parent[v];
            const bool reached = p < 0 || (shown[p] == p && marks_[p]);
            shown[v] = reached ? static_cast<int>(v) : shown[p];
            if (!reached || trees_.leaf(static_cast<int>(v)))
                marks_[v] = 0;
            else
                (marks_[v] ? up_ : down_).push_back(static_cast<int>(v));
        }
        group(shown);
        cost_ = {};
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            groups_[g].cost = price(groups_[g], histograms_);
            add(cost_, groups_[g].cost);
        }
    }

    // What the cut would cost if one of its values were specialized.
    CutCost if_down(int v) {
        CutCost result = cost_;
        const int a = trees_.attribute[v];
        const std::size_t parts = trees_.children[v].size();
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            if (trees_.at(key(g), a) != v) continue;
            take(result, groups_[g].cost);
            sizes_.assign(parts, Size(0));
            totals_.assign(parts * stride_, Count{0});
            for (std::size_t j = groups_[g].start; j < groups_[g].start + groups_[g].count; ++j) {
                const std::size_t i = order_[j];
                const std::size_t p = trees_.part(v, data_.leaves[i * trees_.attributes() + a]);
                sizes_[p].rows += data_.rows[i];
                data_.histograms.add_to(totals_.data() + p * stride_, data_.places[i]);
            }
            count_parts(groups_[g], v);
            for (std::size_t p = 0; p < parts; ++p)
                if (sizes_[p].rows > 0)
                    add(result, price(sizes_[p], totals_.data() + p * stride_,
                                      groups_[g].rate + trees_.weight[trees_.children[v][p]] - trees_.weight[v],
                                      [&] { list(members_[p]); }));
        }
        return result;
    }

    // What the cut would cost if it were generalized to a value above it.
    CutCost if_up(int v) {
        CutCost result = cost_;
        const int a = trees_.attribute[v];
        below_.assign(trees_.size(), 0);
        below_[v] = 1;
        for (std::size_t u = v + 1; u < trees_.size() && trees_.attribute[u] == a; ++u)
            below_[u] = trees_.parent[u] >= 0 && below_[trees_.parent[u]];
        std::size_t slots = 16;
        while (slots < 2 * groups_.size()) slots *= 2;
        slots_.assign(slots, -1);
        merged_.clear();
        merged_keys_.clear();
        merged_of_.assign(groups_.size(), -1);
        std::vector<std::uint64_t> general(words_);
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            const int node = trees_.at(key(g), a);
            if (!below_[node]) continue;
            take(result, groups_[g].cost);
            std::copy(key(g), key(g) + words_, general.begin());
            trees_.put(general.data(), a, v);
            std::size_t at = hash_words(general.data(), words_) & (slots - 1);
            while (slots_[at] >= 0 && !same_words(merged_keys_.data() + slots_[at] * words_, general.data(), words_))
                at = (at + 1) & (slots - 1);
            if (slots_[at] < 0) {
                slots_[at] = static_cast<std::int32_t>(merged_.size());
                merged_keys_.insert(merged_keys_.end(), general.begin(), general.end());
                merged_.push_back({0, 0, 0, 0, groups_[g].rate + trees_.weight[v] - trees_.weight[node], 0, {}});
            }
            merged_[slots_[at]].rows += groups_[g].rows;
            merged_[slots_[at]].bulk += groups_[g].bulk;
            merged_of_[g] = slots_[at];
        }
        count_merged();
        make_histograms(merged_, merged_histograms_);
        for (std::size_t g = 0; g < groups_.size(); ++g)
            if (merged_of_[g] >= 0)
                merged_histograms_.add_to(merged_[merged_of_[g]].histogram, histograms_, groups_[g].histogram);
        for (std::size_t m = 0; m < merged_.size(); ++m)
            add(result,
                price(merged_[m].size(), merged_histograms_.read(merged_[m].histogram, room_), merged_[m].rate, [&] {
                    for (const std::int32_t g : members_[m]) list(groups_[g]);
                }));
        return result;
    }

    void step_down(int v) {
        CutMarks marks = marks_;
        marks[v] = 1;
        go_to(std::move(marks));
    }

    void step_up(int v) {
        CutMarks marks = marks_;
        marks[v] = 0;
        go_to(std::move(marks));
    }

    // Takes every step that is better, the largest values first or the smallest, until none is or time is over.
    void descend(bool largest_first, const std::function<bool()>& over) {
        for (bool improved = true; improved;) {
            improved = false;
            steps_ = down_;
            steps_.insert(steps_.end(), up_.begin(), up_.end());
            std::sort(steps_.begin(), steps_.end(), [&](int a, int b) {
                return trees_.rows[a] != trees_.rows[b] ? (trees_.rows[a] > trees_.rows[b]) == largest_first : a < b;
            });
            for (const int v : std::vector<int>(steps_)) {
                if (over()) return;
                const bool is_up = std::binary_search(up_.begin(), up_.end(), v);
                if (!is_up && !std::binary_search(down_.begin(), down_.end(), v)) continue;
                if (!better(is_up ? if_up(v) : if_down(v), cost_)) continue;
                is_up ? step_up(v) : step_down(v);
                improved = true;
            }
        }
    }

    // What the groups that are released have in common: the fewest persons (every row is one where they are not counted),
    // the fewest distinct values, and the largest share of a value, as its rows and those of its group, or as a fraction
    // of what its persons weigh. No persons where none is released. Where persons are weighed, either distinct values are
    // asked for and told, or else shares.
    struct Reached {
        std::int64_t persons = 0, variety = 0, with = 0, of = 1;
    };

    Reached reached() {
        Reached all;
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            const std::int64_t n = groups_[g].rows;
            const Count* h = histograms_.read(groups_[g].histogram, room_);
            const Size size = groups_[g].size();
            const Verdict verdict = judge(size, h, [&] { list(groups_[g]); });
            if (rules_.paying(size, h, verdict) == 0) continue;
            const std::int64_t variety =
                !rules_.weighed ? rules_.variety(h) : std::max<std::int64_t>(verdict.variety, 0);
            all.variety = all.persons == 0 ? variety : std::min(all.variety, variety);
            if (rules_.weighed && rules_.distinct == 0) {
                const Fraction share = shares_.largest(size.persons, h);
                if (less_products(all.with, share.of, share.count, all.of)) all.with = share.count, all.of = share.of;
            }
            all.persons = all.persons == 0 ? size.persons : std::min(all.persons, size.persons);
            for (int s = 0; !rules_.weighed && s < rules_.values(); ++s)
                if (!rules_.limits[s].missing && h[s] * all.of > all.with * n) all.with = h[s], all.of = n;
        }
        return all;
    }

    // How many rows the cut deletes, and how many sensitive values it blanks.
    std::pair<std::int64_t, std::int64_t> suppressed() {
        std::int64_t deleted = 0, blanked = 0;
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            const Count* h = histograms_.read(groups_[g].histogram, room_);
            const Size size = groups_[g].size();
            const Verdict verdict = judge(size, h, [&] { list(groups_[g]); });
            deleted += rules_.deletes() ? size.rows - rules_.paying(size, h, verdict) : 0;
            blanked += rules_.hidden(size.rows, h, verdict);
        }
        return {deleted, blanked};
    }

  private:
    struct Group {
        std::size_t start;
        std::size_t count;
        std::int64_t rows;
        std::int64_t bulk;  // no count of its histogram is above this
        std::int64_t rate;
        std::uint32_t histogram;  // its place
        CutCost cost;
        std::int64_t persons = -1;  // -1 where every row is one

        Size size() const { return {rows, persons < 0 ? rows : persons}; }
    };

    static void add(CutCost& total, const CutCost& part) {
        total.forbidden += part.forbidden;
        total.cost += part.cost;
        total.lost += part.lost;
    }
    static void take(CutCost& total, const CutCost& part) {
        total.forbidden -= part.forbidden;
        total.cost -= part.cost;
        total.lost -= part.lost;
    }

    // What holds of a group; `listing` adds its listed persons to those that are weighed.
    template <class Listing>
    Verdict judge(Size size, const Count* h, Listing&& listing) {
        if (!rules_.weighed) return rules_.judge(size.rows, h);
        shares_.clear();
        listing();
        return shares_.judge(size.persons, h);
    }

    void list(std::size_t c) { shares_.add(data_.listed.begin(c), data_.listed.end(c)); }
    void list(const Group& group) {
        for (std::size_t j = group.start; j < group.start + group.count; ++j) list(std::size_t(order_[j]));
    }
    void list(const std::vector<std::int32_t>& combinations) {
        for (const std::int32_t c : combinations) list(std::size_t(c));
    }

    template <class Listing>
    CutCost price(Size size, const Count* h, std::int64_t rate, Listing&& listing) {
        const Verdict verdict = judge(size, h, listing);
        const std::int64_t cost = rules_.cost(size, h, rate, verdict);
        if (cost >= kNever) return {size.rows, 0, 0};
        if (!rules_.limited()) return {0, cost, 0};
        return {0, cost, rules_.lost(size, h, verdict, rules_.paying(size, h, verdict))};
    }

    CutCost price(const Group& group, const Histograms<Count>& histograms) {
        return price(group.size(), histograms.read(group.histogram, room_), group.rate, [&] { list(group); });
    }

    // Gives groups histograms of zeros.
    static void make_histograms(std::vector<Group>& groups, Histograms<Count>& histograms) {
        std::size_t bytes = 0;
        for (const Group& group : groups) bytes += histograms.bytes(group.bulk);
        histograms.clear(bytes);
        for (Group& group : groups) group.histogram = histograms.add(group.bulk);
    }

    const std::uint64_t* key(std::size_t g) const { return keys_.data() + g * words_; }

    // Adds the persons of a group to those that are being counted.
    void count_in(const Group& group) {
        for (std::size_t j = group.start; j < group.start + group.count; ++j) census_.add(data_.persons, order_[j]);
    }

    void count_groups() {
        if (!rules_.by_persons()) return;
        for (Group& group : groups_) {
            census_.clear();
            count_in(group);
            group.persons = census_.count();
        }
    }

    // Counts the persons of a group's parts, one part after the other.
    void count_parts(const Group& group, int v) {
        if (!rules_.by_persons()) {
            for (Size& size : sizes_) size.persons = size.rows;
            return;
        }
        const int a = trees_.attribute[v];
        members_.resize(sizes_.size());
        for (std::vector<std::int32_t>& part : members_) part.clear();
        for (std::size_t j = group.start; j < group.start + group.count; ++j)
            members_[trees_.part(v, data_.leaves[std::size_t(order_[j]) * trees_.attributes() + a])].push_back(
                order_[j]);
        for (std::size_t p = 0; p < sizes_.size(); ++p) {
            census_.clear();
            for (const std::int32_t i : members_[p]) census_.add(data_.persons, i);
            sizes_[p].persons = census_.count();
        }
    }

    // Counts the persons of groups that are merged, one after the other.
    void count_merged() {
        if (!rules_.by_persons()) return;
        members_.resize(std::max(members_.size(), merged_.size()));
        for (std::size_t m = 0; m < merged_.size(); ++m) members_[m].clear();
        for (std::size_t g = 0; g < groups_.size(); ++g)
            if (merged_of_[g] >= 0) members_[merged_of_[g]].push_back(static_cast<std::int32_t>(g));
        for (std::size_t m = 0; m < merged_.size(); ++m) {
            census_.clear();
            for (const std::int32_t g : members_[m]) count_in(groups_[g]);
            merged_[m].persons = census_.count();
        }
    }

    void group(const std::vector<int>& shown) {
        const std::size_t n = data_.size();
        const int attributes = trees_.attributes();
        std::size_t slots = 16;
        while (slots < 2 * n) slots *= 2;
        slots_.assign(slots, -1);
        keys_.clear();
        groups_.clear();
        group_of_.resize(n);
        std::vector<std::uint64_t> own(words_);
        for (std::size_t i = 0; i < n; ++i) {
            std::fill(own.begin(), own.end(), 0);
            for (int a = 0; a < attributes; ++a) trees_.put(own.data(), a, shown[data_.leaves[i * attributes + a]]);
            std::size_t at = hash_words(own.data(), words_) & (slots - 1);
            while (slots_[at] >= 0 && !same_words(keys_.data() + slots_[at] * words_, own.data(), words_))
                at = (at + 1) & (slots - 1);
            if (slots_[at] < 0) {
                slots_[at] = static_cast<std::int32_t>(groups_.size());
                std::int64_t rate = 0;
                for (int a = 0; a < attributes; ++a) rate += trees_.weight[shown[data_.leaves[i * attributes + a]]];
                keys_.insert(keys_.end(), own.begin(), own.end());
                groups_.push_back({0, 0, 0, 0, rate, 0, {}});
            }
            const std::size_t g = slots_[at];
            group_of_[i] = static_cast<std::int32_t>(g);
            groups_[g].rows += data_.rows[i];
            groups_[g].bulk += data_.bulk(i);
            ++groups_[g].count;
        }
        make_histograms(groups_, histograms_);
        std::size_t start = 0;
        for (Group& group : groups_) {
            group.start = start;
            start += group.count;
            group.count = 0;
        }
        order_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t g = group_of_[i];
            order_[groups_[g].start + groups_[g].count++] = static_cast<std::int32_t>(i);
            histograms_.add_to(groups_[g].histogram, data_.histograms, data_.places[i]);
        }
        count_groups();
    }

    const Trees& trees_;
    const Rules& rules_;
    const Combinations<Count>& data_;
    int stride_;
    int words_;
    CutMarks marks_;
    CutCost cost_;
    std::int64_t premium_ = -1;
    std::vector<int> down_, up_, steps_;
    std::vector<Group> groups_, merged_;
    std::vector<std::uint64_t> keys_, merged_keys_;
    Histograms<Count> histograms_, merged_histograms_;
    std::vector<Count> totals_, room_;
    std::vector<std::int32_t> group_of_, order_, slots_, merged_of_;
    std::vector<Size> sizes_;
    std::vector<std::vector<std::int32_t>> members_;  // of parts, or of groups that are merged
    Census census_;
    PersonShares shares_;
    std::vector<char> below_;
};

}  // namespace shoal
