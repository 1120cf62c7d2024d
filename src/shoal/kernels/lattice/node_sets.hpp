// Sets of lattice nodes that are asked which of them lie above or below a node.
//
// A node is packed into 64-bit words, one byte a level: seven bits, and the eighth as a guard. Where every
// level of a node is at most that of another, subtracting it from the other with its guards set borrows
// from no guard: all guards stay.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "common/assert.hpp"
#include "lattice/codebook.hpp"

namespace shoal {

constexpr std::uint64_t kGuards = 0x8080808080808080ull;

class PackedNodes {
  public:
    explicit PackedNodes(std::size_t attributes) : attributes_(attributes), words_((attributes + 7) / 8) {}

    std::size_t size() const { return words_ == 0 ? count_ : flat_.size() / words_; }
    const std::uint64_t* operator[](std::size_t i) const { return flat_.data() + i * words_; }
    std::size_t attributes() const { return attributes_; }

    std::vector<std::uint64_t> pack(const Levels& levels) const {
        if (levels.size() != attributes_) throw std::invalid_argument("one level per attribute is needed");
        std::vector<std::uint64_t> words(words_, 0);
        for (std::size_t a = 0; a < attributes_; ++a) {
            if (levels[a] < 0 || levels[a] > 127) throw std::out_of_range("levels go from 0 to 127");
            words[a / 8] |= static_cast<std::uint64_t>(levels[a]) << (8 * (a % 8));
        }
        return words;
    }

    Levels unpack(const std::uint64_t* words) const {
        Levels levels(attributes_);
        for (std::size_t a = 0; a < attributes_; ++a)
            levels[a] = static_cast<int>(words[a / 8] >> (8 * (a % 8)) & 0x7F);
        return levels;
    }

    bool at_most(const std::uint64_t* lower, const std::uint64_t* upper) const {
        for (std::size_t w = 0; w < words_; ++w) {
            SHOAL_ASSERT(((lower[w] | upper[w]) & kGuards) == 0);
            if ((((upper[w] | kGuards) - lower[w]) & kGuards) != kGuards) return false;
        }
        return true;
    }

    void add(const std::uint64_t* words) {
        flat_.insert(flat_.end(), words, words + words_);
        ++count_;
    }

    void insert(std::size_t at, const std::uint64_t* words) {
        flat_.insert(flat_.begin() + static_cast<std::ptrdiff_t>(at * words_), words, words + words_);
        ++count_;
    }

    // Keeps the nodes for which the test holds, in their order.
    template <typename F>
    void keep_if(F&& test) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < size(); ++i) {
            if (!test((*this)[i])) continue;
            std::copy((*this)[i], (*this)[i] + words_, flat_.data() + kept * words_);
            ++kept;
        }
        flat_.resize(kept * words_);
        count_ = kept;
    }

  private:
    std::size_t attributes_, words_, count_ = 0;
    std::vector<std::uint64_t> flat_;
};

class NodeSet {
  public:
    explicit NodeSet(std::size_t attributes) : nodes_(attributes) {}

    void add(const Levels& node) { nodes_.add(nodes_.pack(node).data()); }
    std::size_t size() const { return nodes_.size(); }

    // The positions, in order of addition, of the nodes at or above (below) a node.
    std::vector<std::int64_t> above(const Levels& node) const {
        const auto packed = nodes_.pack(node);
        return positions([&](const std::uint64_t* mine) { return nodes_.at_most(packed.data(), mine); });
    }

    std::vector<std::int64_t> below(const Levels& node) const {
        const auto packed = nodes_.pack(node);
        return positions([&](const std::uint64_t* mine) { return nodes_.at_most(mine, packed.data()); });
    }

    // Whether one of the marked nodes lies at or below a node; nodes beyond the marks count as unmarked.
    bool any_below(const Levels& node, const bool* marks, std::size_t n) const {
        const auto packed = nodes_.pack(node);
        for (std::size_t i = 0; i < std::min(n, nodes_.size()); ++i)
            if (marks[i] && nodes_.at_most(nodes_[i], packed.data())) return true;
        return false;
    }

  private:
    template <typename F>
    std::vector<std::int64_t> positions(F&& test) const {
        std::vector<std::int64_t> found;
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (test(nodes_[i])) found.push_back(static_cast<std::int64_t>(i));
        return found;
    }

    PackedNodes nodes_;
};

// An up-set of a lattice, held by its minimal nodes, from which down-sets are taken away.
class UpSet {
  public:
    UpSet(const Levels& bottom, const Levels& top) : top_(top), minimal_(top.size()) {
        minimal_.pack(top);  // refuses levels that no node has
        minimal_.add(minimal_.pack(bottom).data());
    }

    std::size_t size() const { return minimal_.size(); }

    // Takes away all at or below the cover; returns the minimal nodes that went and those that came.
    // What remains above a node m <= cover exceeds the cover somewhere, so it lies above m with one
    // level raised just beyond the cover's.
    std::pair<std::vector<Levels>, std::vector<Levels>> take(const Levels& cover) {
        const auto limit = minimal_.pack(cover);
        std::vector<Levels> gone, candidates, come;
        minimal_.keep_if([&](const std::uint64_t* node) {
            if (!minimal_.at_most(node, limit.data())) return true;
            gone.push_back(minimal_.unpack(node));
            return false;
        });
        for (const Levels& node : gone)
            for (std::size_t a = 0; a < top_.size(); ++a) {
                if (cover[a] >= top_[a]) continue;
                candidates.push_back(node);
                candidates.back()[a] = cover[a] + 1;
            }
        // Lowest first: a candidate is then only above such as are in already.
        std::sort(candidates.begin(), candidates.end(), [](const Levels& one, const Levels& other) {
            int a = 0, b = 0;
            for (int level : one) a += level;
            for (int level : other) b += level;
            return a != b ? a < b : one < other;
        });
        for (const Levels& candidate : candidates) {
            const auto packed = minimal_.pack(candidate);
            bool above = false;
            for (std::size_t i = 0; i < minimal_.size() && !above; ++i)
                above = minimal_.at_most(minimal_[i], packed.data());
            if (above) continue;
            minimal_.add(packed.data());
            come.push_back(candidate);
        }
        return {std::move(gone), std::move(come)};
    }

  private:
    Levels top_;
    PackedNodes minimal_;
};

}  // namespace shoal
