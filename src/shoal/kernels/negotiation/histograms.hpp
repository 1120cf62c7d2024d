// The histogram of one lattice node: how many rows lie in classes of each size and number of distinct
// sensitive values, packed into a few bytes.
//
// Numbers are varints: seven bits a byte, the lowest first, the eighth bit set where more follow. A histogram
// of a table with sensitive columns begins with the length in bytes of its first part, which has for every
// number of distinct values, rising, its distance from the one before and the rows of its classes. The second
// part has for every (size, distinct), rising, twice the distance of the size from the one before, plus one
// where there are several such classes; then, with sensitive columns, the distinct values; then, of several
// classes, their number less two.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "common/assert.hpp"

namespace shoal {

using Bytes = std::vector<std::uint8_t>;

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

inline void put_varint(Bytes& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::uint8_t>(value | 0x80));
    out.push_back(static_cast<std::uint8_t>(value));
}

inline std::uint64_t get_varint(const std::uint8_t*& at) {
    std::uint64_t value = *at & 0x7F;
    for (int shift = 7; *at++ & 0x80; shift += 7) value |= static_cast<std::uint64_t>(*at & 0x7F) << shift;
    return value;
}

struct Entry {
    std::int64_t size, distinct, classes;

    std::int64_t rows() const { return size * classes; }
};

// Counts classes, and packs them. Scratch memory is kept from call to call; one a thread.
class HistogramWriter {
  public:
    explicit HistogramWriter(bool sensitive) : sensitive_(sensitive) {}

    void add(std::int64_t size, std::int64_t distinct) {
        SHOAL_ASSERT(size >= 0 && distinct >= 0);
        if (size < kDenseSizes && distinct < kDenseValues) {
            const std::size_t cell = static_cast<std::size_t>(size * kDenseValues + distinct);
            if (dense_[cell]++ == 0) touched_.push_back(static_cast<std::uint32_t>(cell));
        } else {
            sparse_.emplace_back(size, distinct);
        }
    }

    // The counted classes by size and then distinct values; the count begins anew.
    const std::vector<Entry>& take() {
        entries_.clear();
        std::sort(touched_.begin(), touched_.end());
        for (std::uint32_t cell : touched_) {
            entries_.push_back({cell / kDenseValues, cell % kDenseValues, dense_[cell]});
            dense_[cell] = 0;
        }
        std::sort(sparse_.begin(), sparse_.end());
        const std::size_t dense = entries_.size();
        for (const auto& [size, distinct] : sparse_) {
            if (entries_.size() > dense && entries_.back().size == size && entries_.back().distinct == distinct)
                ++entries_.back().classes;
            else
                entries_.push_back({size, distinct, 1});
        }
        std::inplace_merge(entries_.begin(), entries_.begin() + dense, entries_.end(),
                           [](const Entry& a, const Entry& b) {
                               return a.size != b.size ? a.size < b.size : a.distinct < b.distinct;
                           });
        touched_.clear();
        sparse_.clear();
        return entries_;
    }

    // Packs the counted classes behind what `out` holds.
    void write(Bytes& out) {
        take();
        if (sensitive_) write_distinct(out);
        std::int64_t size = 0;
        for (const Entry& entry : entries_) {
            put_varint(out, static_cast<std::uint64_t>(entry.size - size) << 1 | (entry.classes > 1));
            if (sensitive_) put_varint(out, entry.distinct);
            if (entry.classes > 1) put_varint(out, entry.classes - 2);
            size = entry.size;
        }
    }

  private:
    static constexpr std::int64_t kDenseSizes = 1024, kDenseValues = 64;

    void write_distinct(Bytes& out) {
        by_distinct_.clear();
        for (const Entry& entry : entries_) by_distinct_.emplace_back(entry.distinct, entry.rows());
        std::sort(by_distinct_.begin(), by_distinct_.end());
        part_.clear();
        std::int64_t before = 0;
        for (std::size_t i = 0; i < by_distinct_.size();) {
            const std::int64_t distinct = by_distinct_[i].first;
            std::int64_t rows = 0;
            for (; i < by_distinct_.size() && by_distinct_[i].first == distinct; ++i) rows += by_distinct_[i].second;
            put_varint(part_, distinct - before);
            put_varint(part_, rows);
            before = distinct;
        }
        put_varint(out, part_.size());
        out.insert(out.end(), part_.begin(), part_.end());
    }

    bool sensitive_;
    std::vector<std::uint32_t> dense_ = std::vector<std::uint32_t>(kDenseSizes * kDenseValues, 0);
    std::vector<std::uint32_t> touched_;
    std::vector<std::pair<std::int64_t, std::int64_t>> sparse_, by_distinct_;
    std::vector<Entry> entries_;
    Bytes part_;
};

// Reads a packed histogram that `check` has found whole.
class Histogram {
  public:
    Histogram(const std::uint8_t* begin, const std::uint8_t* end, bool sensitive)
        : distinct_(begin), distinct_end_(begin), end_(end), sensitive_(sensitive) {
        if (!sensitive) return;
        const std::uint64_t length = get_varint(distinct_);
        SHOAL_ASSERT(length <= static_cast<std::uint64_t>(end - distinct_));
        distinct_end_ = distinct_ + length;
    }

    // The rows in classes of fewer than k rows or fewer than l distinct values; where these are more than
    // `limit`, some number beyond the limit.
    std::int64_t suppressed(std::int64_t k, std::int64_t l, std::int64_t limit) const {
        std::int64_t rows = few(l, limit);
        EntryReader reader(*this);
        while (rows <= limit && reader.next() && reader.entry.size < k)
            if (reader.entry.distinct >= l) rows += reader.entry.rows();
        return rows;
    }

    // The largest k, at most `most`, for which no more than `limit` rows go; 0 where l alone takes more.
    std::int64_t largest_k(std::int64_t l, std::int64_t limit, std::int64_t most) const {
        std::int64_t rows = few(l, limit);
        if (rows > limit) return 0;
        for (EntryReader reader(*this); reader.next() && reader.entry.size < most;) {
            if (reader.entry.distinct >= l) rows += reader.entry.rows();
            if (rows > limit) return reader.entry.size;
        }
        return most;
    }

    // The largest l, at most `most`, for which no more than `limit` rows go.
    std::int64_t largest_l(std::int64_t limit, std::int64_t most) const {
        std::int64_t rows = 0, distinct = 0;
        for (const std::uint8_t* at = distinct_; at != distinct_end_;) {
            distinct += get_varint(at);
            if (distinct >= most) return most;
            rows += get_varint(at);
            if (rows > limit) return distinct;
        }
        return most;
    }

    std::vector<Entry> entries() const {
        std::vector<Entry> found;
        for (EntryReader reader(*this); reader.next();) found.push_back(reader.entry);
        return found;
    }

    // Whether the bytes are a whole histogram of so many rows, such as the writer makes.
    static bool check(const std::uint8_t* begin, const std::uint8_t* end, bool sensitive, std::int64_t rows);

  private:
    struct EntryReader {
        explicit EntryReader(const Histogram& of) : at(of.distinct_end_), end(of.end_), sensitive(of.sensitive_) {}

        bool next() {
            if (at == end) return false;
            const std::uint64_t step = get_varint(at);
            entry.size += static_cast<std::int64_t>(step >> 1);
            if (sensitive) entry.distinct = static_cast<std::int64_t>(get_varint(at));
            entry.classes = step & 1 ? static_cast<std::int64_t>(get_varint(at)) + 2 : 1;
            return true;
        }

        const std::uint8_t *at, *end;
        bool sensitive;
        Entry entry{0, 0, 0};
    };

    // The rows in classes of fewer than l distinct values, or some number beyond the limit.
    std::int64_t few(std::int64_t l, std::int64_t limit) const {
        std::int64_t rows = 0, distinct = 0;
        for (const std::uint8_t* at = distinct_; at != distinct_end_ && rows <= limit;) {
            distinct += get_varint(at);
            if (distinct >= l) break;
            rows += get_varint(at);
        }
        return rows;
    }

    const std::uint8_t *distinct_, *distinct_end_, *end_;
    bool sensitive_;
};

inline bool Histogram::check(const std::uint8_t* begin, const std::uint8_t* end, bool sensitive, std::int64_t rows) {
    const std::uint64_t most = static_cast<std::uint64_t>(rows);
    const std::uint8_t* at = begin;
    // Reads a number of at most `top`; false beyond the end, or where the number is larger.
    const auto read = [&](std::uint64_t& value, std::uint64_t top) {
        value = 0;
        for (int shift = 0; at != end && shift < 63; shift += 7) {
            value |= static_cast<std::uint64_t>(*at & 0x7F) << shift;
            if ((*at++ & 0x80) == 0) return value <= top;
        }
        return false;
    };
    std::vector<std::pair<std::uint64_t, std::uint64_t>> stated;  // what the second part must add up to
    if (sensitive) {
        std::uint64_t length, step, count, distinct = 0;
        if (!read(length, static_cast<std::uint64_t>(end - begin)) || length > static_cast<std::uint64_t>(end - at))
            return false;
        const std::uint8_t* part_end = at + length;
        while (at < part_end) {
            if (!read(step, most) || (step == 0 && !stated.empty()) || !read(count, most) || count == 0) return false;
            stated.emplace_back(distinct += step, count);
        }
        if (at != part_end) return false;
    }
    std::uint64_t size = 0, distinct = 0, total = 0, step, more;
    bool first = true;
    while (at != end) {
        std::uint64_t value = 0, classes = 1;
        if (!read(step, 2 * most + 1) || (sensitive && !read(value, most))) return false;
        if (step & 1) {
            if (!read(more, most)) return false;
            classes = more + 2;
        }
        size += step >> 1;
        if (size == 0 || size > most || value > size || classes > most / size) return false;
        if (!first && step < 2 && (!sensitive || value <= distinct)) return false;  // not rising
        first = false;
        distinct = value;
        total += size * classes;
        if (total > most) return false;
        if (!sensitive) continue;
        const auto of = std::lower_bound(stated.begin(), stated.end(), std::make_pair(value, std::uint64_t{0}));
        if (of == stated.end() || of->first != value || of->second < size * classes) return false;
        of->second -= size * classes;
    }
    if (total != most) return false;
    return std::all_of(stated.begin(), stated.end(), [](const auto& of) { return of.second == 0; });
}

}  // namespace shoal
