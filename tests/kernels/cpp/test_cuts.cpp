#include <numeric>

#include "check.hpp"
#include "cuts/gains.hpp"
#include "cuts/histogram_stack.hpp"
#include "cuts/incumbents.hpp"
#include "cuts/joint.hpp"
#include "cuts/limit.hpp"
#include "cuts/packing.hpp"
#include "cuts/trees.hpp"

using namespace shoal;

namespace {

Limit share(std::int64_t num, std::int64_t den, int column = 0) { return {num, den, column, false}; }

// Calls f with every choice of 0 to most[i] for each i.
template <class F>
void each_choice(const std::vector<std::int64_t>& most, F&& f) {
    std::vector<std::int64_t> chosen(most.size(), 0);
    while (true) {
        f(chosen);
        std::size_t i = 0;
        while (i < most.size() && chosen[i] == most[i]) chosen[i++] = 0;
        if (i == most.size()) return;
        ++chosen[i];
    }
}

}  // namespace

TEST(limits_hold_what_fractions_say) {
    for (std::int64_t den = 1; den < 8; ++den)
        for (std::int64_t num = 0; num <= den; ++num) {
            const Limit limit = share(num, den);
            for (std::int64_t rows = 0; rows < 30; ++rows) {
                for (std::int64_t count = 0; count <= rows; ++count)
                    EQUAL(limit.broken(count, rows), count > limit.most(rows));
                CHECK(limit.most(rows) * den <= num * rows);
                CHECK((limit.most(rows) + 1) * den > num * rows);
            }
            for (std::int64_t count = 1; num > 0 && count < 30; ++count) {
                CHECK(!limit.broken(count, limit.need(count)));
                CHECK(limit.broken(count, limit.need(count) - 1));
            }
            // Of so many with the value and so many others, the most that keep the limit together.
            for (std::int64_t with = 0; with < 12; ++with)
                for (std::int64_t others = 0; others < 12; ++others) {
                    std::int64_t most = 0;
                    for (std::int64_t shown = 1; shown <= with; ++shown)
                        if (!limit.broken(shown, shown + others)) most = shown;
                    EQUAL(limit.shown(with, others), most);
                }
        }
    EQUAL(share(0, 1).need(1), kNever);
    EQUAL(share(0, 0).top(5), kNever);
    CHECK(!share(0, 0).broken(INT32_MAX, INT32_MAX));
    EQUAL(share(INT32_MAX - 1, INT32_MAX).most(INT32_MAX), INT32_MAX - 1);
}

TEST(gains_are_the_least_that_any_choice_adds) {
    check::Random random(1);
    for (int round = 0; round < 300; ++round) {
        Gains gains;
        std::vector<std::int64_t> all, count;
        for (int i = random.below(4); i >= 0; --i) {
            all.push_back(random(0, 9));
            count.push_back(random(1, 5));
            gains.add(all.back(), count.back());
        }
        const std::int64_t deleted = random(0, std::accumulate(count.begin(), count.end(), std::int64_t{0}));
        const std::int64_t mine = gains.least(deleted);
        // Of single rows, each adds its part: no choice of so many adds less, and one adds less than one more.
        double least = 1e9;
        each_choice(count, [&](const std::vector<std::int64_t>& chosen) {
            if (std::accumulate(chosen.begin(), chosen.end(), std::int64_t{0}) != deleted) return;
            double total = 0;
            for (std::size_t i = 0; i < chosen.size(); ++i)
                total += double(all[i]) * double(chosen[i]) / double(count[i]);
            least = std::min(least, total);
        });
        CHECK(double(mine) <= least + 1e-9);
        CHECK(double(mine) > least - 1);
    }
}

TEST(mixed_gains_take_the_step_or_the_blanks) {
    Gains gains;
    gains.add(3, 1);   // a step for 3, or one value
    gains.add(4, 10);  // a step for 4, or ten values
    EQUAL(gains.mixed(0, 0, 2), 2 + 4);
    EQUAL(gains.mixed(1, 0, 2), 2 + 4);  // the one value is blanked anyhow
    EQUAL(gains.mixed(1, 1, 2), 2 + 2 + 4);
}

TEST(packing_finds_out_whether_so_many_fit) {
    check::Random random(2);
    for (int round = 0; round < 150; ++round) {
        std::vector<std::int64_t> room, rows;
        std::vector<std::vector<int>> inside;
        for (int s = random.below(4); s >= 0; --s) room.push_back(random(0, 5));
        for (int v = random.below(4); v >= 0; --v) {
            rows.push_back(random(0, 3));
            inside.emplace_back();
            for (std::size_t s = 0; s < room.size(); ++s)
                if (random.below(2)) inside.back().push_back(static_cast<int>(s));
        }
        const auto sum = [](const std::vector<std::int64_t>& all) {
            return std::accumulate(all.begin(), all.end(), std::int64_t{0});
        };
        const auto fits = [&](const std::vector<std::int64_t>& take) {
            std::vector<std::int64_t> left = room;
            for (std::size_t v = 0; v < take.size(); ++v)
                for (const int s : inside[v])
                    if ((left[s] -= take[v]) < 0) return false;
            return true;
        };
        std::int64_t most = 0;
        each_choice(rows, [&](const std::vector<std::int64_t>& take) {
            if (fits(take)) most = std::max(most, sum(take));
        });
        for (std::int64_t goal = 1; goal <= sum(rows); ++goal) {
            Packing packing(room, rows, inside);
            const std::int64_t found = packing(goal);
            CHECK(!packing.gave_up());
            if (goal <= most) {
                EQUAL(found, goal);
                CHECK(sum(packing.take()) >= goal);
                CHECK(fits(packing.take()));
            } else {
                CHECK(found >= most && found < goal);
            }
        }
    }
}

TEST(rows_kept_for_several_columns_are_the_most_that_respect_all_limits) {
    check::Random random(3);
    for (int round = 0; round < 120; ++round) {
        const int columns = 2 + random.below(2);
        std::vector<Limit> limits;
        for (int s = 0; s < 2 * columns; ++s) limits.push_back(share(random(1, 3), 3 + random(0, 1), s / 2));
        std::vector<int> tuples;
        std::vector<std::int64_t> counts;
        for (int t = 0; t < 1 << columns; ++t) {
            for (int c = 0; c < columns; ++c) tuples.push_back(2 * c + (t >> c & 1));
            counts.push_back(random(0, columns == 2 ? 4 : 2));
        }
        const auto respects = [&](const std::vector<std::int64_t>& take) {
            const std::int64_t rows = std::accumulate(take.begin(), take.end(), std::int64_t{0});
            std::vector<std::int64_t> have(limits.size(), 0);
            for (std::size_t i = 0; i < tuples.size(); ++i) have[tuples[i]] += take[i / columns];
            for (std::size_t s = 0; s < limits.size(); ++s)
                if (limits[s].broken(have[s], rows)) return std::int64_t{-1};
            return rows;
        };
        std::int64_t most = 0;
        each_choice(counts, [&](const std::vector<std::int64_t>& take) { most = std::max(most, respects(take)); });
        // What each column alone keeps at most: the sum of min(have, most_s(m)) of a column is at least m.
        std::int64_t upper = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
        std::vector<std::int64_t> have(limits.size(), 0);
        for (std::size_t i = 0; i < tuples.size(); ++i) have[tuples[i]] += counts[i / columns];
        for (bool changed = true; changed;) {
            changed = false;
            for (int c = 0; c < columns; ++c) {
                std::int64_t in_column = 0;
                for (int s = 2 * c; s < 2 * c + 2; ++s) in_column += std::min(have[s], limits[s].most(upper));
                if (in_column < upper) upper = in_column, changed = true;
            }
        }
        JointKeep keep(limits, tuples, columns);
        EQUAL(keep(upper, counts.data()), most);
        CHECK(!keep.gave_up());
        EQUAL(respects(keep.kept()), most);
    }
}

TEST(a_cut_comes_before_those_that_specialize_it_further) {
    CHECK(comes_first({0}, {0, 3}));
    CHECK(!comes_first({0, 3}, {0}));
    CHECK(comes_first({1}, {0, 3}));
    CHECK(!comes_first({0, 3}, {1}));
    CHECK(!comes_first({2}, {2}));
}

TEST(incumbents_are_the_best_whatever_the_order_of_offers) {
    check::Random random(4);
    for (int round = 0; round < 100; ++round) {
        const int keep = 1 + random.below(3);
        std::vector<CutFound> offers;
        for (int i = 0; i < 8; ++i) offers.push_back({random(0, 4), {i}});
        Incumbents incumbents(keep, 0);
        std::vector<CutFound> left = offers;
        while (!left.empty()) {
            const int pick = random.below(static_cast<int>(left.size()));
            incumbents.offer(left[pick].cost, left[pick].specialized);
            incumbents.offer(left[pick].cost, left[pick].specialized);  // once more: not kept twice
            left.erase(left.begin() + pick);
        }
        std::sort(offers.begin(), offers.end(), [](const CutFound& a, const CutFound& b) {
            return a.cost != b.cost ? a.cost < b.cost : comes_first(a.specialized, b.specialized);
        });
        const auto best = incumbents.best();
        EQUAL(static_cast<int>(best.size()), keep);
        for (int i = 0; i < keep; ++i) CHECK(best[i].specialized == offers[i].specialized);
        EQUAL(incumbents.cutoff(), offers[keep - 1].cost);
        CHECK(incumbents.beaten(incumbents.cutoff() + 1, {}));
        CHECK(!incumbents.beaten(incumbents.cutoff() - 1, {}));
    }
}

TEST(slack_is_a_part_of_the_cost_exactly) {
    for (const std::int64_t cost : {std::int64_t{1'000'003}, kNever - 1, -kNever, std::int64_t{-5}})
        for (const std::int64_t slack : {std::int64_t{1}, kSlackUnit / 100, kSlackUnit}) {
            Incumbents incumbents(1, slack);
            incumbents.offer(cost, {0});
            // floor(cost * slack / unit), in two steps that fit.
            const std::int64_t high = cost >> 20, low = cost - high * kSlackUnit;
            const std::int64_t least = cost - high * slack - (low * slack >> 20);
            if (least <= cost) CHECK(incumbents.beaten(least, {}));
            if (least - 1 < cost) CHECK(!incumbents.beaten(least - 1, {}));
        }
}

TEST(histograms_count_alike_whether_a_byte_is_enough_or_not) {
    check::Random random(5);
    Histograms<std::int32_t> stack(padded(11));
    EQUAL(stack.stride(), 16);
    const auto few = stack.add(255), many = stack.add(256);
    CHECK(stack.bytes() == 16 + 16 * sizeof(std::int32_t));
    std::vector<std::int32_t> expected(16, 0);
    for (int slot = 0; slot < 11; ++slot) {
        expected[slot] = random.below(100);
        stack.set(few, slot, expected[slot]);
        stack.set(many, slot, 1000 + slot);
    }
    std::vector<std::int32_t> room, total(16, 1);
    for (int slot = 0; slot < 16; ++slot) EQUAL(stack.read(few, room)[slot], expected[slot]);
    stack.add_to(total.data(), few);
    stack.add_to(total.data(), many);
    for (int slot = 0; slot < 11; ++slot) EQUAL(total[slot], 1001 + slot + expected[slot]);
    CHECK(stack.fits(few, 255) && !stack.fits(few, 256) && stack.fits(many, 1 << 30));
    const auto before = stack.end();
    const auto copied = stack.add(stack, few, 300);
    EQUAL(stack.count(copied, 3), expected[3]);
    stack.back_to(before);
    CHECK(stack.end() == before);
    EQUAL(stack.count(many, 10), 1010);
}

TEST(nodes_of_trees_come_out_of_keys_and_know_their_branch) {
    //      0: root, 1..2 below it, 3..5 below 1; 6: root, 7..8
    const Trees trees({0, 0, 0, 0, 0, 0, 1, 1, 1}, {-1, 0, 0, 1, 1, 1, -1, 6, 6}, {9, 4, 0, 0, 0, 0, 5, 0, 0},
                      std::vector<std::int64_t>(9, 1));
    std::uint64_t key[1] = {0};
    for (int one = 0; one < 6; ++one)
        for (int other = 6; other < 9; ++other) {
            trees.put(key, 0, one);
            trees.put(key, 1, other);
            EQUAL(trees.at(key, 0), one);
            EQUAL(trees.at(key, 1), other);
            EQUAL(trees.rate(key), trees.weight[one] + trees.weight[other]);
        }
    EQUAL(trees.part(0, 4), 0);
    EQUAL(trees.part(0, 2), 1);
    EQUAL(trees.part(1, 4), 1);
    CHECK(trees.leaf(2) && !trees.leaf(1));
    RAISES(std::invalid_argument, Trees({0, 0}, {-1, 1}, {0, 0}, {1, 1}));
    RAISES(std::invalid_argument, Trees({0, 2}, {-1, -1}, {0, 0}, {1, 1}));
}

TEST(histograms_with_room_for_many_rows_are_copied_to_where_there_is_room_for_few) {
    Histograms<std::int32_t> stack(8);
    const auto wide = stack.add(300), narrow = stack.add(10);
    for (int s = 0; s < 8; ++s) stack.set(wide, s, s + 1);
    stack.set(narrow, 3, 5);
    const auto copied = stack.add(stack, wide, 40);
    stack.add_to(narrow, stack, wide);
    for (int s = 0; s < 8; ++s) {
        EQUAL(stack.count(copied, s), s + 1);
        EQUAL(stack.count(narrow, s), s + 1 + (s == 3 ? 5 : 0));
    }
}
