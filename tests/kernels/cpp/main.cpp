#include <cstdio>

#include "check.hpp"

// Runs the tests of the files that are named, or all; fails where one does, or where there are none.
int main(int count, char** names) {
    int run = 0, failed = 0;
    for (const check::Test& test : check::tests()) {
        bool wanted = count < 2;
        for (int i = 1; i < count; ++i) wanted = wanted || test.file == names[i];
        if (!wanted) continue;
        ++run;
        try {
            test.run();
        } catch (const std::exception& error) {
            ++failed;
            std::fprintf(stderr, "%s, %s: %s\n", test.file.c_str(), test.name.c_str(), error.what());
        }
    }
    std::printf("%d tests, %d failed\n", run, failed);
    return run == 0 || failed > 0;
}
