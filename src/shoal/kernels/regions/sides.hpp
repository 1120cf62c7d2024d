// Two groups that grow member by member, and what their labels cost a row.
#pragma once

#include <array>

#include "regions/paths.hpp"
#include "regions/regions.hpp"

namespace shoal {

class Sides {
  public:
    Sides(const Regions& regions, const Paths& paths) : regions_(regions), paths_(paths) {
        for (Kept& one : kept_) {
            if (paths.usable())
                one.paths.resize(paths.width());
            else
                one.words.resize(regions.stride());
        }
    }

    // A side has one member alone.
    void begin(int side, std::int32_t c) {
        Kept& now = kept_[now_[side]];
        if (paths_.usable()) {
            paths_.clear(now.paths.data());
            paths_.add(now.paths.data(), c);
            now.price = paths_.price(now.paths.data(), c);
        } else {
            regions_.clear(now.words.data());
            regions_.add(now.words.data(), c);
            now.price = regions_.cost(now.words.data());
        }
    }

    std::int64_t price(int side) const { return kept_[now_[side]].price; }

    // What the labels of a side would cost with one more member; `take` makes it one.
    std::int64_t with(int side, std::int32_t c) {
        const Kept& now = kept_[now_[side]];
        Kept& next = kept_[next_[side]];
        if (paths_.usable()) {
            paths_.grow(next.paths.data(), now.paths.data(), paths_.of(c), paths_.of(c));
            next.price = paths_.price(next.paths.data(), c);
        } else {
            std::copy(now.words.begin(), now.words.end(), next.words.begin());
            regions_.add(next.words.data(), c);
            next.price = regions_.cost(next.words.data());
        }
        return next.price;
    }
    void take(int side) { std::swap(now_[side], next_[side]); }

  private:
    struct Kept {
        std::vector<Paths::Lane> paths;
        std::vector<std::uint64_t> words;
        std::int64_t price = 0;
    };

    const Regions& regions_;
    const Paths& paths_;
    std::array<Kept, 4> kept_;
    std::array<int, 2> now_{0, 1}, next_{2, 3};
};

}  // namespace shoal
