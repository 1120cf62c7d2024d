// Walks a box of the lattice, lo <= node <= hi, on several threads, and hands every node's classes to a sink.
#pragma once

#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "histograms.hpp"
#include "value_sets.hpp"

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
// attribute that moved: two tables an attribute are all that is kept. The sink is called as sink(place, table).
template <int W, typename Sink>
class SetWalker {
  public:
    SetWalker(const Codebook& book, const Levels& lo, const Levels& hi, const std::vector<int>& order, Sink& sink)
        : book_(book), lo_(lo), hi_(hi), order_(order), strides_(lo, hi), sink_(sink), buffers_(order.size()) {}

    // The levels of the first `fixed` attributes of the order are given; the rest is walked.
    void walk(const SetTable<W>& base, const Levels& base_levels, const Levels& start, std::size_t fixed) {
        levels_ = start;
        grouper_.roll_up(base, book_.transform(base_levels, start), start_);
        descend(start_, fixed);
    }

  private:
    void descend(const SetTable<W>& table, std::size_t depth) {
        if (depth == order_.size()) {
            std::size_t place = 0;
            for (std::size_t a = 0; a < levels_.size(); ++a) place += (levels_[a] - lo_[a]) * strides_.of[a];
            sink_(place, table);
            return;
        }
        const int a = order_[depth];
        descend(table, depth + 1);
        const SetTable<W>* current = &table;
        for (int turn = 0; levels_[a] < hi_[a]; turn ^= 1) {
            Levels next = levels_;
            ++next[a];
            SetTable<W>& higher = buffers_[depth][turn];
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
    std::vector<std::array<SetTable<W>, 2>> buffers_;  // each depth climbs from one to the other
    SetTable<W> start_;
    Levels levels_;
    SetGrouper<W> grouper_;
};

// Calls make_sink() once a thread and walks the box with these sinks. The order of the attributes is that of
// the depths: those with many levels first, since what lies below them is then small soon.
template <int W, typename MakeSink>
void walk_sets(const Codebook& book, const SetTable<W>& base, const Levels& base_levels, const Levels& lo,
               const Levels& hi, int threads, MakeSink&& make_sink) {
    std::vector<int> order(lo.size());
    for (std::size_t a = 0; a < order.size(); ++a) order[a] = static_cast<int>(a);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return hi[a] - lo[a] > hi[b] - lo[b]; });
    // One task for each combination of levels of the outermost attributes, enough for an even share.
    std::size_t fixed = 0, tasks = 1;
    while (threads > 1 && fixed < order.size() && tasks < 8u * static_cast<unsigned>(threads)) {
        tasks *= static_cast<std::size_t>(hi[order[fixed]] - lo[order[fixed]] + 1);
        ++fixed;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failing;
    auto work = [&] {
        try {
            auto sink = make_sink();
            SetWalker<W, decltype(sink)> walker(book, lo, hi, order, sink);
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

// The packed histograms of all nodes, one after the other; that of node i ends where that of i + 1 begins.
struct PackedHistograms {
    std::vector<std::uint64_t> starts;  // one more than nodes
    Bytes bytes;
};

// Every thread packs into memory of its own; the parts are put together by the places of the nodes, so the
// bytes do not depend on the threads.
template <int W>
PackedHistograms pack_box(const Codebook& book, const SetTable<W>& base, const Levels& base_levels, const Levels& lo,
                          const Levels& hi, const std::vector<int>& widths, int threads) {
    struct Piece {
        std::size_t place, start, length;
    };
    struct Part {
        Bytes bytes;
        std::vector<Piece> pieces;
    };
    std::vector<std::unique_ptr<Part>> parts;
    std::mutex adding;
    walk_sets<W>(book, base, base_levels, lo, hi, threads, [&] {
        const std::lock_guard<std::mutex> lock(adding);
        parts.push_back(std::make_unique<Part>());
        return [&widths, part = parts.back().get(), writer = HistogramWriter(!widths.empty())](
                   std::size_t place, const SetTable<W>& table) mutable {
            for (std::size_t g = 0; g < table.size(); ++g)
                writer.add(table.sizes[g],
                           widths.empty() ? 0 : distinct_values(table.bits.data() + g * table.words, widths));
            const std::size_t start = part->bytes.size();
            writer.write(part->bytes);
            part->pieces.push_back({place, start, part->bytes.size() - start});
        };
    });
    PackedHistograms packed;
    packed.starts.assign(Strides(lo, hi).nodes + 1, 0);
    for (const auto& part : parts)
        for (const Piece& piece : part->pieces) packed.starts[piece.place + 1] = piece.length;
    for (std::size_t i = 1; i < packed.starts.size(); ++i) packed.starts[i] += packed.starts[i - 1];
    packed.bytes.resize(packed.starts.back());
    for (const auto& part : parts)
        for (const Piece& piece : part->pieces)
            std::copy_n(part->bytes.data() + piece.start, piece.length, packed.bytes.data() + packed.starts[piece.place]);
    return packed;
}

// The suppressed rows of every node, without keeping any histogram.
template <int W>
std::vector<std::int64_t> suppressed_box(const Codebook& book, const SetTable<W>& base, const Levels& base_levels,
                                         const Levels& lo, const Levels& hi, const std::vector<int>& widths,
                                         std::int64_t k, std::int64_t l, int threads) {
    std::vector<std::int64_t> out(Strides(lo, hi).nodes, 0);
    walk_sets<W>(book, base, base_levels, lo, hi, threads, [&] {
        return [&](std::size_t place, const SetTable<W>& table) {
            std::int64_t rows = 0;
            for (std::size_t g = 0; g < table.size(); ++g)
                if (table.sizes[g] < k ||
                    (!widths.empty() && distinct_values(table.bits.data() + g * table.words, widths) < l))
                    rows += table.sizes[g];
            out[place] = rows;
        };
    });
    return out;
}

}  // namespace shoal
