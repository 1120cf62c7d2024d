// Who the rows of combinations are about, where persons have several rows: those whose rows are all in one combination
// as a count, and only the others by number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/assert.hpp"

namespace shoal {

struct Persons {
    std::vector<std::int32_t> single;  // of every combination: persons with rows there alone
    std::vector<std::uint32_t> first;  // where its others begin; one more than there are combinations, or none at all
    std::vector<std::int32_t> others;
    std::int32_t numbers = 0;  // the others' numbers are below this

    // Whether persons are counted; otherwise every row is about a person of its own.
    bool counted() const { return !first.empty(); }
    const std::int32_t* begin(std::size_t c) const { return others.data() + first[c]; }
    const std::int32_t* end(std::size_t c) const { return others.data() + first[c + 1]; }
    // How many persons have rows in a combination.
    std::int64_t in(std::size_t c) const { return std::int64_t{single[c]} + (first[c + 1] - first[c]); }
};

// Counts the persons of one group after the other, each person once a group.
class Census {
  public:
    // Of persons with numbers below this.
    explicit Census(std::int32_t numbers) : seen_(numbers, 0) {}

    // Begins a group.
    void clear() {
        count_ = 0;
        if (++turn_ != 0) return;
        seen_.assign(seen_.size(), 0);
        turn_ = 1;
    }

    // Adds persons who are counted, and others by number.
    void add(std::int64_t single, const std::int32_t* begin, const std::int32_t* end) {
        count_ += single;
        for (const std::int32_t* person = begin; person != end; ++person) count_ += is_new(*person);
    }
    void add(const Persons& persons, std::size_t c) { add(persons.single[c], persons.begin(c), persons.end(c)); }

    // Whether the group has not had a person so far; from now on it has.
    bool is_new(std::int32_t person) {
        SHOAL_ASSERT(person >= 0 && static_cast<std::size_t>(person) < seen_.size());
        const bool found = seen_[person] != turn_;
        seen_[person] = turn_;
        return found;
    }

    std::int64_t count() const { return count_; }

  private:
    std::vector<std::uint32_t> seen_;  // the turn in which a person was seen last
    std::uint32_t turn_ = 0;
    std::int64_t count_ = 0;
};

}  // namespace shoal
