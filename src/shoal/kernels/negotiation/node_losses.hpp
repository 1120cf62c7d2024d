// What the nodes of an index lose by one metric, and the cheapest of those that a request allows.
//
// A node loses loss0, what its classes cost when all are released, and the excess, what the suppressed rows cost
// more when they are suppressed; the excess is never negative. So no node loses less than its loss0.
#pragma once

#include <numeric>

#include "negotiation/histogram_index.hpp"

namespace shoal {

// What a released class costs: by its cells (the costs that the index holds), by the square of its rows, or every
// row of a node alike.
enum class Costs { kCells, kSquares, kAlike };

struct Priced {
    std::size_t node;
    std::int64_t loss, height, suppressed;

    // What is lost first, then lower, then fewer suppressed, then attribute order, which is that of the places.
    bool before(const Priced& other) const {
        if (loss != other.loss) return loss < other.loss;
        if (height != other.height) return height < other.height;
        return suppressed != other.suppressed ? suppressed < other.suppressed : node < other.node;
    }
};

class NodeLosses {
  public:
    // A suppressed row costs `row`. Where all rows of a node cost alike, `loss0` and `excess` (of one row) are given
    // by node; else they follow from the histograms.
    NodeLosses(const HistogramIndex& index, Costs costs, std::int64_t row, std::vector<std::int64_t> loss0 = {},
               std::vector<std::int64_t> excess = {})
        : index_(index), costs_(costs), row_(row), loss0_(std::move(loss0)), excess_(std::move(excess)),
          order_(index.nodes()), levels_(index.nodes() * index.lo().size()) {
        if (costs != Costs::kAlike) {
            loss0_.resize(index.nodes());
            for (std::size_t node = 0; node < index.nodes(); ++node)
                loss0_[node] = gone(node, kNoLimit, 0, kNoLimit).cost;
        }
        least_.reserve(index.nodes());
        for (std::size_t node = 0; node < index.nodes(); ++node) {
            least_.push_back(least_excess(node));
            const Levels levels = index.levels(node);
            std::copy(levels.begin(), levels.end(),
                      levels_.begin() + static_cast<std::ptrdiff_t>(node * levels.size()));
        }
        std::iota(order_.begin(), order_.end(), std::uint32_t{0});
        std::stable_sort(order_.begin(), order_.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return loss0_[a] < loss0_[b]; });
    }

    const HistogramIndex& index() const { return index_; }

    Priced of(Visits& visits, std::size_t node, std::int64_t k, std::int64_t l) const {
        std::optional<Priced> found;
        take(found, visits, node, k, l, kNoLimit);
        return *found;
    }

    // Of the nodes at or below `top` that suppress at most the limit, the cheapest.
    //
    // Nodes are taken by rising loss0, until it is more than the best loss: what comes after loses more. A level of
    // an attribute is barred where even top, with that level, suppresses too much: every node with it is below that.
    std::optional<Priced> cheapest(Visits& visits, const Levels& top, std::int64_t k, std::int64_t l,
                                   std::int64_t limit) const {
        if (within(visits, top, k, l, limit) > limit) return std::nullopt;
        const std::size_t attributes = top.size();
        std::vector<std::uint8_t> lowest(attributes), highest(attributes);
        for (std::size_t a = 0; a < attributes; ++a) {
            Levels lowered = top;
            while (lowered[a] > index_.lo()[a]) {
                --lowered[a];
                if (within(visits, lowered, k, l, limit) <= limit) continue;
                ++lowered[a];
                break;
            }
            lowest[a] = static_cast<std::uint8_t>(lowered[a]);
            highest[a] = static_cast<std::uint8_t>(top[a]);
        }
        std::optional<Priced> best;
        for (const std::uint32_t node : order_) {
            if (best && loss0_[node] > best->loss) break;
            const std::uint8_t* levels = levels_.data() + node * attributes;
            std::size_t a = 0;
            while (a < attributes && lowest[a] <= levels[a] && levels[a] <= highest[a]) ++a;
            if (a == attributes) take(best, visits, node, k, l, limit);
        }
        return best;
    }

    // Of the nodes of the lowest height from `height` on at which some node suppresses at most the limit, the
    // cheapest that does.
    std::optional<Priced> cheapest_from(Visits& visits, std::int64_t height, std::int64_t k, std::int64_t l,
                                        std::int64_t limit) const {
        const auto reached = index_.nearest_height(visits, height, k, l, limit);
        std::optional<Priced> best;
        if (!reached) return best;
        index_.for_height(*reached, [&](std::size_t node) {
            take(best, visits, node, k, l, limit);
            return true;
        });
        return best;
    }

  private:
    std::int64_t within(Visits& visits, const Levels& levels, std::int64_t k, std::int64_t l,
                        std::int64_t limit) const {
        const std::size_t node = index_.place(levels);
        visits.mark(node);
        return index_.histogram(node).suppressed(k, l, limit);
    }

    Histogram::Gone gone(std::size_t node, std::int64_t k, std::int64_t l, std::int64_t limit) const {
        const Histogram histogram = index_.histogram(node);
        return costs_ == Costs::kSquares ? histogram.squares(k, l, limit) : histogram.gone(k, l, limit);
    }

    // An excess that every row of the node has at least, on the average of whole lines of its histogram: requests
    // suppress whole lines.
    std::int64_t least_excess(std::size_t node) const {
        if (costs_ == Costs::kAlike) return excess_[node];
        const Histogram histogram = index_.histogram(node);
        std::int64_t dearest = 0;
        for (const Entry& entry : histogram.entries())
            dearest = std::max(dearest, costs_ == Costs::kSquares ? entry.size : histogram.dearest(entry));
        return row_ - dearest;
    }

    // Takes a node for the best where it is allowed and comes before. As many rows as cost more than the best
    // loses need not be counted.
    void take(std::optional<Priced>& best, Visits& visits, std::size_t node, std::int64_t k, std::int64_t l,
              std::int64_t limit) const {
        visits.mark(node);
        if (best && best->loss < loss0_[node]) return;
        if (best && least_[node] > 0) limit = std::min(limit, (best->loss - loss0_[node]) / least_[node]);
        const Histogram::Gone found = gone(node, k, l, limit);
        if (found.rows > limit) return;
        const std::int64_t excess =
            costs_ == Costs::kAlike ? found.rows * excess_[node] : found.rows * row_ - found.cost;
        SHOAL_ASSERT(excess >= 0);
        std::int64_t height = 0;
        for (std::size_t a = 0; a < index_.lo().size(); ++a) height += levels_[node * index_.lo().size() + a];
        const Priced priced{node, loss0_[node] + excess, height, found.rows};
        if (!best || priced.before(*best)) best = priced;
    }

    const HistogramIndex& index_;
    Costs costs_;
    std::int64_t row_;
    std::vector<std::int64_t> loss0_, excess_, least_;
    std::vector<std::uint32_t> order_;  // by loss0, then attribute order
    std::vector<std::uint8_t> levels_;  // of all nodes
};

}  // namespace shoal
