// Branch and bound over cuts, depth first.
//
// A frame is a cut whose values are open or locked. Its first child specializes one open value; its second locks it,
// which is the same cut with less ahead of it. Together they reach every cut once (Theorem 1 of the paper: this is its
// enumeration tree, with the loop over children unrolled), and locking is its backtracking step that raises the bound.
#pragma once

#include <chrono>

#include "common/assert.hpp"
#include "cuts/frame.hpp"
#include "cuts/incumbents.hpp"
#include "cuts/task.hpp"
#include "cuts/value_order.hpp"

namespace shoal {

template <class Count>
class Worker {
    using Frame = CutFrame<Count>;

  public:
    Worker(const Trees& trees, const Rules& rules, const SearchOptions& options, Incumbents& incumbents)
        : trees_(trees), rules_(rules), options_(options), incumbents_(incumbents),
          groups_(trees, rules, options.techniques), order_(trees, options.ascending) {}

    bool idle() const { return frames_.empty(); }
    std::int64_t examined() const { return examined_; }
    std::int64_t burst() const { return burst_; }  // steps since the last one began
    void begin_burst() { burst_ = 0; }

    // The least that anything still ahead of this worker can cost.
    std::int64_t bound() const {
        std::int64_t least = kNever;
        for (const Frame& frame : frames_)
            if (frame.phase != Phase::Done) least = std::min(least, frame.bound);
        return least;
    }

    // Begins with the most general cut, which is a solution, too: its groups, and the combinations in each.
    template <class Fill>
    void begin(const std::vector<int>& open, Fill&& fill) {
        frames_.emplace_back();
        Frame& frame = frames_.back();
        frame.open = open;
        frame.sum = -rules_.refund();
        fill(groups_);
        learns_ = options_.learn && groups_.items() <= kFew;
        frame.end = groups_.listed();
        for (std::size_t g = 0; g < frame.end && !frame.never; ++g) frame.count_in(groups_[g]);
        frame.bound = frame.sum;
        frame.never = frame.never || frame.alive == 0 || frame.least_lost > rules_.most_lost;
        ++examined_;
        if (!frame.never) offer(frame);
    }

    // Takes up a part.
    void begin(Task<Count> task) {
        groups_.unpack(std::move(task.groups));
        learns_ = options_.learn && groups_.items() <= kFew;
        specialized_ = std::move(task.specialized);
        begin_burst();
        frames_.emplace_back();
        Frame& frame = frames_.back();
        frame.open = std::move(task.open);
        frame.end = groups_.listed();
        frame.sum = -rules_.refund();
        for (std::size_t g = 0; g < frame.end; ++g) frame.count_in(groups_[g]);
        frame.bound = task.bound;
    }

    // Gives its memory back, having nothing to do.
    void rest() { groups_.clear(); }

    // Works until the deadline, or for so many steps, or until all is done.
    template <class Meanwhile>
    void run(std::chrono::steady_clock::time_point deadline, std::int64_t most, Meanwhile&& meanwhile) {
        for (std::int64_t steps = 1; !frames_.empty(); ++steps) {
            if (!step(deadline)) return;
            ++burst_;
            const bool looks = steps % 16 == 0 || groups_.items() > kQuick;
            if (steps == most || (looks && std::chrono::steady_clock::now() >= deadline)) return;
            meanwhile(*this);
        }
    }

    // Gives the second child of the highest frame that has one waiting to another worker.
    std::vector<Task<Count>> give_highest() {
        std::vector<Task<Count>> tasks;
        std::ptrdiff_t own = 0;
        for (const Frame& frame : frames_) own += frame.specialized;
        std::vector<int> specialized(specialized_.begin(), specialized_.end() - own);
        for (std::size_t f = 0; f + 1 < frames_.size() && tasks.empty(); ++f) {
            if (frames_[f].specialized) specialized.push_back(frames_[f - 1].value);
            give(frames_[f], specialized, tasks, Groups<Count>::kRoom);
        }
        return tasks;
    }

    // Gives what is ahead of this worker back, from the last frame on: parts no larger than `most` bytes, and of all no
    // more than `room`.
    std::vector<Task<Count>> give_back(std::size_t most, std::size_t room) {
        std::vector<Task<Count>> tasks;
        while (!frames_.empty()) {
            const std::size_t bytes = groups_.bytes(frames_.back().mark.listed, frames_.back().end);
            if (bytes > std::min(most, room)) break;
            room -= bytes;
            give(frames_.back(), specialized_, tasks, 1);
            pop();
        }
        return tasks;
    }

  private:
    static constexpr std::size_t kFew = 50'000;   // items: trying values out on more takes longer than it saves
    static constexpr std::size_t kQuick = 1'000;  // items: with more a step may take milliseconds
    static constexpr std::size_t kLarge = 8;      // items: groups with more come first
    static constexpr std::int64_t kNear = 64;  // the dearer bounds pay where this part of the bound is all that lacks

    // One step; false if the time was over before it, having tried some values out: the next call goes on there.
    bool step(std::chrono::steady_clock::time_point deadline) {
        Frame& frame = frames_.back();
        const bool beaten = frame.phase == Phase::Done || frame.never || incumbents_.beaten(frame.bound, specialized_);
        if (beaten || (frame.phase == Phase::New && frame.open.empty())) {
            pop();
        } else if (frame.phase == Phase::New) {
            const bool learning = learns_ && incumbents_.cutoff() < kNever;
            if (learning && !try_all(frame, deadline)) return false;
            frame.value = learning ? order_.most_rise(frame.open) : order_.most_rows(frame.open);
            frame.phase = Phase::First;
            specialized_.push_back(frame.value);
            Frame child = frame.child(trees_, groups_.mark(), true);
            ++examined_;
            if (reach(frame, child)) {
                frames_.push_back(std::move(child));
            } else {
                groups_.back_to(child.mark);
                specialized_.pop_back();
            }
        } else {
            frame.phase = Phase::Done;
            Frame child = frame.child(trees_, groups_.mark(), false);
            if (reach(frame, child))
                frames_.push_back(std::move(child));
            else
                groups_.back_to(child.mark);
        }
        return true;
    }

    // Packs what a frame has ahead of itself, apart from the frames that follow it.
    void give(Frame& frame, const std::vector<int>& specialized, std::vector<Task<Count>>& tasks, std::size_t room) {
        if (frame.phase == Phase::New) tasks.push_back(pack(frame, specialized, room));
        if (frame.phase == Phase::First) {
            Frame child = frame.child(trees_, groups_.mark(), false);
            if (lock(frame, child, specialized)) tasks.push_back(pack(child, specialized, room));
            groups_.back_to(child.mark);
        }
        frame.phase = Phase::Done;
    }

    void pop() {
        if (frames_.back().specialized) specialized_.pop_back();
        groups_.back_to(frames_.back().mark);
        frames_.pop_back();
    }

    void offer(const Frame& frame) {
        // A cut that releases no row is no solution, nor is one that loses too many.
        if (frame.forbidden > 0 || frame.kept == 0 || frame.lost > rules_.most_lost) return;
        const std::int64_t cost = frame.cost - rules_.premium * frame.lost;
        if (cost <= incumbents_.cutoff()) incumbents_.offer(cost, specialized_);
    }

    // Sees what every open value adds to the bound; false if the time is over before the last. There are hundreds of
    // values where there are many columns, and each takes milliseconds. At least one is tried.
    bool try_all(Frame& frame, std::chrono::steady_clock::time_point deadline) {
        bool over = false;
        for (int v : frame.open)
            for (const bool specialized : {false, true}) {
                if (order_.seen(v, specialized)) continue;
                if (over) return false;
                try_out(frame, v, specialized);
                over = std::chrono::steady_clock::now() >= deadline;
            }
        return true;
    }

    // Sees what a child would add to the bound.
    void try_out(Frame& frame, int v, bool specialized) {
        frame.value = v;
        if (specialized) specialized_.push_back(v);
        examined_ += specialized;
        Frame child = frame.child(trees_, groups_.mark(), specialized);
        reach(frame, child);
        groups_.back_to(child.mark);
        if (specialized) specialized_.pop_back();
    }

    // Works a child out; returns whether anything of interest is ahead.
    bool reach(const Frame& frame, Frame& child) {
        const bool ahead = child.specialized ? specialize(frame, child) : lock(frame, child, specialized_);
        const std::int64_t cutoff = incumbents_.cutoff();
        if (learns_ && cutoff < kNever) {
            const bool over = child.never || child.alive == 0;
            const std::int64_t bound = over ? cutoff : std::min(std::max(child.sum, child.bound), cutoff);
            order_.see(frame.value, child.specialized,
                       static_cast<double>(std::max<std::int64_t>(0, bound - frame.bound)));
        }
        return ahead;
    }

    // Tells the groups that have the frame's value from those that stay as they are. Those with many items come first:
    // they raise the bound most, so that a child of no interest is known by its first groups. Those with one come last.
    void look_up(const Frame& frame) {
        const int v = frame.value, a = trees_.attribute[v];
        changed_.clear();
        single_.clear();
        same_.clear();
        for (std::size_t at = frame.mark.listed; at < frame.end; ++at) {
            const std::uint32_t g = groups_.listed(at);
            (!groups_.has(g, v, a) ? same_ : groups_[g].count == 1 ? single_ : changed_).push_back(g);
        }
        std::stable_partition(changed_.begin(), changed_.end(),
                              [this](std::uint32_t g) { return groups_[g].count > kLarge; });
        changed_.insert(changed_.end(), single_.begin(), single_.end());
    }

    // Splits the groups with the frame's value; returns whether anything of interest is ahead.
    bool specialize(const Frame& frame, Frame& child) {
        const int v = frame.value, a = trees_.attribute[v];
        look_up(frame);
        for (const std::uint32_t g : changed_) {
            const std::size_t from = groups_.size();
            groups_.split(g, v, a);
            child.count_out(groups_[g]);
            for (std::size_t n = from; n < groups_.size() && !child.never; ++n) {
                groups_.measure(n, true);
                child.count_in(groups_[n]);
            }
            // The groups that are not split yet still have bounds: the sum is one at every moment.
            child.never = child.never || child.least_lost > rules_.most_lost;
            if (child.never || child.sum > incumbents_.cutoff()) return false;
        }
        return settle(frame, child, specialized_);
    }

    // Locks the frame's value; returns whether anything of interest is ahead.
    bool lock(const Frame& frame, Frame& child, const std::vector<int>& specialized) {
        const int v = frame.value, a = trees_.attribute[v];
        look_up(frame);
        for (const std::uint32_t g : changed_) {
            const std::int64_t before = groups_[g].bound, lost = groups_[g].least_lost;
            const bool was_alive = groups_[g].alive;
            groups_.lock(g, v, a);
            if (!options_.update) continue;
            groups_.measure(groups_.size() - 1, false);
            Group& group = groups_[groups_.size() - 1];
            child.alive += group.alive - was_alive;
            group.least_lost = std::max(group.least_lost, lost);
            child.least_lost += group.least_lost - lost;
            if (!raise(child, groups_.size() - 1, before)) return false;
        }
        return settle(frame, child, specialized);
    }

    // Puts a group's new bound in the place of the one before, unless that was higher.
    bool raise(Frame& child, std::size_t g, std::int64_t before) {
        Group& group = groups_[g];
        group.bound = std::max(group.bound, before);
        child.never = group.bound >= kNever || child.least_lost > rules_.most_lost;
        child.sum += group.bound - before;
        return !child.never && child.sum <= incumbents_.cutoff();
    }

    // Offers a new cut, tries the dearer bounds on the groups that have changed, and takes over those that have not.
    bool settle(const Frame& frame, Frame& child, const std::vector<int>& specialized) {
        child.bound = std::max(child.sum, frame.bound);
        if (child.alive == 0) return false;
        if (child.specialized) offer(child);
        if (incumbents_.beaten(child.bound, specialized)) return false;
        if (options_.techniques.ahead && trees_.weighted && incumbents_.cutoff() - child.sum < child.sum / kNear) {
            for (std::size_t g = child.mark.groups; g < groups_.size(); ++g) {
                if (groups_[g].count == 1) continue;
                const std::int64_t before = groups_[g].bound;
                groups_[g].bound = groups_.bound_ahead(g);
                if (!raise(child, g, before)) return false;
            }
            child.bound = std::max(child.sum, frame.bound);
            if (incumbents_.beaten(child.bound, specialized)) return false;
        }
        for (const std::uint32_t g : same_) groups_.list(g);
        child.end = groups_.listed();
        SHOAL_ASSERT(sum_of_bounds(child) == child.sum);
        return true;
    }

    // What the sum of a frame must be, added up afresh.
    std::int64_t sum_of_bounds(const Frame& frame) const {
        std::int64_t sum = -rules_.refund();
        for (std::size_t at = frame.mark.listed; at < frame.end; ++at) sum += groups_[groups_.listed(at)].bound;
        return sum;
    }

    Task<Count> pack(const Frame& frame, const std::vector<int>& specialized, std::size_t room) const {
        return {groups_.pack(frame.mark.listed, frame.end, room), frame.open, specialized, frame.bound};
    }

    const Trees& trees_;
    const Rules& rules_;
    const SearchOptions& options_;
    Incumbents& incumbents_;
    Groups<Count> groups_;
    ValueOrder order_;
    bool learns_ = false;
    std::vector<Frame> frames_;
    std::vector<int> specialized_;
    std::vector<std::uint32_t> changed_, single_, same_;  // groups with the value of a frame, and the others
    std::int64_t examined_ = 0;
    std::int64_t burst_ = 0;
};

}  // namespace shoal
