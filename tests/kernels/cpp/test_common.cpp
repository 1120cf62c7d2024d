#include "check.hpp"
#include "common/checked_sum.hpp"
#include "common/fractions.hpp"
#include "common/keys.hpp"
#include "common/wide.hpp"

using namespace shoal;

namespace {

// A product by adding up: of the bits of one number, each shifted copy of the other, in two halves.
Wide added_up(std::int64_t one, std::int64_t other) {
    std::uint64_t low = 0, high = 0, add_low = static_cast<std::uint64_t>(one), add_high = one < 0 ? ~0ull : 0;
    for (int bit = 0; bit < 64; ++bit) {
        if (static_cast<std::uint64_t>(other) >> bit & 1) {
            if (bit == 63) {  // the highest bit stands for -2^63: take away
                high -= add_high + (low < add_low);
                low -= add_low;
            } else {
                low += add_low;
                high += add_high + (low < add_low);
            }
        }
        add_high = add_high << 1 | add_low >> 63;
        add_low <<= 1;
    }
    return {static_cast<std::int64_t>(high), low};
}

std::vector<std::int64_t> odd_numbers(check::Random& random) {
    std::vector<std::int64_t> all{0, 1, -1, 2, INT32_MAX, std::int64_t{1} << 32, INT64_MAX, -INT64_MAX, INT64_MAX / 4};
    for (int i = 0; i < 12; ++i) all.push_back(random(-INT64_MAX, INT64_MAX) >> random.below(63));
    return all;
}

}  // namespace

TEST(products_of_128_bits_are_those_of_adding_up) {
    check::Random random(1);
    const auto numbers = odd_numbers(random);
    for (const std::int64_t a : numbers)
        for (const std::int64_t b : numbers) {
            const Wide mine = portable::product(a, b), expected = added_up(a, b);
            EQUAL(mine.high, expected.high);
            EQUAL(mine.low, expected.low);
        }
}

TEST(products_compare_alike_in_both_ways) {
    check::Random random(2);
    for (int round = 0; round < 300; ++round) {
        const auto numbers = odd_numbers(random);
        const auto any = [&] { return numbers[random.below(static_cast<int>(numbers.size()))]; };
        const std::int64_t a = any(), b = any(), c = any(), d = any();
        EQUAL(less_products(a, b, c, d), portable::less(a, b, c, d));
    }
    CHECK(portable::less(INT64_MAX, INT64_MAX - 1, INT64_MAX, INT64_MAX));
    CHECK(!portable::less(3, 4, 2, 6));
    CHECK(portable::less(-1, 1, 0, 1));
}

TEST(scaled_numbers_are_products_divided) {
    check::Random random(3);
    for (int round = 0; round < 2000; ++round) {
        const std::int64_t count = random(1, INT64_MAX >> random.below(62)), of = random(0, count);
        const std::int64_t all = random(-INT64_MAX, INT64_MAX) >> random.below(63);
        const std::int64_t mine = portable::scaled(all, of, count);
        EQUAL(scaled(all, of, count), mine);
        // q * count <= all * of < (q + 1) * count, for the part without a sign.
        const std::int64_t size = all < 0 ? -all : all, part = all < 0 ? -mine : mine;
        CHECK(!portable::less(size, of, part, count));
        CHECK(part == INT64_MAX || portable::less(size, of, part + 1, count));
    }
    EQUAL(portable::scaled(7, 2, 3), 4);
    EQUAL(portable::scaled(-7, 2, 3), -4);
    EQUAL(portable::scaled(INT64_MAX, INT64_MAX - 1, INT64_MAX), INT64_MAX - 1);
}

TEST(fractions_exceed_a_limit_alike_in_numbers_of_64_bits_and_of_any_size) {
    check::Random random(5);
    int ties = 0, over = 0;
    for (int round = 0; round < 2000; ++round) {
        std::vector<Fraction> parts;
        std::int64_t heads = 0;
        for (int i = 1 + random.below(5); i > 0; --i) {
            const std::int64_t of = 1 + random.below(9);
            parts.push_back({random.below(static_cast<int>(2 * of) + 1), of});
            heads += 2;
        }
        const std::int64_t den = 1 + random.below(4), num = random.below(static_cast<int>(den) + 1);
        const std::int64_t common = common_denominator(parts, heads), sum = sum_over(parts, common);
        const bool expected = sum * den > num * heads * common;
        ties += sum * den == num * heads * common;
        over += expected;
        EQUAL(exceed(parts, num, den, heads), expected);
        EQUAL(exceed_at_length(parts, num, den, heads), expected);
    }
    CHECK(ties > 20 && over > 200);
}

TEST(fractions_of_primes_are_compared_exactly) {
    // A half of the heads, or a little more or less, by denominators whose product has hundreds of bits.
    std::vector<Fraction> parts;
    std::int64_t heads = 0;
    for (std::int64_t of = 1001; of < 1400; ++of) {
        bool prime = true;
        for (std::int64_t d = 2; d * d <= of; ++d) prime = prime && of % d != 0;
        if (!prime) continue;
        parts.push_back({1, of});
        parts.push_back({of - 1, of});  // one in all
        heads += 2;
    }
    EQUAL(common_denominator(parts, heads), 0);
    CHECK(!exceed(parts, 1, 2, heads));
    CHECK(exceed(parts, 1, 2, heads - 1));
    const std::int64_t fine = std::int64_t{1} << 61;
    CHECK(exceed(parts, fine / 2 - 1, fine, heads));
    CHECK(!exceed(parts, fine / 2 + 1, fine, heads));
    parts.back().count += 1;
    CHECK(exceed(parts, 1, 2, heads));
}

TEST(sums_say_where_they_do_not_fit) {
    Sum sum(100);
    sum.add(7, 14);
    EQUAL(sum.value(), 98);
    sum.add(2);
    CHECK(sum.fits());
    sum.add(0, INT64_MAX);
    CHECK(sum.fits());
    sum.add(1);
    CHECK(!sum.fits());
    EQUAL(sum.value(), 101);
    sum.add(INT64_MAX, INT64_MAX);
    EQUAL(sum.value(), 101);
    Sum large(INT64_MAX - 1);
    large.add(INT64_MAX / 2, 3);
    CHECK(!large.fits());
    Sum whole(100);
    whole.add(sum.value());
    CHECK(!whole.fits());
}

TEST(codes_come_out_of_a_key_as_they_went_in) {
    check::Random random(4);
    for (int round = 0; round < 200; ++round) {
        std::vector<int> widths;
        for (int a = random.below(12); a >= 0; --a) widths.push_back(random.below(33));
        const Layout layout(widths);
        std::vector<std::uint64_t> words(layout.words, 0), codes;
        for (std::size_t a = 0; a < widths.size(); ++a) {
            const Field& field = layout.fields[a];
            CHECK(field.shift + field.width <= 64);
            codes.push_back(static_cast<std::uint64_t>(random(0, INT64_MAX)) & mask_of(widths[a]));
            words[field.word] |= codes[a] << field.shift;
        }
        for (std::size_t a = 0; a < widths.size(); ++a) EQUAL(layout.fields[a].code(words.data()), codes[a]);
    }
}

TEST(a_field_begins_a_new_word_only_where_it_must) {
    EQUAL(Layout({32, 32}).words, 1);
    EQUAL(Layout({32, 33}).words, 2);
    EQUAL(Layout({64, 0, 1}).words, 2);
    EQUAL(Layout({}).words, 1);
    EQUAL(Layout({3, 0, 4}).bits(), 7);
    EQUAL(Layout({64}).bits(), 64);
    EQUAL(Layout({60, 5}).bits(), 128);
}

TEST(bits_are_enough_for_all_codes_and_not_too_many) {
    for (std::int64_t size = 0; size < 70; ++size) {
        CHECK((std::int64_t{1} << bits_for(size)) >= size);
        if (size > 1) CHECK((std::int64_t{1} << (bits_for(size) - 1)) < size);
    }
    EQUAL(bits_for(1), 0);
    EQUAL(mask_of(64), ~std::uint64_t{0});
    EQUAL(mask_of(0), 0u);
    const int held[] = {1, 1, 2, 4, 4, 8, 8, 8, 8, 9};
    for (int needed = 0; needed < 10; ++needed) EQUAL(held_words(needed), held[needed]);
}

TEST(keys_are_equal_just_where_all_their_words_are) {
    Key<2> one, other;
    CHECK(one == other);
    other.word[1] = 1;
    CHECK(!(one == other));
    CHECK(one.hash() != other.hash());
}
