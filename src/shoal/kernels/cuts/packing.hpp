// Whether so many rows fit: a small integer program, by branch and bound on its relaxation.
//
// Maximize the sum of x_v with lo_v <= x_v <= hi_v and, for every constraint s, the sum of the x_v in it at most
// room_s, all of them whole numbers. The relaxation is solved by the simplex method for bounded variables in floating point; but no floating
// point number is believed. Whatever y >= 0 it returns as prices of the constraints, every allowed x has
//     sum of x_v <= sum of room_s y_s + sum of max(over x_v of x_v (1 - sum of y_s of v's constraints)),
// so prices are rounded to multiples of 2^-30 and the right side, in whole numbers, is a bound. Solutions are whole,
// and checked. So the answer is exact unless the search gives up, and says so.
#pragma once

#include <cmath>
#include <vector>

#include "common/assert.hpp"
#include "cuts/limit.hpp"

namespace shoal {

class Packing {
  public:
    static constexpr int kMostNodes = 20'000;

    // `rows`: how many of every variable there are; `inside`: the constraints that each of them is in. Rows and room are
    // below 2^31.
    Packing(std::vector<std::int64_t> room, std::vector<std::int64_t> rows, std::vector<std::vector<int>> inside)
        : room_(std::move(room)), inside_(std::move(inside)), lo_(rows.size(), 0), hi_(std::move(rows)), take_(lo_) {}

    // The goal, where so many fit: `take()` says which. Or else less: an upper bound of what fits.
    std::int64_t operator()(std::int64_t goal) {
        const std::int64_t bound = relax(room_);
        if (bound < goal) return bound;
        return branch(goal) && !gave_up_ ? goal : goal - 1;
    }

    bool gave_up() const { return gave_up_; }
    const std::vector<std::int64_t>& take() const { return take_; }

  private:
    static constexpr double kTiny = 1e-9;
    static constexpr int kShift = 30;

    // Returns whether the search is over: the goal is reached, or it gave up.
    bool branch(std::int64_t goal) {
        if (++nodes_ > kMostNodes) return gave_up_ = true;
        std::vector<std::int64_t> left = room_;
        for (std::size_t v = 0; v < lo_.size(); ++v)
            for (const int s : inside_[v])
                if ((left[s] -= lo_[v]) < 0) return false;
        if (relax(left) < goal) return false;
        const std::vector<double> x = x_;
        if (fill(x, left) >= goal) return true;
        std::size_t pick = lo_.size();
        double widest = -1;
        for (std::size_t v = 0; v < lo_.size(); ++v) {
            if (lo_[v] == hi_[v]) continue;
            // First those that are farthest from whole, then those that are least known.
            const double off = std::abs(x[v] - std::round(x[v]));
            const double width = off > 1e-6 ? 1 + off : 0.5 - 0.5 / static_cast<double>(hi_[v] - lo_[v]);
            if (width > widest) widest = width, pick = v;
        }
        if (pick == lo_.size()) return false;
        const std::int64_t lo = lo_[pick], hi = hi_[pick];
        const std::int64_t at = std::clamp(lo + static_cast<std::int64_t>(std::floor(x[pick])), lo, hi - 1);
        lo_[pick] = at + 1;
        bool over = branch(goal);
        lo_[pick] = lo;
        if (over) return true;
        hi_[pick] = at;
        over = branch(goal);
        hi_[pick] = hi;
        return over;
    }

    // Takes a whole solution near that of the relaxation, rounded down, then filled up; returns its sum.
    std::int64_t fill(const std::vector<double>& x, std::vector<std::int64_t> left) {
        std::int64_t total = 0;
        const auto add = [&](std::size_t v, std::int64_t wanted) {
            std::int64_t more = std::min(wanted, hi_[v] - take_[v]);
            for (const int s : inside_[v]) more = std::min(more, left[s]);
            if (more <= 0) return;
            for (const int s : inside_[v]) left[s] -= more;
            take_[v] += more;
            total += more;
        };
        for (std::size_t v = 0; v < lo_.size(); ++v) total += take_[v] = lo_[v];
        for (std::size_t v = 0; v < lo_.size(); ++v) add(v, static_cast<std::int64_t>(std::floor(x[v] + 1e-6)));
        for (std::size_t v = 0; v < lo_.size(); ++v) add(v, kNever);
        return total;
    }

    // Solves the relaxation above the lower bounds, into x_; returns an upper bound of all whole solutions.
    std::int64_t relax(const std::vector<std::int64_t>& left) {
        const std::size_t m = left.size(), n = lo_.size(), width = n + m;
        table_.assign(m * width, 0.0);
        gain_.assign(width, 0.0);
        upper_.assign(width, static_cast<double>(kNever));
        full_.assign(width, 0);
        basis_.resize(m);
        value_.resize(m);
        std::vector<char> basic(width, 0);
        for (std::size_t v = 0; v < n; ++v) {
            gain_[v] = 1.0;
            upper_[v] = static_cast<double>(hi_[v] - lo_[v]);
            for (const int s : inside_[v]) table_[s * width + v] = 1.0;
        }
        for (std::size_t s = 0; s < m; ++s) {
            table_[s * width + n + s] = 1.0;
            basis_[s] = n + s;
            basic[n + s] = 1;
            value_[s] = static_cast<double>(left[s]);
        }
        // After many steps the first variable that improves is taken, not the best: so it cannot go round in circles.
        for (std::size_t step = 0; step < 200 * (width + 1); ++step) {
            std::size_t enter = width;
            double most = kTiny;
            for (std::size_t j = 0; j < width; ++j) {
                const double better = full_[j] ? -gain_[j] : gain_[j];
                if (basic[j] || better <= most) continue;
                enter = j;
                if (step > 20 * width) break;
                most = better;
            }
            if (enter == width) break;
            const double way = full_[enter] ? -1.0 : 1.0;
            double far = upper_[enter];
            std::size_t leave = m;
            for (std::size_t s = 0; s < m; ++s) {
                const double fall = table_[s * width + enter] * way;
                double reach = far;
                if (fall > kTiny) reach = value_[s] / fall;
                if (fall < -kTiny && upper_[basis_[s]] < static_cast<double>(kNever))
                    reach = (upper_[basis_[s]] - value_[s]) / -fall;
                if (reach < far) far = std::max(reach, 0.0), leave = s;
            }
            for (std::size_t s = 0; s < m; ++s) value_[s] -= table_[s * width + enter] * way * far;
            if (leave == m) {
                full_[enter] ^= 1;
                continue;
            }
            const std::size_t out = basis_[leave];
            full_[out] = table_[leave * width + enter] * way < 0;
            basic[out] = 0;
            basic[enter] = 1;
            value_[leave] = (full_[enter] ? upper_[enter] : 0.0) + way * far;
            full_[enter] = 0;
            basis_[leave] = enter;
            pivot(leave, enter, width);
        }
        x_.assign(n, 0.0);
        for (std::size_t v = 0; v < n; ++v)
            if (full_[v]) x_[v] = upper_[v];
        for (std::size_t s = 0; s < m; ++s)
            if (basis_[s] < n) x_[basis_[s]] = std::clamp(value_[s], 0.0, upper_[basis_[s]]);
        return priced(left);
    }

    void pivot(std::size_t row, std::size_t column, std::size_t width) {
        double* own = table_.data() + row * width;
        const double by = own[column];
        for (std::size_t j = 0; j < width; ++j) own[j] /= by;
        const auto clear = [&](double* other) {
            const double times = other[column];
            if (times == 0.0) return;
            for (std::size_t j = 0; j < width; ++j) other[j] -= times * own[j];
            other[column] = 0.0;
        };
        for (std::size_t s = 0; s < basis_.size(); ++s)
            if (s != row) clear(table_.data() + s * width);
        clear(gain_.data());
    }

    // The bound that the prices of the constraints prove.
    std::int64_t priced(const std::vector<std::int64_t>& left) const {
        const std::size_t n = lo_.size();
        std::vector<std::int64_t> price(left.size());
        // Rows and prices have 31 bits, so their products have 62; of the sum, whole numbers and the rest are apart.
        std::int64_t whole = 0, rest = 0;
        const auto add = [&](std::int64_t one, std::int64_t other) {
            SHOAL_ASSERT(one >= 0 && one <= INT32_MAX && other >= 0 && other <= INT32_MAX);
            whole += one * other >> kShift;
            rest += one * other & ((1 << kShift) - 1);
        };
        for (std::size_t s = 0; s < left.size(); ++s) {
            price[s] = std::llround(std::clamp(-gain_[n + s], 0.0, 1.0) * (1 << kShift));
            add(price[s], left[s]);
        }
        for (std::size_t v = 0; v < n; ++v) {
            std::int64_t profit = std::int64_t{1} << kShift;
            for (const int s : inside_[v]) profit -= price[s];
            whole += lo_[v];
            add(std::max<std::int64_t>(profit, 0), hi_[v] - lo_[v]);
        }
        return whole + (rest >> kShift);
    }

    std::vector<std::int64_t> room_;
    std::vector<std::vector<int>> inside_;
    std::vector<std::int64_t> lo_, hi_, take_;
    int nodes_ = 0;
    bool gave_up_ = false;
    // Of the simplex method: gains of the objective, upper bounds, which variables stand at theirs.
    std::vector<double> table_, gain_, upper_, value_, x_;
    std::vector<char> full_;
    std::vector<std::size_t> basis_;
};

}  // namespace shoal
