// The best cuts so far, shared by the threads of a search.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "common/assert.hpp"
#include "cuts/rules.hpp"

namespace shoal {

// A cut: the values that were specialized to reach it, in ascending order.
struct CutFound {
    std::int64_t cost;
    std::vector<int> specialized;
};

// Of two cuts with the same cost that one comes first which, at the first value that only one of them specializes, is
// the one that does not. So a cut comes before all that specialize it further, and ties have one answer, whatever the
// order of the search.
inline bool comes_first(const std::vector<int>& a, const std::vector<int>& b) {
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
        if (a[i] != b[i]) return a[i] > b[i];
    return a.size() < b.size();
}

constexpr std::int64_t kSlackUnit = 1 << 20;

class Incumbents {
  public:
    // `slack`, in parts of kSlackUnit of the cost: how little an improvement may be to be let go.
    Incumbents(int keep, std::int64_t slack) : keep_(keep), slack_(slack) {}

    // No cut of more than this cost is of interest.
    std::int64_t cutoff() const { return cutoff_.load(std::memory_order_relaxed); }

    // Whether no cut at or below the one that specializes these values can be among the best, if all of them cost at
    // least `bound`.
    bool beaten(std::int64_t bound, const std::vector<int>& specialized) {
        const std::int64_t cutoff = cutoff_.load(std::memory_order_relaxed);
        if (bound > cutoff || bound >= kNever) return true;
        if (slack_ > 0 && cutoff < kNever && bound >= least_of_interest(cutoff)) {
            std::lock_guard<std::mutex> lock(mutex_);
            left_out_ = std::min(left_out_, bound);
            return true;
        }
        if (bound < cutoff) return false;
        std::vector<int> sorted = specialized;
        std::sort(sorted.begin(), sorted.end());
        std::lock_guard<std::mutex> lock(mutex_);
        if (bound != cutoff_.load()) return bound > cutoff_.load();
        return !comes_first(sorted, best_.back().specialized);
    }

    void offer(std::int64_t cost, std::vector<int> specialized) {
        std::sort(specialized.begin(), specialized.end());
        std::lock_guard<std::mutex> lock(mutex_);
        std::size_t at = 0;
        for (; at < best_.size(); ++at) {
            if (best_[at].specialized == specialized) return;
            if (cost != best_[at].cost ? cost < best_[at].cost : comes_first(specialized, best_[at].specialized)) break;
        }
        if (static_cast<int>(at) == keep_) return;
        best_.insert(best_.begin() + at, {cost, std::move(specialized)});
        SHOAL_ASSERT(at == 0 || best_[at - 1].cost <= cost);
        SHOAL_ASSERT(at + 1 == best_.size() || cost <= best_[at + 1].cost);
        if (static_cast<int>(best_.size()) > keep_) best_.pop_back();
        if (static_cast<int>(best_.size()) == keep_) cutoff_.store(best_.back().cost);
    }

    std::vector<CutFound> best() {
        std::lock_guard<std::mutex> lock(mutex_);
        return best_;
    }

    // The least bound of what was let go.
    std::int64_t left_out() {
        std::lock_guard<std::mutex> lock(mutex_);
        return left_out_;
    }

  private:
    std::int64_t least_of_interest(std::int64_t cutoff) const {
        // The cost in parts, those first that are whole: so no product is too large for a number.
        const std::int64_t rest = cutoff & (kSlackUnit - 1);
        return cutoff - (cutoff - rest) / kSlackUnit * slack_ - rest * slack_ / kSlackUnit;
    }

    int keep_;
    std::int64_t slack_;
    std::mutex mutex_;
    std::vector<CutFound> best_;
    std::atomic<std::int64_t> cutoff_{kNever};
    std::int64_t left_out_ = kNever;
};

}  // namespace shoal
