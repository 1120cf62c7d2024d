// Sums of products of numbers that are not negative, which may be too large for a number.
#pragma once

#include <cstdint>

#include "common/assert.hpp"

namespace shoal {

class Sum {
  public:
    explicit Sum(std::int64_t most) : most_(most) {}

    void add(std::int64_t one, std::int64_t times = 1) {
        SHOAL_ASSERT(one >= 0 && times >= 0);
        if (one == 0 || times == 0 || !fits()) return;
        value_ = one <= most_ / times && one * times <= most_ - value_ ? value_ + one * times : most_ + 1;
    }

    // The sum, or one beyond the most where it is more: so a sum with it does not fit either.
    std::int64_t value() const { return value_; }
    bool fits() const { return value_ <= most_; }

  private:
    std::int64_t most_;
    std::int64_t value_ = 0;
};

}  // namespace shoal
