#include <map>
#include <set>

#include "check.hpp"
#include "cuts/groups.hpp"

using namespace shoal;

namespace {

using Count = std::int32_t;

constexpr int kPersons = 6;  // who may have rows in several combinations
constexpr int kScale = 60;   // few persons of several combinations weigh more than a byte holds, and merged less again

// Two attributes with three leaves each, one below the root and two below a node, and their combinations at random. Either
// shares are limited, or persons are counted, or both: then persons are weighed, and those who are listed have the first
// value alone.
struct Asked {
    Trees trees{{0, 0, 0, 0, 0, 1, 1, 1, 1, 1},
                {-1, 0, 0, 2, 2, -1, 5, 5, 7, 7},
                {8, 0, 3, 0, 0, 9, 0, 4, 0, 0},
                std::vector<std::int64_t>(10, 1)};
    Rules rules;
    std::vector<std::vector<int>> leaves;
    std::vector<std::vector<Count>> histograms;
    std::vector<std::int64_t> rows;
    Persons persons;
    ListedPersons listed;

    Asked(check::Random& random, Scheme scheme, bool uniform, bool by_persons = false, bool weighed = false) {
        rules.scheme = scheme;
        rules.k = 1 + random.below(3);
        rules.record_cost = 20;
        rules.value_cost = 2;
        weighed = weighed && by_persons;
        if (by_persons) {
            rules.k = 1 + random.below(weighed ? 4 : 12);
            rules.weighed = weighed;
            rules.scale = weighed ? kScale : 1;
            rules.most_rows = 9;
            rules.add_limit(weighed ? Limit{1, 2, 0, false} : Limit{});
            rules.add_limit(weighed ? Limit{uniform ? 1 : 2, uniform ? 2 : 3, 0, false} : Limit{});
            rules.numbers = persons.numbers = kPersons;
            persons.first.push_back(0);
            listed.first.push_back(0);
        } else {
            rules.add_limit({1, 2, 0, false});
            rules.add_limit({uniform ? 1 : 2, uniform ? 2 : 3, 0, false});
        }
        for (const int one : {1, 3, 4})
            for (const int other : {6, 8, 9}) {
                if (random.below(4) == 0) continue;
                const int first = random.below(random.below(2) ? 4 : 300), second = 1 + random.below(4);
                leaves.push_back({one, other});
                histograms.push_back({first, second});
                rows.push_back(first + second);
                rules.rows += first + second;
                if (by_persons) add_persons(random, std::min(first + second, 8));
                if (weighed) weigh();
            }
    }

    // Weighs the last combination: of those who are listed each has a row of the first value, of nine at most in all
    // combinations; of the others every second one has the second value, and the rest a third of it.
    void weigh() {
        const std::size_t c = rows.size() - 1;
        const Count part = kScale / 9, single = persons.single[c];
        for (const std::int32_t* person = persons.begin(c); person != persons.end(c); ++person)
            listed.rows.push_back({*person, 0, 1, part});
        listed.first.push_back(static_cast<std::uint32_t>(listed.rows.size()));
        const Count second = single / 2 * kScale + (single - single / 2) * (kScale / 3);
        const Count first = single * kScale - second + part * static_cast<Count>(persons.end(c) - persons.begin(c));
        std::vector<Count> counts{first, second};
        if (rules.counts_rows()) counts.insert(counts.end(), histograms.back().begin(), histograms.back().end());
        histograms.back() = counts;
    }

    std::int64_t bulk(std::size_t c) const {
        return rules.weighed ? std::max(rows[c], rules.scale * persons.in(c)) : rows[c];
    }

    // What the histograms of a group count for listed persons.
    std::int64_t listed_parts(const std::uint64_t* key) const {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (under(leaves[i][0], trees.at(key, 0)) && under(leaves[i][1], trees.at(key, 1)))
                for (const ListedRows* one = listed.begin(i); one != listed.end(i); ++one) sum += one->part;
        return sum;
    }

    // What holds of a group by its values, worked out from fractions of whole persons.
    Verdict judged(const std::uint64_t* key) const {
        const auto [size, histogram] = below(key);
        if (!rules.weighed) return rules.judge(size.rows, histogram.data());
        std::set<std::int32_t> others;
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (under(leaves[i][0], trees.at(key, 0)) && under(leaves[i][1], trees.at(key, 1)))
                others.insert(persons.begin(i), persons.end(i));
        Verdict verdict{false, 0};
        for (int s = 0; s < 2; ++s) {
            const std::int64_t weight =
                histogram[s] + (s == 0 ? kScale * static_cast<std::int64_t>(others.size()) - listed_parts(key) : 0);
            if (!rules.limits[s].broken(weight, kScale * size.persons)) continue;
            verdict.broken = true;
            if (rules.blanks() && (rules.scheme == Scheme::VioSA || verdict.blanked == 0))
                verdict.blanked += rules.scheme == Scheme::VioSA ? histogram[2 + s] : histogram[2] + histogram[3];
        }
        return verdict;
    }

    // Gives the last combination at most so many persons.
    void add_persons(check::Random& random, int most) {
        int others = 0;
        for (int person = 0; person < kPersons && others < most; ++person)
            if (random.below(3) == 0) {
                persons.others.push_back(person);
                ++others;
            }
        persons.first.push_back(static_cast<std::uint32_t>(persons.others.size()));
        persons.single.push_back(random.below(most - others + 1));
    }

    void fill(Groups<Count>& groups) const {
        Histograms<Count> stack(padded(rules.width()));
        std::vector<std::uint32_t> places;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            places.push_back(stack.add(bulk(i)));
            for (int s = 0; s < rules.width(); ++s) stack.set(places[i], s, histograms[i][s]);
        }
        groups.adopt(std::move(stack), rows.size());
        std::uint64_t key[1] = {0};
        for (std::size_t i = 0; i < rows.size(); ++i) {
            for (int a = 0; a < 2; ++a) trees.put(key, a, leaves[i][a]);
            groups.add_item(key, rows[i], places[i], persons, i, listed);
        }
        for (int a = 0; a < 2; ++a) trees.put(key, a, trees.roots[a]);
        groups.add_group(key, rows.size(), 3);
    }

    bool under(int leaf, int node) const {
        while (leaf >= 0 && leaf != node) leaf = trees.parent[leaf];
        return leaf == node;
    }

    // The size and the histogram of a group by its values, added up combination by combination.
    std::pair<Size, std::vector<Count>> below(const std::uint64_t* key) const {
        std::pair<Size, std::vector<Count>> found{0, std::vector<Count>(8, 0)};
        std::set<std::int32_t> others;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (!under(leaves[i][0], trees.at(key, 0)) || !under(leaves[i][1], trees.at(key, 1))) continue;
            found.first.rows += rows[i];
            found.first.persons += rules.by_persons() ? persons.single[i] : rows[i];
            if (rules.by_persons()) others.insert(persons.begin(i), persons.end(i));
            for (int s = 0; s < rules.width(); ++s) found.second[s] += histograms[i][s];
        }
        found.first.persons += static_cast<std::int64_t>(others.size());
        return found;
    }
};

// All that is known of the groups, their items in any order.
struct Known {
    std::multimap<std::uint64_t, std::int64_t> items;
    std::int64_t bound, cost;

    bool operator==(const Known&) const = default;
};

// The groups of a frame are those at some places of the list.
std::vector<std::pair<std::uint64_t, Known>> known(const Groups<Count>& groups, const std::vector<std::size_t>& frame) {
    std::vector<std::pair<std::uint64_t, Known>> all;
    for (const std::size_t at : frame) {
        const auto packed = groups.pack(at, at + 1, 1);
        Known one{{}, packed.groups[0].bound, packed.groups[0].cost};
        for (std::size_t i = 0; i < packed.groups[0].count; ++i)
            one.items.emplace(packed.items.keys[i], packed.items.items[i].rows);
        all.emplace_back(packed.keys[0], one);
    }
    return all;
}

std::vector<std::size_t> from_to(std::size_t from, std::size_t to) {
    std::vector<std::size_t> all;
    for (; from < to; ++from) all.push_back(from);
    return all;
}

// Splits and locks groups of a frame at random, frame below frame, and takes each step back.
void try_out(const Asked& asked, Groups<Count>& groups, const std::vector<std::size_t>& frame, check::Random& random,
             int depth) {
    const auto before = known(groups, frame);
    for (const std::size_t at : frame) {
        const std::size_t g = groups.listed(at);
        const auto [size, histogram] = asked.below(groups.key(g));
        EQUAL(groups[g].cost,
              asked.rules.cost(size, histogram.data(), asked.trees.rate(groups.key(g)), asked.judged(groups.key(g))));
        CHECK(groups[g].bound <= groups[g].cost || groups[g].cost >= kNever || groups[g].open == 0);
        if (groups[g].count > 1 && groups[g].cost < kNever) CHECK(groups.bound_ahead(g) <= groups[g].cost);
    }
    if (depth == 0) return;
    for (int tries = 0; tries < 3; ++tries) {
        const std::size_t chosen = static_cast<std::size_t>(random.below(static_cast<int>(frame.size())));
        const std::size_t g = groups.listed(frame[chosen]);
        const int a = random.below(2);
        if (!(groups[g].open & bit(a))) continue;
        const int v = asked.trees.at(groups.key(g), a);
        const auto mark = groups.mark();
        const std::size_t items = groups.items();
        const std::size_t from = groups.size(), first = groups.listed();
        const std::int64_t bound = groups[g].bound;
        if (random.below(2)) {
            groups.split(g, v, a);
            std::int64_t together = 0, rows = 0;
            for (std::size_t n = from; n < groups.size(); ++n) {
                groups.measure(n, true);
                CHECK(asked.trees.parent[asked.trees.at(groups.key(n), a)] == v);
                together += std::min(groups[n].bound, kNever);
                rows += asked.below(groups.key(n)).first.rows;
            }
            EQUAL(rows, asked.below(groups.key(g)).first.rows);
            CHECK(together >= bound || together >= kNever);  // bounds only rise
        } else {
            groups.lock(g, v, a);
            groups.measure(groups.size() - 1, false);
            EQUAL(groups.size(), from + 1);
            CHECK(!(groups[from].open & bit(a)));
            EQUAL(groups[from].cost, groups[g].cost);
        }
        EQUAL(groups.listed() - first, groups.size() - from);
        std::vector<std::size_t> child = from_to(first, groups.listed());
        for (std::size_t i = 0; i < frame.size(); ++i)
            if (i != chosen) child.push_back(frame[i]);
        try_out(asked, groups, child, random, depth - 1);
        groups.back_to(mark);
        EQUAL(groups.items(), items);
        CHECK(known(groups, frame) == before);
    }
}

}  // namespace

TEST(groups_are_as_before_when_a_split_or_a_lock_is_taken_back) {
    check::Random random(1);
    for (int round = 0; round < 120; ++round) {
        const auto scheme = static_cast<Scheme>(round % 5);
        const Asked asked(random, scheme, round % 2 == 0, round % 4 == 1, round % 3 == 1 && scheme != Scheme::VioRec);
        if (asked.rows.size() < 2) continue;
        Groups<Count> groups(asked.trees, asked.rules, {true, true, true, round % 3 == 0});
        asked.fill(groups);
        try_out(asked, groups, {0}, random, 4);
    }
}

TEST(groups_are_the_same_when_they_were_packed_and_unpacked) {
    check::Random random(2);
    for (int round = 0; round < 20; ++round) {
        const Asked asked(random, Scheme::AllRec, true, round % 2 == 0, round % 4 == 0);
        if (asked.rows.size() < 2) continue;
        Groups<Count> groups(asked.trees, asked.rules, {}), other(asked.trees, asked.rules, {});
        asked.fill(groups);
        groups.split(0, asked.trees.roots[round % 2], round % 2);
        for (std::size_t n = 1; n < groups.size(); ++n) groups.measure(n, true);
        auto packed = groups.pack(1, groups.listed(), 1);
        EQUAL(packed.bytes(), groups.bytes(1, groups.listed()));
        other.unpack(std::move(packed));
        CHECK(known(other, from_to(0, other.listed())) == known(groups, from_to(1, groups.listed())));
        for (std::size_t n = 0; n < other.size(); ++n) other.measure(n, true);  // from what was packed of the items
        CHECK(known(other, from_to(0, other.listed())) == known(groups, from_to(1, groups.listed())));
    }
}
