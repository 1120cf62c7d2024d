#include "check.hpp"
#include "negotiation/histograms.hpp"
#include "negotiation/lazy_search.hpp"

using namespace shoal;

namespace {

using Classes = std::vector<std::pair<std::int64_t, std::int64_t>>;  // sizes and distinct values

Classes random_classes(check::Random& random, bool sensitive) {
    Classes classes;
    for (int i = random.below(12); i >= 0; --i) {
        const std::int64_t size = random.below(3) ? random(1, 6) : random(1, 100'000);
        classes.emplace_back(size, sensitive ? random(1, std::min<std::int64_t>(size, 200)) : 0);
    }
    return classes;
}

Bytes packed(const Classes& classes, bool sensitive) {
    HistogramWriter writer(sensitive);
    for (const auto& [size, distinct] : classes) writer.add(size, distinct);
    Bytes bytes;
    writer.write(bytes);
    return bytes;
}

}  // namespace

TEST(varints_come_back_as_they_went) {
    check::Random random(1);
    Bytes bytes;
    std::vector<std::uint64_t> numbers{0, 127, 128, ~std::uint64_t{0}};
    for (int i = 0; i < 100; ++i)
        numbers.push_back(static_cast<std::uint64_t>(random(0, INT64_MAX)) >> random.below(63));
    for (const std::uint64_t number : numbers) put_varint(bytes, number);
    const std::uint8_t* at = bytes.data();
    for (const std::uint64_t number : numbers) EQUAL(get_varint(at), number);
    CHECK(at == bytes.data() + bytes.size());
}

TEST(a_histogram_suppresses_what_counting_its_classes_suppresses) {
    check::Random random(2);
    for (int round = 0; round < 300; ++round) {
        const bool sensitive = random.below(2);
        const Classes classes = random_classes(random, sensitive);
        const Bytes bytes = packed(classes, sensitive);
        const Histogram histogram(bytes.data(), bytes.data() + bytes.size(), sensitive);
        std::int64_t rows = 0;
        for (const auto& [size, distinct] : classes) rows += size;
        CHECK(Histogram::check(bytes.data(), bytes.data() + bytes.size(), sensitive, rows));
        CHECK(!Histogram::check(bytes.data(), bytes.data() + bytes.size(), sensitive, rows + 1));
        CHECK(!Histogram::check(bytes.data(), bytes.data() + bytes.size() - 1, sensitive, rows));
        const auto gone = [&](std::int64_t k, std::int64_t l) {
            std::int64_t total = 0;
            for (const auto& [size, distinct] : classes) total += size < k || distinct < l ? size : 0;
            return total;
        };
        const std::int64_t l = sensitive ? random(0, 5) : 0, limit = random(0, rows);
        for (const std::int64_t k : {0, 1, 2, 4, 7, 50'000}) EQUAL(histogram.suppressed(k, l, kNoLimit), gone(k, l));
        const std::int64_t most = 9, largest = histogram.largest_k(l, limit, most);
        CHECK(gone(largest, l) <= limit || largest == 0);
        if (largest < most) CHECK(gone(largest + 1, l) > limit);
    }
}

TEST(a_histogram_with_costs_tells_what_the_suppressed_rows_cost) {
    check::Random random(4);
    for (int round = 0; round < 300; ++round) {
        const bool sensitive = random.below(2);
        const Classes classes = random_classes(random, sensitive);
        const Scale scale{random(0, 9), round % 4 ? random(1, 9) : 0};
        std::vector<std::int64_t> each;
        HistogramWriter writer(sensitive);
        std::int64_t rows = 0, dearest = scale.base;
        for (const auto& [size, distinct] : classes) {
            const std::int64_t steps = scale.step > 0 ? random(0, 20) : 0;
            writer.add(size, distinct, steps);
            each.push_back(scale.base + steps * scale.step);
            dearest = std::max(dearest, each.back());
            rows += size;
        }
        Bytes bytes;
        writer.write(bytes, &scale);
        CHECK(Histogram::check(bytes.data(), bytes.data() + bytes.size(), sensitive, rows, dearest + scale.step));
        CHECK(!Histogram::check(bytes.data(), bytes.data() + bytes.size() - 1, sensitive, rows, dearest + scale.step));
        if (scale.base > 0)
            CHECK(!Histogram::check(bytes.data(), bytes.data() + bytes.size(), sensitive, rows, scale.base - 1));
        const Histogram histogram(bytes.data(), bytes.data() + bytes.size(), sensitive, true);
        const std::int64_t l = sensitive ? random(0, 5) : 0;
        for (const std::int64_t k : {1, 2, 5, 50'000}) {
            std::int64_t gone = 0, cost = 0, squares = 0;
            for (std::size_t i = 0; i < classes.size(); ++i) {
                const auto [size, distinct] = classes[i];
                if (size >= k && distinct >= l) continue;
                gone += size;
                cost += size * each[i];
                squares += size * size;
            }
            EQUAL(histogram.gone(k, l, kNoLimit).rows, gone);
            EQUAL(histogram.gone(k, l, kNoLimit).cost, cost);
            EQUAL(histogram.squares(k, l, kNoLimit).rows, gone);
            EQUAL(histogram.squares(k, l, kNoLimit).cost, squares);
        }
    }
}

TEST(entries_are_the_classes_in_order) {
    const Bytes bytes = packed({{5, 2}, {3, 1}, {5, 2}, {5, 1}, {2000, 100}}, true);
    const auto entries = Histogram(bytes.data(), bytes.data() + bytes.size(), true).entries();
    const std::int64_t expected[][3] = {{3, 1, 1}, {5, 1, 1}, {5, 2, 2}, {2000, 100, 1}};
    EQUAL(entries.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
        EQUAL(entries[i].size, expected[i][0]);
        EQUAL(entries[i].distinct, expected[i][1]);
        EQUAL(entries[i].classes, expected[i][2]);
    }
}

TEST(no_node_of_a_height_is_lost_where_a_box_is_made_to_fit) {
    check::Random random(3);
    for (int round = 0; round < 300; ++round) {
        Box box;
        for (int a = random.below(4); a >= 0; --a) {
            box.lo.push_back(random.below(3));
            box.hi.push_back(box.lo.back() + random.below(4));
        }
        const int height = random.below(14);
        Box fitted = box;
        const bool some = fitted.fit(height);
        int nodes = 0, inside = 0;
        Levels node = box.lo;
        while (true) {
            if (height_of(node) == height) {
                ++nodes;
                bool in = some;
                for (std::size_t a = 0; a < node.size(); ++a)
                    in = in && fitted.lo[a] <= node[a] && node[a] <= fitted.hi[a];
                inside += in;
            }
            std::size_t a = 0;
            while (a < node.size() && node[a] == box.hi[a]) node[a] = box.lo[a], ++a;
            if (a == node.size()) break;
            ++node[a];
        }
        EQUAL(some, nodes > 0);
        EQUAL(inside, nodes);
        if (some && fitted.lo != fitted.hi) {
            std::size_t parts = 0;
            for (const Box& part : fitted.split(round % 2 == 0)) parts += part.lo != fitted.lo || part.hi != fitted.hi;
            CHECK(parts > 1);
        }
    }
}
