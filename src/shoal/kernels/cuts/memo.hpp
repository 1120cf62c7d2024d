// What was worked out of groups, to be found again.
//
// A group follows from its values and from which of them are open: its rows are those below the values, and its items
// are these rows, told apart by the leaves below the open ones. So its bounds and its cost are the same whichever way a
// search comes to it, and searches come to most groups many times (benchmarks/lplus_techniques.py shows what that saves).
// A slot holds the group that fell into it last, so that the memory is bounded; what is forgotten is worked out again.
#pragma once

#include "cuts/limit.hpp"
#include "cuts/trees.hpp"

namespace shoal {

class Memo {
  public:
    struct Known {
        std::int64_t bound;
        std::int64_t ahead;  // the dearer bound, or kUnknown
        std::int64_t cost;
        std::int64_t lost;
        std::int64_t least_lost;
        std::int32_t kept;
        bool alive;
    };

    static constexpr std::int64_t kUnknown = -1;

    Memo(int words, std::int64_t rows) : words_(words) {
        while (slots_ < kMost && slots_ < static_cast<std::size_t>(rows)) slots_ *= 2;
    }

    // What is known of a group of several items, or nothing.
    Known* find(const std::uint64_t* key, std::uint64_t open) {
        if (known_.empty()) return nullptr;
        const std::size_t slot = slot_of(key, open);
        const std::uint64_t* there = keys_.data() + slot * (words_ + 1);
        return there[words_] == open && same_words(there, key, words_) ? &known_[slot] : nullptr;
    }

    void keep(const std::uint64_t* key, std::uint64_t open, const Known& known) {
        if (known_.empty()) {
            known_.resize(slots_);
            keys_.resize(slots_ * (words_ + 1));  // no group of several items has nothing open
        }
        const std::size_t slot = slot_of(key, open);
        std::uint64_t* there = keys_.data() + slot * (words_ + 1);
        std::copy_n(key, words_, there);
        there[words_] = open;
        known_[slot] = known;
    }

  private:
    static constexpr std::size_t kMost = 1 << 16;

    std::size_t slot_of(const std::uint64_t* key, std::uint64_t open) const {
        const std::uint64_t h = (hash_words(key, words_) ^ open) * 0x9E3779B97F4A7C15ull;
        return (h >> 32) & (slots_ - 1);
    }

    int words_;
    std::size_t slots_ = 1;
    std::vector<std::uint64_t> keys_;
    std::vector<Known> known_;
};

}  // namespace shoal
