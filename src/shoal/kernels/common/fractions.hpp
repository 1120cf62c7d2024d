// Sums of fractions beside a limit, exactly, whatever their common denominator is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "common/assert.hpp"
#include "common/wide.hpp"

namespace shoal {

// count / of, both below 2^31, of at least 1.
struct Fraction {
    std::int64_t count;
    std::int64_t of;
};

// A whole number of any size, from digits of 32 bits, the lowest first.
class Whole {
  public:
    explicit Whole(std::uint64_t number = 0)
        : digits_{static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)} {
        trim();
    }

    Whole times(std::uint64_t by) const {
        Whole low = times_digit(static_cast<std::uint32_t>(by)),
              high = times_digit(static_cast<std::uint32_t>(by >> 32));
        if (!high.digits_.empty()) high.digits_.insert(high.digits_.begin(), 0);
        low.add(high);
        return low;
    }

    void add(const Whole& other) {
        digits_.resize(std::max(digits_.size(), other.digits_.size()) + 1, 0);
        std::uint64_t carry = 0;
        for (std::size_t i = 0; i < digits_.size(); ++i) {
            carry += std::uint64_t{digits_[i]} + (i < other.digits_.size() ? other.digits_[i] : 0);
            digits_[i] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        trim();
    }

    // Divides by a digit, and returns the rest.
    std::uint32_t divide(std::uint32_t by) {
        std::uint64_t rest = 0;
        for (std::size_t i = digits_.size(); i-- > 0;) {
            rest = rest << 32 | digits_[i];
            digits_[i] = static_cast<std::uint32_t>(rest / by);
            rest %= by;
        }
        trim();
        return static_cast<std::uint32_t>(rest);
    }

    bool operator<(const Whole& other) const {
        if (digits_.size() != other.digits_.size()) return digits_.size() < other.digits_.size();
        return std::lexicographical_compare(digits_.rbegin(), digits_.rend(), other.digits_.rbegin(),
                                            other.digits_.rend());
    }

  private:
    Whole times_digit(std::uint32_t by) const {
        Whole result;
        std::uint64_t carry = 0;
        for (const std::uint32_t digit : digits_) {
            carry += std::uint64_t{digit} * by;
            result.digits_.push_back(static_cast<std::uint32_t>(carry));
            carry >>= 32;
        }
        result.digits_.push_back(static_cast<std::uint32_t>(carry));
        result.trim();
        return result;
    }

    void trim() {
        while (!digits_.empty() && digits_.back() == 0) digits_.pop_back();
    }

    std::vector<std::uint32_t> digits_;
};

// A common denominator of fractions, or 0 where times `most` it is above 2^62.
inline std::int64_t common_denominator(const std::vector<Fraction>& parts, std::int64_t most) {
    std::int64_t all = 1;
    for (const Fraction& part : parts) {
        const std::int64_t more = part.of / std::gcd(all, part.of);
        if (all > (std::int64_t{1} << 62) / more / std::max<std::int64_t>(most, 1)) return 0;
        all *= more;
    }
    return all;
}

// The sum of fractions over a common denominator: no more than this times what the fractions add up to.
inline std::int64_t sum_over(const std::vector<Fraction>& parts, std::int64_t denominator) {
    std::int64_t sum = 0;
    for (const Fraction& part : parts) sum += part.count * (denominator / part.of);
    return sum;
}

// Whether fractions add up to more than num / den of `heads`, in numbers of any size.
inline bool exceed_at_length(const std::vector<Fraction>& parts, std::int64_t num, std::int64_t den,
                             std::int64_t heads) {
    Whole all(1), sum;
    for (const Fraction& part : parts) {
        const auto of = static_cast<std::uint32_t>(part.of);
        all = all.times(of / std::gcd(Whole(all).divide(of), of));
    }
    for (const Fraction& part : parts) {
        Whole each = all;
        each.divide(static_cast<std::uint32_t>(part.of));
        sum.add(each.times(part.count));
    }
    return all.times(heads).times(num) < sum.times(den);
}

// Whether fractions, which add up to no more than `heads`, add up to more than num / den of it.
inline bool exceed(const std::vector<Fraction>& parts, std::int64_t num, std::int64_t den, std::int64_t heads) {
    const std::int64_t common = common_denominator(parts, heads);
    if (common == 0) return exceed_at_length(parts, num, den, heads);
    return less_products(num, heads * common, sum_over(parts, common), den);
}

}  // namespace shoal
