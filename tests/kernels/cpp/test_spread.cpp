#include <map>
#include <set>

#include "check.hpp"
#include "lattice/person_measures.hpp"

using namespace shoal;

namespace {

struct Row {
    std::uint32_t person, group, value;
};

std::vector<Row> random_rows(check::Random& random, int persons, int groups, int values, int most) {
    std::vector<Row> rows;
    for (int person = 0; person < persons; ++person)
        for (int left = random.below(most) + 1; left > 0; --left)
            rows.push_back({static_cast<std::uint32_t>(person), static_cast<std::uint32_t>(random.below(groups)),
                            static_cast<std::uint32_t>(random.below(values))});
    return rows;
}

// A column with everybody listed, as it comes from Python; `at` numbers are before it in each group.
SpreadValues listed(const std::vector<Row>& rows, bool weighed, std::size_t at, std::int64_t scale) {
    SpreadValues found;
    found.weighed = weighed;
    found.at = at;
    found.scale = scale;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool last = i + 1 == rows.size() || rows[i + 1].person != rows[i].person;
        found.entries.push_back({rows[i].group | (last ? SpreadValues::kLast : 0u), rows[i].value, 1});
    }
    return found;
}

// The most values that different persons have: everybody takes one of theirs that is free, or none.
int most_values(const std::vector<std::set<std::uint32_t>>& persons, std::size_t next, std::set<std::uint32_t>& gone) {
    if (next == persons.size()) return 0;
    int most = most_values(persons, next + 1, gone);
    for (const std::uint32_t value : persons[next])
        if (gone.insert(value).second) {
            most = std::max(most, 1 + most_values(persons, next + 1, gone));
            gone.erase(value);
        }
    return most;
}

}  // namespace

TEST(values_of_different_persons_are_those_of_brute_force_after_any_roll_up) {
    check::Random random(41);
    for (int turn = 0; turn < 200; ++turn) {
        const int persons = random.below(6) + 1, values = random.below(5) + 1;
        const std::vector<Row> rows = random_rows(random, persons, 8, values, random.below(5) == 0 ? 30 : 4);
        Table<1> table, higher;
        table.labels = 2;
        table.sets = 1;
        table.keys.resize(8);
        table.counts.assign(16, 0);
        std::vector<std::uint32_t> of(8);
        for (std::size_t g = 0; g < of.size(); ++g) of[g] = static_cast<std::uint32_t>(g);
        Spread all;
        all.columns.push_back(listed(rows, false, 1, 1));
        all.roll_up(of.data(), table.counts.data(), 2, table.spread);
        PersonMeasures<1> measures;
        for (std::size_t groups = 8; groups > 0; groups /= 2) {
            measures.count(table, 1, {1});
            for (std::size_t g = 0; g < groups; ++g) {
                std::map<std::uint32_t, std::set<std::uint32_t>> whose;
                for (const Row& row : rows)
                    if (of[row.group] == g) whose[row.person].insert(row.value);
                std::vector<std::set<std::uint32_t>> here;
                for (const auto& [person, own] : whose) here.push_back(own);
                std::set<std::uint32_t> gone;
                EQUAL(measures.distinct(g, {1}), most_values(here, 0, gone));
            }
            if (groups == 1) break;
            // Two by two, and the sets unite.
            std::vector<std::uint32_t> up(groups);
            higher = table;
            higher.keys.resize(groups / 2);
            higher.counts.assign(groups, 0);
            for (std::size_t g = 0; g < groups; ++g) {
                up[g] = static_cast<std::uint32_t>(g / 2);
                higher.counts[g / 2 * 2 + 1] |= table.counts[g * 2 + 1];
            }
            table.spread.roll_up(up.data(), higher.counts.data(), 2, higher.spread);
            for (std::uint32_t& group : of) group = up[group];
            std::swap(table, higher);
        }
    }
}

TEST(who_comes_to_be_in_one_group_weighs_there_what_their_rows_say) {
    check::Random random(43);
    for (int turn = 0; turn < 100; ++turn) {
        const std::vector<Row> rows = random_rows(random, 9, 6, 4, random.below(4) == 0 ? 22 : 5);
        const std::int64_t scale = 232792560;  // of all numbers to 22
        const SpreadValues before = listed(rows, true, 0, scale);
        std::vector<std::uint32_t> of{0, 0, 1, 1, 2, 2};
        std::vector<std::int64_t> counts(3 * 4, 0), expected(3 * 4, 0);
        SpreadValues after;
        before.roll_up(of.data(), counts.data(), 4, after);
        after.weigh(counts.data(), 4);
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> totals;
        for (const Row& row : rows) ++totals[{row.person, of[row.group]}];
        for (const Row& row : rows)
            expected[of[row.group] * 4 + row.value] += scale / totals[{row.person, of[row.group]}];
        CHECK(counts == expected);
        std::set<std::uint32_t> several;
        for (const Row& one : rows)
            for (const Row& other : rows)
                if (one.person == other.person && of[one.group] != of[other.group]) several.insert(one.person);
        std::size_t persons = 0;
        for (const SpreadValues::Entry& entry : after.entries) persons += (entry.group & SpreadValues::kLast) != 0;
        EQUAL(persons, several.size());
    }
}
