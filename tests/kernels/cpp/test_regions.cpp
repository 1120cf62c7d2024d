#include <set>

#include "check.hpp"
#include "regions/neighbours.hpp"
#include "regions/row_tree.hpp"
#include "regions/splits.hpp"

using namespace shoal;

namespace {

// An interval, a set and a tree of six values each; the tree joins pairs, then all.
std::vector<Axis> axes() {
    Axis interval{Kind::interval, 6, 2, {0, 1, 2, 3, 4, 5}, {0, 2, 3, 5, 8, -1}, {1, 2, 4, 5, 9, -1}, {}, {}};
    Axis set{Kind::set, 6, 3, {5, 4, 3, 2, 1, 0}, {}, {}, {3, 3, 6, 3, 9, 3}, {}};
    Axis tree{Kind::tree, 6, 5, {0, 1, 2, 3, 4, 5}, {}, {}, {}, {}};
    tree.levels = 3;
    for (const int width : {1, 2, 6})
        for (int v = 0; v < 6; ++v) {
            tree.code.push_back(v / width);
            tree.price.push_back(5 * width);
        }
    return {interval, set, tree};
}

struct Ground {
    std::vector<std::int32_t> codes;
    std::vector<std::int64_t> rows;
    Regions regions;

    static std::vector<std::int32_t> some(check::Random& random, int n) {
        std::vector<std::int32_t> codes(3 * static_cast<std::size_t>(n));
        for (auto& code : codes) code = random.below(6);
        return codes;
    }

    Ground(check::Random& random, int n) : Ground(some(random, n), random, n) {}

    Ground(std::vector<std::int32_t> given, check::Random& random, int n)
        : codes(given), rows(n),
          regions(axes(), std::move(given), counted(random, rows), std::vector<std::int32_t>(n, 0)) {}

    static std::vector<std::int64_t> counted(check::Random& random, std::vector<std::int64_t>& rows) {
        for (auto& count : rows) count = random(1, 4);
        return rows;
    }

    // The cost of a group, leaf by leaf.
    std::int64_t cost(const std::vector<int>& members) const {
        std::set<int> interval, set, tree;
        std::int64_t size = 0, outside = 0;
        const Axis first = axes()[0];
        int low = 99, high = -1;
        for (const int c : members) {
            const int v = codes[3 * c];
            if (first.first[v] < 0) {
                outside = 1;
            } else {
                low = std::min(low, first.first[v]);
                high = std::max(high, first.last[v]);
            }
            set.insert(codes[3 * c + 1]);
            tree.insert(codes[3 * c + 2]);
            size += rows[c];
        }
        std::int64_t price = 2 * ((high < 0 ? 0 : high - low + 1) + outside - 1) - 3;
        for (const int v : set) price += axes()[1].price[v];
        std::set<int> pairs;
        for (const int v : tree) pairs.insert(v / 2);
        price += 5 * ((tree.size() == 1 ? 1 : pairs.size() == 1 ? 2 : 6) - 1);
        return size * price;
    }
};

}  // namespace

TEST(an_extent_costs_what_its_leaves_do) {
    check::Random random(1);
    for (int round = 0; round < 400; ++round) {
        const Ground ground(random, 1 + random.below(6));
        Extent extent(ground.regions);
        std::vector<int> members;
        for (int c = 0; c < ground.regions.size(); ++c) {
            members.push_back(c);
            extent.add(c);
            EQUAL(extent.cost(), ground.cost(members));
        }
        extent.clear();
        EQUAL(extent.cost(), 0);
        extent.add(0);
        EQUAL(extent.cost(), ground.cost({0}));
    }
}

TEST(distances_are_what_a_second_value_adds) {
    check::Random random(2);
    for (int round = 0; round < 300; ++round) {
        const Ground ground(random, 2);
        std::int64_t apart = 0;
        for (int a = 0; a < 3; ++a) apart += ground.regions.apart(a, ground.codes[a], ground.codes[3 + a]);
        EQUAL(apart * (ground.rows[0] + ground.rows[1]),
              ground.cost({0, 1}) - ground.cost({0}) / ground.rows[0] * (ground.rows[0] + ground.rows[1]));
    }
}

TEST(parts_of_splits_have_k_rows_and_cost_no_more) {
    check::Random random(3);
    for (int round = 0; round < 150; ++round) {
        const int n = 2 + random.below(12);
        const Ground ground(random, n);
        const SplitRules rules{random(1, 6), random.below(2) == 0, random.below(2) == 0, 1 + random.below(3),
                               random.below(20)};
        Splitter splitter(ground.regions, rules, {});
        const auto groups = splitter.split(std::vector<std::int64_t>(n, 0), [] { return false; });
        std::vector<std::vector<int>> members(n);
        std::vector<int> all;
        for (int c = 0; c < n; ++c) {
            members[groups[c]].push_back(c);
            all.push_back(c);
        }
        std::int64_t cost = 0;
        std::size_t parts = 0;
        for (const auto& group : members) {
            if (group.empty()) continue;
            ++parts;
            cost += ground.cost(group);
            std::int64_t rows = 0;
            for (const int c : group) rows += ground.rows[c];
            CHECK(rows >= rules.k || group.size() == static_cast<std::size_t>(n));
        }
        CHECK(cost <= ground.cost(all));
        if (rules.k == 1 && !rules.strict && !rules.median) {
            // Nothing keeps apart what differs: every group is of one combination of values.
            std::set<std::vector<std::int32_t>> distinct;
            for (int c = 0; c < n; ++c)
                distinct.insert({ground.codes.begin() + 3 * c, ground.codes.begin() + 3 * c + 3});
            CHECK(parts >= distinct.size());
        }
    }
}

TEST(a_part_of_a_part_knows_its_places_in_the_whole) {
    check::Random random(5);
    for (int round = 0; round < 100; ++round) {
        const int n = 1 + random.below(9);
        const Ground ground(random, n);
        std::vector<std::int32_t> some, fewer;
        for (int c = 0; c < n; ++c)
            if (random.below(3)) some.insert(some.begin(), c);
        for (std::size_t i = 0; i < some.size(); i += 2) fewer.push_back(static_cast<std::int32_t>(i));
        const Regions part = ground.regions.part(some), last = part.part(fewer);
        EQUAL(last.whole(), n);
        CHECK(part.is_part() && !ground.regions.is_part());
        EQUAL(static_cast<std::size_t>(last.size()), fewer.size());
        std::vector<int> members;
        Extent extent(last);
        for (int i = 0; i < last.size(); ++i) {
            EQUAL(last.place(i), some[fewer[i]]);
            members.push_back(some[fewer[i]]);
            extent.add(i);
        }
        if (!members.empty()) EQUAL(extent.cost(), ground.cost(members));
    }
}

TEST(neighbours_are_the_nearest) {
    check::Random random(4);
    for (int round = 0; round < 100; ++round) {
        const int n = 1 + random.below(9), many = random.below(5);
        const Ground ground(random, n);
        const auto found = Neighbours(ground.regions, many).find();
        for (int c = 0; c < n; ++c) {
            const auto distance = [&](int d) {
                std::int64_t apart = 0;
                for (int a = 0; a < 3; ++a)
                    apart += ground.regions.apart(a, ground.codes[3 * c + a], ground.codes[3 * d + a]);
                return apart;
            };
            std::vector<std::int64_t> all, mine;
            for (int d = 0; d < n; ++d)
                if (d != c) all.push_back(distance(d));
            std::sort(all.begin(), all.end());
            for (int j = 0; j < many; ++j)
                if (found[c * many + j] >= 0) mine.push_back(distance(found[c * many + j]));
            if (all.size() > static_cast<std::size_t>(many)) all.resize(many);
            CHECK(mine == all);
        }
    }
}

TEST(a_tree_of_rows_finds_those_that_are_near_and_no_others) {
    check::Random random(5);
    for (int round = 0; round < 300; ++round) {
        const int rows = random.below(400),
                  wide = 1 + random.below(6);  // attributes are joined where there are many rows
        std::vector<int> many, begins;
        std::vector<std::int64_t> costs;
        for (int a = 0; a < wide; ++a) {
            many.push_back(1 + random.below(9));
            begins.push_back(static_cast<int>(costs.size()));
            for (int value = 0; value < many[a]; ++value) costs.push_back(random.below(7));
        }
        std::vector<std::int32_t> values;
        for (int i = 0; i < rows * wide; ++i) values.push_back(random.below(many[i % wide]));
        const RowTree tree(values, many);
        RowTree::Room room;
        for (const std::int64_t limit : {0, 1, 5, 12, 99}) {
            std::set<std::pair<std::int32_t, std::int64_t>> near, scanned;
            tree.near(costs, begins, limit, room, [&](std::int64_t sum, std::int32_t row) { near.emplace(row, sum); });
            for (int row = 0; row < rows; ++row) {
                std::int64_t sum = 0;
                for (int a = 0; a < wide; ++a) sum += costs[begins[a] + values[row * wide + a]];
                if (sum < limit) scanned.emplace(row, sum);
            }
            CHECK(near == scanned);
        }
        std::set<std::int32_t> places;
        for (int row = 0; row < rows; ++row) places.insert(tree.place(row));
        CHECK(static_cast<int>(places.size()) == rows);
        if (rows) CHECK(*places.rbegin() == rows - 1);
    }
}
