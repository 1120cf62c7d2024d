// Minimal sample uniques (Elliot, Manning and Ford 2002; SUDA2 by Manning, Haglin and Keane 2008).
//
// A row is unique in a set S of attributes where it has a value in each of them and no other row has the same ones. S is
// a minimal sample unique of the row where it is unique in S and in no proper subset of S; each scores by its size.
//
// Two steps. (1) A walk over the sets, attribute by attribute in rising order: the classes of S are those of S without
// its last attribute, split by that. A row that is alone in its class is marked for that set and goes no further. (2) With
// U(S) for the rows marked at S, the minimal uniques of S are U(S) without the union over b in S of U(S - b).
//
// Why this is exact. Let S' be S without its last attribute z. A row reaches S where it is not unique in S', and then it
// is marked at S if and only if it is unique in S; so every minimal unique is marked. Now let a row be marked at S and be
// unique in a proper subset T too. T is no part of S', in which the row is not unique, so z is in T. Take b in S but not
// in T: the row is unique in S - b, which contains T. On the way to S - b it has not left the walk before, since all that
// comes before z there is a part of S'. So it is marked at S - b, and left out. A row that misses a value of an attribute
// leaves the walk there unmarked, and a row that is marked at S misses none of S. Only rows that occur once can be unique
// anywhere, so a class without any has nothing to tell and is let go.
//
// Where persons have several rows, a row is unique in S where all rows with its values there are one person's. All that
// the argument needs holds as before: who is unique in T is so in every set that contains T, since its class only loses
// rows; and only a combination that one person has can be unique. If all rows of each person share a combination, a
// class is one person's just where it is one combination that one person has, so counts of persons in the place of
// rows are enough; otherwise (Owned) the walk also compares whose the rows of a class are.
//
// (2) is bit operations on whole words. The marks of all sets are kept for as many rows as fit into a budget, and all is
// done anew for the next such rows: memory is bounded by the table's own and that budget, for each of the threads by
// eight bytes a row and size of set.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <exception>
#include <functional>
#include <mutex>
#include <numeric>
#include <thread>

#include "common/pause.hpp"
#include "risk/attribute_sets.hpp"
#include "risk/partitions.hpp"

namespace shoal {

struct SudaScores {
    std::vector<double> score;           // a row: the sum over its minimal uniques
    std::vector<double> part;            // a row and attribute: the sum over those with the attribute
    std::vector<std::int32_t> smallest;  // a row: the size of its smallest minimal unique, 0 without any
    std::vector<std::int64_t> by_size;   // how many minimal uniques there are, by size from 1
};

// Work for several threads: the calling one listens, and where it throws or another does, all end.
class Crew {
  public:
    Crew(int threads, Pause pause) : threads_(threads), pause_(std::move(pause)) {}

    int threads() const { return threads_; }

    // Calls work(rest) in every thread; it is over for all where `rest` says so.
    void all(const std::function<void(const std::function<bool()>&)>& work) {
        std::exception_ptr wrong;
        std::mutex lock;
        std::atomic<bool> over{false};
        const auto safely = [&](const std::function<bool()>& rest) {
            try {
                work(rest);
            } catch (...) {
                const std::lock_guard<std::mutex> locked(lock);
                if (!wrong) wrong = std::current_exception();
                over = true;
            }
        };
        std::vector<std::thread> others;
        try {
            for (int t = 1; t < threads_; ++t) others.emplace_back(safely, [&over] { return over.load(); });
        } catch (const std::system_error&) {  // the system starts no more threads: those that run do all
        }
        safely([&] {
            pause_();
            return over.load();
        });
        for (auto& other : others) other.join();
        if (wrong) std::rethrow_exception(wrong);
    }

  private:
    int threads_;
    Pause pause_;
};

template <typename Code, bool Owned = false>
class Suda {
  public:
    static constexpr std::size_t kMarkWords = std::size_t{1} << 25;  // 256 MB of marks

    // `codes`: one row of values a combination, -1 for a missing one; `counts`: how many rows or persons have it and,
    // if it is Owned, who does where it is one.
    Suda(const std::int32_t* codes, const std::int64_t* counts, std::size_t rows, const AttributeSets& sets,
         const std::vector<double>& scores, std::size_t mark_words = kMarkWords)
        : codes_(codes), rows_(rows), sets_(sets), scores_(scores), mark_words_(mark_words) {
        const int n = sets.attributes();
        // Attributes with many values first: they leave few rows for the sets behind them.
        std::vector<std::uint32_t> values(n, 0);
        for (std::size_t i = 0; i < rows; ++i)
            for (int a = 0; a < n; ++a)
                values[a] = std::max(values[a], static_cast<std::uint32_t>(codes[i * n + a] + 1));
        attribute_.resize(n);
        std::iota(attribute_.begin(), attribute_.end(), 0);
        std::stable_sort(attribute_.begin(), attribute_.end(), [&](int x, int y) { return values[x] > values[y]; });
        for (int a : attribute_) table_.values.push_back(values[a]);
        for (std::size_t i = 0; i < rows; ++i) {
            const std::int64_t* count = counts + i * (Owned ? 2 : 1);
            if (*count == 1) alone_.push_back(static_cast<std::uint32_t>(i));
            if (Owned) owner_.push_back(*count == 1 ? static_cast<std::uint32_t>(count[1]) : kSeveral);
        }
    }

    SudaScores run(int threads, Pause pause) {
        const std::size_t n = sets_.attributes();
        SudaScores found;
        found.score.assign(rows_, 0.0);
        found.part.assign(rows_ * n, 0.0);
        found.smallest.assign(rows_, 0);
        found.by_size.assign(sets_.largest(), 0);
        const std::size_t words = (alone_.size() + 63) / 64;
        const std::size_t at_once = std::max<std::size_t>(1, std::min(words, mark_words_ / sets_.size()));
        // Starting a thread takes as long as a small table.
        Crew crew(words * sets_.size() < 4096 ? 1 : threads, std::move(pause));
        for (std::size_t begin = 0; begin < words; begin += at_once) {
            const std::size_t first = begin * 64, last = std::min(alone_.size(), (begin + at_once) * 64);
            arrange(first, last);
            words_ = (last - first + 63) / 64;
            marks_.assign(sets_.size() * words_, 0);
            walk(crew);
            gather(crew, found);
        }
        return found;
    }

  private:
    // Puts the candidates from `first` to `last` before all other rows.
    void arrange(std::size_t first, std::size_t last) {
        const std::size_t n = sets_.attributes();
        order_.assign(alone_.begin() + first, alone_.begin() + last);
        std::vector<bool> taken(rows_, false);
        for (std::uint32_t row : order_) taken[row] = true;
        for (std::size_t i = 0; i < rows_; ++i)
            if (!taken[i]) order_.push_back(static_cast<std::uint32_t>(i));
        table_.rows = static_cast<std::uint32_t>(rows_);
        table_.candidates = static_cast<std::uint32_t>(last - first);
        if (Owned) {
            table_.owner.resize(rows_);
            for (std::size_t i = 0; i < rows_; ++i) table_.owner[i] = owner_[order_[i]];
        }
        table_.column.resize(n);
        for (std::size_t a = 0; a < n; ++a) {
            auto& column = table_.column[a];
            column.resize(rows_);
            const std::int32_t* from = codes_ + attribute_[a];
            for (std::size_t i = 0; i < rows_; ++i) {
                const std::int32_t code = from[order_[i] * n];
                column[i] = static_cast<Code>(code < 0 ? table_.values[a] : static_cast<std::uint32_t>(code));
            }
        }
    }

    std::uint64_t* marks_of(int size, std::size_t number) {
        return marks_.data() + (sets_.smaller(size) + number) * words_;
    }

    // Step (1): a task is a first attribute alone, or with a second one and all that come after it.
    void walk(Crew& crew) {
        std::vector<std::pair<int, int>> tasks;
        const int n = sets_.attributes();
        for (int a = 0; a < n; ++a) {
            tasks.emplace_back(a, -1);
            for (int b = a + 1; b < n && sets_.largest() > 1; ++b) tasks.emplace_back(a, b);
        }
        Partition whole;
        whole.rows.resize(table_.rows);
        std::iota(whole.rows.begin(), whole.rows.end(), 0u);
        whole.ends.push_back(table_.rows);
        std::atomic<std::size_t> next{0};
        crew.all([&](const std::function<bool()>& over) {
            Splitter<Code, Owned> splitter(table_);
            std::vector<Partition> levels(sets_.largest() + 1);
            int first = -1;
            for (std::size_t i; !over() && (i = next++) < tasks.size();) {
                const auto [a, b] = tasks[i];
                if (b < 0) {
                    splitter.mark_alone(whole, a, marks_of(1, sets_.after(a, 1)));
                    continue;
                }
                if (first != a) splitter.split(whole, a, levels[1], nullptr);
                first = a;
                step(splitter, levels, 1, sets_.after(a, 1), b, over);
            }
        });
    }

    // The set of `size` attributes with this number, and attribute a added; then all that come after a.
    void step(Splitter<Code, Owned>& splitter, std::vector<Partition>& levels, int size, std::size_t number, int a,
              const std::function<bool()>& over) {
        if (levels[size].ends.empty() || over()) return;
        number += sets_.after(a, size + 1);
        std::uint64_t* marks = marks_of(size + 1, number);
        if (size + 1 == sets_.largest() || a + 1 == sets_.attributes()) {
            splitter.mark_alone(levels[size], a, marks);
            return;
        }
        splitter.split(levels[size], a, levels[size + 1], marks);
        for (int b = a + 1; b < sets_.attributes(); ++b) step(splitter, levels, size + 1, number, b, over);
    }

    // Step (2), for some words of the candidates at a time.
    void gather(Crew& crew, SudaScores& found) {
        constexpr std::size_t kAtOnce = 16;
        std::atomic<std::size_t> next{0};
        std::mutex lock;
        crew.all([&](const std::function<bool()>& over) {
            Gathering each{*this, found, over};
            for (std::size_t begin; !over() && (begin = next.fetch_add(kAtOnce)) < words_;) {
                each.from = begin;
                each.to = std::min(words_, begin + kAtOnce);
                for (int a = 0; a < sets_.attributes(); ++a) each.minimal(0, 0, a);
            }
            const std::lock_guard<std::mutex> locked(lock);
            for (std::size_t m = 0; m < found.by_size.size(); ++m) found.by_size[m] += each.by_size[m];
        });
    }

    struct Gathering {
        Suda& suda;
        SudaScores& found;
        const std::function<bool()>& over;
        std::size_t from = 0, to = 0;
        std::vector<int> members = std::vector<int>(suda.sets_.largest());
        // without[m][j]: the number of the set of m attributes at hand without its j-th.
        std::vector<std::vector<std::size_t>> without = std::vector<std::vector<std::size_t>>(
            suda.sets_.largest() + 1, std::vector<std::size_t>(suda.sets_.largest() + 1));
        std::vector<std::int64_t> by_size = std::vector<std::int64_t>(suda.sets_.largest());

        // The set of `size` attributes at hand, with a added.
        void minimal(int size, std::size_t number, int a) {
            const AttributeSets& sets = suda.sets_;
            members[size] = a;
            for (int j = 0; j < size; ++j) without[size + 1][j] = without[size][j] + sets.after(a, size);
            without[size + 1][size] = number;
            ++size;
            number += sets.after(a, size);
            const std::uint64_t* here = suda.marks_of(size, number);
            for (std::size_t w = from; w < to; ++w) {
                std::uint64_t rows = here[w];
                // No row is marked at a set and at the one before its last attribute.
                for (int j = 0; rows && j + 1 < size; ++j) rows &= ~suda.marks_of(size - 1, without[size][j])[w];
                if (rows) score(w, rows, size);
            }
            if (size == sets.largest() || over()) return;
            for (int b = a + 1; b < sets.attributes(); ++b) minimal(size, number, b);
        }

        void score(std::size_t word, std::uint64_t rows, int size) {
            by_size[size - 1] += std::popcount(rows);
            const double score = suda.scores_[size - 1];
            const std::size_t n = suda.sets_.attributes();
            for (; rows; rows &= rows - 1) {
                const std::size_t row = suda.order_[word * 64 + std::countr_zero(rows)];
                found.score[row] += score;
                double* part = found.part.data() + row * n;
                for (int j = 0; j < size; ++j) part[suda.attribute_[members[j]]] += score;
                if (!found.smallest[row] || found.smallest[row] > size) found.smallest[row] = size;
            }
        }
    };

    const std::int32_t* codes_;
    std::size_t rows_;
    const AttributeSets& sets_;
    const std::vector<double>& scores_;
    std::size_t mark_words_;
    std::vector<int> attribute_;        // of the table that was given, by place in the walk
    std::vector<std::uint32_t> alone_;  // the combinations that one row has
    std::vector<std::uint32_t> owner_;  // who has each combination, or kSeveral
    std::vector<std::uint32_t> order_;  // the combination of each row of the table that is searched
    SplitTable<Code> table_;
    std::size_t words_ = 0;
    std::vector<std::uint64_t> marks_;  // of every set, a bit a candidate
};

}  // namespace shoal
