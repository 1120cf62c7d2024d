// What is known of one lattice node once its classes are counted.
#pragma once

#include "common/assert.hpp"
#include "lattice/grouper.hpp"

namespace shoal {

// The columns of a measurement (documented in __init__.py). From kRows on they are sums over the
// suppressed rows; one column of weights an attribute comes last.
enum Column {
    kK,
    kClasses,
    kSquares,
    kMinority,
    kProducts,
    kRows,
    kSuppressedClasses,
    kSuppressedSquares,
    kSuppressedMinority,
    kSuppressedProducts,
    kWeights
};

template <int W>
class Measurer {
  public:
    // Writes kWeights + attributes numbers to `out`.
    void measure(const Codebook& book, const Table<W>& table, const Levels& levels, std::int64_t eta,
                 std::int64_t* out) {
        begin(book, table, levels, eta, out);
        const Layout layout = book.layout(levels);
        for (std::size_t g : suppressed_) add_suppressed(book, layout, table, levels, g, out);
        weigh(book, layout, table, levels, {suppressed_.size()},
              [&](std::size_t a, std::uint64_t sum) { add(out[kWeights + a], sum); });
        SHOAL_ASSERT(out[kRows] <= std::max<std::int64_t>(eta, 0));
    }

    // The same, and for every suppressed class size, from the smallest up, one row in `profile`: the
    // size, and the sums over the classes up to that size.
    void measure(const Codebook& book, const Table<W>& table, const Levels& levels, std::int64_t eta, std::int64_t* out,
                 std::vector<std::int64_t>& profile) {
        begin(book, table, levels, eta, out);
        const Layout layout = book.layout(levels);
        std::sort(suppressed_.begin(), suppressed_.end(),
                  [&](std::size_t g, std::size_t h) { return crowds_[g] < crowds_[h]; });
        const std::size_t columns = kWeights + levels.size() - kRows + 1;
        profile.clear();
        ends_.clear();
        for (std::size_t i = 0; i < suppressed_.size(); ++i) {
            const std::int64_t size = crowds_[suppressed_[i]];
            add_suppressed(book, layout, table, levels, suppressed_[i], out);
            if (i + 1 < suppressed_.size() && crowds_[suppressed_[i + 1]] == size) continue;
            ends_.push_back(i + 1);
            profile.push_back(size);
            profile.insert(profile.end(), out + kRows, out + kWeights + levels.size());
        }
        std::size_t row = 0;
        weigh(book, layout, table, levels, ends_, [&](std::size_t a, std::uint64_t sum) {
            add(out[kWeights + a], sum);
            profile[row * columns + kWeights - kRows + 1 + a] = out[kWeights + a];
            row = (row + 1) % ends_.size();
        });
        SHOAL_ASSERT(out[kRows] <= std::max<std::int64_t>(eta, 0));
    }

    // The same for one k: the classes below it are suppressed, however many rows that takes; kK is the smallest size
    // that stays.
    void measure_below(const Codebook& book, const Table<W>& table, const Levels& levels, std::int64_t k,
                       std::int64_t* out) {
        std::fill(out, out + kWeights + levels.size(), 0);
        survey(table, -1, out);
        if (book.multiplies()) multiply(book, table, levels, out);
        suppressed_.clear();
        const Layout layout = book.layout(levels);
        for (std::size_t g = 0; g < table.size(); ++g) {
            const std::int64_t size = crowds_[g];
            if (size < k) {
                suppressed_.push_back(g);
                add_suppressed(book, layout, table, levels, g, out);
            } else if (out[kK] == 0 || size < out[kK]) {
                out[kK] = size;
            }
        }
        weigh(book, layout, table, levels, {suppressed_.size()},
              [&](std::size_t a, std::uint64_t sum) { add(out[kWeights + a], sum); });
    }

  private:
    std::int64_t size_of(const Table<W>& table, std::size_t g) const {
        return table.labels > 1 ? sizes_[g] : table.counts[g];
    }

    // One pass over all classes: totals, and the sizes of those small enough to be suppressed.
    void survey(const Table<W>& table, std::int64_t eta, std::int64_t* out) {
        const std::size_t n = table.size();
        if (table.labels > 1) {
            sizes_.resize(n);
            for (std::size_t g = 0; g < n; ++g) {
                const std::int64_t* row = table.counts.data() + g * table.labels;
                sizes_[g] = 0;
                for (int label = 0; label < table.labels; ++label) sizes_[g] += row[label];
                out[kMinority] += sizes_[g] - *std::max_element(row, row + table.labels);
            }
        }
        const std::int64_t* sizes = table.labels > 1 ? sizes_.data() : table.counts.data();
        crowds_ = table.people.counted ? table.people.sizes.data() : sizes;
        std::uint64_t squares = 0;  // unsigned, as products: what does not fit wraps around
        small_.clear();
        smallest_large_ = 0;
        if (table.people.counted) {
            survey_people(sizes, n, eta, out);
            return;
        }
        for (std::size_t g = 0; g < n; ++g) {
            const std::int64_t size = sizes[g];
            squares += static_cast<std::uint64_t>(size) * static_cast<std::uint64_t>(size);
            if (size <= eta)
                small_.push_back(size);
            else if (smallest_large_ == 0 || size < smallest_large_)
                smallest_large_ = size;
        }
        out[kSquares] = static_cast<std::int64_t>(squares);
        out[kClasses] = static_cast<std::int64_t>(n);
    }

    // The same where sizes are distinct persons, and what may be suppressed is still a number of rows.
    void survey_people(const std::int64_t* rows, std::size_t n, std::int64_t eta, std::int64_t* out) {
        std::uint64_t squares = 0;
        small_rows_.clear();
        for (std::size_t g = 0; g < n; ++g) {
            squares += static_cast<std::uint64_t>(rows[g]) * static_cast<std::uint64_t>(rows[g]);
            if (rows[g] <= eta) {
                small_.push_back(crowds_[g]);
                small_rows_.push_back(rows[g]);
            } else if (smallest_large_ == 0 || crowds_[g] < smallest_large_) {
                smallest_large_ = crowds_[g];
            }
        }
        out[kSquares] = static_cast<std::int64_t>(squares);
        out[kClasses] = static_cast<std::int64_t>(n);
    }

    // Whole sizes go from the fewest persons up while their rows fit into eta, and up to the first class that is
    // too large to go. Returns 0 where nothing stays.
    std::int64_t fewest_kept(std::int64_t eta) {
        if (small_.empty()) return smallest_large_;
        const std::int64_t most = *std::max_element(small_.begin(), small_.end());
        if (static_cast<std::size_t>(most) > 4 * small_.size() + 64) return fewest_kept_sorted(eta);
        rows_of_size_.assign(static_cast<std::size_t>(most) + 1, 0);
        for (std::size_t i = 0; i < small_.size(); ++i) rows_of_size_[small_[i]] += small_rows_[i];
        std::int64_t rows = 0;
        for (std::int64_t people = 0; people <= most; ++people) {
            if (people == smallest_large_ && people > 0) break;
            rows += rows_of_size_[people];
            if (rows > eta) return people;
        }
        return smallest_large_;
    }

    // Whole class sizes go from the smallest up while their rows fit into eta; the next size stays.
    // Returns 0 where nothing stays.
    std::int64_t smallest_kept(std::int64_t eta) {
        if (small_.empty()) return smallest_large_;
        const std::int64_t most = *std::max_element(small_.begin(), small_.end());
        std::int64_t rows = 0;
        if (static_cast<std::size_t>(most) <= 4 * small_.size() + 64) {  // count, where sizes are dense
            rows_of_size_.assign(static_cast<std::size_t>(most) + 1, 0);
            for (std::int64_t size : small_) rows_of_size_[size] += size;
            for (std::int64_t size = 0; size <= most; ++size) {
                rows += rows_of_size_[size];
                if (rows > eta) return size;
            }
            return smallest_large_;
        }
        std::sort(small_.begin(), small_.end());
        for (std::int64_t size : small_) {
            rows += size;
            if (rows > eta) return size;
        }
        return smallest_large_;
    }

    // The same where sizes are far apart.
    std::int64_t fewest_kept_sorted(std::int64_t eta) {
        by_people_.resize(small_.size());
        for (std::size_t i = 0; i < small_.size(); ++i) by_people_[i] = {small_[i], small_rows_[i]};
        std::sort(by_people_.begin(), by_people_.end());
        std::int64_t rows = 0;
        for (const auto& [people, own] : by_people_) {
            if (smallest_large_ > 0 && people >= smallest_large_) break;
            rows += own;
            if (rows > eta) return people;
        }
        return smallest_large_;
    }

    // k = 0 says that all classes go.
    void find_suppressed(const Table<W>& table, std::int64_t k) {
        suppressed_.clear();
        if (small_.empty()) return;
        for (std::size_t g = 0; g < table.size(); ++g)
            if (k == 0 || crowds_[g] < k) suppressed_.push_back(g);
    }

    // What is summed over all classes, and which of them are suppressed.
    void begin(const Codebook& book, const Table<W>& table, const Levels& levels, std::int64_t eta, std::int64_t* out) {
        std::fill(out, out + kWeights + levels.size(), 0);
        survey(table, eta, out);
        const std::int64_t k = table.people.counted ? fewest_kept(eta) : smallest_kept(eta);
        out[kK] = k;
        SHOAL_ASSERT(k >= 0);
        find_suppressed(table, k);
        if (book.multiplies()) multiply(book, table, levels, out);
    }

    void multiply(const Codebook& book, const Table<W>& table, const Levels& levels, std::int64_t* out) const {
        const Layout layout = book.layout(levels);
        for (std::size_t g = 0; g < table.size(); ++g) add(out[kProducts], product(book, layout, table, levels, g));
    }

    // All of a suppressed class but its weights.
    void add_suppressed(const Codebook& book, const Layout& layout, const Table<W>& table, const Levels& levels,
                        std::size_t g, std::int64_t* out) const {
        const std::int64_t* row = table.counts.data() + g * table.labels;
        const std::int64_t size = size_of(table, g);
        out[kRows] += size;
        out[kSuppressedClasses] += 1;
        add(out[kSuppressedSquares], times(size, size));
        if (table.labels > 1) out[kSuppressedMinority] += size - *std::max_element(row, row + table.labels);
        if (book.multiplies()) add(out[kSuppressedProducts], product(book, layout, table, levels, g));
    }

    // Calls use(a, sum) for every attribute with weights and each of the rising ends: what the suppressed classes weigh
    // that come after the end before. One attribute after the other, so that its weights stay at hand.
    template <typename Use>
    void weigh(const Codebook& book, const Layout& layout, const Table<W>& table, const Levels& levels,
               const std::vector<std::size_t>& ends, Use&& use) {
        keys_.resize(suppressed_.size());
        rows_.resize(suppressed_.size());
        for (std::size_t i = 0; i < suppressed_.size(); ++i) {
            keys_[i] = table.keys[suppressed_[i]];
            rows_[i] = static_cast<std::uint64_t>(size_of(table, suppressed_[i]));
        }
        for (std::size_t a = 0; a < levels.size(); ++a) {
            if (book.attributes()[a].weights.empty()) continue;
            const Field field = layout.fields[a];
            const std::int64_t* weights = book.attributes()[a].weights[levels[a]].data();
            std::size_t i = 0;
            for (const std::size_t end : ends) {
                std::uint64_t sum = 0;
                if (field.width == 0) {  // all rows have the same value, at the root say
                    for (; i < end; ++i) sum += rows_[i];
                    sum *= static_cast<std::uint64_t>(weights[0]);
                } else {
                    for (; i < end; ++i)
                        sum += rows_[i] * static_cast<std::uint64_t>(weights[field.code(keys_[i].word.data())]);
                }
                use(a, sum);
            }
        }
    }

    // The rows of a class, each times the product of its weights. Unsigned: what does not fit wraps around.
    std::uint64_t product(const Codebook& book, const Layout& layout, const Table<W>& table, const Levels& levels,
                          std::size_t g) const {
        std::uint64_t result = static_cast<std::uint64_t>(size_of(table, g));
        const auto& attributes = book.attributes();
        for (std::size_t a = 0; a < attributes.size(); ++a)
            result *= static_cast<std::uint64_t>(
                attributes[a].weights[levels[a]][layout.fields[a].code(table.keys[g].word.data())]);
        return result;
    }

    static std::uint64_t times(std::int64_t one, std::int64_t other) {
        return static_cast<std::uint64_t>(one) * static_cast<std::uint64_t>(other);
    }

    static void add(std::int64_t& total, std::uint64_t more) {
        total = static_cast<std::int64_t>(static_cast<std::uint64_t>(total) + more);
    }

    std::vector<std::int64_t> small_, small_rows_, sizes_, rows_of_size_;
    std::vector<Key<W>> keys_;              // those of the suppressed classes
    std::vector<std::uint64_t> rows_;       // and their rows
    const std::int64_t* crowds_ = nullptr;  // what k is about: distinct persons, or rows where every row is a person
    std::vector<std::pair<std::int64_t, std::int64_t>> by_people_;
    std::vector<std::size_t> suppressed_, ends_;
    std::int64_t smallest_large_ = 0;
};

}  // namespace shoal
