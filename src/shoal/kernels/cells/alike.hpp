// Whether enough are like a row, where a blanked cell is like any value.
#pragma once

#include <algorithm>

#include "cells/known_cells.hpp"

namespace shoal {

// Combinations of values, some of them blank (-1). Two are alike if they have the same value in every column in which
// neither is blank. For each frequent value of a column there is a bit for each combination that has it or is blank there,
// so that those like a combination are found 64 at a time; those with a rare value are listed.
class Alike {
  public:
    Alike(std::vector<std::int32_t> codes, int columns, const std::vector<std::int64_t>& rows,
          const std::vector<Need>& needs)
        : codes_(std::move(codes)), columns_(columns), rows_(rows), needs_(needs), words_((size() + 63) / 64),
          places_(columns), blanks_(columns) {
        for (const Need& need : needs_) census_.emplace_back(need.whose.numbers);
        for (int a = 0; a < columns_; ++a) index(a);
    }

    // Whether those that are like a combination meet every need.
    bool enough(int c) {
        for (Census& one : census_) one.clear();
        std::vector<const std::uint64_t*> bits;
        int rarest = -1;
        for (int a = 0; a < columns_; ++a) {
            if (at(c)[a] < 0) continue;
            const Place& place = places_[a][at(c)[a]];
            if (place.frequent)
                bits.push_back(bits_.data() + place.first);
            else if (rarest < 0 || having(c, a) < having(c, rarest))
                rarest = a;
        }
        return rarest < 0 ? among_all(bits) : among_few(c, rarest);
    }

  private:
    static constexpr std::size_t kFrequent = 32;  // a value that one in so many have is frequent

    struct Place {
        std::size_t first = 0, many = 0;  // its words in `bits_`, or those that have it in `listed_`
        bool frequent = false;
    };

    std::size_t size() const { return rows_.size(); }
    const std::int32_t* at(std::size_t c) const { return codes_.data() + c * columns_; }
    std::size_t having(int c, int a) const { return places_[a][at(c)[a]].many + blanks_[a].size(); }

    void index(int a) {
        std::vector<Place>& places = places_[a];
        for (std::size_t c = 0; c < size(); ++c) {
            const std::int32_t code = at(c)[a];
            if (code < 0) {
                blanks_[a].push_back(static_cast<std::int32_t>(c));
                continue;
            }
            if (static_cast<std::size_t>(code) >= places.size()) places.resize(code + 1);
            ++places[code].many;
        }
        for (Place& place : places) {
            place.frequent = place.many * kFrequent >= size();
            auto& there = place.frequent ? bits_end_ : listed_end_;
            place.first = there;
            there += place.frequent ? words_ : place.many;
        }
        bits_.resize(bits_end_, 0);
        listed_.resize(listed_end_);
        std::vector<std::size_t> next(places.size());
        for (std::size_t c = 0; c < size(); ++c) {
            const std::int32_t code = at(c)[a];
            if (code < 0) continue;
            const Place& place = places[code];
            if (place.frequent)
                bits_[place.first + c / 64] |= std::uint64_t{1} << c % 64;
            else
                listed_[place.first + next[code]++] = static_cast<std::int32_t>(c);
        }
        for (const Place& place : places)
            if (place.frequent)
                for (const std::int32_t c : blanks_[a]) bits_[place.first + c / 64] |= std::uint64_t{1} << c % 64;
    }

    bool among_all(const std::vector<const std::uint64_t*>& bits) {
        for (std::size_t w = 0; w < words_; ++w) {
            const std::size_t left = size() - 64 * w;
            std::uint64_t here = left < 64 ? (std::uint64_t{1} << left) - 1 : ~std::uint64_t{0};
            for (std::size_t i = 0; i < bits.size() && here; ++i) here &= bits[i][w];
            for (; here; here &= here - 1)
                if (met_with(64 * w + std::countr_zero(here))) return true;
        }
        return false;
    }

    bool among_few(int c, int rarest) {
        const Place& place = places_[rarest][at(c)[rarest]];
        const std::int32_t* listed = listed_.data() + place.first;
        const auto like = [&](std::int32_t d) {
            for (int a = 0; a < columns_; ++a)
                if (at(c)[a] != at(d)[a] && at(c)[a] >= 0 && at(d)[a] >= 0) return false;
            return true;
        };
        const auto met = [&](std::int32_t d) { return like(d) && met_with(d); };
        return std::any_of(listed, listed + place.many, met) ||
               std::any_of(blanks_[rarest].begin(), blanks_[rarest].end(), met);
    }

    // Whether every need is met with one combination more.
    bool met_with(std::size_t d) {
        bool all = true;
        for (std::size_t m = 0; m < needs_.size(); ++m) {
            const Persons& whose = needs_[m].whose;
            if (whose.counted())
                census_[m].add(whose.single[d], whose.begin(d), whose.end(d));
            else
                census_[m].add(rows_[d], nullptr, nullptr);
            all &= census_[m].count() >= needs_[m].least;
        }
        return all;
    }

    const std::vector<std::int32_t> codes_;
    const int columns_;
    const std::vector<std::int64_t>& rows_;
    const std::vector<Need>& needs_;
    const std::size_t words_;
    std::vector<std::vector<Place>> places_;  // by column and value
    std::vector<std::vector<std::int32_t>> blanks_;
    std::vector<std::uint64_t> bits_;
    std::vector<std::int32_t> listed_;
    std::size_t bits_end_ = 0, listed_end_ = 0;
    std::vector<Census> census_;
};

}  // namespace shoal
