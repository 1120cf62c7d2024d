// What must be true whatever the kernels are asked: looked at in debug builds and under the sanitizers, and in no other.
#pragma once

#ifdef NDEBUG
#define SHOAL_ASSERT(condition) static_cast<void>(sizeof(!(condition)))
#else
#include <cstdio>
#include <cstdlib>

namespace shoal {

[[noreturn]] inline void broken_promise(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: this must be true, and is not: %s\n", file, line, condition);
    std::abort();
}

}  // namespace shoal

#define SHOAL_ASSERT(condition) \
    ((condition) ? static_cast<void>(0) : ::shoal::broken_promise(#condition, __FILE__, __LINE__))
#endif
