// Histograms one by one, for lattices too large for all of them; the latest are kept while they fit a budget.
#pragma once

#include <list>
#include <optional>
#include <unordered_map>

#include "histogram_box.hpp"

namespace shoal {

struct LevelsHash {
    std::size_t operator()(const Levels& levels) const {
        std::uint64_t h = 0;
        for (int level : levels) h = (h ^ static_cast<std::uint64_t>(level)) * 0x9E3779B97F4A7C15ull;
        return static_cast<std::size_t>(h ^ (h >> 29));
    }
};

template <int W>
class LazyHistograms {
  public:
    LazyHistograms(const Codebook& book, SetTable<W> bottom, Levels levels, std::vector<int> widths, std::size_t budget)
        : book_(book), levels_(std::move(levels)), bottom_(std::move(bottom)), widths_(std::move(widths)),
          budget_(budget), writer_(!widths_.empty()) {}

    const SetTable<W>& bottom() const { return bottom_; }
    const Levels& bottom_levels() const { return levels_; }

    // The histogram of a node if it is kept. It can be read until another one is made.
    std::optional<Histogram> kept(const Levels& node) {
        const auto found = places_.find(node);
        if (found == places_.end()) return std::nullopt;
        recent_.splice(recent_.begin(), recent_, found->second);
        return latest();
    }

    // The histogram of a node, rolled up from the classes of any node at or below it.
    Histogram made(const Levels& node, const SetTable<W>& source, const Levels& source_levels) {
        roll_up(source, source_levels, node, scratch_);
        for (std::size_t g = 0; g < scratch_.size(); ++g)
            writer_.add(scratch_.sizes[g],
                        widths_.empty() ? 0 : distinct_values(scratch_.bits.data() + g * scratch_.words, widths_));
        Bytes packed;
        writer_.write(packed);
        packed.shrink_to_fit();
        bytes_ += cost(node, packed);
        recent_.emplace_front(node, std::move(packed));
        places_[node] = recent_.begin();
        while (bytes_ > budget_ && recent_.size() > 1) {  // the oldest go
            bytes_ -= cost(recent_.back().first, recent_.back().second);
            places_.erase(recent_.back().first);
            recent_.pop_back();
        }
        ++evaluated_;
        return latest();
    }

    Histogram histogram(const Levels& node) {
        const auto found = kept(node);
        return found ? *found : made(node, bottom_, levels_);
    }

    void roll_up(const SetTable<W>& source, const Levels& source_levels, const Levels& target, SetTable<W>& out) {
        grouper_.roll_up(source, book_.transform(source_levels, target), out);
    }

    std::size_t bytes() const { return bytes_; }
    std::size_t evaluated() const { return evaluated_; }

  private:
    using Recent = std::list<std::pair<Levels, Bytes>>;

    Histogram latest() const {
        const Bytes& packed = recent_.front().second;
        return Histogram(packed.data(), packed.data() + packed.size(), !widths_.empty());
    }

    static std::size_t cost(const Levels& levels, const Bytes& packed) {
        return packed.size() + 2 * levels.size() * sizeof(int) + 160;  // and what list and map need for it
    }

    const Codebook& book_;
    Levels levels_;
    SetTable<W> bottom_, scratch_;
    std::vector<int> widths_;
    std::size_t budget_, bytes_ = 0, evaluated_ = 0;
    Recent recent_;  // the latest first
    std::unordered_map<Levels, typename Recent::iterator, LevelsHash> places_;
    SetGrouper<W> grouper_;
    HistogramWriter writer_;
};

}  // namespace shoal
