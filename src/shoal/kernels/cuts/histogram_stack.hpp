// Many histograms in little memory: the counts of few rows take a byte each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "common/assert.hpp"

namespace shoal {

// Histograms are padded, so that adding them needs no remainder loop.
inline int padded(int width) { return std::max(8, (width + 7) / 8 * 8); }

template <class Count, class Other>
inline void add_histogram(Count* total, const Other* h, int stride) {
    for (int b = 0; b < stride; b += 8)
        for (int s = b; s < b + 8; ++s) {
            SHOAL_ASSERT(h[s] <= std::numeric_limits<Count>::max() - total[s]);
            total[s] = static_cast<Count>(total[s] + h[s]);
        }
}

// A stack of histograms. No count is above the rows of its histogram, so these say how wide its counts are. Histograms
// begin at multiples of eight bytes: a place is a quarter of that, and one more where the counts are wide. Later ones
// have higher places.
template <class Count>
class Histograms {
  public:
    using Place = std::uint32_t;

    Histograms() : Histograms(0) {}
    explicit Histograms(int stride) : stride_(stride) {}

    int stride() const { return stride_; }
    Place end() const { return static_cast<Place>(bytes_.size() / 4); }
    std::size_t bytes() const { return bytes_.size(); }
    std::size_t bytes(std::int64_t rows) const { return stride_ * (few(rows) ? 1 : sizeof(Count)); }
    void back_to(Place end) { bytes_.resize(std::size_t{end} * 4); }
    void reserve(std::size_t bytes) { bytes_.reserve(bytes); }

    // Starts anew, in no more memory than so many bytes.
    void clear(std::size_t bytes) {
        if (bytes_.capacity() < bytes) std::vector<unsigned char>().swap(bytes_);
        bytes_.clear();
        bytes_.reserve(bytes);
    }

    // Adds a histogram of zeros, for so many rows.
    Place add(std::int64_t rows) {
        if (bytes_.size() / 4 > UINT32_MAX - bytes(rows)) throw std::length_error("more than 16 GB of histograms");
        const Place at = end();
        bytes_.resize(bytes_.size() + bytes(rows));
        return at + !few(rows);
    }

    // Adds a copy of a histogram, here or in another stack, for so many rows.
    Place add(const Histograms& from, Place place, std::int64_t rows) {
        const Place at = add(rows);
        add_to(at, from, place);
        return at;
    }

    // Adds one histogram to another, which must be wide enough for the rows of both.
    void add_to(Place total, const Histograms& from, Place place) {
        if (is_wide(total))
            from.add_to(wide(total), place);
        else if (is_wide(place))  // persons of several items are fewer than those of each, so counts may need less room
            add_histogram(narrow(total), from.wide(place), stride_);
        else
            add_histogram(narrow(total), from.narrow(place), stride_);
    }

    void add_to(Count* total, Place place) const {
        if (is_wide(place))
            add_histogram(total, wide(place), stride_);
        else
            add_histogram(total, narrow(place), stride_);
    }

    Count count(Place place, int slot) const { return is_wide(place) ? wide(place)[slot] : narrow(place)[slot]; }

    void set(Place place, int slot, Count count) {
        SHOAL_ASSERT(slot >= 0 && slot < stride_ && (is_wide(place) || few(count)));
        if (is_wide(place))
            wide(place)[slot] = count;
        else
            narrow(place)[slot] = static_cast<unsigned char>(count);
    }

    // A histogram as it is, or else written out into `room`.
    const Count* read(Place place, std::vector<Count>& room) const {
        if (is_wide(place)) return wide(place);
        room.assign(narrow(place), narrow(place) + stride_);
        return room.data();
    }

    // Whether so many rows still fit into a histogram.
    static bool fits(Place place, std::int64_t rows) { return is_wide(place) || few(rows); }

  private:
    static bool few(std::int64_t rows) { return rows <= UINT8_MAX; }
    static bool is_wide(Place place) { return place & 1; }

    static std::size_t begin(Place place) { return std::size_t{place & ~Place{1}} * 4; }

    const unsigned char* narrow(Place place) const { return bytes_.data() + begin(place); }
    unsigned char* narrow(Place place) { return bytes_.data() + begin(place); }
    const Count* wide(Place place) const { return reinterpret_cast<const Count*>(narrow(place)); }
    Count* wide(Place place) { return reinterpret_cast<Count*>(narrow(place)); }

    int stride_;
    std::vector<unsigned char> bytes_;
};

}  // namespace shoal
