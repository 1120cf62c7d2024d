// The rows of a table as a tree, one attribute below the other: what is far from a row is left out many rows at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace shoal {

// Rows that agree in their first values are one node. Below a node of a single row there are none: the rest of that row's
// values is looked at where they lie. Attributes that follow each other are joined into one while there are few combinations of their values: what
// these cost is added up once for a question, and not on the way down to every node.
class RowTree {
  public:
    // One row of `values` after the other; those of attribute a are below `many[a]`.
    RowTree(const std::vector<std::int32_t>& values, const std::vector<int>& many) {
        join(values, many);
        sort();
        Level above{{}, {{0, static_cast<std::int32_t>(rows_.size()), 0}}};
        for (std::size_t step = 0; step < wide_; ++step) {
            Level made;
            for (Node& node : above.nodes) {
                node.below = static_cast<std::int32_t>(made.nodes.size());
                if (step == 0 || node.last - node.first > 1) split(step, node, made);
            }
            above.nodes.push_back({0, 0, static_cast<std::int32_t>(made.nodes.size())});
            if (step > 0) levels_.push_back(std::move(above));
            above = std::move(made);
        }
        levels_.push_back(std::move(above));
    }

    // Where a row stands in the tree's order: rows that are alike stand near each other.
    std::int32_t place(std::int32_t row) const { return places_[row]; }

    // What the values of joined attributes cost, for one question after the other.
    using Room = std::vector<std::int64_t>;

    // Calls `found(sum, row)` for every row whose values cost less than `limit`, and returns how many costs were looked at.
    // `costs[begins[a] + value]` is what a value of attribute a costs, which is not negative.
    template <class Found>
    std::int64_t near(const std::vector<std::int64_t>& costs, const std::vector<int>& begins, std::int64_t limit,
                      Room& room, const Found& found) const {
        room.resize(room_);
        std::vector<const std::int64_t*> priced;
        std::int64_t* next = room.data();
        for (std::size_t a = 0; a < parts_.size(); ++a) {
            const std::int64_t* const own = costs.data() + begins[a];
            if (parts_[a].before.empty()) {
                priced.push_back(own);
                continue;
            }
            const std::int64_t* const before = std::exchange(priced.back(), next);
            for (std::size_t i = 0; i < parts_[a].before.size(); ++i)
                *next++ = before[parts_[a].before[i]] + own[parts_[a].value[i]];
        }
        const Question<Found> asked{priced.data(), limit, found};
        return static_cast<std::int64_t>(room_) +
               visit(asked, 0, 0, static_cast<std::int32_t>(levels_[0].values.size()), 0);
    }

  private:
    static constexpr std::size_t kJoined = 4096, kTable = std::size_t{1} << 22;

    // An attribute that is joined with those before it: of each combination, that of the others, and its own value.
    struct Part {
        std::vector<std::int32_t> before, value;
    };

    struct Node {
        std::int32_t first, last;  // its rows, in their order here
        std::int32_t below;        // the first node below; those of the next node follow
    };

    // What is looked at of most nodes is their value, so these lie together.
    struct Level {
        std::vector<std::int32_t> values;
        std::vector<Node> nodes;  // one more, where the last one's nodes below end
    };

    template <class Found>
    struct Question {
        const std::int64_t* const* costs;  // of the joined attributes
        std::int64_t limit;
        const Found& found;
    };

    void join(const std::vector<std::int32_t>& values, const std::vector<int>& many) {
        const std::size_t wide = many.size(), rows = values.size() / wide, most = std::min(kJoined, rows / 8);
        std::vector<std::vector<std::int32_t>> joined;
        for (std::size_t a = 0; a < wide; ++a) {
            std::vector<std::int32_t> own(rows);
            for (std::size_t row = 0; row < rows; ++row) own[row] = values[row * wide + a];
            parts_.emplace_back();
            if (a > 0 && counts_.back() * many[a] <= kTable && joins(joined.back(), own, many[a], most)) continue;
            parts_.back() = {};
            joined.push_back(std::move(own));
            counts_.push_back(many[a]);
        }
        wide_ = joined.size();
        values_.resize(rows * wide_);
        for (std::size_t step = 0; step < wide_; ++step)
            for (std::size_t row = 0; row < rows; ++row) values_[row * wide_ + step] = joined[step][row];
        for (const Part& part : parts_) room_ += part.before.size();
    }

    // Joins an attribute with those before it, unless that makes too many combinations.
    bool joins(std::vector<std::int32_t>& before, const std::vector<std::int32_t>& own, int many, std::size_t most) {
        std::vector<std::int32_t> number(counts_.back() * many, -1), combined(own.size());
        Part& part = parts_.back();
        for (std::size_t row = 0; row < own.size(); ++row) {
            std::int32_t& at = number[std::size_t(before[row]) * many + own[row]];
            if (at < 0) {
                if (part.before.size() == most) return false;
                at = static_cast<std::int32_t>(part.before.size());
                part.before.push_back(before[row]);
                part.value.push_back(own[row]);
            }
            combined[row] = at;
        }
        before = std::move(combined);
        counts_.back() = part.before.size();
        return true;
    }

    // By the last attribute first, each time keeping the order there is.
    void sort() {
        rows_.resize(values_.size() / wide_);
        std::iota(rows_.begin(), rows_.end(), 0);
        std::vector<std::int32_t> next(rows_.size());
        for (std::size_t step = wide_; step-- > 0;) {
            std::vector<std::int32_t> place(counts_[step] + 1);
            for (const std::int32_t row : rows_) ++place[values_[row * wide_ + step] + 1];
            std::partial_sum(place.begin(), place.end(), place.begin());
            for (const std::int32_t row : rows_) next[place[values_[row * wide_ + step]]++] = row;
            rows_.swap(next);
        }
        places_.resize(rows_.size());
        std::vector<std::int32_t> sorted;
        sorted.reserve(values_.size());
        for (const std::int32_t row : rows_) {
            places_[row] = static_cast<std::int32_t>(sorted.size() / wide_);
            sorted.insert(sorted.end(), values_.begin() + row * wide_, values_.begin() + (row + 1) * wide_);
        }
        values_ = std::move(sorted);
    }

    void split(std::size_t step, const Node& node, Level& made) const {
        for (std::int32_t row = node.first; row < node.last; ++row) {
            const std::int32_t value = values_[row * wide_ + step];
            if (row == node.first || value != made.values.back()) {
                made.values.push_back(value);
                made.nodes.push_back({row, row, 0});
            }
            made.nodes.back().last = row + 1;
        }
    }

    template <class Found>
    std::int64_t visit(const Question<Found>& asked, std::size_t step, std::int32_t from, std::int32_t to,
                       std::int64_t above) const {
        const std::int64_t* const costs = asked.costs[step];
        const std::int32_t* const values = levels_[step].values.data();
        std::int64_t looked = to - from;
        for (std::int32_t i = from; i < to; ++i) {
            std::int64_t sum = above + costs[values[i]];
            if (sum >= asked.limit) continue;
            const Node& node = levels_[step].nodes[i];
            if (node.last - node.first > 1 && step + 1 < wide_) {
                looked += visit(asked, step + 1, node.below, levels_[step].nodes[i + 1].below, sum);
                continue;
            }
            for (std::int32_t row = node.first; row < node.last; ++row) {
                const std::int32_t* const own = values_.data() + row * wide_;
                std::int64_t whole = sum;
                for (std::size_t b = step + 1; b < wide_ && whole < asked.limit; ++b) whole += asked.costs[b][own[b]];
                if (whole < asked.limit) asked.found(whole, rows_[row]);
            }
            looked += node.last - node.first;
        }
        return looked;
    }

    std::size_t wide_ = 0, room_ = 0;  // the joined attributes, and what the combinations of all of them need
    std::vector<Part> parts_;
    std::vector<std::size_t> counts_;                   // the values of each joined attribute
    std::vector<std::int32_t> rows_, places_, values_;  // the rows in the tree's order, and their values
    std::vector<Level> levels_;
};

}  // namespace shoal
