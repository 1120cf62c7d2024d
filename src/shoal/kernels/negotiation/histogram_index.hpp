// All histograms of a lattice, and the searches of the negotiation over them.
#pragma once

#include <cstring>
#include <optional>

#include "common/assert.hpp"
#include "negotiation/histogram_box.hpp"

namespace shoal {

// The nodes at whose histograms a request has looked.
class Visits {
  public:
    explicit Visits(std::size_t nodes) : seen_(checked(nodes), false) {}

    void mark(std::size_t node) {
        if (seen_.at(node)) return;
        seen_[node] = true;
        places_.push_back(node);
    }

    std::size_t count() const { return places_.size(); }

    // In the order of the first look.
    const std::vector<std::size_t>& places() const { return places_; }

  private:
    // Far more than any index has; memory for more would not be there.
    static std::size_t checked(std::size_t nodes) {
        if (nodes > std::size_t{1} << 32) throw std::invalid_argument("no index has so many nodes");
        return nodes;
    }

    std::vector<bool> seen_;
    std::vector<std::size_t> places_;
};

struct Found {
    std::size_t node;
    std::int64_t height, suppressed;

    // Lower first, then fewer suppressed, then attribute order, which is that of the places.
    bool before(const Found& other) const {
        if (height != other.height) return height < other.height;
        return suppressed != other.suppressed ? suppressed < other.suppressed : node < other.node;
    }
};

class HistogramIndex {
  public:
    // A `row` costs at most so much, suppressed ones too; kNoCosts where classes have none.
    HistogramIndex(Levels lo, Levels hi, bool sensitive, std::int64_t rows, std::int64_t row, PackedHistograms packed)
        : lo_(std::move(lo)), hi_(std::move(hi)), sensitive_(sensitive), rows_(rows), row_(row), strides_(lo_, hi_),
          packed_(std::move(packed)) {
        sort_by_height();
    }

    // From bytes that may be anything; throws where they are no such index.
    static HistogramIndex load(Levels lo, Levels hi, bool sensitive, std::int64_t rows, std::int64_t row,
                               const std::uint8_t* data, std::size_t length) {
        const auto refuse = [] { throw std::invalid_argument("these bytes are no index of this lattice"); };
        std::size_t nodes = 1;
        for (std::size_t a = 0; a < lo.size(); ++a) {
            nodes *= static_cast<std::size_t>(hi[a] - lo[a] + 1);
            if (nodes > length) refuse();  // before it is too large for a number
        }
        const std::size_t head = (nodes + 1) * sizeof(std::uint64_t);
        PackedHistograms packed;
        if (rows < 1 || length < head) refuse();
        packed.starts.resize(nodes + 1);
        std::memcpy(packed.starts.data(), data, head);
        packed.bytes.assign(data + head, data + length);
        if (packed.starts[0] != 0 || packed.starts[nodes] != packed.bytes.size()) refuse();
        for (std::size_t i = 0; i < nodes; ++i)
            if (packed.starts[i] > packed.starts[i + 1]) refuse();
        const std::uint8_t* bytes = packed.bytes.data();
        for (std::size_t i = 0; i < nodes; ++i)
            if (!Histogram::check(bytes + packed.starts[i], bytes + packed.starts[i + 1], sensitive, rows, row))
                refuse();
        return HistogramIndex(std::move(lo), std::move(hi), sensitive, rows, row, std::move(packed));
    }

    Bytes dump() const {
        const std::size_t head = packed_.starts.size() * sizeof(std::uint64_t);
        Bytes out(head + packed_.bytes.size());
        std::memcpy(out.data(), packed_.starts.data(), head);
        std::copy(packed_.bytes.begin(), packed_.bytes.end(), out.begin() + static_cast<std::ptrdiff_t>(head));
        return out;
    }

    std::size_t nodes() const { return strides_.nodes; }
    std::int64_t rows() const { return rows_; }
    bool priced() const { return row_ != kNoCosts; }
    std::int64_t row() const { return row_; }
    const Levels& lo() const { return lo_; }
    const Levels& hi() const { return hi_; }
    std::size_t size() const { return packed_.starts.size() * sizeof(std::uint64_t) + packed_.bytes.size(); }

    std::size_t place(const Levels& levels) const {
        if (levels.size() != lo_.size()) throw std::invalid_argument("one level per attribute is needed");
        std::size_t node = 0;
        for (std::size_t a = 0; a < lo_.size(); ++a) {
            if (levels[a] < lo_[a] || levels[a] > hi_[a]) throw std::out_of_range("no such level");
            node += (levels[a] - lo_[a]) * strides_.of[a];
        }
        return node;
    }

    Levels levels(std::size_t node) const {
        Levels found(lo_.size());
        for (std::size_t a = 0; a < lo_.size(); ++a) {
            found[a] = lo_[a] + static_cast<int>(node / strides_.of[a]);
            node %= strides_.of[a];
        }
        return found;
    }

    Histogram histogram(std::size_t node) const {
        SHOAL_ASSERT(node < nodes());
        const std::uint8_t* bytes = packed_.bytes.data();
        return Histogram(bytes + packed_.starts[node], bytes + packed_.starts[node + 1], sensitive_, priced());
    }

    // ExactSublatticeSearch: from the top acceptable node down through all nodes that suppress at most the
    // limit. Returns the lowest of them, of these the one that suppresses fewest, the first in attribute order.
    std::optional<Found> lowest(Visits& visits, const Levels& top, std::int64_t k, std::int64_t l,
                                std::int64_t limit) const {
        std::optional<Found> best;
        std::vector<bool> seen(nodes(), false);
        std::vector<Found> open;
        const auto visit = [&](std::size_t node, std::int64_t height) {
            if (seen[node]) return;
            seen[node] = true;
            visits.mark(node);
            const Found found{node, height, histogram(node).suppressed(k, l, limit)};
            if (found.suppressed > limit) return;
            if (!best || found.before(*best)) best = found;
            open.push_back(found);
        };
        visit(place(top), height_of(top));
        while (!open.empty()) {
            const Found from = open.back();
            open.pop_back();
            std::size_t rest = from.node;
            for (std::size_t a = 0; a < lo_.size(); ++a) {
                if (rest >= strides_.of[a]) visit(from.node - strides_.of[a], from.height - 1);
                rest %= strides_.of[a];
            }
        }
        return best;
    }

    // ApproximateH: the one of `nearest_height` that suppresses fewest, the first in attribute order.
    std::optional<Found> lowest_from(Visits& visits, std::int64_t height, std::int64_t k, std::int64_t l,
                                     std::int64_t limit) const {
        const auto reached = nearest_height(visits, height, k, l, limit);
        if (!reached) return std::nullopt;
        std::optional<Found> best;
        for_height(*reached, [&](std::size_t node) {
            visits.mark(node);
            const Found found{node, *reached, histogram(node).suppressed(k, l, best ? best->suppressed : limit)};
            if (found.suppressed <= limit && (!best || found.before(*best))) best = found;
            return true;
        });
        return best;
    }

    // Bisects the heights from `height` on for the lowest at which some node suppresses at most the limit.
    std::optional<std::int64_t> nearest_height(Visits& visits, std::int64_t height, std::int64_t k, std::int64_t l,
                                               std::int64_t limit) const {
        std::int64_t low = std::max(height, height_of(lo_)), high = height_of(hi_);
        std::optional<std::int64_t> reached;
        while (low <= high) {
            const std::int64_t middle = low + (high - low) / 2;
            bool some = false;
            for_height(middle, [&](std::size_t node) {
                visits.mark(node);
                some = histogram(node).suppressed(k, l, limit) <= limit;
                return !some;
            });
            if (some) {
                reached = middle;
                high = middle - 1;
            } else {
                low = middle + 1;
            }
        }
        return reached;
    }

    // Calls f with the nodes of a height, in attribute order, while it returns true.
    template <typename F>
    void for_height(std::int64_t height, F&& f) const {
        const std::int64_t above = height - height_of(lo_);
        for (std::size_t i = height_starts_[above]; i < height_starts_[above + 1]; ++i)
            if (!f(by_height_[i])) return;
    }

    std::vector<std::int64_t> map(std::int64_t k, std::int64_t l) const {
        std::vector<std::int64_t> out(nodes());
        for (std::size_t node = 0; node < nodes(); ++node) out[node] = histogram(node).suppressed(k, l, kNoLimit);
        return out;
    }

  private:
    static std::int64_t height_of(const Levels& levels) {
        std::int64_t height = 0;
        for (int level : levels) height += level;
        return height;
    }

    void sort_by_height() {
        const std::size_t heights = static_cast<std::size_t>(height_of(hi_) - height_of(lo_)) + 1;
        std::vector<std::uint16_t> heights_of(nodes());
        height_starts_.assign(heights + 1, 0);
        Levels above(lo_.size(), 0);
        std::size_t height = 0;
        for (std::size_t node = 0; node < nodes(); ++node) {
            heights_of[node] = static_cast<std::uint16_t>(height);
            ++height_starts_[height + 1];
            for (std::size_t a = lo_.size(); a-- > 0;) {  // the next node in attribute order
                if (above[a] < hi_[a] - lo_[a]) {
                    ++above[a];
                    ++height;
                    break;
                }
                height -= static_cast<std::size_t>(above[a]);
                above[a] = 0;
            }
        }
        for (std::size_t h = 0; h < heights; ++h) height_starts_[h + 1] += height_starts_[h];
        std::vector<std::size_t> next = height_starts_;
        by_height_.resize(nodes());
        for (std::size_t node = 0; node < nodes(); ++node) by_height_[next[heights_of[node]]++] = node;
    }

    Levels lo_, hi_;
    bool sensitive_;
    std::int64_t rows_, row_;
    Strides strides_;
    PackedHistograms packed_;
    std::vector<std::size_t> by_height_, height_starts_;
};

}  // namespace shoal
