// The values of persons of several classes: what they weigh, or stand for, changes when classes merge.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/assert.hpp"

namespace shoal {

// One column's values of the persons who are listed: in which group each has which value in how many rows. A person's
// entries are one after the other; the last has kLast added to its group. All other persons are in the counts of their
// groups already, `at` numbers after the first of a group. A person is listed no longer once no merger can change what
// they add to a group:
// - weighed: once all their rows are in one group. They weigh `scale` there, spread over their rows, and `scale` can be
//   divided by every number of rows that a listed person has. Entries stay apart when groups merge: to look for equal
//   ones takes longer than they do.
// - different: values that are in a group's set of bits are somebody's who needs no other, for good. Nobody else needs
//   to stand for one, so it is taken from the others; whose last value is left is put into the set with it. Entries are
//   sorted by group, then value.
struct SpreadValues {
    struct Entry {
        std::uint32_t group, value, rows;
    };
    static constexpr std::uint32_t kLast = 1u << 31;
    static constexpr std::size_t kFew = 16;        // so many entries are sorted as they come
    static constexpr std::int64_t kMostRows = 64;  // that somebody has who is weighed

    bool weighed = false;
    std::size_t at = 0;
    std::int64_t scale = 1;
    std::vector<Entry> entries;

    // The same in fewer groups, where of[g] is what group g becomes a part of. `counts` are those of the merged groups,
    // `stride` numbers each, and take up what is listed no longer.
    void roll_up(const std::uint32_t* of, std::int64_t* counts, std::size_t stride, SpreadValues& out) const {
        SHOAL_ASSERT(&out != this);
        out.weighed = weighed;
        out.at = at;
        out.scale = scale;
        out.entries.resize(entries.size());
        const Entry* end = weighed ? move_weighed(of, counts, stride, out.entries.data())
                                   : move_different(of, counts, stride, out.entries.data());
        out.entries.resize(static_cast<std::size_t>(end - out.entries.data()));
    }

    // Adds what the listed persons weigh to weights[group * width + value].
    void weigh(std::int64_t* weights, std::size_t width) const {
        SHOAL_ASSERT(weighed);
        std::array<std::int64_t, kMostRows + 1> units{};
        for (std::int64_t rows = 1; rows <= kMostRows; ++rows) units[rows] = scale / rows;
        std::vector<Entry> many;
        for (const Entry *begin = entries.data(), *last = begin + entries.size(), *end; begin != last; begin = end) {
            for (end = begin; !(end->group & kLast);) ++end;
            ++end;
            if (static_cast<std::size_t>(end - begin) > kFew) {
                many.assign(begin, end);
                many.back().group &= ~kLast;
                const Entry* until = merged(many.data(), many.data() + many.size());
                for (const Entry *one = many.data(), *next; one != until; one = next) {
                    std::size_t rows = 0;
                    for (next = one; next != until && next->group == one->group; ++next) rows += next->rows;
                    for (; one != next; ++one) weights[one->group * width + one->value] += units[rows] * one->rows;
                }
                continue;
            }
            switch (end - begin) {
                case 2: weigh_few<2>(begin, units.data(), weights, width); break;
                case 3: weigh_few<3>(begin, units.data(), weights, width); break;
                case 4: weigh_few<4>(begin, units.data(), weights, width); break;
                case 5: weigh_few<5>(begin, units.data(), weights, width); break;
                default: weigh_few<0>(begin, units.data(), weights, width, static_cast<std::size_t>(end - begin));
            }
        }
    }

    // Calls use(first, last, group) for the entries of each person in each group, which are sorted; last is one beyond.
    // The calls for one person come one after the other, and next() after them.
    template <typename Use, typename Next>
    void each(Use&& use, Next&& next) const {
        for (std::size_t first = 0; first < entries.size();) {
            std::size_t last = first;
            while (!(entries[last].group & kLast) && (entries[last + 1].group & ~kLast) == entries[first].group) ++last;
            const bool done = entries[last].group & kLast;
            use(first, last + 1, entries[first].group & ~kLast);
            if (done) next();
            first = last + 1;
        }
    }

    bool taken(const Entry& entry, const std::int64_t* counts, std::size_t stride) const {
        const std::int64_t* set = counts + entry.group * stride + at;
        return static_cast<std::uint64_t>(set[entry.value / 64]) >> (entry.value % 64) & 1;
    }

  private:
    // Weighs a person of N entries, or of as many as are told where N is 0.
    template <std::size_t N>
    static void weigh_few(const Entry* own, const std::int64_t* units, std::int64_t* weights, std::size_t width,
                          std::size_t told = N) {
        const std::size_t count = N > 0 ? N : told;
        std::array<std::uint32_t, N == 0 ? kFew : N> groups;
        for (std::size_t i = 0; i < count; ++i) groups[i] = own[i].group & ~kLast;
        for (std::size_t i = 0; i < count; ++i) {
            std::size_t rows = 0;
            for (std::size_t j = 0; j < count; ++j) rows += groups[j] == groups[i] ? own[j].rows : 0;
            weights[groups[i] * width + own[i].value] += units[rows] * own[i].rows;
        }
    }

    static bool before(const Entry& one, const Entry& other) {
        return one.group != other.group ? one.group < other.group : one.value < other.value;
    }
    static bool same(const Entry& one, const Entry& other) {
        return one.group == other.group && one.value == other.value;
    }

    // Adds an entry in its place while there are few, and at the end once there are more.
    static Entry* added(Entry* begin, Entry* end, const Entry& entry) {
        if (static_cast<std::size_t>(end - begin) >= kFew) {
            *end = entry;
            return end + 1;
        }
        Entry* place = end;
        while (place != begin && before(entry, place[-1])) --place;
        if (place != begin && same(place[-1], entry)) {
            place[-1].rows += entry.rows;
            return end;
        }
        std::copy_backward(place, end, end + 1);
        *place = entry;
        return end + 1;
    }

    static Entry* merged(Entry* begin, Entry* end) {
        std::sort(begin, end, before);
        Entry* last = begin;
        for (Entry* one = begin + 1; one != end; ++one) {
            if (same(*last, *one))
                last->rows += one->rows;
            else
                *++last = *one;
        }
        return last + 1;
    }

    const Entry* move_weighed(const std::uint32_t* of, std::int64_t* counts, std::size_t stride, Entry* end) const {
        Entry* begin = end;
        bool together = true;
        for (const Entry& entry : entries) {
            *end = {of[entry.group & ~kLast], entry.value, entry.rows};
            together &= end->group == begin->group;
            ++end;
            if (!(entry.group & kLast)) continue;
            if (together) {
                std::int64_t rows = 0;
                for (const Entry* one = begin; one != end; ++one) rows += one->rows;
                SHOAL_ASSERT(scale % rows == 0);
                for (const Entry* one = begin; one != end; ++one)
                    counts[one->group * stride + at + one->value] += scale / rows * one->rows;
                end = begin;
            } else {
                end[-1].group |= kLast;
            }
            begin = end;
            together = true;
        }
        return end;
    }

    const Entry* move_different(const std::uint32_t* of, std::int64_t* counts, std::size_t stride, Entry* end) const {
        Entry* begin = end;
        for (const Entry& entry : entries) {
            const Entry moved{of[entry.group & ~kLast], entry.value, entry.rows};
            if (!taken(moved, counts, stride)) end = added(begin, end, moved);
            if (!(entry.group & kLast)) continue;
            if (static_cast<std::size_t>(end - begin) > kFew) end = merged(begin, end);
            if (end - begin == 1) {
                auto& word = reinterpret_cast<std::uint64_t&>(counts[begin->group * stride + at + begin->value / 64]);
                word |= std::uint64_t{1} << begin->value % 64;
                end = begin;
            }
            if (begin != end) end[-1].group |= kLast;
            begin = end;
        }
        return end;
    }
};

// The listed persons in several columns.
struct Spread {
    std::vector<SpreadValues> columns;

    std::size_t length() const {
        std::size_t total = 0;
        for (const SpreadValues& column : columns) total += column.entries.size();
        return total;
    }
    std::size_t bytes() const { return length() * sizeof(SpreadValues::Entry); }

    void trim() {
        for (SpreadValues& column : columns) column.entries.shrink_to_fit();
    }

    void roll_up(const std::uint32_t* of, std::int64_t* counts, std::size_t stride, Spread& out) const {
        out.columns.resize(columns.size());
        for (std::size_t c = 0; c < columns.size(); ++c) columns[c].roll_up(of, counts, stride, out.columns[c]);
    }
};

}  // namespace shoal
