// The answers of the negotiation without all histograms, by bounds from monotonicity.
//
// The rows that a node suppresses never become more when it is generalized. So of a box, lo <= node <= hi, no
// node suppresses fewer than hi; and none whose attribute a is at its lowest suppresses fewer than hi with a at
// lo[a]. Of the nodes of one height h in a box, none has a above lo[a] + h - height(lo), or below
// hi[a] - (height(hi) - h). Taking away what these facts exclude, again and again, and splitting what is left,
// finds a node of that height within the limit, or proves that there is none.
#pragma once

#include <functional>
#include <unordered_set>

#include "lazy_histograms.hpp"

namespace shoal {

using LevelSet = std::unordered_set<Levels, LevelsHash>;

template <int W>
class LazySearch {
  public:
    // `pause` is called now and then and may throw.
    template <typename Pause>
    LazySearch(LazyHistograms<W>& histograms, LevelSet& visits, std::int64_t k, std::int64_t l, Pause&& pause)
        : histograms_(histograms), visits_(visits), k_(k), l_(l), pause_(std::forward<Pause>(pause)) {}

    // Of the nodes from lo to hi of at least a height that suppress at most the limit: the lowest, of these the
    // one that suppresses fewest, of these the first in attribute order.
    std::optional<std::pair<Levels, std::int64_t>> lowest(const Levels& lo, const Levels& hi, int least,
                                                          std::int64_t limit) {
        const Base base{&histograms_.bottom(), &histograms_.bottom_levels()};
        if (suppressed(hi, base) > limit || height_of(hi) < least) return std::nullopt;
        least = std::max(least, height_of(lo));
        Levels node = lowered(hi, lo, least, limit, base);
        for (int height = height_of(node); height > least; height = height_of(node)) {
            limit_ = limit;
            if (!search({lo, hi}, height - 1, false, base)) break;
            node = lowered(best_, lo, least, limit, base);
        }
        // Fewer and fewer of this height, until none is left that has fewer; then the first of them.
        const int height = height_of(node);
        std::int64_t fewest = suppressed(node, base);
        for (limit_ = fewest - 1; limit_ >= 0 && search({lo, hi}, height, false, base); limit_ = fewest - 1)
            fewest = suppressed(best_, base);
        limit_ = fewest;
        search({lo, hi}, height, true, base);
        return std::make_pair(best_, fewest);
    }

  private:
    struct Box {
        Levels lo, hi;
    };

    // A table at or below all nodes of a box.
    struct Base {
        const SetTable<W>* table;
        const Levels* levels;
    };

    static int height_of(const Levels& levels) {
        int height = 0;
        for (int level : levels) height += level;
        return height;
    }

    std::int64_t suppressed(const Levels& node, const Base& base) {
        visits_.insert(node);
        auto found = histograms_.kept(node);
        if (!found) {
            if (++made_ % 64 == 0) pause_();
            found = histograms_.made(node, *base.table, *base.levels);
        }
        return found->suppressed(k_, l_, kNoLimit);
    }

    // A node below this one that cannot be lowered within the limit: always the step that adds fewest.
    Levels lowered(Levels node, const Levels& lo, int least, std::int64_t limit, const Base& base) {
        for (int height = height_of(node); height > least; --height) {
            std::int64_t fewest = limit;
            std::size_t step = node.size();
            for (std::size_t a = 0; a < node.size(); ++a) {
                if (node[a] == lo[a]) continue;
                --node[a];
                const std::int64_t rows = suppressed(node, base);
                ++node[a];
                if (rows < fewest || (rows == fewest && step == node.size())) {
                    fewest = rows;
                    step = a;
                }
            }
            if (step == node.size()) break;
            --node[step];
        }
        return node;
    }

    // Finds a node of a height in the box that suppresses at most limit_ and puts it into best_; with `first`
    // the first in attribute order. False if there is none.
    bool search(Box box, int height, bool first, const Base& outer) {
        if (!fit(box, height)) return false;
        SetTable<W> own;
        Base base = outer;
        const Levels low = box.lo;
        if (low != *outer.levels) {
            histograms_.roll_up(*outer.table, *outer.levels, low, own);
            base = {&own, &low};
        }
        if (!shave(box, height, base)) return false;
        std::size_t split = box.lo.size();
        for (std::size_t a = 0; a < box.lo.size(); ++a) {
            if (box.lo[a] == box.hi[a]) continue;
            if (split == box.lo.size() || box.hi[a] - box.lo[a] > box.hi[split] - box.lo[split]) split = a;
            if (first) break;
        }
        if (split == box.lo.size()) {
            best_ = box.lo;
            return true;
        }
        Box lower = box, upper = std::move(box);
        lower.hi[split] = first ? lower.lo[split] : (lower.lo[split] + lower.hi[split]) / 2;
        upper.lo[split] = lower.hi[split] + 1;
        return search(std::move(lower), height, first, base) || search(std::move(upper), height, first, base);
    }

    // Takes away the levels that no node of the height has; false if none is left.
    static bool fit(Box& box, int height) {
        const int above = height - height_of(box.lo);
        if (above < 0) return false;
        for (std::size_t a = 0; a < box.lo.size(); ++a) box.hi[a] = std::min(box.hi[a], box.lo[a] + above);
        const int below = height_of(box.hi) - height;
        if (below < 0) return false;
        for (std::size_t a = 0; a < box.lo.size(); ++a) box.lo[a] = std::max(box.lo[a], box.hi[a] - below);
        return true;
    }

    // Takes away the lowest levels that only nodes beyond the limit have; false if none is left.
    bool shave(Box& box, int height, const Base& base) {
        for (bool changed = true; changed;) {
            changed = false;
            if (!fit(box, height) || suppressed(box.hi, base) > limit_) return false;
            for (std::size_t a = 0; a < box.lo.size(); ++a) {
                Levels node = box.hi;
                for (node[a] = box.lo[a]; node[a] < box.hi[a] && suppressed(node, base) > limit_; ++node[a]) changed = true;
                box.lo[a] = node[a];
            }
        }
        return true;
    }

    LazyHistograms<W>& histograms_;
    LevelSet& visits_;
    std::int64_t k_, l_, limit_ = 0;
    std::function<void()> pause_;
    std::size_t made_ = 0;
    Levels best_;
};

}  // namespace shoal
