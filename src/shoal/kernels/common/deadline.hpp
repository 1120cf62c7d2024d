// When a number of seconds from now is over.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace shoal {

using Clock = std::chrono::steady_clock;

constexpr double kEndless = std::numeric_limits<double>::infinity();

// Three years stand for all that is longer: no clock can tell when an endless time is over.
inline Clock::time_point deadline_after(double seconds) {
    if (std::isnan(seconds)) throw std::invalid_argument("the seconds are no number");
    const std::chrono::duration<double> within(std::clamp(seconds, 0.0, 1e8));
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(within);
}

}  // namespace shoal
