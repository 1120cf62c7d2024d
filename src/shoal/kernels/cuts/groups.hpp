// The groups of cuts, as stacks: a group is a range of a permutation of items, a cut a list of groups, which it shares
// with the cuts before it where they do not differ.
//
// Specializing a value sorts inside the ranges that have it, which leaves them the same sets for the frames above, so
// that taking it back costs nothing. Locking a value merges the items that only it told apart, into new ones on top.
#pragma once

#include "common/assert.hpp"
#include "cuts/ahead.hpp"
#include "cuts/bounds.hpp"
#include "cuts/memo.hpp"

namespace shoal {

struct Group {
    std::uint32_t start;
    std::uint32_t count;
    std::int64_t rate;  // what each of its rows costs for its values
    std::int64_t bound;
    std::int64_t cost;
    std::int64_t lost;        // rows that are deleted, or values blanked; where that is limited
    std::int64_t least_lost;  // the same at least, whatever its values are specialized to
    std::uint64_t open;       // the attributes whose value is open, as bits
    std::int32_t kept;        // how many of its rows are released
    bool alive;               // whether any can be, whatever its values are specialized to
};

inline std::uint64_t bit(int attribute) { return std::uint64_t{1} << attribute; }

template <class Count>
class Groups {
  public:
    Groups(const Trees& trees, const Rules& rules, Techniques techniques)
        : trees_(trees), rules_(rules), words_(trees.words()), items_(trees, rules),
          bounds_(trees, rules, items_, techniques), ahead_(trees, rules, items_), remember_(techniques.remember),
          memo_(words_, rules.rows), total_(items_.stride()), key_(words_) {}

    struct Mark {
        std::size_t listed = 0;
        std::size_t groups = 0;
        std::size_t order = 0;
        typename Items<Count>::Mark items;
    };

    std::size_t size() const { return groups_.size(); }
    std::size_t listed() const { return list_.size(); }
    std::size_t listed(std::size_t at) const { return list_[at]; }
    std::size_t items() const { return items_.size(); }
    Group& operator[](std::size_t g) { return groups_[g]; }
    const Group& operator[](std::size_t g) const { return groups_[g]; }
    const std::uint64_t* key(std::size_t g) const { return keys_.data() + g * words_; }
    bool has(std::size_t g, int v, int a) const { return trees_.at(key(g), a) == v; }
    int stride() const { return items_.stride(); }

    Mark mark() const { return {list_.size(), groups_.size(), order_.size(), items_.mark()}; }

    void back_to(const Mark& mark) {
        SHOAL_ASSERT(mark.listed <= list_.size() && mark.groups <= groups_.size() && mark.order <= order_.size());
        list_.resize(mark.listed);
        groups_.resize(mark.groups);
        keys_.resize(mark.groups * words_);
        order_.resize(mark.order);
        items_.back_to(mark.items);
    }

    static constexpr std::size_t kRoom = 4;  // for so many times the items; what is not used takes no memory

    // Takes the histograms of so many items, and makes room for them.
    void adopt(Histograms<Count> histograms, std::size_t items) {
        items_.adopt(std::move(histograms));
        make_room(items);
    }

    // Adds an item, worked out here, whose histogram was taken over and is there; its persons are a combination's.
    void add_item(const std::uint64_t* key, std::int64_t rows, std::size_t histogram, const Persons& persons = {},
                  std::size_t combination = 0, const ListedPersons& listed = {}) {
        const std::size_t i = items_.add_at(key, rows, histogram);
        if (rules_.by_persons()) items_.put_persons(i, persons, listed, combination);
        items_.finish(i);
        order_.push_back(static_cast<std::int32_t>(items_.size() - 1));
    }

    // Adds a group of the items that were added last, and works it out.
    void add_group(const std::uint64_t* key, std::size_t count, std::uint64_t open) {
        keys_.insert(keys_.end(), key, key + words_);
        list(groups_.size());
        groups_.push_back({0, 0, trees_.rate(key), 0, 0, 0, 0, open, 0, true});
        place(groups_.back(), order_.size() - count, count);
        measure(groups_.size() - 1, true);
    }

    // Groups with all that is known of them, apart from these stacks.
    struct Packed {
        std::vector<Group> groups;
        std::vector<std::uint64_t> keys;
        typename Items<Count>::Packed items;

        std::size_t bytes() const {
            return groups.size() * sizeof(Group) + keys.size() * sizeof(std::uint64_t) + items.bytes();
        }
    };

    // How much some of the listed groups take, packed.
    std::size_t bytes(std::size_t from, std::size_t to) const {
        std::size_t total = (to - from) * (sizeof(Group) + words_ * sizeof(std::uint64_t));
        for (std::size_t at = from; at < to; ++at) {
            const Group& group = groups_[list_[at]];
            for (std::size_t j = 0; j < group.count; ++j) total += items_.bytes(order_[group.start + j]);
        }
        return total;
    }

    // Packs listed groups, with room for `times` as many: with kRoom, what is packed becomes stacks without being copied.
    Packed pack(std::size_t from, std::size_t to, std::size_t times) const {
        std::size_t count = 0, counts = 0;
        for (std::size_t at = from; at < to; ++at) {
            const Group& group = groups_[list_[at]];
            count += group.count;
            for (std::size_t j = 0; j < group.count; ++j) counts += items_.bytes_of_counts(order_[group.start + j]);
        }
        Packed packed{{}, {}, items_.pack(times * count, times * counts)};
        packed.groups.reserve(to - from);
        packed.keys.reserve((to - from) * words_);
        for (std::size_t at = from; at < to; ++at) {
            Group group = groups_[list_[at]];
            const std::size_t start = packed.items.items.size();
            for (std::size_t j = 0; j < group.count; ++j) items_.pack(packed.items, order_[group.start + j]);
            place(group, start, group.count);
            packed.groups.push_back(group);
            packed.keys.insert(packed.keys.end(), key(list_[at]), key(list_[at]) + words_);
        }
        return packed;
    }

    void unpack(Packed packed) {
        groups_ = std::move(packed.groups);
        keys_ = std::move(packed.keys);
        items_.unpack(std::move(packed.items));
        list_.clear();
        for (std::size_t g = 0; g < groups_.size(); ++g) list(g);
        order_.clear();
        make_room(items_.size());
        for (std::size_t i = 0; i < items_.size(); ++i) order_.push_back(static_cast<std::int32_t>(i));
    }

    // Gives the memory of the stacks back.
    void clear() {
        std::vector<Group>().swap(groups_);
        std::vector<std::uint64_t>().swap(keys_);
        std::vector<std::uint32_t>().swap(list_);
        std::vector<std::int32_t>().swap(order_);
        items_.unpack(items_.pack(0, 0));
    }

    // Lists a group again, as it is.
    void list(std::size_t g) { list_.push_back(static_cast<std::uint32_t>(g)); }

    // Sorts the items of a group by the children of v, and adds a group for every child that has some.
    void split(std::size_t g, int v, int a) {
        const std::size_t start = groups_[g].start, count = groups_[g].count, parts = trees_.children[v].size();
        std::int32_t* order = order_.data() + start;
        if (count == 1)
            return add_part(g, trees_.children[v][trees_.part(v, trees_.at(items_.key(order[0]), a))], a, start, 1);
        starts_.assign(parts + 1, 0);
        part_.resize(count);
        sorted_.resize(count);
        for (std::size_t j = 0; j < count; ++j) {
            part_[j] = trees_.part(v, trees_.at(items_.key(order[j]), a));
            ++starts_[part_[j] + 1];
        }
        for (std::size_t p = 0; p < parts; ++p) starts_[p + 1] += starts_[p];
        next_.assign(starts_.begin(), starts_.end());
        for (std::size_t j = 0; j < count; ++j) sorted_[next_[part_[j]]++] = order[j];
        std::copy_n(sorted_.begin(), count, order);
        for (std::size_t p = 0; p < parts; ++p)
            if (starts_[p + 1] > starts_[p])
                add_part(g, trees_.children[v][p], a, start + starts_[p], starts_[p + 1] - starts_[p]);
    }

    // Adds a group again with v locked: items that only v told apart become one.
    void lock(std::size_t g, int v, int a) {
        Group& group = copy(g);
        const std::size_t first = items_.size(), start = order_.size(), own = items_.mark().histograms;
        std::size_t slots = 4;
        while (slots < 2 * group.count) slots *= 2;
        slots_.assign(slots, -1);
        if (rules_.by_persons()) part_.resize(group.count);
        for (std::size_t j = 0; j < group.count; ++j) {
            const std::size_t i = order_[group.start + j];
            std::copy_n(items_.key(i), words_, key_.begin());
            const std::int64_t lift = trees_.weight[v] - trees_.weight[trees_.at(key_.data(), a)];
            trees_.put(key_.data(), a, v);
            std::size_t at = hash_words(key_.data(), words_) & (slots - 1);
            while (slots_[at] >= 0 && !same_words(items_.key(slots_[at]), key_.data(), words_))
                at = (at + 1) & (slots - 1);
            if (slots_[at] < 0)
                slots_[at] = static_cast<std::int32_t>(items_.add_like(key_.data(), i, lift));
            else
                items_.absorb(slots_[at], i, own);
            if (rules_.by_persons()) part_[j] = slots_[at];
        }
        if (rules_.by_persons()) unite(group, first);
        for (std::size_t i = first; i < items_.size(); ++i) {
            if (items_[i].histogram >= own) items_.finish(i);
            order_.push_back(static_cast<std::int32_t>(i));
        }
        place(group, start, items_.size() - first);
        group.open &= ~bit(a);
    }

    // Works out the bound of a group, and its cost if asked. A group of one item is the paper's homogeneous one.
    void measure(std::size_t g, bool cost) {
        Group& group = groups_[g];
        if (group.count == 1) {
            const Item& item = items_[order_[group.start]];
            group.bound = item.alone;
            group.alive = item.paying > 0;
            group.least_lost = item.lost;
            if (cost) group.kept = item.paying;
            if (cost) group.lost = item.lost;
            if (cost) group.cost = item.alone >= kNever ? kNever : item.alone + item.paying * (group.rate - item.rate);
            return;
        }
        if (const Memo::Known* known = remembers(group) ? memo_.find(key(g), group.open) : nullptr) {
            group.bound = known->bound;
            group.alive = known->alive;
            group.cost = known->cost;
            group.kept = known->kept;
            group.lost = known->lost;
            group.least_lost = known->least_lost;
            return;
        }
        const GroupView<Count> view = look(group, g);
        if (cost) {
            const Size size = view.size();
            const Verdict verdict =
                rules_.weighed ? items_.judge(view.items, view.count, size, view.histogram) : Verdict{view.broken};
            group.cost = rules_.cost(size, view.histogram, group.rate, verdict);
            group.kept = static_cast<std::int32_t>(rules_.paying(size, view.histogram, verdict));
            if (rules_.limited()) group.lost = rules_.lost(size, view.histogram, verdict, group.kept);
        }
        const auto least = bounds_(view);
        group.bound = least.cost;
        group.least_lost = least.lost;
        group.alive = !least.hopeless;
        if (remembers(group))
            memo_.keep(
                key(g), group.open,
                {group.bound, Memo::kUnknown, group.cost, group.lost, group.least_lost, group.kept, group.alive});
    }

    // The bound of a group of several items by the dearer argument.
    std::int64_t bound_ahead(std::size_t g) {
        Memo::Known* known = remembers(groups_[g]) ? memo_.find(key(g), groups_[g].open) : nullptr;
        if (known != nullptr && known->ahead != Memo::kUnknown) return known->ahead;
        const std::int64_t bound = ahead_(look(groups_[g], g));
        if (known != nullptr) known->ahead = bound;
        return bound;
    }

  private:
    // Where a search begins with many items, pairs of them would drive out of the memo what is dearer to work out.
    static constexpr std::size_t kMany = 50'000;

    bool remembers(const Group& group) const { return remember_ && group.count >= (many_ ? 3 : 2); }

    void make_room(std::size_t items) {
        many_ = many_ || items > kMany;
        items_.reserve(kRoom, items);
        order_.reserve(kRoom * items);
        groups_.reserve(kRoom * items);
        keys_.reserve(kRoom * items * words_);
    }

    static void place(Group& group, std::size_t start, std::size_t count) {
        group.start = static_cast<std::uint32_t>(start);
        group.count = static_cast<std::uint32_t>(count);
    }

    GroupView<Count> look(const Group& group, std::size_t g) {
        const std::int32_t* order = order_.data() + group.start;
        std::int64_t rows = 0, weight = 0;
        std::fill(total_.begin(), total_.end(), Count{0});
        for (std::size_t j = 0; j < group.count; ++j) {
            rows += items_[order[j]].rows;
            if (rules_.weighed) weight += items_.weight(order[j]);
            items_.add_to(total_.data(), order[j]);
        }
        if (!rules_.weighed) weight = rows;
        const std::int64_t persons = rules_.by_persons() ? items_.persons(order, group.count) : rows;
        const bool poor =
            rules_.weighed && rules_.distinct > 0
                ? items_.judge(order, group.count, {rows, persons, weight}, total_.data()).variety < rules_.distinct
                : rules_.poor(total_.data());
        return {order,      group.count, rows,    total_.data(), rules_.broken(weight, total_.data()),
                group.open, key(g),      persons, weight,        poor};
    }

    // Gives items from `first` on, each of which has the rows of some of a group's, the persons of those: `part_` tells
    // which of them has each.
    void unite(const Group& group, std::size_t first) {
        starts_.assign(items_.size() - first + 1, 0);
        sorted_.resize(group.count);
        for (std::size_t j = 0; j < group.count; ++j) ++starts_[part_[j] - first + 1];
        for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
        next_.assign(starts_.begin(), starts_.end());
        for (std::size_t j = 0; j < group.count; ++j) sorted_[next_[part_[j] - first]++] = order_[group.start + j];
        for (std::size_t i = 0; i + 1 < starts_.size(); ++i)
            if (starts_[i + 1] - starts_[i] > 1)
                items_.unite_persons(first + i, sorted_.data() + starts_[i], starts_[i + 1] - starts_[i]);
    }

    // Lists a copy of a group, to be changed.
    Group& copy(std::size_t g) {
        list(groups_.size());
        const Group group = groups_[g];
        groups_.push_back(group);
        for (int w = 0; w < words_; ++w) keys_.push_back(std::uint64_t{keys_[g * words_ + w]});
        return groups_.back();
    }

    // Adds a part of a group, in which a value has given way to one of its children.
    void add_part(std::size_t g, int child, int a, std::size_t start, std::size_t count) {
        Group& part = copy(g);
        place(part, start, count);
        part.rate += trees_.weight[child] - trees_.weight[trees_.parent[child]];
        if (trees_.leaf(child)) part.open &= ~bit(a);
        trees_.put(keys_.data() + keys_.size() - words_, a, child);
    }

    const Trees& trees_;
    const Rules& rules_;
    int words_;
    Items<Count> items_;
    Bounds<Count> bounds_;
    Ahead<Count> ahead_;
    bool remember_;
    bool many_ = false;
    Memo memo_;
    std::vector<std::int32_t> order_;
    std::vector<std::uint32_t> list_;
    std::vector<Group> groups_;
    std::vector<std::uint64_t> keys_;
    // Scratch.
    std::vector<Count> total_;
    std::vector<std::uint64_t> key_;
    std::vector<int> part_;
    std::vector<std::size_t> starts_, next_;
    std::vector<std::int32_t> sorted_, slots_;
};

}  // namespace shoal
