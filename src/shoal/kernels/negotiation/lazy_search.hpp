// The answers of the negotiation without all histograms, by bounds from monotonicity.
//
// A row that is not suppressed stays so when its node is generalized. So of a box, lo <= node <= hi, no node
// suppresses fewer rows than hi. Of the nodes of one height h in a box, none has an attribute a above
// lo[a] + h - height(lo), or below hi[a] - (height(hi) - h). Taking away what these facts exclude, and splitting
// what is left, finds a node of that height within the limit, or proves that there is none.
#pragma once

#include <functional>
#include <optional>
#include <unordered_set>

#include "common/assert.hpp"
#include "common/pause.hpp"
#include "negotiation/lazy_histograms.hpp"

namespace shoal {

using LevelSet = std::unordered_set<Levels, LevelsHash>;

inline int height_of(const Levels& levels) {
    int height = 0;
    for (int level : levels) height += level;
    return height;
}

struct Box {
    Levels lo, hi;

    // Takes away the levels that no node of the height has; false if none is left.
    bool fit(int height) {
        const int above = height - height_of(lo);
        if (above < 0) return false;
        for (std::size_t a = 0; a < lo.size(); ++a) hi[a] = std::min(hi[a], lo[a] + above);
        const int below = height_of(hi) - height;
        if (below < 0) return false;
        for (std::size_t a = 0; a < lo.size(); ++a) lo[a] = std::max(lo[a], hi[a] - below);
        return true;
    }

    // The parts for each level of one attribute: the first that is not fixed, or the one with most levels.
    std::vector<Box> split(bool first) const {
        std::size_t by = lo.size();
        for (std::size_t a = 0; a < lo.size(); ++a)
            if (lo[a] < hi[a] && (by == lo.size() || (!first && hi[a] - lo[a] > hi[by] - lo[by]))) by = a;
        SHOAL_ASSERT(by < lo.size());
        std::vector<Box> parts;
        for (int level = lo[by]; level <= hi[by]; ++level) {
            parts.push_back(*this);
            parts.back().lo[by] = parts.back().hi[by] = level;
        }
        return parts;
    }
};

// The node that a search has found, and whether it is proven to be the best; no node within the limit is lower than
// `bound`.
struct Lowest {
    Levels node;
    std::int64_t suppressed;
    bool proven;
    int bound;
};

// Counts suppressed rows for one k and l, and searches boxes; one a thread.
template <int W>
class BoxSearch {
  public:
    using Memo = typename LazyHistograms<W>::Memo;

    // The classes of a node at or below all that is searched with it.
    struct Base {
        const SetTable<W>* table;
        const Levels* levels;
    };

    // What other searches have counted is in `known`; what this one looks at and counts is added to the others.
    BoxSearch(const LazyHistograms<W>& histograms, std::int64_t k, std::int64_t l, std::function<bool()> stop)
        : histograms_(histograms), known_(histograms.memo()), k_(k), l_(l), stop_(std::move(stop)) {}

    LevelSet visits;
    Memo counted;

    std::int64_t suppressed(const Levels& node, const Base& from) {
        visits.insert(node);
        for (const Memo* memo : {&known_, static_cast<const Memo*>(&counted)}) {
            const auto found = memo->find(node);
            if (found != memo->end()) return found->second;
        }
        const std::int64_t rows = grouper_.suppressed(*from.table, histograms_.book().transform(*from.levels, node),
                                                      histograms_.widths(), k_, l_);
        counted.emplace(node, rows);
        return rows;
    }

    // A node of the height in the box that suppresses at most the limit, with `first` the first in attribute
    // order; none also where it is stopped.
    std::optional<Levels> search(Box box, int height, std::int64_t limit, bool first, const Base& outer) {
        if (!box.fit(height) || stop_() || suppressed(box.hi, outer) > limit) return std::nullopt;
        if (box.lo == box.hi) return box.lo;
        SetTable<W> table;
        Base base = outer;
        if (box.lo != *outer.levels) {
            grouper_.roll_up(*outer.table, histograms_.book().transform(*outer.levels, box.lo), table);
            base = {&table, &box.lo};
        }
        for (Box& part : box.split(first))
            if (auto found = search(std::move(part), height, limit, first, base)) return found;
        return std::nullopt;
    }

  private:
    const LazyHistograms<W>& histograms_;
    const Memo& known_;
    std::int64_t k_, l_;
    std::function<bool()> stop_;
    SetGrouper<W> grouper_;
};

template <int W>
class LazySearch {
  public:
    // The pause is made by this thread alone. Once `over` is true, the best so far is the answer.
    LazySearch(LazyHistograms<W>& histograms, LevelSet& visits, std::int64_t k, std::int64_t l, int threads,
               Pause pause, std::function<bool()> over)
        : histograms_(histograms), visits_(visits), k_(k), l_(l), threads_(threads), pause_(std::move(pause)),
          over_(std::move(over)) {
        histograms_.ask(k, l);
    }

    // Of the nodes from lo to hi of at least a height that suppress at most the limit: the lowest, of these the
    // one that suppresses fewest, of these the first in attribute order.
    std::optional<Lowest> lowest(const Levels& lo, const Levels& hi, int least, std::int64_t limit) {
        if (height_of(hi) < least || suppressed(hi) > limit) return std::nullopt;
        const Box box{raised(lo, hi, limit), hi};
        least = std::max(least, height_of(box.lo));
        Levels node = lowered(hi, box.lo, least, limit);
        while (height_of(node) > least) {
            const auto lower = search(box, height_of(node) - 1, limit, false);
            if (!lower) break;
            node = lowered(*lower, box.lo, least, limit);
        }
        if (over_()) return Lowest{node, suppressed(node), false, least};
        // Fewer and fewer of this height, until none is left that has fewer; then the first of them.
        std::int64_t fewest = suppressed(node);
        while (fewest > 0) {
            const auto better = search(box, height_of(node), fewest - 1, false);
            if (!better) break;
            node = *better;
            fewest = suppressed(node);
        }
        const auto first = search(box, height_of(node), fewest, true);
        SHOAL_ASSERT(first || over_());
        return Lowest{first ? *first : node, fewest, !over_(), height_of(node)};
    }

  private:
    typename BoxSearch<W>::Base bottom() const { return {&histograms_.bottom(), &histograms_.bottom_levels()}; }

    std::int64_t suppressed(const Levels& node) {
        pause_();
        BoxSearch<W> one(histograms_, k_, l_, [] { return false; });
        const std::int64_t rows = one.suppressed(node, bottom());
        take(one);
        return rows;
    }

    void take(BoxSearch<W>& done) {
        visits_.merge(done.visits);
        histograms_.remember(std::move(done.counted));
    }

    // The lowest level of each attribute that a node within the limit can have: where even hi, with a level, is
    // beyond it, so is every node of the box with that level.
    Levels raised(const Levels& lo, const Levels& hi, std::int64_t limit) {
        Levels found = lo;
        for (std::size_t a = 0; a < hi.size(); ++a) {
            Levels node = hi;
            for (node[a] = lo[a]; node[a] < hi[a] && !over_() && suppressed(node) > limit;) found[a] = ++node[a];
        }
        return found;
    }

    // A node below this one that cannot be lowered within the limit: always the step that adds fewest.
    Levels lowered(Levels node, const Levels& lo, int least, std::int64_t limit) {
        while (height_of(node) > least) {
            std::int64_t fewest = limit;
            std::size_t step = node.size();
            for (std::size_t a = 0; a < node.size() && !over_(); ++a) {
                if (node[a] == lo[a]) continue;
                --node[a];
                const std::int64_t rows = suppressed(node);
                ++node[a];
                if (rows < fewest || (rows == fewest && step == node.size())) {
                    fewest = rows;
                    step = a;
                }
            }
            if (step == node.size() || over_()) break;
            --node[step];
        }
        return node;
    }

    // As BoxSearch's, on all threads, and none where the time is over: the box is split into parts in the order of
    // the search, and the first part that has a node gives it. What later parts have looked at does not count, so
    // that the visits do not depend on the threads either.
    std::optional<Levels> search(const Box& box, int height, std::int64_t limit, bool first) {
        std::vector<Box> parts{box};
        for (bool more = true; more && parts.size() < kParts && !over_();) {
            std::vector<Box> finer;
            more = false;
            for (Box& part : parts) {
                if (!part.fit(height) || over_() || suppressed(part.hi) > limit) continue;
                if (part.lo == part.hi) {
                    finer.push_back(part);
                    continue;
                }
                more = true;
                for (Box& piece : part.split(first)) finer.push_back(std::move(piece));
            }
            parts = std::move(finer);
        }
        std::vector<std::unique_ptr<BoxSearch<W>>> searches(parts.size());
        std::vector<std::optional<Levels>> found(parts.size());
        std::atomic<std::size_t> next{0}, winner{parts.size()};
        std::exception_ptr failure;
        std::mutex failing;
        const auto work = [&](bool pausing) {
            try {
                for (std::size_t i; (i = next.fetch_add(1)) < winner;) {
                    searches[i] = std::make_unique<BoxSearch<W>>(histograms_, k_, l_, [&, i, pausing] {
                        if (pausing) pause_();
                        return winner < i || over_();
                    });
                    found[i] = searches[i]->search(parts[i], height, limit, first, bottom());
                    if (!found[i]) continue;
                    for (std::size_t best = winner; i < best && !winner.compare_exchange_weak(best, i);) {
                    }
                }
            } catch (...) {
                const std::lock_guard<std::mutex> lock(failing);
                failure = std::current_exception();
                winner = 0;
            }
        };
        std::vector<std::thread> helpers;
        for (int i = 1; i < threads_; ++i) helpers.emplace_back(work, false);
        work(true);
        for (auto& helper : helpers) helper.join();
        if (failure) std::rethrow_exception(failure);
        for (std::size_t i = 0; i < parts.size() && i <= winner; ++i)
            if (searches[i]) take(*searches[i]);
        return winner < parts.size() ? found[winner] : std::nullopt;
    }

    static constexpr std::size_t kParts = 64;

    LazyHistograms<W>& histograms_;
    LevelSet& visits_;
    std::int64_t k_, l_;
    int threads_;
    Pause pause_;
    std::function<bool()> over_;  // for all threads
};

}  // namespace shoal
