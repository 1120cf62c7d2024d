// Walks a box of the lattice, lo <= node <= hi, on several threads, and hands every node's classes to a sink.
#pragma once

#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "common/assert.hpp"
#include "common/pause.hpp"
#include "lattice/codebook.hpp"

namespace shoal {

// The place of every node of a box in attribute order: the last attribute moves fastest.
struct Strides {
    std::vector<std::size_t> of;
    std::size_t nodes = 1;

    Strides(const Levels& lo, const Levels& hi) : of(lo.size()) {
        for (std::size_t a = lo.size(); a-- > 0;) {
            of[a] = nodes;
            nodes *= static_cast<std::size_t>(hi[a] - lo[a] + 1);
        }
    }
};

// Depth first, one attribute a depth, each node rolled up from the node one level below it in the deepest
// attribute that moved: two tables an attribute are all that is kept. The sink is called as
// sink(place, levels, table), and `look` before every roll-up; it may throw.
template <class Table, class Grouper, class Sink>
class BoxWalker {
  public:
    BoxWalker(const Codebook& book, const Levels& lo, const Levels& hi, const std::vector<int>& order, Sink& sink,
              std::function<void()> look)
        : book_(book), lo_(lo), hi_(hi), order_(order), strides_(lo, hi), sink_(sink), buffers_(order.size()),
          look_(std::move(look)) {}

    // The levels of the first `fixed` attributes of the order are given; the rest is walked.
    void walk(const Table& base, const Levels& base_levels, const Levels& start, std::size_t fixed) {
        levels_ = start;
        grouper_.roll_up(base, book_.transform(base_levels, start), start_);
        descend(start_, fixed);
    }

  private:
    void descend(const Table& table, std::size_t depth) {
        if (depth == order_.size()) {
            std::size_t place = 0;
            for (std::size_t a = 0; a < levels_.size(); ++a) place += (levels_[a] - lo_[a]) * strides_.of[a];
            SHOAL_ASSERT(place < strides_.nodes);
            sink_(place, levels_, table);
            return;
        }
        const int a = order_[depth];
        descend(table, depth + 1);
        const Table* current = &table;
        for (int turn = 0; levels_[a] < hi_[a]; turn ^= 1) {
            Levels next = levels_;
            ++next[a];
            look_();
            Table& higher = buffers_[depth][turn];
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
    Strides strides_;
    Sink& sink_;
    std::vector<std::array<Table, 2>> buffers_;  // each depth climbs from one to the other
    Table start_;
    Levels levels_;
    Grouper grouper_;
    std::function<void()> look_;
};

// Calls make_sink() once a thread and walks the box with these sinks, the attributes at the depths of the order.
// The pause is made by this thread alone; where it throws, the others end too.
template <class Grouper, class Table, class MakeSink>
void walk_box(const Codebook& book, const Table& base, const Levels& base_levels, const Levels& lo, const Levels& hi,
              const std::vector<int>& order, int threads, MakeSink&& make_sink, Pause pause = {}) {
    // One task for each combination of levels of the outermost attributes, enough for an even share.
    std::size_t fixed = 0, tasks = 1;
    while (threads > 1 && fixed < order.size() && tasks < 8u * static_cast<unsigned>(threads)) {
        tasks *= static_cast<std::size_t>(hi[order[fixed]] - lo[order[fixed]] + 1);
        ++fixed;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failing;
    std::atomic<bool> failed{false};
    struct Ended {};
    auto work = [&](bool pausing) {
        try {
            auto sink = make_sink();
            const auto look = [&, pausing] {
                if (failed) throw Ended();
                if (pausing) pause();
            };
            BoxWalker<Table, Grouper, decltype(sink)> walker(book, lo, hi, order, sink, look);
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
        } catch (const Ended&) {
        } catch (...) {
            const std::lock_guard<std::mutex> lock(failing);
            failure = std::current_exception();
            failed = true;
            next = tasks;
        }
    };
    std::vector<std::thread> helpers;
    for (int i = 1; i < threads; ++i) helpers.emplace_back(work, false);
    work(true);
    for (auto& helper : helpers) helper.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace shoal
