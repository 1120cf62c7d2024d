// The domain sizes of every attribute at every level, the maps between levels, and with them
// the way from the keys of one lattice node to the keys of a node above it.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/assert.hpp"
#include "common/keys.hpp"

namespace shoal {

using Levels = std::vector<int>;

struct Attribute {
    std::vector<std::int64_t> sizes;                 // domain size at each level
    std::vector<std::vector<std::int32_t>> upward;   // upward[i]: code at level i -> code at level i + 1
    std::vector<std::vector<std::int64_t>> weights;  // weights[i]: what one row with that code costs

    int levels() const { return static_cast<int>(sizes.size()); }

    std::vector<std::int32_t> up(int from, int to) const {
        std::vector<std::int32_t> map(sizes[from]);
        for (std::size_t code = 0; code < map.size(); ++code) map[code] = static_cast<std::int32_t>(code);
        for (int level = from; level < to; ++level)
            for (auto& code : map) code = upward[level][code];
        return map;
    }
};

// Takes a run of bits from one place to another: for attributes that stay on their level.
struct Move {
    int from_word, from_shift, to_word, to_shift, width;
};

// Replaces one attribute's code by its code on the higher level.
struct Lookup {
    int from_word, from_shift, to_word;
    std::uint64_t mask;
    std::vector<std::uint64_t> shifted;  // the new code, already in its place
};

struct Transform {
    std::vector<Move> moves;
    std::vector<Lookup> lookups;
    int target_bits;

    template <int W>
    void apply(const Key<W>* in, std::size_t n, Key<W>* out) const {
        for (std::size_t i = 0; i < n; ++i) out[i] = Key<W>{};
        for (const auto& m : moves) {
            const std::uint64_t mask = mask_of(m.width);
            for (std::size_t i = 0; i < n; ++i)
                out[i].word[m.to_word] |= ((in[i].word[m.from_word] >> m.from_shift) & mask) << m.to_shift;
        }
        for (const auto& l : lookups) {
            const std::uint64_t* shifted = l.shifted.data();
            for (std::size_t i = 0; i < n; ++i)
                out[i].word[l.to_word] |= shifted[(in[i].word[l.from_word] >> l.from_shift) & l.mask];
        }
    }
};

class Codebook {
  public:
    // Where it multiplies, measurements hold the products of the attributes' weights too.
    Codebook(std::vector<Attribute> given, bool multiplies) : attributes_(std::move(given)), multiplies_(multiplies) {
        for (const auto& attribute : attributes_)
            if (multiplies && attribute.weights.empty()) throw std::invalid_argument("products need weights");
        words_ = held_words(layout(Levels(attributes_.size(), 0)).words);
        if (words_ > kMaxWords) throw std::invalid_argument("the quasi attributes need more than 512 bits a key");
    }

    int words() const { return words_; }
    bool multiplies() const { return multiplies_; }
    const std::vector<Attribute>& attributes() const { return attributes_; }

    Layout layout(const Levels& levels) const {
        std::vector<int> widths;
        for (std::size_t a = 0; a < attributes_.size(); ++a)
            widths.push_back(bits_for(attributes_[a].sizes[levels[a]]));
        return Layout(widths);
    }

    Transform transform(const Levels& source, const Levels& target) const {
        for (std::size_t a = 0; a < attributes_.size(); ++a) SHOAL_ASSERT(source[a] <= target[a]);
        return transform_common(source, target);
    }

    // The same for all attributes that do not go down; the bits of the others are left zero.
    Transform transform_common(const Levels& source, const Levels& target) const {
        const Layout from = layout(source), to = layout(target);
        Transform result;
        result.target_bits = to.bits();
        for (std::size_t a = 0; a < attributes_.size(); ++a) {
            if (source[a] > target[a]) continue;
            const Field f = from.fields[a], t = to.fields[a];
            if (t.width == 0) continue;
            if (source[a] == target[a]) {
                add_move(result.moves, {f.word, f.shift, t.word, t.shift, f.width});
                continue;
            }
            Lookup lookup{f.word, f.shift, t.word, f.mask, {}};
            lookup.shifted.resize(std::size_t{1} << f.width, 0);
            const auto map = attributes_[a].up(source[a], target[a]);
            for (std::size_t code = 0; code < map.size(); ++code)
                lookup.shifted[code] = static_cast<std::uint64_t>(map[code]) << t.shift;
            result.lookups.push_back(std::move(lookup));
        }
        return result;
    }

    void check(const Levels& levels) const {
        if (levels.size() != attributes_.size()) throw std::invalid_argument("one level per attribute is needed");
        for (std::size_t a = 0; a < levels.size(); ++a)
            if (levels[a] < 0 || levels[a] >= attributes_[a].levels()) throw std::out_of_range("no such level");
    }

  private:
    // Neighbouring runs that move by the same distance are one run.
    static void add_move(std::vector<Move>& moves, Move m) {
        if (!moves.empty()) {
            Move& last = moves.back();
            if (last.from_word == m.from_word && last.to_word == m.to_word &&
                last.from_shift + last.width == m.from_shift && last.to_shift + last.width == m.to_shift) {
                last.width += m.width;
                return;
            }
        }
        moves.push_back(m);
    }

    std::vector<Attribute> attributes_;
    bool multiplies_;
    int words_;
};

}  // namespace shoal
