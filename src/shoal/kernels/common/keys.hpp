// How the codes of one combination are packed into a key of W 64-bit words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/assert.hpp"

namespace shoal {

template <int W>
struct Key {
    std::array<std::uint64_t, W> word{};

    bool operator==(const Key& other) const { return word == other.word; }

    std::uint64_t hash() const {
        std::uint64_t h = word[0] * 0x9E3779B97F4A7C15ull;
        for (int i = 1; i < W; ++i) h = (h ^ (h >> 29) ^ word[i]) * 0xBF58476D1CE4E5B9ull;
        return h;
    }
};

constexpr int kMaxWords = 8;

// Keys are held in 1, 2, 4 or 8 words: every other number would be compiled once more, for tables that few have.
constexpr int held_words(int needed) {
    int held = 1;
    while (held < needed && held < kMaxWords) held *= 2;
    return needed <= kMaxWords ? held : needed;
}

inline std::uint64_t mask_of(int width) { return width == 64 ? ~0ull : (1ull << width) - 1; }

// Where one attribute's code lies in the key; a single value needs no bits.
struct Field {
    int word;
    int shift;
    int width;
    std::uint64_t mask;

    Field(int in, int at, int bits) : word(in), shift(bits == 0 ? 0 : at), width(bits), mask(mask_of(bits)) {
        SHOAL_ASSERT(width >= 0 && shift + width <= 64);
    }

    std::uint64_t code(const std::uint64_t* words) const { return (words[word] >> shift) & mask; }
};

inline int bits_for(std::int64_t size) {
    int width = 0;
    while ((std::int64_t{1} << width) < size) ++width;
    return width;
}

// Fields are laid side by side from the lowest bit; none crosses a word.
struct Layout {
    std::vector<Field> fields;
    int words = 1;

    explicit Layout(const std::vector<int>& widths) {
        int used = 0;
        for (int width : widths) {
            if (used + width > 64) {
                ++words;
                used = 0;
            }
            fields.emplace_back(words - 1, used, width);
            used += width;
        }
        bits_in_last = used;
    }

    // Bits of the whole key where it fits into one word, otherwise more than can be indexed.
    int bits() const { return words == 1 ? bits_in_last : 64 * words; }

  private:
    int bits_in_last = 0;
};

}  // namespace shoal
