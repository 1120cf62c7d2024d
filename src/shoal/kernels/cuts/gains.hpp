// The least that a choice among items adds to a bound, where parts of items may be chosen: no more than with whole ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/wide.hpp"

namespace shoal {

// What items add if they are chosen, and for how many rows or values.
class Gains {
  public:
    void clear() { gains_.clear(); }
    void add(std::int64_t all, std::int64_t count) {
        SHOAL_ASSERT(count >= 0);
        gains_.push_back({all, count});
    }

    // The least that deleting so many rows adds.
    std::int64_t least(std::int64_t deleted) {
        if (deleted == 0) return 0;
        sort();
        std::int64_t total = 0;
        for (const Gain& gain : gains_) {
            if (gain.count >= deleted) return total + gain.part(deleted);
            total += gain.all;
            deleted -= gain.count;
        }
        return total;
    }

    // The least that blanked values and steps cost together (`mixed` in cuts/bounds.hpp): an item takes its step, or else
    // so many values are blanked, each of which costs `each`. At least `blanked` values are in all, and `certain` ones
    // beside those of items.
    std::int64_t mixed(std::int64_t blanked, std::int64_t certain, std::int64_t each) {
        std::int64_t spare = std::max<std::int64_t>(0, blanked - certain), total = std::max(blanked, certain) * each;
        if (spare > 0) sort();
        for (auto gain = gains_.rbegin(); gain != gains_.rend(); ++gain) {
            const std::int64_t left = gain->count - std::min(spare, gain->count);
            spare -= gain->count - left;
            total += std::min(gain->part(left), left * each);
        }
        return total;
    }

  private:
    struct Gain {
        std::int64_t all;
        std::int64_t count;

        std::int64_t part(std::int64_t of) const { return of == count ? all : scaled(all, of, count); }
    };

    // Those first that add the least for each.
    void sort() {
        std::sort(gains_.begin(), gains_.end(),
                  [](const Gain& a, const Gain& b) { return less_products(a.all, b.count, b.all, a.count); });
    }

    std::vector<Gain> gains_;
};

}  // namespace shoal
