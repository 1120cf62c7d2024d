// Histograms one by one, for lattices too large for all of them; the latest are kept while they fit a budget.
#pragma once

#include <list>
#include <unordered_map>

#include "negotiation/histogram_box.hpp"

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

    const Codebook& book() const { return book_; }
    const SetTable<W>& bottom() const { return bottom_; }
    const Levels& bottom_levels() const { return levels_; }
    const std::vector<int>& widths() const { return widths_; }

    // The histogram of a node. It can be read until another one is asked for.
    Histogram histogram(const Levels& node) {
        const auto found = places_.find(node);
        if (found != places_.end()) {
            recent_.splice(recent_.begin(), recent_, found->second);
        } else {
            recent_.emplace_front(node, packed(node));
            places_[node] = recent_.begin();
            histogram_bytes_ += cost(recent_.front());
            while (histogram_bytes_ > budget_ / 2 && recent_.size() > 1) {  // the oldest go
                histogram_bytes_ -= cost(recent_.back());
                places_.erase(recent_.back().first);
                recent_.pop_back();
            }
        }
        const Bytes& bytes = recent_.front().second;
        return Histogram(bytes.data(), bytes.data() + bytes.size(), !widths_.empty());
    }

    // The suppressed rows of the nodes that the searches for the last k and l have looked at.
    using Memo = std::unordered_map<Levels, std::int64_t, LevelsHash>;

    const Memo& memo() const { return memo_; }

    // Says what the memo is of from now on.
    void ask(std::int64_t k, std::int64_t l) {
        if (k != memo_k_ || l != memo_l_) memo_.clear();
        memo_k_ = k;
        memo_l_ = l;
    }

    void remember(Memo&& counted) {
        evaluated_ += counted.size();
        memo_.merge(counted);
        if (memo_bytes() > budget_ / 2) memo_.clear();
    }

    std::size_t bytes() const { return histogram_bytes_ + memo_bytes(); }
    std::size_t evaluated() const { return evaluated_; }

  private:
    using Recent = std::list<std::pair<Levels, Bytes>>;

    Bytes packed(const Levels& node) {
        SetTable<W> table;
        grouper_.roll_up(bottom_, book_.transform(levels_, node), table);
        for (std::size_t g = 0; g < table.size(); ++g)
            writer_.add(table.sizes[g],
                        widths_.empty() ? 0 : distinct_values(table.bits.data() + g * table.words, widths_));
        Bytes out;
        writer_.write(out);
        out.shrink_to_fit();
        ++evaluated_;
        return out;
    }

    // With what the containers need for each.
    static std::size_t cost(const std::pair<Levels, Bytes>& kept) {
        return kept.second.size() + 2 * kept.first.size() * sizeof(int) + 160;
    }
    std::size_t memo_bytes() const { return memo_.size() * (levels_.size() * sizeof(int) + 88); }

    const Codebook& book_;
    Levels levels_;
    SetTable<W> bottom_;
    std::vector<int> widths_;
    std::size_t budget_, histogram_bytes_ = 0, evaluated_ = 0;
    Recent recent_;  // the latest first
    std::unordered_map<Levels, typename Recent::iterator, LevelsHash> places_;
    Memo memo_;
    std::int64_t memo_k_ = -1, memo_l_ = -1;
    SetGrouper<W> grouper_;
    HistogramWriter writer_;
};

}  // namespace shoal
