// What a row costs at least, whatever the recoding: the cheapest labels above it that cover k rows, or persons.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "common/assert.hpp"

namespace shoal {

// One attribute: the label above each value, and what it costs a row, level by level.
struct CoverAxis {
    int levels = 0, values = 0;
    std::vector<std::int32_t> code;   // below `codes`
    std::vector<std::int64_t> price;  // not negative
    int codes = 0;
};

struct CoverTable {
    std::vector<CoverAxis> axes;
    std::vector<std::int32_t> values;  // one row a combination
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> sizes;  // what k counts of a combination, no less than it has
    std::vector<std::int64_t> ks;     // ascending
    std::int64_t dearest = 0;         // what a suppressed row costs
};

// A combination's generalizations are the nodes of the lattice, and its class on a node is what the generalization
// covers. So all nodes are gone through, the levels of one attribute after those of the other. On the way down the
// combinations are kept sorted by their classes on the attributes so far: a class is a range of them, and its labels
// cost the same for all its members. A class goes no further down if its size is below the least k, or if it already
// costs as much as each of its members has to pay at most for the size it has: further down it covers no more, and
// costs no less. The size of a class is the sum of its members', no less than the persons that it has.
class CheapestCovers {
  public:
    using Stop = std::function<bool()>;

    explicit CheapestCovers(CoverTable&& table)
        : table_(std::move(table)), n_(static_cast<int>(table_.rows.size())), kinds_(table_.ks.size()),
          attributes_(static_cast<int>(table_.axes.size())) {
        SHOAL_ASSERT(attributes_ > 0 && kinds_ > 0);
        best_.assign(n_ * kinds_, table_.dearest);
    }

    // False where it was stopped: the costs are too high then.
    bool run(int threads, const Stop& stop) {
        std::atomic<int> next{0};
        std::atomic<bool> stopped{false};
        std::vector<Walk> walks;
        for (int i = 0; i < threads; ++i) walks.emplace_back(*this);
        const auto work = [&](Walk& walk) {
            for (int level = next++; level < table_.axes[0].levels && !stopped; level = next++)
                if (!walk.refine(0, level, stop)) stopped = true;
        };
        std::vector<std::thread> others;
        for (int i = 1; i < threads; ++i) others.emplace_back(work, std::ref(walks[i]));
        work(walks[0]);
        for (std::thread& other : others) other.join();
        for (const Walk& walk : walks)
            for (std::size_t i = 0; i < best_.size(); ++i) best_[i] = std::min(best_[i], walk.best[i]);
        return !stopped;
    }

    // The sum over all rows, for each k.
    std::vector<std::int64_t> sums() const {
        std::vector<std::int64_t> result(kinds_, 0);
        for (int c = 0; c < n_; ++c)
            for (std::size_t j = 0; j < kinds_; ++j) result[j] += table_.rows[c] * best_[c * kinds_ + j];
        return result;
    }

  private:
    // Combinations sorted by class: where each class begins, and what its labels cost.
    struct Classes {
        std::vector<std::int32_t> members;
        std::vector<int> begins;  // one more than there are classes
        std::vector<std::int64_t> costs;
    };

    // A label within one class of the attributes before.
    struct Part {
        std::int64_t size = 0, cost = 0;
        std::ptrdiff_t kind = -1;  // the place of the largest k that its size allows
        int members = 0, place = 0;
        bool lowers = false;
    };

    struct Walk {
        const CheapestCovers& all;
        std::vector<std::int64_t> best;  // by combination and k; it never falls along k
        std::vector<Classes> depths;
        std::vector<Part> parts;
        std::vector<std::int32_t> seen;

        explicit Walk(const CheapestCovers& covers) : all(covers), best(covers.best_) {
            depths.resize(all.table_.axes.size() + 1);
            int codes = 0;
            for (const CoverAxis& axis : all.table_.axes) codes = std::max(codes, axis.codes);
            parts.resize(codes);
            depths[0].members.resize(all.n_);
            std::iota(depths[0].members.begin(), depths[0].members.end(), 0);
            depths[0].begins = {0, all.n_};
            depths[0].costs = {0};
        }

        bool refine(int depth, int level, const Stop& stop) {
            const bool last = depth + 1 == all.attributes_;
            Classes& to = depths[depth + 1];
            to.members.clear();
            to.begins.assign(1, 0);
            to.costs.clear();
            for (std::size_t c = 0; c < depths[depth].costs.size(); ++c) {
                look(depth, level, c, last);
                if (!last) divide(depth, level, c);
                for (const std::int32_t label : seen) parts[label] = Part();
            }
            if (last || to.costs.empty()) return true;
            if (stop()) return false;
            for (int next = 0; next < all.table_.axes[depth + 1].levels; ++next)
                if (!refine(depth + 1, next, stop)) return false;
            return true;
        }

        // Finds the labels within a class, and which of them cost less than a member does so far; tells the members,
        // where no more attributes follow.
        void look(int depth, int level, std::size_t c, bool last) {
            const CoverAxis& axis = all.table_.axes[depth];
            const std::int64_t* price = axis.price.data() + std::size_t(level) * axis.values;
            const Classes& from = depths[depth];
            const auto begin = from.members.begin() + from.begins[c], end = from.members.begin() + from.begins[c + 1];
            seen.clear();
            for (auto member = begin; member != end; ++member) {
                Part& part = parts[label(*member, depth, level)];
                if (!part.members++) {
                    seen.push_back(label(*member, depth, level));
                    part.cost = from.costs[c] + price[all.value(*member, depth)];
                }
                part.size += all.table_.sizes[*member];
            }
            for (const std::int32_t label : seen) parts[label].kind = all.kind_of(parts[label].size);
            for (auto member = begin; member != end; ++member) {
                Part& part = parts[label(*member, depth, level)];
                std::int64_t* mine = best.data() + std::size_t(*member) * all.kinds_;
                if (part.kind < 0 || mine[part.kind] <= part.cost) continue;
                part.lowers = true;
                if (last)
                    for (std::ptrdiff_t j = part.kind; j >= 0 && mine[j] > part.cost; --j) mine[j] = part.cost;
            }
        }

        // Makes classes of the labels that may still lower a cost.
        void divide(int depth, int level, std::size_t c) {
            const Classes& from = depths[depth];
            Classes& to = depths[depth + 1];
            for (const std::int32_t label : seen) {
                Part& part = parts[label];
                if (!part.lowers) continue;
                part.place = to.begins.back();
                to.begins.push_back(part.place + part.members);
                to.costs.push_back(part.cost);
            }
            to.members.resize(to.begins.back());
            for (int i = from.begins[c]; i < from.begins[c + 1]; ++i) {
                Part& part = parts[label(from.members[i], depth, level)];
                if (part.lowers) to.members[part.place++] = from.members[i];
            }
        }

        std::int32_t label(std::int32_t member, int a, int level) const {
            const CoverAxis& axis = all.table_.axes[a];
            return axis.code[std::size_t(level) * axis.values + all.value(member, a)];
        }
    };

    std::int32_t value(std::int32_t member, int a) const {
        return table_.values[std::size_t(member) * attributes_ + a];
    }

    // The place of the largest k that a size allows, -1 where there is none.
    std::ptrdiff_t kind_of(std::int64_t size) const {
        return std::upper_bound(table_.ks.begin(), table_.ks.end(), size) - table_.ks.begin() - 1;
    }

    CoverTable table_;
    int n_;
    std::size_t kinds_;
    int attributes_;
    std::vector<std::int64_t> best_;
};

}  // namespace shoal
