// How many rows vioRec keeps where several columns are limited: the most that respect every limit at once.
//
// Rows with the same values in all limited columns ("tuples") are alike. Let F(m) be the most rows with at most
// most_s(m) of every value s. A set of m rows is allowed just where m <= F(m). F never falls as m rises, so stepping
// from an upper bound m to F(m) never passes the largest m with m = F(m); and where F(m) = m, F's rows are the answer.
//
// F(m): values of which there are no more than they may be do not bind, and tuples that agree in the values that do
// are one variable. Where values of at most two columns bind, F is a maximum flow between the two, which is whole; a
// binding value is a node, and all others of its column are one node without a limit. Where three or more columns
// bind at once it is an integer program (cuts/packing.hpp), which no pair of columns lets exceed its flow.
#pragma once

#include <map>
#include <numeric>

#include "cuts/packing.hpp"

namespace shoal {

class JointKeep {
  public:
    // `tuples`: the value (a place among the limits) in every column, tuple by tuple.
    JointKeep(const std::vector<Limit>& limits, const std::vector<int>& tuples, int columns)
        : limits_(limits), tuples_(tuples), columns_(columns) {}

    // The most rows; no column alone may keep more than `most` (Rules::keep_most), or less where it is alone.
    template <class Count>
    std::int64_t operator()(std::int64_t most, const Count* counts) {
        counts_.assign(counts, counts + tuples_.size() / columns_);
        have_.assign(limits_.size(), 0);
        present_.clear();
        for (std::size_t t = 0; t < counts_.size(); ++t) {
            if (counts_[t] == 0) continue;
            present_.push_back(t);
            for (int c = 0; c < columns_; ++c) have_[tuples_[t * columns_ + c]] += counts_[t];
        }
        // Where the values of one column alone bind, F is what that column keeps: `most`.
        for (most_ = most; most_ > 0 && binding(most_).size() > 1;) {
            gather();
            const std::int64_t found = solve(binding(most_));
            if (found == most_) break;
            most_ = found;
        }
        return most_;
    }

    // Whether branch and bound gave up: then the rows are allowed, but perhaps not the most.
    bool gave_up() const { return gave_up_; }

    // How many rows of every tuple are kept: of tuples that are one variable, shares of about the same size.
    std::vector<std::int64_t> kept() {
        const std::vector<int> bind = binding(most_);
        gather();
        solve(bind);
        std::vector<std::int64_t> result(counts_.size(), 0), left = take_;
        for (std::size_t p = 0; p < present_.size(); ++p) {
            const std::size_t t = present_[p], v = variable_[p];
            result[t] = take_[v] * counts_[t] / rows_[v];  // rows are below 2^31
            left[v] -= result[t];
        }
        for (std::size_t p = 0; p < present_.size(); ++p) {
            const std::size_t t = present_[p], v = variable_[p];
            const std::int64_t more = std::min(left[v], counts_[t] - result[t]);
            result[t] += more;
            left[v] -= more;
        }
        SHOAL_ASSERT(std::accumulate(result.begin(), result.end(), std::int64_t{0}) == most_);
        return result;
    }

  private:
    static constexpr int kFree = -1;  // in place of a value that does not bind

    // Finds the values that bind in a set of m rows, and returns the columns that have some.
    std::vector<int> binding(std::int64_t m) {
        room_.assign(limits_.size(), kNever);
        std::vector<int> columns;
        for (std::size_t s = 0; s < limits_.size(); ++s) {
            if (limits_[s].none() || have_[s] <= limits_[s].most(m)) continue;
            room_[s] = limits_[s].most(m);
            if (columns.empty() || columns.back() != limits_[s].column) columns.push_back(limits_[s].column);
        }
        return columns;
    }

    // Makes one variable of the tuples that agree in the values that bind.
    void gather() {
        std::map<std::vector<int>, std::size_t> place;
        std::vector<int> own(columns_);
        values_.clear();
        rows_.clear();
        variable_.clear();
        for (const std::size_t t : present_) {
            for (int c = 0; c < columns_; ++c) {
                const int s = tuples_[t * columns_ + c];
                own[c] = room_[s] == kNever ? kFree : s;
            }
            const auto [at, is_new] = place.emplace(own, rows_.size());
            if (is_new) {
                values_.insert(values_.end(), own.begin(), own.end());
                rows_.push_back(0);
            }
            rows_[at->second] += counts_[t];
            variable_.push_back(at->second);
        }
        take_.assign(rows_.size(), 0);
    }

    // F(m), given the columns that bind, and what to take; with three or more columns, where F(m) < m, a number
    // between the two, which serves as well.
    std::int64_t solve(std::vector<int> bind) {
        while (bind.size() < 2) bind.push_back(bind.empty() || bind[0] != 0 ? 0 : 1);
        if (bind.size() == 2) return flow(bind[0], bind[1]);
        std::int64_t bound = most_;
        for (std::size_t i = 0; i < bind.size(); ++i)
            for (std::size_t j = i + 1; j < bind.size(); ++j) bound = std::min(bound, flow(bind[i], bind[j]));
        return bound < most_ ? bound : pack();
    }

    int value(std::size_t v, int c) const { return values_[v * columns_ + c]; }

    // The maximum flow between the values of two columns, by shortest augmenting paths.
    std::int64_t flow(int a, int b) {
        std::fill(take_.begin(), take_.end(), 0);
        const int free_a = static_cast<int>(limits_.size()), free_b = free_a + 1, nodes = free_b + 1;
        const auto end = [&](std::size_t v, int c) {
            return value(v, c) != kFree ? value(v, c) : c == a ? free_a : free_b;
        };
        std::vector<std::int64_t> room(room_);
        room.resize(nodes, kNever);
        std::vector<std::vector<std::size_t>> edges(nodes);
        for (std::size_t v = 0; v < rows_.size(); ++v) {
            edges[end(v, a)].push_back(v);
            edges[end(v, b)].push_back(v);
        }
        std::int64_t total = 0;
        std::vector<std::size_t> by(nodes), queue;  // the edge by which a node was reached
        std::vector<char> seen, left(nodes, 0);
        for (std::size_t v = 0; v < rows_.size(); ++v) left[end(v, a)] = 1;
        while (true) {
            seen.assign(nodes, 0);
            queue.clear();
            for (int u = 0; u < nodes; ++u)
                if (left[u] && room[u] > 0) {
                    seen[u] = 2;
                    queue.push_back(u);
                }
            int goal = -1;
            for (std::size_t q = 0; q < queue.size() && goal < 0; ++q) {
                const int u = static_cast<int>(queue[q]);
                for (const std::size_t v : edges[u]) {
                    const int w = left[u] ? end(v, b) : end(v, a);
                    if (seen[w] || (left[u] ? take_[v] == rows_[v] : take_[v] == 0)) continue;
                    seen[w] = 1;
                    by[w] = v;
                    queue.push_back(w);
                    if (!left[w] && room[w] > 0) {
                        goal = w;
                        break;
                    }
                }
            }
            if (goal < 0) return total;
            // Back to where the path began, once to see how much fits, once to send it.
            std::int64_t fits = room[goal];
            int u = goal;
            for (; seen[u] != 2; u = left[u] ? end(by[u], b) : end(by[u], a))
                fits = std::min(fits, left[u] ? take_[by[u]] : rows_[by[u]] - take_[by[u]]);
            fits = std::min(fits, room[u]);
            room[u] -= fits;
            for (u = goal; seen[u] != 2; u = left[u] ? end(by[u], b) : end(by[u], a))
                take_[by[u]] += left[u] ? -fits : fits;
            room[goal] -= fits;
            total += fits;
        }
    }

    // m where so many rows fit under all columns, or else less, but no less than F.
    std::int64_t pack() {
        std::vector<int> place(limits_.size(), -1);
        std::vector<std::int64_t> room;
        std::vector<std::vector<int>> inside(rows_.size());
        for (std::size_t v = 0; v < rows_.size(); ++v)
            for (int c = 0; c < columns_; ++c) {
                const int s = value(v, c);
                if (s == kFree) continue;
                if (place[s] < 0) {
                    place[s] = static_cast<int>(room.size());
                    room.push_back(room_[s]);
                }
                inside[v].push_back(place[s]);
            }
        Packing packing(std::move(room), rows_, std::move(inside));
        const std::int64_t found = packing(most_);
        gave_up_ = gave_up_ || packing.gave_up();
        take_ = packing.take();
        return found;
    }

    const std::vector<Limit>& limits_;
    const std::vector<int>& tuples_;
    int columns_;
    bool gave_up_ = false;
    std::vector<std::int64_t> counts_;       // rows of every tuple
    std::vector<std::int64_t> have_;         // rows with every value
    std::vector<std::int64_t> room_;         // rows that a value may have, kNever where it does not bind
    std::vector<std::size_t> present_;       // the tuples that have rows
    std::vector<std::size_t> variable_;      // of each of them
    std::vector<int> values_;                // of every variable, in every column
    std::vector<std::int64_t> rows_, take_;  // of every variable, and how many are kept
    std::int64_t most_ = 0;
};

}  // namespace shoal
