// The finest groups that a part of the search can still reach ("items").
#pragma once

#include "common/persons.hpp"
#include "cuts/histogram_stack.hpp"
#include "cuts/person_shares.hpp"
#include "cuts/trees.hpp"

namespace shoal {

struct Item {
    std::int64_t rate;        // the least that each of its rows costs for its values
    std::int64_t alone;       // what they cost as a group of their own
    std::uint64_t values;     // which sensitive values they have, as bits, where there are at most 64
    std::uint32_t histogram;  // its place
    std::int32_t rows;
    std::int32_t need;    // the fewest rows of a group in which its rows can be released, at most INT32_MAX
    std::int32_t paying;  // how many of them pay for their values where they are a group of their own
    std::int64_t lost;    // how many rows are deleted there, or values blanked; where that is limited
};

// What an item costs by size and class, which not all metrics ask for.
struct ItemParts {
    std::int64_t fine = 0;    // the least that its rows cost together
    std::int64_t merged = 0;  // the same where they are not a group alone
};

// Whose rows an item has, where persons are counted: those who have rows in one combination alone as a count, the others
// by number, each once.
struct ItemPersons {
    std::uint32_t begin = 0;  // of the others
    std::int32_t others = 0;
    std::int32_t single = 0;
    std::int32_t weight = 0;  // of all, where they are weighed: somebody in several items weighs one in each
    std::int32_t listed = 0;  // rows of listed persons
    std::uint32_t listed_begin = 0;

    std::int64_t all() const { return std::int64_t{single} + others; }
};

// A group of items, with its rows and its histogram added up.
template <class Count>
struct GroupView {
    const std::int32_t* items;
    std::size_t count;
    std::int64_t rows;
    const Count* histogram;
    bool broken;
    std::uint64_t open;  // the attributes whose values are open, as bits
    const std::uint64_t* key;
    std::int64_t persons;  // or its rows, where every row is a person
    std::int64_t weight;   // or its rows, where persons are not weighed
    bool poor;             // whether it has too few distinct values

    Size size() const { return {rows, persons, weight}; }
};

// A stack of items: a search takes off what it has put on. Rows in one item are never told apart again: their values
// agree on every value that is locked, and on every leaf below those that are open.
template <class Count>
class Items {
  public:
    Items(const Trees& trees, const Rules& rules)
        : trees_(trees), rules_(rules), words_(trees.words()),
          parted_(rules.size_part != SizePart::None || rules.class_part != ClassPart::None),
          histograms_(padded(rules.width())), census_(std::max(rules.numbers, 0)), shares_(rules) {}

    struct Mark {
        std::size_t items = 0;
        std::uint32_t histograms = 0;
        std::size_t others = 0;
        std::size_t listed = 0;
    };

    std::size_t size() const { return items_.size(); }
    int stride() const { return histograms_.stride(); }
    Mark mark() const { return {items_.size(), histograms_.end(), others_.size(), listed_.size()}; }

    void back_to(Mark mark) {
        keys_.resize(mark.items * words_);
        items_.resize(mark.items);
        if (parted_) parts_.resize(mark.items);
        histograms_.back_to(mark.histograms);
        if (!rules_.by_persons()) return;
        persons_.resize(mark.items);
        others_.resize(mark.others);
        listed_.resize(mark.listed);
    }

    // Makes room for `times` as many as `count` items and the histograms: memory is taken when it is used, and stacks
    // that grow need no second place meanwhile.
    void reserve(std::size_t times, std::size_t count) {
        keys_.reserve(times * count * words_);
        items_.reserve(times * count);
        if (parted_) parts_.reserve(times * count);
        histograms_.reserve(times * histograms_.bytes());
        if (!rules_.by_persons()) return;
        persons_.reserve(times * count);
        others_.reserve(times * others_.size());
        listed_.reserve(times * listed_.size());
    }

    const Item& operator[](std::size_t i) const { return items_[i]; }
    const std::uint64_t* key(std::size_t i) const { return keys_.data() + i * words_; }
    std::int64_t fine(std::size_t i) const { return parted_ ? parts_[i].fine : 0; }
    std::int64_t merged(std::size_t i) const { return parted_ ? parts_[i].merged : 0; }
    Count count(std::size_t i, int slot) const { return histograms_.count(items_[i].histogram, slot); }
    void add_to(Count* total, std::size_t i) const { histograms_.add_to(total, items_[i].histogram); }
    // How many persons have rows in an item; every row is one where they are not counted.
    std::int64_t persons(std::size_t i) const { return rules_.by_persons() ? persons_[i].all() : items_[i].rows; }

    // What an item weighs: its rows, where persons are not weighed.
    std::int64_t weight(std::size_t i) const { return rules_.weighed ? persons_[i].weight : items_[i].rows; }
    Size size(std::size_t i) const { return {items_[i].rows, persons(i), weight(i)}; }

    // What holds of a group of items.
    Verdict judge(const std::int32_t* items, std::size_t count, Size size, const Count* h) {
        if (!rules_.weighed) return rules_.judge(size.rows, h);
        shares_.clear();
        for (std::size_t j = 0; j < count; ++j) {
            const ListedRows* begin = listed_.data() + persons_[items[j]].listed_begin;
            shares_.add(begin, begin + persons_[items[j]].listed);
        }
        return shares_.judge(size.persons, h);
    }

    // How many persons have rows in a group of items.
    std::int64_t persons(const std::int32_t* items, std::size_t count) {
        census_.clear();
        for (std::size_t j = 0; j < count; ++j) {
            const ItemPersons& own = persons_[items[j]];
            const std::int32_t* begin = others_.data() + own.begin;
            census_.add(own.single, begin, begin + own.others);
        }
        return census_.count();
    }
    // Good until the next one is asked for.
    const Count* histogram(std::size_t i) const { return histograms_.read(items_[i].histogram, room_); }

    // Takes the histograms of items that are added next.
    void adopt(Histograms<Count> histograms) { histograms_ = std::move(histograms); }

    // Adds an item whose histogram is there.
    std::size_t add_at(const std::uint64_t* key, std::int64_t rows, std::uint32_t at) {
        for (int w = 0; w < words_; ++w) keys_.push_back(key[w]);
        items_.push_back({trees_.rate(key), 0, 0, at, static_cast<std::int32_t>(rows), 0, 0, 0});
        if (parted_) parts_.emplace_back();
        if (rules_.by_persons()) persons_.emplace_back();
        return items_.size() - 1;
    }

    // Gives an item the persons of a combination.
    void put_persons(std::size_t i, const Persons& persons, const ListedPersons& listed, std::size_t c) {
        persons_[i] = begin_persons(persons.single[c]);
        others_.insert(others_.end(), persons.begin(c), persons.end(c));
        if (rules_.weighed) {
            listed_.insert(listed_.end(), listed.begin(c), listed.end(c));
            persons_[i].weight = static_cast<std::int32_t>(rules_.scale * persons.in(c));
        }
        end_persons(persons_[i]);
    }

    // Gives an item the persons of some others: everybody who has rows in any of them.
    void unite_persons(std::size_t i, const std::int32_t* items, std::size_t count) {
        ItemPersons all = begin_persons(0);
        census_.clear();
        for (std::size_t j = 0; j < count; ++j) {
            const ItemPersons& own = persons_[items[j]];
            all.single += own.single;
            // Room first: a vector is not to be copied from itself while it grows.
            const std::size_t end = listed_.size();
            listed_.resize(end + own.listed);
            std::copy_n(listed_.begin() + own.listed_begin, own.listed, listed_.begin() + end);
            for (std::int32_t o = 0; o < own.others; ++o) {
                const std::int32_t person = others_[own.begin + o];
                if (census_.is_new(person)) others_.push_back(person);
            }
        }
        end_persons(all);
        if (rules_.weighed) all.weight = static_cast<std::int32_t>(rules_.scale * all.all());
        persons_[i] = all;
    }

    // Some items on their own.
    struct Packed {
        std::vector<std::uint64_t> keys;
        std::vector<Item> items;
        std::vector<ItemParts> parts;
        Histograms<Count> histograms;
        std::vector<ItemPersons> persons = {};
        std::vector<std::int32_t> others = {};
        std::vector<ListedRows> listed = {};

        std::size_t bytes() const {
            return keys.size() * sizeof(std::uint64_t) + items.size() * sizeof(Item) +
                   parts.size() * sizeof(ItemParts) + histograms.bytes() + persons.size() * sizeof(ItemPersons) +
                   others.size() * sizeof(std::int32_t) + listed.size() * sizeof(ListedRows);
        }
    };

    // How much an item takes, packed, and its counts alone.
    std::size_t bytes(std::size_t i) const {
        const std::size_t persons = !rules_.by_persons()
                                        ? 0
                                        : sizeof(ItemPersons) + persons_[i].others * sizeof(std::int32_t) +
                                              persons_[i].listed * sizeof(ListedRows);
        return sizeof(Item) + (parted_ ? sizeof(ItemParts) : 0) + words_ * sizeof(std::uint64_t) + bytes_of_counts(i) +
               persons;
    }
    std::size_t bytes_of_counts(std::size_t i) const { return histograms_.bytes(bulk(i)); }

    // Nothing, with room for so many items and so many bytes of histograms.
    Packed pack(std::size_t count, std::size_t bytes) const {
        Packed packed{{}, {}, {}, Histograms<Count>(stride())};
        packed.keys.reserve(count * words_);
        packed.items.reserve(count);
        if (parted_) packed.parts.reserve(count);
        packed.histograms.reserve(bytes);
        return packed;
    }

    void pack(Packed& packed, std::size_t i) const {
        packed.keys.insert(packed.keys.end(), key(i), key(i) + words_);
        packed.items.push_back(items_[i]);
        if (parted_) packed.parts.push_back(parts_[i]);
        packed.items.back().histogram = packed.histograms.add(histograms_, items_[i].histogram, bulk(i));
        if (!rules_.by_persons()) return;
        const auto begin = others_.begin() + persons_[i].begin;
        packed.persons.push_back(persons_[i]);
        packed.persons.back().begin = static_cast<std::uint32_t>(packed.others.size());
        packed.others.insert(packed.others.end(), begin, begin + persons_[i].others);
        packed.persons.back().listed_begin = static_cast<std::uint32_t>(packed.listed.size());
        const auto listed = listed_.begin() + persons_[i].listed_begin;
        packed.listed.insert(packed.listed.end(), listed, listed + persons_[i].listed);
    }

    // Takes the place of all items.
    void unpack(Packed packed) {
        keys_ = std::move(packed.keys);
        items_ = std::move(packed.items);
        parts_ = std::move(packed.parts);
        histograms_ = std::move(packed.histograms);
        persons_ = std::move(packed.persons);
        others_ = std::move(packed.others);
        listed_ = std::move(packed.listed);
    }

    // Adds an item with the rows of another, each of which costs so much more for its values.
    std::size_t add_like(const std::uint64_t* key, std::size_t other, std::int64_t lift) {
        Item item = items_[other];
        item.rate += lift;
        if (item.alone < kNever) item.alone += item.paying * lift;
        for (int w = 0; w < words_; ++w) keys_.push_back(key[w]);
        items_.push_back(item);
        if (parted_) parts_.push_back(ItemParts(parts_[other]));
        if (rules_.by_persons()) persons_.push_back(ItemPersons(persons_[other]));
        return items_.size() - 1;
    }

    // Takes another's rows as well, into a histogram of its own; its persons follow in unite_persons.
    void absorb(std::size_t i, std::size_t other, std::size_t first_own) {
        const std::int64_t rows = bulk(i) + bulk(other);
        std::uint32_t& place = items_[i].histogram;
        if (place < first_own || !histograms_.fits(place, rows)) place = histograms_.add(histograms_, place, rows);
        histograms_.add_to(place, histograms_, items_[other].histogram);
        items_[i].rows += items_[other].rows;
        if (rules_.weighed) persons_[i].weight += persons_[other].weight;
    }

    // Works out all about an item but its rows and its rate.
    void finish(std::size_t i) {
        Item& item = items_[i];
        const Size n = size(i);
        const Count* h = histogram(i);
        const auto own = static_cast<std::int32_t>(i);
        const Verdict verdict = judge(&own, 1, n, h);
        item.need = static_cast<std::int32_t>(std::min<std::int64_t>(rules_.need(n, h, verdict), INT32_MAX));
        if (parted_) parts_[i] = parts(n, item.need, h);
        item.alone = rules_.cost(n, h, item.rate, verdict);
        item.paying = static_cast<std::int32_t>(rules_.paying(n, h, verdict));
        if (rules_.limited()) item.lost = rules_.lost(n, h, verdict, item.paying);
        item.values = 0;
        for (int s = 0; s < std::min(rules_.values(), 64); ++s)
            item.values |= static_cast<std::uint64_t>(h[s] > 0) << s;
    }

  private:
    ItemPersons begin_persons(std::int32_t single) const {
        if (others_.size() > UINT32_MAX) throw std::length_error("more than 16 GB of persons");
        if (listed_.size() > UINT32_MAX) throw std::length_error("more than 64 GB of persons");
        return {static_cast<std::uint32_t>(others_.size()), 0, single, 0, 0,
                static_cast<std::uint32_t>(listed_.size())};
    }
    void end_persons(ItemPersons& own) const {
        own.others = static_cast<std::int32_t>(others_.size() - own.begin);
        own.listed = static_cast<std::int32_t>(listed_.size() - own.listed_begin);
    }

    // No count of an item's histogram is above this.
    std::int64_t bulk(std::size_t i) const { return std::max<std::int64_t>(items_[i].rows, weight(i)); }

    ItemParts parts(Size size, std::int64_t need, const Count* h) const {
        const std::int64_t n = size.rows;
        std::int64_t fine = rules_.size_cost(n) + rules_.class_cost(n, h), merged = fine;
        if (rules_.size_part != SizePart::None) {
            if (rules_.scheme == Scheme::VioRec)
                fine = merged = least_kept(n) + rules_.class_cost(n, h);
            else if (rules_.class_part == ClassPart::None && need > size.weight) {
                // What it needs beside its own comes with as many rows at least.
                const std::int64_t all = n + rules_.fewest_rows(need - size.weight);
                if (all <= rules_.rows) merged = std::max(fine, n * (rules_.size_cost(all) / all));
            }
        }
        return {fine, merged};
    }

    // What n rows cost by size where any of them may be deleted: of all sizes up to n the cheapest.
    std::int64_t least_kept(std::int64_t n) const {
        const std::int64_t each = rules_.record_cost;
        if (rules_.size_part == SizePart::Square) {
            const std::int64_t m = std::min(n, (each / rules_.unit + 1) / 2);
            return rules_.size_cost(m) + (n - m) * each;
        }
        std::int64_t least = n * each;
        for (std::int64_t m = 1; m <= n; ++m) least = std::min(least, rules_.size_table[m] + (n - m) * each);
        return least;
    }

    const Trees& trees_;
    const Rules& rules_;
    int words_;
    bool parted_;  // whether items have parts
    std::vector<std::uint64_t> keys_;
    std::vector<Item> items_;
    std::vector<ItemParts> parts_;
    Histograms<Count> histograms_;
    std::vector<ItemPersons> persons_;  // only where they are counted
    std::vector<std::int32_t> others_;
    std::vector<ListedRows> listed_;
    Census census_;
    PersonShares shares_;
    mutable std::vector<Count> room_;
};

}  // namespace shoal
