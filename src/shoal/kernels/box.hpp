// Measures every node of a box of the lattice, lo <= node <= hi, on several threads.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "measure.hpp"

namespace shoal {

// Walks the box depth first, one attribute a depth, each node rolled up from the node one level below
// it in the deepest attribute that moved: two tables an attribute are all that is kept.
template <int W>
class BoxWalker {
  public:
    BoxWalker(const Codebook& book, const Levels& lo, const Levels& hi, const std::vector<int>& order,
              std::int64_t eta, std::int64_t* out)
        : book_(book), lo_(lo), hi_(hi), order_(order), eta_(eta), out_(out), buffers_(order.size()) {
        columns_ = kWeights + book.attributes().size();
        strides_.resize(lo.size());
        std::size_t stride = 1;
        for (std::size_t a = lo.size(); a-- > 0;) {
            strides_[a] = stride;
            stride *= hi[a] - lo[a] + 1;
        }
    }

    // The levels of the first `fixed` attributes of the order are given; the rest is walked.
    void walk(const Table<W>& base, const Levels& base_levels, const Levels& start, std::size_t fixed) {
        levels_ = start;
        grouper_.roll_up(base, book_.transform(base_levels, start), start_);
        descend(start_, fixed);
    }

  private:
    // `table` holds the classes of levels_, whose attributes from this depth on are at their lowest.
    void descend(const Table<W>& table, std::size_t depth) {
        if (depth == order_.size()) {
            std::size_t index = 0;
            for (std::size_t a = 0; a < levels_.size(); ++a) index += (levels_[a] - lo_[a]) * strides_[a];
            measurer_.measure(book_, table, levels_, eta_, out_ + index * columns_);
            return;
        }
        const int a = order_[depth];
        descend(table, depth + 1);
        const Table<W>* current = &table;
        for (int turn = 0; levels_[a] < hi_[a]; turn ^= 1) {
            Levels next = levels_;
            ++next[a];
            Table<W>& higher = buffers_[depth][turn];
            grouper_.roll_up(*current, book_.transform(levels_, next), higher);
            levels_ = next;
            current = &higher;
            descend(higher, depth + 1);
        }
        levels_[a] = lo_[a];
    }

    const Codebook& book_;
    const Levels &lo_, &hi_;
    const std::vector<int>& order_;
    std::int64_t eta_;
    std::int64_t* out_;
    std::size_t columns_;
    std::vector<std::size_t> strides_;
    std::vector<std::array<Table<W>, 2>> buffers_;  // each depth climbs from one to the other
    Table<W> start_;
    Levels levels_;
    Grouper<W> grouper_;
    Measurer<W> measurer_;
};

template <int W>
void measure_box(const Codebook& book, const Table<W>& base, const Levels& base_levels, const Levels& lo,
                 const Levels& hi, const std::vector<int>& order, std::int64_t eta, int threads, std::int64_t* out) {
    // One task for each combination of levels of the outermost attributes, enough for an even share.
    std::size_t fixed = 0, tasks = 1;
    while (threads > 1 && fixed < order.size() && tasks < 8u * threads) {
        tasks *= hi[order[fixed]] - lo[order[fixed]] + 1;
        ++fixed;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failing;
    auto work = [&] {
        try {
            BoxWalker<W> walker(book, lo, hi, order, eta, out);
            for (std::size_t task; (task = next.fetch_add(1)) < tasks;) {
                Levels start = lo;
                std::size_t rest = task;
                for (std::size_t depth = 0; depth < fixed; ++depth) {
                    const int a = order[depth];
                    start[a] += static_cast<int>(rest % (hi[a] - lo[a] + 1));
                    rest /= hi[a] - lo[a] + 1;
                }
                walker.walk(base, base_levels, start, fixed);
            }
        } catch (...) {
            const std::lock_guard<std::mutex> lock(failing);
            failure = std::current_exception();
            next = tasks;
        }
    };
    std::vector<std::thread> helpers;
    for (int i = 1; i < threads; ++i) helpers.emplace_back(work);
    work();
    for (auto& helper : helpers) helper.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace shoal
