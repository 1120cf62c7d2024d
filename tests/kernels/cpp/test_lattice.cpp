#include <map>

#include "check.hpp"
#include "lattice/box_walk.hpp"
#include "lattice/grouper.hpp"
#include "lattice/node_sets.hpp"
#include "lattice/pareto.hpp"
#include "lattice/value_sets.hpp"

using namespace shoal;

namespace {

Levels random_levels(check::Random& random, std::size_t attributes, int most) {
    Levels levels(attributes);
    for (int& level : levels) level = random.below(most + 1);
    return levels;
}

bool below(const Levels& one, const Levels& other) {
    for (std::size_t a = 0; a < one.size(); ++a)
        if (one[a] > other[a]) return false;
    return true;
}

// Attributes of which every level has half the codes of the one below, on odd levels in reverse.
Codebook halves(const std::vector<int>& levels) {
    std::vector<Attribute> attributes;
    for (const int count : levels) {
        Attribute attribute;
        for (int level = 0; level < count; ++level) attribute.sizes.push_back(std::int64_t{1} << (count - 1 - level));
        for (int level = 0; level + 1 < count; ++level) {
            std::vector<std::int32_t> up(attribute.sizes[level]);
            for (std::size_t code = 0; code < up.size(); ++code)
                up[code] = static_cast<std::int32_t>(level % 2 == 0 ? code / 2 : (up.size() - 1 - code) / 2);
            attribute.upward.push_back(up);
        }
        attributes.push_back(attribute);
    }
    return Codebook(attributes, false);
}

using Counted = std::map<std::vector<int>, std::int64_t>;

struct Rows {
    std::vector<std::vector<int>> codes;
    Table<1> table;

    Rows(const Codebook& book, check::Random& random, int count) {
        const Layout layout = book.layout(Levels(book.attributes().size(), 0));
        for (int i = 0; i < count; ++i) {
            std::vector<int> row;
            Key<1> key;
            for (std::size_t a = 0; a < book.attributes().size(); ++a) {
                row.push_back(random.below(static_cast<int>(book.attributes()[a].sizes[0])));
                key.word[0] |= static_cast<std::uint64_t>(row[a]) << layout.fields[a].shift;
            }
            codes.push_back(row);
            table.keys.push_back(key);
            table.counts.push_back(random(1, 9));
        }
    }

    // The rows of every class of a node, counted one by one.
    Counted at(const Codebook& book, const Levels& levels) const {
        Counted counted;
        for (std::size_t i = 0; i < codes.size(); ++i) {
            std::vector<int> code = codes[i];
            for (std::size_t a = 0; a < code.size(); ++a)
                for (int level = 0; level < levels[a]; ++level) code[a] = book.attributes()[a].upward[level][code[a]];
            counted[code] += table.counts[i];
        }
        return counted;
    }
};

Counted read(const Codebook& book, const Table<1>& table, const Levels& levels) {
    const Layout layout = book.layout(levels);
    Counted counted;
    for (std::size_t g = 0; g < table.size(); ++g) {
        std::vector<int> code;
        for (std::size_t a = 0; a < levels.size(); ++a)
            code.push_back(static_cast<int>(layout.fields[a].code(table.keys[g].word.data())));
        CHECK(counted.emplace(code, table.counts[g]).second);
    }
    return counted;
}

}  // namespace

TEST(packed_nodes_compare_as_their_levels_do) {
    check::Random random(1);
    for (int round = 0; round < 2000; ++round) {
        const std::size_t attributes = 1 + random.below(19);
        const int most = random.below(2) ? 127 : 2;
        const PackedNodes nodes(attributes);
        const Levels one = random_levels(random, attributes, most);
        Levels other = one;
        for (int changes = random.below(4); changes > 0; --changes)
            other[random.below(static_cast<int>(attributes))] = random.below(most + 1);
        const auto mine = nodes.pack(one), yours = nodes.pack(other);
        EQUAL(nodes.at_most(mine.data(), yours.data()), below(one, other));
        CHECK(nodes.unpack(mine.data()) == one);
    }
    RAISES(std::out_of_range, PackedNodes(1).pack({128}));
    RAISES(std::invalid_argument, PackedNodes(2).pack({1}));
}

TEST(an_up_set_without_a_down_set_is_what_brute_force_leaves) {
    check::Random random(2);
    for (int round = 0; round < 60; ++round) {
        const std::size_t attributes = 1 + random.below(3);
        const Levels top = random_levels(random, attributes, 4);
        UpSet set(Levels(attributes, 0), top);
        std::vector<Levels> minimal{Levels(attributes, 0)}, covers;
        for (int step = 0; step < 5; ++step) {
            Levels cover(attributes);
            for (std::size_t a = 0; a < attributes; ++a) cover[a] = random.below(top[a] + 1);
            covers.push_back(cover);
            const auto [gone, come] = set.take(cover);
            for (const Levels& node : gone) minimal.erase(std::find(minimal.begin(), minimal.end(), node));
            minimal.insert(minimal.end(), come.begin(), come.end());
            EQUAL(set.size(), minimal.size());
            Levels node(attributes, 0);
            while (true) {
                bool left = true, above = false;
                for (const Levels& taken : covers) left = left && !below(node, taken);
                for (const Levels& one : minimal) above = above || below(one, node);
                EQUAL(above, left);
                std::size_t a = 0;
                while (a < attributes && node[a] == top[a]) node[a++] = 0;
                if (a == attributes) break;
                ++node[a];
            }
        }
    }
}

TEST(a_point_is_kept_just_where_no_other_dominates_it) {
    check::Random random(3);
    for (int round = 0; round < 400; ++round) {
        const std::size_t width = 1 + random.below(3), n = random.below(14);
        std::vector<std::int64_t> points(n * width);
        for (auto& number : points) number = random(-2, 3);
        const auto kept = undominated(points.data(), n, width);
        for (std::size_t i = 0; i < n; ++i) {
            bool dominated = false;
            for (std::size_t j = 0; j < n; ++j) {
                bool no_larger = true, smaller = false;
                for (std::size_t c = 0; c < width; ++c) {
                    no_larger = no_larger && points[j * width + c] <= points[i * width + c];
                    smaller = smaller || points[j * width + c] < points[i * width + c];
                }
                dominated = dominated || (no_larger && smaller);
            }
            EQUAL(kept[i] != 0, !dominated);
        }
    }
}

TEST(rolled_up_classes_are_those_of_counting_rows) {
    check::Random random(4);
    const Codebook book = halves({4, 1, 5, 3});
    const Rows rows(book, random, 60);
    Grouper<1> grouper;
    for (int round = 0; round < 40; ++round) {
        Levels source(4), target(4);
        for (std::size_t a = 0; a < 4; ++a) {
            source[a] = random.below(book.attributes()[a].levels());
            target[a] = source[a] + random.below(book.attributes()[a].levels() - source[a]);
        }
        Table<1> middle, found;
        grouper.roll_up(rows.table, book.transform(Levels(4, 0), source), middle);
        grouper.roll_up(middle, book.transform(source, target), found);
        CHECK(read(book, found, target) == rows.at(book, target));
    }
}

TEST(hashed_groups_are_those_of_direct_indexing) {
    check::Random random(5);
    Table<2> table;
    std::map<std::uint64_t, std::int64_t> expected;
    std::vector<std::uint64_t> pool;
    for (int i = 0; i < 1500; ++i) pool.push_back(static_cast<std::uint64_t>(random(0, INT64_MAX)));
    for (int i = 0; i < 3000; ++i) {  // so many that some share a place
        Key<2> key;
        key.word[1] = pool[random.below(1500)];
        table.keys.push_back(key);
        table.counts.push_back(i);
        expected[key.word[1]] += i;
    }
    Table<2> found;
    Grouper<2>().group(table.keys.data(), table.counts.data(), table.size(), 1, 128, found);
    EQUAL(found.size(), expected.size());
    for (std::size_t g = 0; g < found.size(); ++g) EQUAL(found.counts[g], expected[found.keys[g].word[1]]);
}

TEST(a_walk_meets_every_node_of_its_box_once_with_its_classes) {
    check::Random random(6);
    const Codebook book = halves({3, 4, 2});
    const Rows rows(book, random, 40);
    const Levels lo{0, 1, 0}, hi{2, 3, 1};
    for (const int threads : {1, 3}) {
        for (const auto& order : {std::vector<int>{0, 1, 2}, std::vector<int>{2, 0, 1}}) {
            std::vector<int> met(Strides(lo, hi).nodes, 0);
            std::mutex adding;
            walk_box<Grouper<1>>(book, rows.table, Levels(3, 0), lo, hi, order, threads, [&] {
                return [&](std::size_t place, const Levels& levels, const Table<1>& table) {
                    const std::lock_guard<std::mutex> lock(adding);
                    EQUAL(place, static_cast<std::size_t>((levels[0] * 3 + levels[1] - 1) * 2 + levels[2]));
                    ++met[place];
                    CHECK(read(book, table, levels) == rows.at(book, levels));
                };
            });
            for (const int times : met) EQUAL(times, 1);
            EQUAL(met.size(), 18u);
        }
    }
}

TEST(what_a_thread_of_a_walk_throws_is_thrown_by_the_walk) {
    check::Random random(7);
    const Codebook book = halves({3, 4, 2});
    const Rows rows(book, random, 10);
    const auto walk = [&](int threads) {
        walk_box<Grouper<1>>(book, rows.table, Levels(3, 0), Levels(3, 0), Levels{2, 3, 1}, {0, 1, 2}, threads, [&] {
            return [&](std::size_t place, const Levels&, const Table<1>&) {
                if (place == 7) throw std::out_of_range("seven");
            };
        });
    };
    RAISES(std::out_of_range, walk(1));
    RAISES(std::out_of_range, walk(3));
}

TEST(fused_look_ups_are_those_one_by_one) {
    check::Random random(8);
    const Codebook book = halves({3, 3, 4, 2});
    const Rows rows(book, random, 50);
    const Transform transform = book.transform(Levels(4, 0), {1, 2, 1, 0});
    std::vector<Key<1>> one(50), other(50);
    transform.apply(rows.table.keys.data(), 50, one.data());
    const Transform few = fused(transform, 1 << 20);
    CHECK(few.lookups.size() < transform.lookups.size());
    few.apply(rows.table.keys.data(), 50, other.data());
    CHECK(one == other);
}

TEST(distinct_values_are_those_of_the_column_that_has_fewest) {
    const std::uint64_t set[] = {7, ~std::uint64_t{0}, 1, 0};
    EQUAL(distinct_values(set, {2}), 67);
    EQUAL(distinct_values(set, {1, 1}), 3);
    EQUAL(distinct_values(set, {2, 1}), 1);
    EQUAL(distinct_values(set, {1, 1, 1, 1}), 0);
}
