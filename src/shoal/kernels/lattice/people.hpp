// The persons of a table's groups: how many each has, and of those in several groups in which.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/assert.hpp"

namespace shoal {

// sizes[g] persons have rows in group g. A person with rows in several groups is listed with these groups, each once.
// When groups merge, their sizes add up, less one for each further group of a person that becomes part of the same:
// so only the listed persons are looked at. One whose groups have all become one is listed no longer.
struct People {
    // Persons of up to so many groups are listed by how many these are; all others one after the other, the last
    // group of each with kLast added.
    static constexpr std::size_t kFew = 6;
    static constexpr std::uint32_t kLast = 1u << 31;

    // Persons of as many groups each; memory beyond `length` is room.
    struct List {
        std::vector<std::uint32_t> groups;
        std::size_t length = 0;
    };

    std::vector<std::int64_t> sizes;
    std::array<List, kFew + 1> few;
    std::vector<std::uint32_t> many;
    bool counted = false;  // otherwise every row is a person, and nothing is listed

    // How many groups all listed persons have.
    std::size_t length() const {
        std::size_t total = many.size();
        for (const List& list : few) total += list.length;
        return total;
    }
    std::size_t bytes() const {
        return sizes.size() * sizeof(std::int64_t) + (length() + few.size() * kFew) * sizeof(std::uint32_t);
    }

    // Gives back room that is not used.
    void trim() {
        if (!counted) return;
        for (List& list : few) {
            list.groups.resize(list.length);
            list.groups.shrink_to_fit();
        }
        sizes.shrink_to_fit();
        many.shrink_to_fit();
    }

    // Adds a person in these groups, at least two, each once and rising.
    void add(const std::uint32_t* begin, const std::uint32_t* end) {
        const std::size_t width = static_cast<std::size_t>(end - begin);
        SHOAL_ASSERT(width >= 2);
        if (width <= kFew) {
            List& list = few[width];
            list.groups.resize(list.length);
            list.groups.insert(list.groups.end(), begin, end);
            list.length += width;
        } else {
            many.insert(many.end(), begin, end);
            many.back() |= kLast;
        }
        for (const std::uint32_t* group = begin; group != end; ++group) ++sizes[*group];
    }

    // The persons of fewer groups, where of[g] is what group g becomes a part of.
    void roll_up(const std::vector<std::uint32_t>& of, std::size_t groups, People& out) const {
        SHOAL_ASSERT(of.size() == sizes.size() && &out != this);
        out.counted = true;
        out.sizes.assign(groups, 0);
        for (std::size_t g = 0; g < sizes.size(); ++g) out.sizes[of[g]] += sizes[g];
        Ends ends = out.make_room(*this);
        merge<2>(of.data(), out.sizes.data(), ends);
        merge<3>(of.data(), out.sizes.data(), ends);
        merge<4>(of.data(), out.sizes.data(), ends);
        merge<5>(of.data(), out.sizes.data(), ends);
        merge<6>(of.data(), out.sizes.data(), ends);
        static_assert(kFew == 6);
        out.many.clear();
        merge_many(of.data(), out, ends);
        for (std::size_t width = 2; width <= kFew; ++width)
            out.few[width].length = static_cast<std::size_t>(ends.at[width] - out.few[width].groups.data());
    }

  private:
    // Where the next person of so many groups goes; one of a single group goes nowhere.
    struct Ends {
        std::array<std::uint32_t, kFew> nowhere;
        std::array<std::uint32_t*, kFew + 1> at;
    };

    // Makes room in every list for the persons of another that may come to have so few groups.
    Ends make_room(const People& from) {
        Ends ends;
        ends.at[0] = ends.at[1] = nullptr;
        std::size_t persons = from.many.size() / (kFew + 1);
        for (std::size_t width = kFew; width >= 2; --width) {
            persons += from.few[width].length / width;
            // A person is written with as many groups as before, of which some do not count.
            const std::size_t room = persons * width + kFew;
            if (few[width].groups.size() < room) few[width].groups.resize(room);
            ends.at[width] = few[width].groups.data();
        }
        return ends;
    }

    // The persons of N groups. There is no branch in it: which groups merge is as good as random.
    template <std::size_t N>
    void merge(const std::uint32_t* of, std::int64_t* merged_sizes, Ends& ends) const {
        constexpr std::array<std::size_t, kFew + 1> steps{0, 0, 2, 3, 4, 5, 6};
        ends.at[1] = ends.nowhere.data();
        const std::uint32_t* at = few[N].groups.data();
        for (const std::uint32_t* end = at + few[N].length; at != end; at += N) {
            std::uint32_t merged[N], kept[N] = {};
            std::size_t width = 0;
            for (std::size_t i = 0; i < N; ++i) {
                merged[i] = of[at[i]];
                bool first = true;
                for (std::size_t j = 0; j < i; ++j) first &= merged[i] != merged[j];
                kept[width] = merged[i];
                width += first;
                merged_sizes[merged[i]] -= !first;
            }
            std::copy(kept, kept + N, ends.at[width]);
            ends.at[width] += steps[width];
        }
    }

    void merge_many(const std::uint32_t* of, People& out, Ends& ends) const {
        std::vector<std::uint32_t> merged;
        for (const std::uint32_t group : many) {
            merged.push_back(of[group & ~kLast]);
            if (!(group & kLast)) continue;
            std::sort(merged.begin(), merged.end());
            for (std::size_t i = 1; i < merged.size(); ++i) out.sizes[merged[i]] -= merged[i] == merged[i - 1];
            merged.erase(std::unique(merged.begin(), merged.end()), merged.end());
            if (merged.size() > kFew) {
                out.many.insert(out.many.end(), merged.begin(), merged.end());
                out.many.back() |= kLast;
            } else if (merged.size() > 1) {
                ends.at[merged.size()] = std::copy(merged.begin(), merged.end(), ends.at[merged.size()]);
            }
            merged.clear();
        }
    }
};

}  // namespace shoal
