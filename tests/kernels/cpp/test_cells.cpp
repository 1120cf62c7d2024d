#include <map>
#include <set>

#include "cells/alike.hpp"
#include "cells/blanking.hpp"
#include "cells/helping.hpp"
#include "check.hpp"

using namespace shoal;

namespace {

// Whose rows combinations have: some of three who have rows in several, and for persons one each for the other rows.
Persons whose(const KnownCells& cells, check::Random& random, bool values) {
    Persons found;
    found.numbers = 3;
    found.first.push_back(0);
    for (int c = 0; c < cells.size(); ++c) {
        std::set<std::int32_t> others;
        for (std::int64_t row = 0; row < cells.rows[c]; ++row)
            if (random.below(2)) others.insert(random.below(3));
        found.others.insert(found.others.end(), others.begin(), others.end());
        found.first.push_back(static_cast<std::uint32_t>(found.others.size()));
        found.single.push_back(values ? 0 : static_cast<std::int32_t>(cells.rows[c] - std::ssize(others)));
    }
    return found;
}

// A small table of up to three columns, sometimes with persons who have rows in several combinations, or with values
// that are asked for (of which some rows have none).
KnownCells some(check::Random& random) {
    KnownCells cells;
    cells.columns = 1 + random.below(3);
    const std::int64_t k = random(1, 4);
    const Mask all = (Mask{1} << cells.columns) - 1;
    cells.free = random.below(3) ? all : static_cast<Mask>(random(0, static_cast<std::int64_t>(all)));
    std::set<std::vector<std::int32_t>> found;
    for (int tries = 0; tries < 8; ++tries) {
        std::vector<std::int32_t> one;
        for (int a = 0; a < cells.columns; ++a) one.push_back(random.below(3));
        found.insert(one);
    }
    for (const auto& one : found) cells.codes.insert(cells.codes.end(), one.begin(), one.end());
    for (std::size_t c = 0; c < found.size(); ++c) cells.rows.push_back(random(1, 3));
    for (int a = 0; a < cells.columns; ++a) cells.weight.push_back(random(0, 3));
    for (int sets = 1 + random.below(3); sets > 0; --sets)
        cells.known.push_back(static_cast<Mask>(random(1, static_cast<std::int64_t>(all))));
    cells.needs.push_back({k, random.below(2) ? whose(cells, random, false) : Persons{}, {}});
    if (!random.below(3)) cells.needs.push_back({random(1, 3), whose(cells, random, true), {}});
    cells.prepare();
    return cells;
}

// Whose rows a combination has: those of nobody else, and the others by number.
std::set<std::pair<int, std::int64_t>> persons(const KnownCells& cells, int c, int m = 0) {
    std::set<std::pair<int, std::int64_t>> found;
    for (std::int64_t i = 0; i < cells.single(m, c); ++i) found.insert({c, i});
    for (const std::int32_t person : cells.others(m, c)) found.insert({-1, person});
    return found;
}

// Whether two combinations are alike in a known set: by the strict reading, or by that of a blank that is like any value.
bool alike(const KnownCells& cells, Mask known, int c, Mask mine, int d, Mask theirs, bool wild) {
    for (int a = 0; a < cells.columns; ++a) {
        if (!(known >> a & 1)) continue;
        const bool first = mine >> a & 1, second = theirs >> a & 1;
        if (wild ? first || second : first && second) continue;
        if (first != second || cells.at(c)[a] != cells.at(d)[a]) return false;
    }
    return true;
}

// Whether a combination is like enough others in a known set.
bool enough(const KnownCells& cells, Mask known, int c, const std::vector<Mask>& masks, bool wild) {
    for (int m = 0; m < cells.asked(); ++m) {
        std::set<std::pair<int, std::int64_t>> crowd;
        for (int d = 0; d < cells.size(); ++d)
            if (alike(cells, known, c, masks[c], d, masks[d], wild)) crowd.merge(persons(cells, d, m));
        if (std::ssize(crowd) < cells.needs[m].least) return false;
    }
    return true;
}

bool keeps(const KnownCells& cells, const std::vector<Mask>& masks, bool wild) {
    for (const Mask known : cells.known)
        for (int c = 0; c < cells.size(); ++c)
            if (!enough(cells, known, c, masks, wild)) return false;
    return true;
}

std::int64_t cost(const KnownCells& cells, const std::vector<Mask>& masks) {
    std::int64_t sum = 0;
    for (int c = 0; c < cells.size(); ++c)
        for (int a = 0; a < cells.columns; ++a)
            if (masks[c] >> a & 1) sum += cells.rows[c] * cells.weight[a];
    return sum;
}

}  // namespace

TEST(sets_of_columns_come_by_rising_price_and_each_once) {
    check::Random random(1);
    for (int round = 0; round < 50; ++round) {
        const KnownCells cells = some(random);
        MasksByPrice masks(cells);
        std::set<Mask> seen;
        std::int64_t before = 0;
        while (!masks.done()) {
            const std::int64_t price = masks.price();
            const Mask mask = masks.take();
            CHECK(price >= before && price == cells.price(mask) && !(mask & ~cells.free));
            CHECK(seen.insert(mask).second);
            before = price;
        }
        EQUAL(seen.size(), std::size_t{1} << std::popcount(cells.free));
    }
}

TEST(sums_by_key_are_those_of_a_map) {
    check::Random random(2);
    KeySums sums;
    std::map<std::uint64_t, std::int64_t> expected;
    for (int step = 0; step < 3000; ++step) {
        const auto key = static_cast<std::uint64_t>(random(0, 700)) * 0x10001;
        const std::int64_t more = random(-2, 2);
        sums.at(key) += more;
        expected[key] += more;
    }
    for (const auto& [key, sum] : expected) EQUAL(sums.get(key), sum);
    EQUAL(sums.get(12345), 0);
}

TEST(who_shows_something_counts_once_and_can_leave_again) {
    check::Random random(3);
    for (int round = 0; round < 100; ++round) {
        const KnownCells cells = some(random);
        Crowds crowds;
        std::int64_t count = 0;
        std::set<int> inside;
        for (int step = 0; step < 30; ++step) {
            const int c = random.below(cells.size());
            if (inside.insert(c).second)
                count += crowds.enter(cells, 0, c, 7);
            else {
                count -= crowds.leave(cells, 0, c, 7);
                inside.erase(c);
            }
            std::set<std::pair<int, std::int64_t>> expected;
            for (const int d : inside) expected.merge(persons(cells, d));
            EQUAL(count, std::ssize(expected));
        }
    }
}

TEST(blanked_cells_keep_the_promise_by_both_readings_and_cost_no_less_than_the_bound) {
    check::Random random(4);
    int blanked = 0;
    for (int round = 0; round < 400; ++round) {
        const KnownCells cells = some(random);
        for (const int turn : {0, 1, 2, 3}) {
            const bool wild = turn & 1;
            const auto over = [turn] { return turn > 1; };  // no set of columns is tried by its price
            const CellChoices choices(cells, 8, wild, over, {});
            if (choices.hopeless()) {
                CHECK(!keeps(cells, std::vector<Mask>(cells.size(), cells.free), false));
                continue;
            }
            std::vector<Mask> masks;
            std::int64_t found = 0;
            if (wild) {
                Helping helping(cells, choices, round, {});
                helping.run(50, 1, 0.1, {});
                helping.settle();
                masks = helping.masks(), found = helping.cost();
            } else {
                Blanking blanking(cells, choices, round);
                blanking.begin({});
                blanking.run(20, 1, 0.1, {});
                blanking.settle({});
                masks = blanking.masks(), found = blanking.cost();
                CHECK(found >= choices.bound());
            }
            CHECK(keeps(cells, masks, wild));
            EQUAL(found, cost(cells, masks));
            for (const Mask mask : masks) CHECK(!(mask & ~cells.free));
            blanked += found > 0;
        }
    }
    CHECK(blanked > 100);
}

TEST(what_is_found_in_a_walk_over_the_columns_is_enough_and_no_more) {
    check::Random random(5);
    const auto over = [] { return true; };
    int found = 0;
    for (int round = 0; round < 400; ++round) {
        KnownCells cells = some(random);
        cells.known.resize(1);
        cells.distinct.clear();
        cells.prepare();
        const CellChoices choices(cells, 8, true, over, {});
        if (choices.hopeless()) continue;
        const auto enough = [&](int c, Mask mask) {
            std::vector<Mask> masks(cells.size(), 0);
            for (int m = 0; m < cells.asked(); ++m) {
                std::set<std::pair<int, std::int64_t>> crowd;
                for (int d = 0; d < cells.size(); ++d)
                    if (alike(cells, cells.known[0], c, mask, d, 0, true)) crowd.merge(persons(cells, d, m));
                if (std::ssize(crowd) < cells.needs[m].least) return false;
            }
            return true;
        };
        for (std::size_t i = 0; i < choices.outstanding().size(); ++i) {
            const int c = choices.outstanding()[i];
            EQUAL(choices.of(i).size(), 1u);
            const Mask mask = choices.of(i)[0].mask;
            CHECK(enough(c, mask));
            for (Mask left = mask & cells.known[0]; left; left &= left - 1)
                CHECK(!enough(c, mask & ~(left & (~left + 1))));
            for (const std::int32_t d : choices.of(i)[0].partners)
                CHECK(d != c && alike(cells, cells.known[0], c, mask, d, 0, true));
            ++found;
        }
    }
    CHECK(found > 300);
}

TEST(a_walk_without_time_does_without_all_columns_that_may_be_blanked) {
    check::Random random(7);
    const auto over = [] { return true; };
    int found = 0;
    for (int round = 0; round < 200; ++round) {
        KnownCells cells = some(random);
        cells.known.resize(1);
        cells.distinct.clear();
        cells.prepare();
        const CellChoices choices(cells, 8, true, over, over);
        if (choices.hopeless()) continue;
        for (std::size_t i = 0; i < choices.outstanding().size(); ++i, ++found)
            EQUAL(choices.of(i)[0].mask, cells.free & cells.known[0]);
    }
    CHECK(found > 100);
}

TEST(choices_are_called_complete_only_if_no_smallest_set_of_columns_is_left_out) {
    check::Random random(8);
    int complete = 0, partial = 0;
    for (int round = 0; round < 200; ++round) {
        const KnownCells cells = some(random);
        for (const int turn : {0, 1, 2}) {
            const auto over = [turn] { return turn > 1; };
            const CellChoices choices(cells, turn ? 8 : 1, true, over, {});
            if (choices.hopeless()) continue;
            ++(choices.complete() ? complete : partial);
            if (!choices.complete()) continue;
            for (std::size_t i = 0; i < choices.outstanding().size(); ++i) {
                const int c = choices.outstanding()[i];
                std::set<Mask> smallest;
                for (Mask mask = 1; mask <= cells.free; ++mask) {
                    if (mask & ~cells.free) continue;
                    bool good = true;
                    for (const Mask known : cells.known) {
                        std::vector<Mask> masks(cells.size(), 0);
                        masks[c] = mask;
                        good &= enough(cells, known, c, masks, true);
                    }
                    for (const Mask one : smallest) good &= (one & mask) != one;
                    if (good) smallest.insert(mask);
                }
                std::set<Mask> found;
                for (const CellChoice& one : choices.of(i)) found.insert(one.mask);
                CHECK(found == smallest);
            }
        }
    }
    CHECK(complete > 50 && partial > 50);
}

TEST(blanks_without_time_keep_the_promise_in_columns_that_may_be_blanked) {
    check::Random random(9);
    const auto over = [] { return true; };
    for (int round = 0; round < 400; ++round) {
        const KnownCells cells = some(random);
        const CellChoices choices(cells, 8, false, {}, {});
        if (choices.hopeless()) continue;
        Blanking blanking(cells, choices, round);
        blanking.begin(over);
        CHECK(keeps(cells, blanking.masks(), false));
        for (const Mask mask : blanking.masks()) CHECK(!(mask & ~cells.free));
    }
}

TEST(those_that_are_like_a_combination_are_counted_as_one_by_one) {
    check::Random random(6);
    int kept = 0, broken = 0;
    for (int round = 0; round < 300; ++round) {
        KnownCells cells = some(random);
        cells.known = {(Mask{1} << cells.columns) - 1};
        // Many copies of one combination, so that values of the others are rare.
        const bool many = random.below(2);
        if (many)
            for (int copy = 0; copy < 150; ++copy) {
                for (int a = 0; a < cells.columns; ++a) cells.codes.push_back(7);
                cells.rows.push_back(1);
            }
        cells.needs = {{random(1, 5), Persons{}, {}}};
        if (random.below(2)) cells.needs[0].whose = whose(cells, random, false);
        if (random.below(2)) cells.needs.push_back({random(1, 3), whose(cells, random, true), {}});
        std::vector<Mask> masks(cells.size(), 0);
        std::vector<std::int32_t> codes(cells.codes);
        for (int c = 0; c < cells.size(); ++c)
            for (int a = 0; a < cells.columns; ++a)
                if (!random.below(many ? 20 : 4)) masks[c] |= Mask{1} << a, codes[c * cells.columns + a] = -1;
        Alike like(codes, cells.columns, cells.rows, cells.needs);
        bool all = true;
        for (int c = 0; c < cells.size(); ++c) {
            const bool here = enough(cells, cells.known[0], c, masks, true);
            EQUAL(like.enough(c), here);
            all &= here;
        }
        ++(all ? kept : broken);
    }
    CHECK(kept > 50 && broken > 50);
}
