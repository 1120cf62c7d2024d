// As much of a test framework as these tests need: named tests that say what they expected, and seeded random numbers.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace check {

struct Test {
    std::string file, name;
    void (*run)();
};

inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

struct Registered {
    Registered(const char* file, const char* name, void (*run)()) {
        std::string stem = file;
        stem = stem.substr(stem.find_last_of("/\\") + 1);
        tests().push_back({stem.substr(0, stem.find('.')), name, run});
    }
};

template <class Mine, class Expected>
void equal(const Mine& mine, const Expected& expected, const char* what, int line) {
    if (mine == expected) return;
    std::ostringstream said;
    said << "line " << line << ": " << what;
    if constexpr (std::is_arithmetic_v<Mine> && std::is_arithmetic_v<Expected>)
        said << " is " << +mine << ", not " << +expected;
    else
        said << " is not as expected";
    throw std::runtime_error(said.str());
}

template <class Error, class F>
void raises(F&& call, const char* what, int line) {
    try {
        call();
    } catch (const Error&) {
        return;
    }
    throw std::runtime_error("line " + std::to_string(line) + ": " + what + " is not refused");
}

// The same numbers on every platform, which the standard's distributions do not promise.
class Random {
  public:
    explicit Random(std::uint64_t seed) : random_(seed) {}

    std::int64_t operator()(std::int64_t least, std::int64_t most) {
        const std::uint64_t span = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least) + 1;
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(least) +
                                         (span == 0 ? random_() : random_() % span));
    }
    int below(int end) { return static_cast<int>((*this)(0, end - 1)); }

  private:
    std::mt19937_64 random_;
};

}  // namespace check

#define TEST(name)                                                           \
    static void name();                                                      \
    static const check::Registered registered_##name(__FILE__, #name, name); \
    static void name()
#define CHECK(condition) check::equal(static_cast<bool>(condition), true, #condition, __LINE__)
#define EQUAL(mine, expected) check::equal(mine, expected, #mine, __LINE__)
#define RAISES(error, call) check::raises<error>([&] { call; }, #call, __LINE__)
