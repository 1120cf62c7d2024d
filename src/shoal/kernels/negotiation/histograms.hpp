// The histogram of one lattice node: how many rows lie in classes of each size and number of distinct
// sensitive values, packed into a few bytes.
//
// Numbers are varints: seven bits a byte, the lowest first, the eighth bit set where more follow. A histogram
// of a table with sensitive columns begins with the length in bytes of its first part, which has for every
// number of distinct values, rising, its distance from the one before and the rows of its classes. The second
// part has for every (size, distinct), rising, twice the distance of the size from the one before, plus one
// where there are several such classes; then, with sensitive columns, the distinct values; then, of several
// classes, their number less two.
//
// Where classes have costs (what a loss metric adds up over their rows), two numbers stand before all else: a base
// that every row costs at least, and a step of which what it costs beyond the base is a multiple. Unless the step is
// 0, each line of either part ends with what its rows cost beyond the base, in steps.
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
constexpr std::int64_t kNoCosts = -1;

inline void put_varint(Bytes& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::uint8_t>(value | 0x80));
    out.push_back(static_cast<std::uint8_t>(value));
}

inline std::uint64_t get_varint(const std::uint8_t*& at) {
    std::uint64_t value = *at & 0x7F;
    for (int shift = 7; *at++ & 0x80; shift += 7) value |= static_cast<std::uint64_t>(*at & 0x7F) << shift;
    return value;
}

// What a row of a node costs: the base, and some steps.
struct Scale {
    std::int64_t base = 0, step = 0;
};

// `steps` are what all rows of the entry cost beyond the base.
struct Entry {
    std::int64_t size, distinct, classes, steps = 0;

    std::int64_t rows() const { return size * classes; }
};

// Counts classes, and packs them. Scratch memory is kept from call to call; one a thread.
class HistogramWriter {
  public:
    explicit HistogramWriter(bool sensitive) : sensitive_(sensitive) {}

    // `steps` are what each row of the class costs beyond the base.
    void add(std::int64_t size, std::int64_t distinct, std::int64_t steps = 0) {
        SHOAL_ASSERT(size >= 0 && distinct >= 0 && steps >= 0);
        if (size < kDenseSizes && distinct < kDenseValues) {
            const std::size_t cell = static_cast<std::size_t>(size * kDenseValues + distinct);
            if (dense_[cell].classes++ == 0) touched_.push_back(static_cast<std::uint32_t>(cell));
            dense_[cell].steps += size * steps;
        } else {
            sparse_.push_back({size, distinct, 1, size * steps});
        }
    }

    // The counted classes by size and then distinct values; the count begins anew.
    const std::vector<Entry>& take() {
        entries_.clear();
        std::sort(touched_.begin(), touched_.end());
        for (std::uint32_t cell : touched_) {
            entries_.push_back({cell / kDenseValues, cell % kDenseValues, dense_[cell].classes, dense_[cell].steps});
            dense_[cell] = {};
        }
        const auto before = [](const Entry& a, const Entry& b) {
            return a.size != b.size ? a.size < b.size : a.distinct < b.distinct;
        };
        std::sort(sparse_.begin(), sparse_.end(), before);
        const std::size_t dense = entries_.size();
        for (const Entry& one : sparse_) {
            if (entries_.size() > dense && !before(entries_.back(), one)) {
                ++entries_.back().classes;
                entries_.back().steps += one.steps;
            } else {
                entries_.push_back(one);
            }
        }
        std::inplace_merge(entries_.begin(), entries_.begin() + dense, entries_.end(), before);
        touched_.clear();
        sparse_.clear();
        return entries_;
    }

    // Packs the counted classes behind what `out` holds; where a scale is given, with their costs.
    void write(Bytes& out, const Scale* scale = nullptr) {
        take();
        const bool stepped = scale != nullptr && scale->step > 0;
        if (scale != nullptr) {
            put_varint(out, static_cast<std::uint64_t>(scale->base));
            put_varint(out, static_cast<std::uint64_t>(scale->step));
        }
        if (sensitive_) write_distinct(out, stepped);
        std::int64_t size = 0;
        for (const Entry& entry : entries_) {
            put_varint(out, static_cast<std::uint64_t>(entry.size - size) << 1 | (entry.classes > 1));
            if (sensitive_) put_varint(out, entry.distinct);
            if (entry.classes > 1) put_varint(out, entry.classes - 2);
            if (stepped) put_varint(out, entry.steps);
            size = entry.size;
        }
    }

  private:
    static constexpr std::int64_t kDenseSizes = 1024, kDenseValues = 64;

    struct Cell {
        std::int64_t classes = 0, steps = 0;
    };

    void write_distinct(Bytes& out, bool stepped) {
        by_distinct_ = entries_;
        std::sort(by_distinct_.begin(), by_distinct_.end(),
                  [](const Entry& a, const Entry& b) { return a.distinct < b.distinct; });
        part_.clear();
        std::int64_t before = 0;
        for (std::size_t i = 0; i < by_distinct_.size();) {
            const std::int64_t distinct = by_distinct_[i].distinct;
            std::int64_t rows = 0, steps = 0;
            for (; i < by_distinct_.size() && by_distinct_[i].distinct == distinct; ++i) {
                rows += by_distinct_[i].rows();
                steps += by_distinct_[i].steps;
            }
            put_varint(part_, distinct - before);
            put_varint(part_, rows);
            if (stepped) put_varint(part_, steps);
            before = distinct;
        }
        put_varint(out, part_.size());
        out.insert(out.end(), part_.begin(), part_.end());
    }

    bool sensitive_;
    std::vector<Cell> dense_ = std::vector<Cell>(kDenseSizes * kDenseValues);
    std::vector<std::uint32_t> touched_;
    std::vector<Entry> sparse_, by_distinct_, entries_;
    Bytes part_;
};

// Reads a packed histogram that `check` has found whole.
class Histogram {
  public:
    Histogram(const std::uint8_t* begin, const std::uint8_t* end, bool sensitive, bool priced = false)
        : distinct_(begin), distinct_end_(begin), end_(end), sensitive_(sensitive) {
        if (priced) {
            scale_.base = static_cast<std::int64_t>(get_varint(distinct_));
            scale_.step = static_cast<std::int64_t>(get_varint(distinct_));
        }
        const std::uint64_t length = sensitive ? get_varint(distinct_) : 0;
        SHOAL_ASSERT(length <= static_cast<std::uint64_t>(end - distinct_));
        distinct_end_ = distinct_ + length;
    }

    // The rows in classes of fewer than k rows or fewer than l distinct values; where these are more than
    // `limit`, some number beyond the limit.
    std::int64_t suppressed(std::int64_t k, std::int64_t l, std::int64_t limit) const { return gone(k, l, limit).rows; }

    // Rows, and what they cost while they are released.
    struct Gone {
        std::int64_t rows = 0, cost = 0;
    };

    // The same with what these rows cost, which is known where they are not more than the limit.
    Gone gone(std::int64_t k, std::int64_t l, std::int64_t limit) const {
        Gone found = few(l, limit);
        EntryReader reader(*this);
        while (found.rows <= limit && reader.next() && reader.entry.size < k) {
            if (reader.entry.distinct < l) continue;
            found.rows += reader.entry.rows();
            found.cost += reader.entry.steps;
        }
        if (found.rows <= limit) found.cost = found.rows * scale_.base + found.cost * scale_.step;
        return found;
    }

    // The rows, and the squares of their classes' sizes.
    Gone squares(std::int64_t k, std::int64_t l, std::int64_t limit) const {
        Gone found;
        for (EntryReader reader(*this); found.rows <= limit && reader.next();) {
            if (reader.entry.size >= k && reader.entry.distinct >= l) {
                if (!sensitive_) break;
                continue;
            }
            found.rows += reader.entry.rows();
            found.cost += reader.entry.size * reader.entry.rows();
        }
        return found;
    }

    // The largest k, at most `most`, for which no more than `limit` rows go; 0 where l alone takes more.
    std::int64_t largest_k(std::int64_t l, std::int64_t limit, std::int64_t most) const {
        std::int64_t rows = few(l, limit).rows;
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
            if (scale_.step > 0) get_varint(at);
            if (rows > limit) return distinct;
        }
        return most;
    }

    // What a row of an entry costs on the average, rounded up.
    std::int64_t dearest(const Entry& entry) const {
        return scale_.base + (entry.steps * scale_.step + entry.rows() - 1) / entry.rows();
    }

    std::vector<Entry> entries() const {
        std::vector<Entry> found;
        for (EntryReader reader(*this); reader.next();) found.push_back(reader.entry);
        return found;
    }

    // Whether the bytes are a whole histogram of so many rows, such as the writer makes; where classes have costs,
    // no row costs more than `row`.
    static bool check(const std::uint8_t* begin, const std::uint8_t* end, bool sensitive, std::int64_t rows,
                      std::int64_t row = kNoCosts);

  private:
    struct EntryReader {
        explicit EntryReader(const Histogram& of)
            : at(of.distinct_end_), end(of.end_), sensitive(of.sensitive_), stepped(of.scale_.step > 0) {}

        bool next() {
            if (at == end) return false;
            const std::uint64_t step = get_varint(at);
            entry.size += static_cast<std::int64_t>(step >> 1);
            if (sensitive) entry.distinct = static_cast<std::int64_t>(get_varint(at));
            entry.classes = step & 1 ? static_cast<std::int64_t>(get_varint(at)) + 2 : 1;
            if (stepped) entry.steps = static_cast<std::int64_t>(get_varint(at));
            return true;
        }

        const std::uint8_t *at, *end;
        bool sensitive, stepped;
        Entry entry{0, 0, 0};
    };

    // The rows in classes of fewer than l distinct values, or some number beyond the limit; the cost is in steps.
    Gone few(std::int64_t l, std::int64_t limit) const {
        Gone found;
        std::int64_t distinct = 0;
        for (const std::uint8_t* at = distinct_; at != distinct_end_ && found.rows <= limit;) {
            distinct += get_varint(at);
            if (distinct >= l) break;
            found.rows += get_varint(at);
            if (scale_.step > 0) found.cost += get_varint(at);
        }
        return found;
    }

    const std::uint8_t *distinct_, *distinct_end_, *end_;
    bool sensitive_;
    Scale scale_;
};

inline bool Histogram::check(const std::uint8_t* begin, const std::uint8_t* end, bool sensitive, std::int64_t rows,
                             std::int64_t row) {
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
    std::uint64_t base = 0, grain = 0;
    if (row != kNoCosts) {
        const std::uint64_t dearest = static_cast<std::uint64_t>(row);
        if (!read(base, dearest) || !read(grain, dearest - base)) return false;
    }
    // The steps of so many rows, none of which costs more than the dearest; 0 where there are none.
    const auto read_steps = [&](std::uint64_t& steps, std::uint64_t of) {
        steps = 0;
        return grain == 0 || read(steps, of * (static_cast<std::uint64_t>(row) - base) / grain);
    };
    struct Stated {
        std::uint64_t distinct, rows, steps;
    };
    std::vector<Stated> stated;  // what the second part must add up to
    if (sensitive) {
        std::uint64_t length, step, count, steps, distinct = 0;
        if (!read(length, static_cast<std::uint64_t>(end - begin)) || length > static_cast<std::uint64_t>(end - at))
            return false;
        const std::uint8_t* part_end = at + length;
        while (at < part_end) {
            if (!read(step, most) || (step == 0 && !stated.empty()) || !read(count, most) || count == 0) return false;
            if (!read_steps(steps, count)) return false;
            stated.push_back({distinct += step, count, steps});
        }
        if (at != part_end) return false;
    }
    std::uint64_t size = 0, distinct = 0, total = 0, step, more, steps;
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
        if (!read_steps(steps, size * classes)) return false;
        first = false;
        distinct = value;
        total += size * classes;
        if (total > most) return false;
        if (!sensitive) continue;
        const auto of = std::lower_bound(stated.begin(), stated.end(), value,
                                         [](const Stated& one, std::uint64_t sought) { return one.distinct < sought; });
        if (of == stated.end() || of->distinct != value || of->rows < size * classes || of->steps < steps) return false;
        of->rows -= size * classes;
        of->steps -= steps;
    }
    if (total != most) return false;
    return std::all_of(stated.begin(), stated.end(), [](const Stated& of) { return of.rows == 0 && of.steps == 0; });
}

}  // namespace shoal
