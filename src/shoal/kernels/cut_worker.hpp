// Branch and bound over cuts, depth first and in place.
//
// A frame is a cut whose values are open or locked. Its first child specializes one open value; its second locks it,
// which is the same cut with less ahead of it. Together they reach every cut once (Theorem 1 of the paper: this is its
// enumeration tree, with the loop over children unrolled), and locking is its backtracking step that raises the bound.
// Frames hold groups, and a group is a range of a permutation of items: specializing sorts inside the range, which
// leaves it the same set for the frame above, so that taking a child back costs nothing. Locking merges the items
// that only the locked value told apart: a group of one item is the paper's homogeneous one, and its cost is known.
#pragma once

#include <chrono>

#include "cut_bounds.hpp"
#include "cut_incumbents.hpp"

namespace shoal {

struct SearchOptions {
    int keep = 1;             // how many of the best cuts are kept
    std::int64_t slack = 0;   // see Incumbents
    bool ascending = false;   // the reverse of the paper's order of values
    bool update = true;       // whether bounds are updated on backtracking
    Techniques techniques;
};

// A part of the search on its own, ready to be taken up by any thread.
template <class Count>
struct Task {
    std::vector<std::uint64_t> keys;  // of items, group after group
    std::vector<std::int64_t> rows;
    std::vector<Count> histograms;
    std::vector<std::size_t> counts;  // items of every group
    std::vector<std::uint64_t> group_keys;
    std::vector<int> open;
    std::vector<int> specialized;
    std::int64_t bound = 0;
};

template <class Count>
class Worker {
  public:
    Worker(const Trees& trees, const Rules& rules, const SearchOptions& options, Incumbents& incumbents)
        : trees_(trees), rules_(rules), options_(options), incumbents_(incumbents), words_(trees.words()),
          items_(trees, rules), bounds_(trees, rules, items_, options.techniques) {
        total_.resize(items_.stride());
        key_.resize(words_);
    }

    bool idle() const { return frames_.empty(); }
    std::int64_t examined() const { return examined_; }

    // The least that anything still ahead of this worker can cost.
    std::int64_t bound() const {
        std::int64_t least = kNever;
        for (const Frame& frame : frames_)
            if (frame.phase != Phase::Done) least = std::min(least, frame.bound);
        return least;
    }

    // Takes up a part; the cut at which the whole search begins is a solution, too.
    void begin(const Task<Count>& task, bool first = false) {
        items_.back_to({0, 0});
        order_.clear();
        groups_.clear();
        group_keys_.clear();
        specialized_ = task.specialized;
        frames_.emplace_back();
        Frame& frame = frames_.back();
        frame.open = task.open;
        std::size_t i = 0;
        for (std::size_t g = 0; g < task.counts.size(); ++g) {
            const std::size_t start = order_.size();
            for (std::size_t j = 0; j < task.counts[g]; ++j, ++i) {
                const Count* histogram = task.histograms.data() + i * items_.stride();
                const std::size_t item = items_.add(task.keys.data() + i * words_, task.rows[i], histogram);
                items_.finish(item);
                order_.push_back(static_cast<std::int32_t>(item));
            }
            const std::uint64_t* key = task.group_keys.data() + g * words_;
            std::uint64_t open = 0;
            for (int v : task.open)
                if (trees_.at(key, trees_.attribute[v]) == v) open |= bit(trees_.attribute[v]);
            add_group(key, start, order_.size() - start, open);
        }
        for (std::size_t g = 0; g < groups_.size() && !frame.never; ++g) {
            measure(g, true);
            count_in(frame, groups_[g]);
        }
        frame.groups_end = groups_.size();
        frame.bound = std::max(frame.sum, task.bound);
        if (!first) return;
        ++examined_;
        if (!frame.never) offer(frame);
    }

    // Works until the deadline, or for so many steps, or until all is done.
    template <class Meanwhile>
    void run(std::chrono::steady_clock::time_point deadline, std::int64_t most, Meanwhile&& meanwhile) {
        for (std::int64_t steps = 1; !frames_.empty(); ++steps) {
            step();
            if (steps == most || (steps % 16 == 0 && std::chrono::steady_clock::now() >= deadline)) return;
            meanwhile(*this);
        }
    }

    // Gives the second child of the highest frame that has one waiting to another worker.
    bool give(Task<Count>& task) {
        std::vector<int> specialized(specialized_.begin(), specialized_.end() - specialized_here());
        for (std::size_t f = 0; f + 1 < frames_.size(); ++f) {
            Frame& frame = frames_[f];
            if (frame.phase == Phase::First) {
                frame.phase = Phase::Done;
                Frame child = start(frame, false);
                if (lock(frame, child, specialized)) {
                    task = pack(child, specialized);
                    discard(child);
                    return true;
                }
                discard(child);
            }
            if (frames_[f + 1].specialized) specialized.push_back(frame.value);
        }
        return false;
    }

  private:
    enum class Phase { New, First, Done };

    struct Group {
        std::size_t start;
        std::size_t count;
        std::int64_t rate;
        std::int64_t bound;
        std::int64_t cost;
        std::uint64_t open;  // the attributes whose value is open, as bits
    };

    // Groups from `groups` to `groups_end`; what lies above the marks belongs to the frames that follow.
    struct Frame {
        std::size_t groups = 0;
        std::size_t groups_end = 0;
        std::size_t order = 0;
        typename Items<Count>::Mark items{0, 0};
        std::vector<int> open;
        std::int64_t sum = 0;          // of the groups' bounds
        std::int64_t bound = 0;        // the same, or that of a frame above where it is more
        std::int64_t cost = 0;         // of the groups that are allowed
        std::int64_t forbidden = 0;    // groups that are not
        bool never = false;            // whether no cut ahead is allowed
        bool specialized = false;      // whether it is a first child
        int value = -1;
        Phase phase = Phase::New;
    };

    void step() {
        Frame& frame = frames_.back();
        if (frame.phase == Phase::Done || frame.never || incumbents_.beaten(frame.bound, specialized_)) return pop();
        if (frame.phase == Phase::New) {
            if (frame.open.empty()) return pop();
            frame.value = choose(frame.open);
            frame.phase = Phase::First;
            specialized_.push_back(frame.value);
            Frame child = start(frame, true);
            ++examined_;
            if (specialize(frame, child)) {
                frames_.push_back(std::move(child));
            } else {
                discard(child);
                specialized_.pop_back();
            }
        } else {
            frame.phase = Phase::Done;
            Frame child = start(frame, false);
            if (lock(frame, child, specialized_))
                frames_.push_back(std::move(child));
            else
                discard(child);
        }
    }

    void pop() {
        const bool was_first = frames_.back().specialized;
        discard(frames_.back());
        frames_.pop_back();
        if (was_first) specialized_.pop_back();
    }

    std::ptrdiff_t specialized_here() const {
        std::ptrdiff_t count = 0;
        for (const Frame& frame : frames_) count += frame.specialized;
        return count;
    }

    void discard(const Frame& frame) {
        groups_.resize(frame.groups);
        group_keys_.resize(frame.groups * words_);
        order_.resize(frame.order);
        items_.back_to(frame.items);
    }

    void offer(const Frame& frame) {
        if (frame.forbidden == 0 && frame.cost <= incumbents_.cutoff()) incumbents_.offer(frame.cost, specialized_);
    }

    // The open value with the most rows (Observation 4).
    int choose(const std::vector<int>& open) const {
        int best = open[0];
        for (int v : open) {
            const bool more = trees_.rows[v] != trees_.rows[best] ? trees_.rows[v] > trees_.rows[best] : v < best;
            if (v != best && more != options_.ascending) best = v;
        }
        return best;
    }

    Frame start(const Frame& frame, bool specialized) {
        Frame child;
        child.groups = groups_.size();
        child.order = order_.size();
        child.items = items_.mark();
        child.specialized = specialized;
        child.sum = frame.sum;
        child.cost = frame.cost;
        child.forbidden = frame.forbidden;
        for (int v : frame.open)
            if (v != frame.value) child.open.push_back(v);
        if (specialized)
            for (int c : trees_.children[frame.value])
                if (!trees_.leaf(c)) child.open.push_back(c);
        return child;
    }

    // Splits the groups with the frame's value; returns whether anything of interest is ahead.
    bool specialize(const Frame& frame, Frame& child) {
        const int v = frame.value, a = trees_.attribute[v];
        bool wanted = true;
        for (std::size_t g = frame.groups; g < frame.groups_end && wanted; ++g) {
            if (trees_.at(group_keys_.data() + g * words_, a) != v) continue;
            const std::size_t from = groups_.size();
            split(g, v, a);
            count_out(child, groups_[g]);
            for (std::size_t n = from; n < groups_.size() && !child.never; ++n) {
                measure(n, true);
                count_in(child, groups_[n]);
            }
            // The groups that are not split yet still have bounds: the sum is one at every moment.
            wanted = !child.never && child.sum <= incumbents_.cutoff();
        }
        return wanted && settle(frame, child, specialized_, true);
    }

    // Locks the frame's value; returns whether anything of interest is ahead.
    bool lock(const Frame& frame, Frame& child, const std::vector<int>& specialized) {
        const int v = frame.value, a = trees_.attribute[v];
        bool wanted = true;
        for (std::size_t g = frame.groups; g < frame.groups_end && wanted; ++g) {
            if (trees_.at(group_keys_.data() + g * words_, a) != v) continue;
            const std::int64_t before = groups_[g].bound;
            copy_group(g);
            merge(groups_.back(), v, a);
            if (!options_.update) continue;
            measure(groups_.size() - 1, false);
            Group& group = groups_.back();
            group.bound = std::max(group.bound, before);
            child.never = group.bound >= kNever;
            child.sum += group.bound - before;
            wanted = !child.never && child.sum <= incumbents_.cutoff();
        }
        return wanted && settle(frame, child, specialized, false);
    }

    // Takes the groups over that have not changed, tries the dearer bounds on the others, and looks at what is left.
    bool settle(const Frame& frame, Frame& child, const std::vector<int>& specialized, bool new_cut) {
        const std::size_t changed = groups_.size();
        child.bound = std::max(child.sum, frame.bound);
        if (new_cut) offer(child);
        if (incumbents_.beaten(child.bound, specialized)) return false;
        if (options_.techniques.ahead && bounds_.weighted()) {
                bool hit = false;
            for (std::size_t g = child.groups; g < changed && !hit; ++g) {
                if (groups_[g].count == 1) continue;
                const std::int64_t bound = bounds_.ahead(look(g));
                child.never = child.never || bound >= kNever;
                if (bound > groups_[g].bound) {
                    child.sum += bound - groups_[g].bound;
                    groups_[g].bound = bound;
                }
                hit = child.never || child.sum > incumbents_.cutoff();
            }
                child.bound = std::max(child.sum, frame.bound);
            if (hit || incumbents_.beaten(child.bound, specialized)) return false;
        }
        const int v = frame.value, a = trees_.attribute[v];
        for (std::size_t g = frame.groups; g < frame.groups_end; ++g)
            if (trees_.at(group_keys_.data() + g * words_, a) != v) copy_group(g);
        child.groups_end = groups_.size();
        return true;
    }

    void count_in(Frame& frame, const Group& group) {
        frame.never = frame.never || group.bound >= kNever;
        frame.sum += group.bound;
        if (group.cost >= kNever)
            ++frame.forbidden;
        else
            frame.cost += group.cost;
    }

    void count_out(Frame& frame, const Group& group) {
        frame.sum -= group.bound;
        if (group.cost >= kNever)
            --frame.forbidden;
        else
            frame.cost -= group.cost;
    }

    static std::uint64_t bit(int attribute) { return std::uint64_t{1} << attribute; }

    void add_group(const std::uint64_t* key, std::size_t start, std::size_t count, std::uint64_t open) {
        std::int64_t rate = 0;
        for (int a = 0; a < trees_.attributes(); ++a) rate += trees_.weight[trees_.at(key, a)];
        for (int w = 0; w < words_; ++w) group_keys_.push_back(key[w]);
        groups_.push_back({start, count, rate, 0, 0, open});
    }

    // Adds a group to which one was narrowed when v gave way to one of its children.
    void add_part(std::size_t g, int v, int child, std::size_t start, std::size_t count) {
        Group part = groups_[g];
        const int a = trees_.attribute[v];
        part.start = start;
        part.count = count;
        part.rate += trees_.weight[child] - trees_.weight[v];
        if (trees_.leaf(child)) part.open &= ~bit(a);
        groups_.push_back(part);
        const std::size_t at = group_keys_.size();
        for (int w = 0; w < words_; ++w) {
            const std::uint64_t word = group_keys_[g * words_ + w];
            group_keys_.push_back(word);
        }
        trees_.put(group_keys_.data() + at, a, child);
    }

    void copy_group(std::size_t g) {
        const Group group = groups_[g];
        groups_.push_back(group);
        for (int w = 0; w < words_; ++w) {
            const std::uint64_t word = group_keys_[g * words_ + w];
            group_keys_.push_back(word);
        }
    }

    // A group with its rows and its histogram added up.
    typename Bounds<Count>::Group look(std::size_t g) {
        const Group& group = groups_[g];
        const std::int32_t* order = order_.data() + group.start;
        std::int64_t rows = 0;
        std::fill(total_.begin(), total_.end(), Count{0});
        for (std::size_t j = 0; j < group.count; ++j) {
            rows += items_[order[j]].rows;
            add_histogram(total_.data(), items_.histogram(order[j]), items_.stride());
        }
        return {order, group.count, rows, total_.data(), rules_.broken(rows, total_.data()), group.open,
                group_keys_.data() + g * words_};
    }

    void measure(std::size_t g, bool cost) {
        if (groups_[g].count == 1) {
            const Item& item = items_[order_[groups_[g].start]];
            groups_[g].bound = item.alone;
            if (cost)
                groups_[g].cost = item.alone >= kNever ? kNever : item.alone + item.paying * (groups_[g].rate - item.rate);
            return;
        }
        const auto group = look(g);
        if (cost) groups_[g].cost = rules_.cost(group.rows, group.histogram, groups_[g].rate, group.broken);
        groups_[g].bound = bounds_(group);
    }

    // Sorts the items of a group by the children of v, and adds a group for every child that has some.
    void split(std::size_t g, int v, int a) {
        const std::size_t start = groups_[g].start, count = groups_[g].count, parts = trees_.children[v].size();
        std::int32_t* order = order_.data() + start;
        if (count == 1)
            return add_part(g, v, trees_.children[v][trees_.part(v, trees_.at(items_.key(order[0]), a))], start, 1);
        starts_.assign(parts + 1, 0);
        part_.resize(count);
        sorted_.resize(count);
        for (std::size_t j = 0; j < count; ++j) {
            part_[j] = trees_.part(v, trees_.at(items_.key(order[j]), a));
            ++starts_[part_[j] + 1];
        }
        for (std::size_t p = 0; p < parts; ++p) starts_[p + 1] += starts_[p];
        next_.assign(starts_.begin(), starts_.end());
        for (std::size_t j = 0; j < count; ++j) sorted_[next_[part_[j]]++] = order[j];
        std::copy(sorted_.begin(), sorted_.begin() + count, order);
        for (std::size_t p = 0; p < parts; ++p)
            if (starts_[p + 1] > starts_[p])
                add_part(g, v, trees_.children[v][p], start + starts_[p], starts_[p + 1] - starts_[p]);
    }

    // Merges the items of a group that only v, which is locked now, told apart.
    void merge(Group& group, int v, int a) {
        const std::size_t first = items_.size(), start = order_.size(), own = items_.mark().histograms;
        std::size_t slots = 4;
        while (slots < 2 * group.count) slots *= 2;
        slots_.assign(slots, -1);
        for (std::size_t j = 0; j < group.count; ++j) {
            const std::size_t i = order_[group.start + j];
            for (int w = 0; w < words_; ++w) key_[w] = items_.key(i)[w];
            const std::int64_t lift = trees_.weight[v] - trees_.weight[trees_.at(key_.data(), a)];
            trees_.put(key_.data(), a, v);
            std::size_t at = hash_words(key_.data(), words_) & (slots - 1);
            while (slots_[at] >= 0 && !same_words(items_.key(slots_[at]), key_.data(), words_)) at = (at + 1) & (slots - 1);
            if (slots_[at] < 0)
                slots_[at] = static_cast<std::int32_t>(items_.add_like(key_.data(), i, lift));
            else
                items_.absorb(slots_[at], i, own);
        }
        for (std::size_t i = first; i < items_.size(); ++i) {
            if (items_[i].histogram >= own) items_.finish(i);
            order_.push_back(static_cast<std::int32_t>(i));
        }
        group.start = start;
        group.count = items_.size() - first;
        group.open &= ~bit(a);
    }

    Task<Count> pack(const Frame& frame, const std::vector<int>& specialized) const {
        Task<Count> task;
        task.open = frame.open;
        task.specialized = specialized;
        task.bound = frame.bound;
        for (std::size_t g = frame.groups; g < frame.groups_end; ++g) {
            const Group& group = groups_[g];
            task.counts.push_back(group.count);
            for (int w = 0; w < words_; ++w) task.group_keys.push_back(group_keys_[g * words_ + w]);
            for (std::size_t j = 0; j < group.count; ++j) {
                const std::size_t i = order_[group.start + j];
                task.keys.insert(task.keys.end(), items_.key(i), items_.key(i) + words_);
                task.rows.push_back(items_[i].rows);
                task.histograms.insert(task.histograms.end(), items_.histogram(i), items_.histogram(i) + items_.stride());
            }
        }
        return task;
    }

    const Trees& trees_;
    const Rules& rules_;
    const SearchOptions& options_;
    Incumbents& incumbents_;
    int words_;
    Items<Count> items_;
    Bounds<Count> bounds_;
    std::vector<Frame> frames_;
    std::vector<std::int32_t> order_;
    std::vector<Group> groups_;
    std::vector<std::uint64_t> group_keys_;
    std::vector<int> specialized_;
    std::int64_t examined_ = 0;
    // Scratch.
    std::vector<Count> total_;
    std::vector<int> part_;
    std::vector<std::size_t> starts_, next_;
    std::vector<std::int32_t> sorted_, slots_;
    std::vector<std::uint64_t> key_;
};

}  // namespace shoal
