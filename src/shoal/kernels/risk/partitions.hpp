// Rows split by one attribute after another, as long as somebody may still stand out.
#pragma once

#include <cstdint>
#include <vector>

#include "common/assert.hpp"

namespace shoal {

// The table of one search, an attribute a column. The rows that may stand out come first: those below `candidates`. A
// missing value has the code `values[a]`, one more than the others. Where a person may have several rows, `owner` is
// who has each, or kSeveral.
constexpr std::uint32_t kSeveral = ~std::uint32_t{0};

template <typename Code>
struct SplitTable {
    std::vector<std::vector<Code>> column;
    std::vector<std::uint32_t> values;
    std::vector<std::uint32_t> owner;
    std::uint32_t rows = 0;
    std::uint32_t candidates = 0;
};

// Classes of two or more rows, of two or more persons, with at least one candidate: a class has the rows from the end of the one before to its
// own end, in rising order, so that its candidates come first.
struct Partition {
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> ends;
};

// Splits partitions, and marks the candidates that are alone afterwards: in a class of one row or, where rows are Owned,
// in one whose rows are all one person's. Rows with a missing value in the attribute are in no class and stand out
// nowhere.
template <typename Code, bool Owned>
class Splitter {
  public:
    explicit Splitter(const SplitTable<Code>& table) : table_(table) {
        std::uint32_t most = 0;
        for (std::uint32_t values : table.values) most = std::max(most, values);
        slots_.assign(std::size_t{most} + 1, Slot{});
        if (Owned) owners_.assign(slots_.size(), kSeveral);
    }

    // The classes of `whole` split by attribute a go to `parts`; marks those that are alone where `marks` is given.
    void split(const Partition& whole, int a, Partition& parts, std::uint64_t* marks) {
        const auto& column = table_.column[a];
        const std::uint32_t missing = table_.values[a];
        parts.rows.resize(whole.rows.size());
        parts.ends.clear();
        std::uint32_t begin = 0, out = 0;
        for (std::uint32_t end : whole.ends) {
            const std::uint32_t* rows = whole.rows.data() + begin;
            const std::uint32_t size = end - begin;
            begin = end;
            if (size == 2) {
                const std::uint32_t one = column[rows[0]], other = column[rows[1]];
                if (one != other) {
                    if (marks) mark_pair(rows, one, other, missing, marks);
                } else if (one != missing && same(rows[0], rows[1])) {
                    if (marks) mark_both(rows, marks);
                } else if (one != missing) {
                    parts.rows[out] = rows[0];
                    parts.rows[out + 1] = rows[1];
                    parts.ends.push_back(out += 2);
                }
                continue;
            }
            count(rows, size, column, missing);
            for (std::uint32_t i = 0; i < size; ++i) {
                const std::uint32_t row = rows[i];
                Slot& slot = slots_[column[row]];
                if (slot.count == 0) continue;
                if (alone(column[row])) {
                    if (marks && row < table_.candidates) mark(row, marks);
                    continue;
                }
                if (slot.place == kNowhere) {
                    if (row >= table_.candidates) continue;  // the first of its class, so none of them is a candidate
                    slot.place = out;
                    parts.ends.push_back(out += slot.count);
                }
                parts.rows[slot.place++] = row;
            }
            forget(rows, size, column, missing);
        }
        parts.rows.resize(out);
    }

    // Marks the candidates that are alone once the classes are split by attribute a.
    void mark_alone(const Partition& whole, int a, std::uint64_t* marks) {
        const auto& column = table_.column[a];
        const std::uint32_t missing = table_.values[a];
        std::uint32_t begin = 0;
        for (std::uint32_t end : whole.ends) {
            const std::uint32_t* rows = whole.rows.data() + begin;
            const std::uint32_t size = end - begin;
            begin = end;
            if (size == 2) {
                const std::uint32_t one = column[rows[0]], other = column[rows[1]];
                if (one != other)
                    mark_pair(rows, one, other, missing, marks);
                else if (one != missing && same(rows[0], rows[1]))
                    mark_both(rows, marks);
                continue;
            }
            if (count(rows, size, column, missing))
                for (std::uint32_t i = 0; i < size && rows[i] < table_.candidates; ++i)
                    if (slots_[column[rows[i]]].count && alone(column[rows[i]])) mark(rows[i], marks);
            forget(rows, size, column, missing);
        }
    }

  private:
    static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
    struct Slot {
        std::uint32_t count = 0;
        std::uint32_t place = kNowhere;
    };

    static void mark(std::uint32_t row, std::uint64_t* marks) { marks[row >> 6] |= std::uint64_t{1} << (row & 63); }

    void mark_pair(const std::uint32_t* rows, std::uint32_t one, std::uint32_t other, std::uint32_t missing,
                   std::uint64_t* marks) const {
        if (one != missing) mark(rows[0], marks);  // the first of a class is a candidate
        if (other != missing && rows[1] < table_.candidates) mark(rows[1], marks);
    }

    void mark_both(const std::uint32_t* rows, std::uint64_t* marks) const {
        mark(rows[0], marks);
        if (rows[1] < table_.candidates) mark(rows[1], marks);
    }

    bool same(std::uint32_t one, std::uint32_t other) const {
        if constexpr (!Owned) return false;
        return table_.owner[one] != kSeveral && table_.owner[one] == table_.owner[other];
    }

    // Whether the rows with a value that was counted are one row, or one person's.
    bool alone(std::uint32_t value) const { return slots_[value].count == 1 || (Owned && owners_[value] != kSeveral); }

    // Counts the values of a class, the missing one as none; whether any may occur alone.
    bool count(const std::uint32_t* rows, std::uint32_t size, const std::vector<Code>& column, std::uint32_t missing) {
        std::uint32_t once = 0;
        for (std::uint32_t i = 0; i < size; ++i) {
            const std::uint32_t value = column[rows[i]], before = slots_[value].count++;
            once += (before == 0) - (before == 1);
            if constexpr (Owned) {
                const std::uint32_t owner = table_.owner[rows[i]];
                owners_[value] = before == 0 || owners_[value] == owner ? owner : kSeveral;
            }
        }
        once -= slots_[missing].count == 1;
        slots_[missing].count = 0;
        return Owned || once > 0;
    }

    void forget(const std::uint32_t* rows, std::uint32_t size, const std::vector<Code>& column, std::uint32_t missing) {
        if (size > missing) {
            std::fill_n(slots_.begin(), missing, Slot{});
        } else {
            for (std::uint32_t i = 0; i < size; ++i) slots_[column[rows[i]]] = Slot{};
        }
    }

    const SplitTable<Code>& table_;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> owners_;  // by value: who has all rows of the class with it, or kSeveral
};

}  // namespace shoal
