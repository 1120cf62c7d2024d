#include <map>
#include <set>

#include "check.hpp"
#include "risk/suda.hpp"

using namespace shoal;

TEST(every_set_has_a_number_of_its_own) {
    for (int n = 1; n <= 7; ++n)
        for (int largest = 1; largest <= n; ++largest) {
            const AttributeSets sets(n, largest);
            std::set<std::size_t> numbers;
            for (int mask = 1; mask < (1 << n); ++mask) {
                const int size = std::popcount(static_cast<unsigned>(mask));
                if (size > largest) continue;
                std::size_t number = sets.smaller(size);
                for (int a = 0, j = 0; a < n; ++a)
                    if (mask >> a & 1) number += sets.after(a, ++j);
                CHECK(number < sets.size());
                CHECK(numbers.insert(number).second);
            }
            EQUAL(numbers.size(), sets.size());
        }
    RAISES(std::invalid_argument, AttributeSets(25, 25));
    EQUAL(AttributeSets(64, 2).size(), std::size_t{64 + 64 * 63 / 2});
}

TEST(minimal_uniques_are_those_of_brute_force) {
    check::Random random(5);
    for (int round = 0; round < 60; ++round) {
        const int n = static_cast<int>(random(1, 5)), rows = static_cast<int>(random(1, 250));
        const int largest = static_cast<int>(random(1, n));
        std::vector<std::int32_t> codes(static_cast<std::size_t>(n) * rows);
        for (auto& code : codes) code = random.below(8) - 1;
        std::vector<std::int64_t> counts(rows);
        for (auto& count : counts) count = random(1, 3) == 3 ? 2 : 1;
        std::vector<double> scores(largest, 1.0), expected(rows, 0.0);
        std::vector<std::vector<int>> found(rows);
        for (int size = 1; size <= largest; ++size)
            for (int mask = 1; mask < (1 << n); ++mask) {
                if (std::popcount(static_cast<unsigned>(mask)) != size) continue;
                std::map<std::vector<int>, std::int64_t> times;
                std::vector<std::vector<int>> values(rows);
                for (int i = 0; i < rows; ++i) {
                    for (int a = 0; a < n; ++a)
                        if (mask >> a & 1) values[i].push_back(codes[i * n + a]);
                    times[values[i]] += counts[i];
                }
                for (int i = 0; i < rows; ++i) {
                    bool minimal = times[values[i]] == 1;
                    for (int value : values[i]) minimal = minimal && value >= 0;
                    for (int known : found[i]) minimal = minimal && (known & mask) != known;
                    if (!minimal) continue;
                    found[i].push_back(mask);
                    expected[i] += 1.0;
                }
            }
        const AttributeSets sets(n, largest);
        const std::size_t words = round % 2 ? 0 : 1 << 20;
        Suda<std::uint8_t> suda(codes.data(), counts.data(), rows, sets, scores, words);
        CHECK(suda.run(round % 3 + 1, Pause()).score == expected);
    }
}
