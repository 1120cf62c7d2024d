// Which groups are allowed by the sensitive values of their rows: how many there are, how large a share each is, and how
// far they are from those of all rows.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "common/assert.hpp"
#include "common/wide.hpp"
#include "lattice/closeness.hpp"

namespace shoal {

// Counts of values, one row a combination; a rule is about some of the columns.
class ValueRules {
  public:
    ValueRules(std::vector<std::int64_t>&& counts, std::size_t width)
        : counts_(std::move(counts)), width_(width), all_(width, 0) {
        for (std::size_t i = 0; i < counts_.size(); ++i) all_[i % width] += counts_[i];
    }

    std::size_t size() const { return counts_.size() / width_; }
    std::size_t width() const { return width_; }
    // The rows of all combinations that are counted in some columns.
    std::int64_t rows(std::size_t first, std::size_t values) const {
        return std::accumulate(all_.begin() + first, all_.begin() + first + values, std::int64_t{0});
    }

    // At least so many of these columns are above 0.
    void add_distinct(std::vector<int>&& columns, std::int64_t least) {
        distinct_.push_back({std::move(columns), least});
    }

    // The share of one column in the sum of others is at most num / den.
    void add_share(int column, std::vector<int>&& of, std::int64_t num, std::int64_t den) {
        shares_.push_back({column, std::move(of), num, den});
    }

    // So many columns from one on are within num / den of all rows together, by the lengths of edges; `within` has the sums.
    void add_close(std::size_t first, std::size_t values, Edges&& edges, std::int64_t num, std::int64_t den) {
        const AllGroups all({all_.data() + first, 0, 1, values}, edges);
        close_.push_back({first, values, std::move(edges), all, num, den});
    }

    bool kept(const std::int64_t* sums, std::vector<std::int64_t>& beyond) const {
        for (const Distinct& rule : distinct_) {
            std::int64_t found = 0;
            for (const int column : rule.columns) found += sums[column] > 0;
            if (found < rule.least) return false;
        }
        for (const Share& rule : shares_) {
            std::int64_t of = 0;
            for (const int column : rule.of) of += sums[column];
            if (less_products(of, rule.num, sums[rule.column], rule.den)) return false;
        }
        for (const Close& rule : close_)
            if (!near(sums + rule.first, rule.values, rule.edges, rule.all, rule.num, rule.den, beyond)) return false;
        return true;
    }

    // As `Allowed` is asked. Where ranges overlap much, as the cuts of one order do, sums from the first member on are made
    // once for all of them.
    std::vector<char> operator()(const std::vector<std::int32_t>& members, const std::vector<std::int64_t>& begins,
                                 const std::vector<std::int64_t>& ends) const {
        std::vector<char> result(begins.size());
        std::vector<std::int64_t> sums(width_), beyond, up_to;
        std::int64_t asked = 0;
        for (std::size_t r = 0; r < begins.size(); ++r) asked += ends[r] - begins[r];
        const bool often = asked > 2 * static_cast<std::int64_t>(members.size());
        if (often) {
            up_to.assign((members.size() + 1) * width_, 0);
            for (std::size_t i = 0; i < members.size(); ++i)
                for (std::size_t v = 0; v < width_; ++v)
                    up_to[(i + 1) * width_ + v] = up_to[i * width_ + v] + at(members[i])[v];
        }
        for (std::size_t r = 0; r < begins.size(); ++r) {
            if (often) {
                for (std::size_t v = 0; v < width_; ++v)
                    sums[v] = up_to[ends[r] * width_ + v] - up_to[begins[r] * width_ + v];
            } else {
                std::fill(sums.begin(), sums.end(), 0);
                for (std::int64_t i = begins[r]; i < ends[r]; ++i)
                    for (std::size_t v = 0; v < width_; ++v) sums[v] += at(members[i])[v];
            }
            result[r] = kept(sums.data(), beyond);
        }
        return result;
    }

  private:
    struct Distinct {
        std::vector<int> columns;
        std::int64_t least;
    };
    struct Share {
        int column;
        std::vector<int> of;
        std::int64_t num, den;
    };
    struct Close {
        std::size_t first, values;
        Edges edges;
        AllGroups all;
        std::int64_t num, den;
    };

    const std::int64_t* at(std::int32_t member) const { return counts_.data() + std::size_t(member) * width_; }

    std::vector<std::int64_t> counts_;
    std::size_t width_;
    std::vector<std::int64_t> all_;
    std::vector<Distinct> distinct_;
    std::vector<Share> shares_;
    std::vector<Close> close_;
};

}  // namespace shoal
