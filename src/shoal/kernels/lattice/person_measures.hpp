// Values of different persons in classes, and how far classes are from the table where a person weighs one in each.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

#include "common/wide.hpp"
#include "lattice/grouper.hpp"

namespace shoal {

// The columns that are weighed by persons. A class has for each of them its weights and then those of its combinations
// added up, and after all columns the persons of its combinations added up.
struct Weighed {
    std::vector<int> widths;
    std::vector<std::int64_t> whole;  // the weights of the whole table
    std::int64_t sum = 1;             // these added up, the same for every column
    std::int64_t scale = 1;           // the weight of a person in a class

    std::size_t columns() const { return widths.empty() ? 0 : 2 * whole.size() + 1; }
};

// A distance times twice the scale times the sum of the whole table's weights.
struct Far {
    std::int64_t far = 0, of = 1;

    bool less(const Far& other) const { return less_products(far, other.of, other.far, of); }
    void raise(const Far& other) {
        if (less(other)) *this = other;
    }
};

// The largest number of values of a class that different persons stand for, beyond those that are given away already:
// a largest matching, along augmenting paths. Who holds a value that is given away needs it no more.
class Matching {
  public:
    struct Open {
        std::uint32_t group, value, person;
    };

    // Adds the sizes of the matchings to more[group * stride]; persons are numbered below `persons`.
    void add(std::vector<Open>& open, std::size_t persons, std::int64_t* more, std::size_t stride) {
        std::sort(open.begin(), open.end(), [](const Open& one, const Open& other) {
            return one.group != other.group ? one.group < other.group : one.value < other.value;
        });
        if (seen_.size() < persons) {
            seen_.resize(persons, 0);
            came_.resize(persons);
            given_.resize(persons);
            given_in_.resize(persons, 0);
        }
        for (std::size_t first = 0; first < open.size();) {
            starts_.clear();
            std::size_t last = first;
            for (; last < open.size() && open[last].group == open[first].group; ++last)
                if (last == first || open[last].value != open[last - 1].value) starts_.push_back(last);
            starts_.push_back(last);
            ++round_;
            holder_.assign(starts_.size(), 0);
            std::int64_t found = 0;
            for (std::uint32_t value = 0; value + 1 < starts_.size(); ++value) found += give(value, open);
            more[open[first].group * stride] += found;
            first = last;
        }
    }

  private:
    // Gives a value to a person, moving others if need be, breadth first.
    bool give(std::uint32_t value, const std::vector<Open>& open) {
        ++stamp_;
        queue_.assign(1, value);
        for (std::size_t next = 0; next < queue_.size(); ++next) {
            for (std::size_t i = starts_[queue_[next]]; i < starts_[queue_[next] + 1]; ++i) {
                std::uint32_t person = open[i].person;
                if (seen_[person] == stamp_) continue;
                seen_[person] = stamp_;
                came_[person] = queue_[next];
                if (given_in_[person] == round_) {
                    queue_.push_back(given_[person]);
                    continue;
                }
                given_in_[person] = round_;
                for (;;) {
                    const std::uint32_t here = came_[person], before = holder_[here];
                    holder_[here] = person;
                    given_[person] = here;
                    if (here == value) return true;
                    person = before;
                }
            }
        }
        return false;
    }

    std::vector<std::size_t> starts_;
    std::vector<std::uint32_t> holder_, queue_, came_, given_;
    std::vector<std::uint64_t> seen_, given_in_;  // in which search, and for which class, the other numbers hold
    std::uint64_t stamp_ = 0, round_ = 0;
};

// Measures the classes of one table after the other; scratch memory is kept. The columns of the table's spread are those
// that are weighed, then one for each set.
template <int W>
class PersonMeasures {
  public:
    // Counts the values of different persons; `first` is where a class's sets begin, `widths` are their words.
    void count(const Table<W>& table, std::size_t first, const std::vector<int>& widths) {
        const std::size_t stride = static_cast<std::size_t>(table.labels), words = stride - first;
        const std::size_t columns = widths.size(), before = table.spread.columns.size() - columns;
        more_.assign(table.size() * columns, 0);
        bits_.resize(table.size() * words);
        for (std::size_t g = 0; g < table.size(); ++g)
            std::copy_n(table.counts.data() + g * stride + first, words, bits_.data() + g * words);
        for (std::size_t c = 0; c < columns; ++c) {
            const SpreadValues& listed = table.spread.columns[before + c];
            open_.clear();
            std::uint32_t person = 0;
            // A roll-up looks at a set before all of its values are there.
            const auto taken = [&](const SpreadValues::Entry& one, std::uint32_t group) {
                const std::int64_t* set = bits_.data() + group * words + (listed.at - first);
                return (static_cast<std::uint64_t>(set[one.value / 64]) >> one.value % 64 & 1) != 0;
            };
            listed.each(
                [&](std::size_t one, std::size_t last, std::uint32_t group) {
                    const std::size_t start = open_.size();
                    for (; one != last; ++one)
                        if (!taken(listed.entries[one], group))
                            open_.push_back({group, listed.entries[one].value, person});
                    if (open_.size() - start != 1) return;
                    // Nobody needs this person for another value of the class.
                    const std::uint32_t value = open_.back().value;
                    std::int64_t& word = bits_[group * words + (listed.at - first) + value / 64];
                    word = static_cast<std::int64_t>(static_cast<std::uint64_t>(word) | std::uint64_t{1} << value % 64);
                    open_.pop_back();
                },
                [&] { ++person; });
            std::size_t kept = 0;
            for (const Matching::Open& one : open_)
                if (!taken({0, one.value, 0}, one.group)) open_[kept++] = one;
            open_.resize(kept);
            if (kept > 0) matching_.add(open_, person, more_.data() + c, columns);
        }
    }

    // The fewest values of different persons that a class has in one of the columns.
    std::int64_t distinct(std::size_t g, const std::vector<int>& widths) const {
        const std::size_t words = more_.empty() ? 0 : bits_.size() / (more_.size() / widths.size());
        const std::int64_t* set = bits_.data() + g * words;
        std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
        for (std::size_t c = 0; c < widths.size(); ++c) {
            std::int64_t count = more_[g * widths.size() + c];
            for (int w = 0; w < widths[c]; ++w) count += std::popcount(static_cast<std::uint64_t>(*set++));
            fewest = std::min(fewest, count);
        }
        return fewest;
    }

    // Finds the largest distance of a class, and a distance that some class of every node below has at least; `first` is
    // where a class's weights begin.
    //
    // Let C be a class, W_v its weight of value v and n its persons, and let C_1, ..., C_m be the classes below that make
    // it up. In its part a row weighs no less than in C, since its person has no more rows there, and no more than in its
    // combination. So if Q_v adds up the weights of C's combinations, and P their persons, the weights of the parts add up
    // to some Y_v with W_v <= Y_v <= Q_v, and their persons to some x with n <= x <= P. The distance from the table's
    // shares T is convex, so the largest of the parts' distances is at least that of their average, Y / x. And that is
    // at least f(x), the sum over v of max(0, W_v / x - T_v), and g(x), that of max(0, T_v - Q_v / x). f never rises
    // with x, and g never falls. So it is at least f(P), at least g(n), and for any y at least the smaller of f(y)
    // and g(y): either x <= y, or x >= y. If nobody of C is in two of its combinations, f(P) is the distance of C.
    void distances(const Table<W>& table, std::size_t first, const Weighed& weighed, Far& largest, Far& below) {
        const std::size_t stride = static_cast<std::size_t>(table.labels), end = first + weighed.columns() - 1;
        std::size_t begin = first, start = 0;
        for (std::size_t c = 0; c < weighed.widths.size(); ++c) {
            const std::size_t width = static_cast<std::size_t>(weighed.widths[c]);
            const std::int64_t *whole = weighed.whole.data() + start, sum = weighed.sum;
            weights_.assign(table.size() * width, 0);
            table.spread.columns[c].weigh(weights_.data(), width);
            for (std::size_t g = 0; g < table.size(); ++g) {
                const std::int64_t* row = table.counts.data() + g * stride;
                const std::int64_t persons = table.people.sizes[g], most = row[end];
                if (persons < 1 || most < 1) continue;
                std::int64_t* own = weights_.data() + g * width;
                Far here{0, persons};
                for (std::size_t v = 0; v < width; ++v) {
                    own[v] = (own[v] + row[begin + v]) * sum;
                    here.far += std::abs(own[v] - whole[v] * weighed.scale * persons);
                }
                largest.raise(here);
                if (!below.less(here)) continue;
                if (persons == most)
                    below = here;
                else
                    bound(own, row + begin + width, whole, width, sum, weighed.scale, {persons, most}, below);
            }
            begin += 2 * width;
            start += width;
        }
    }

  private:
    // Raises the bound by that of a class: `own` are its weights times the sum of the whole, `each` those of its
    // combinations; the persons are between the two numbers.
    static void bound(const std::int64_t* own, const std::int64_t* each, const std::int64_t* whole, std::size_t width,
                      std::int64_t sum, std::int64_t scale, std::pair<std::int64_t, std::int64_t> persons, Far& below) {
        const auto over = [&](std::int64_t x) {
            std::int64_t total = 0;
            for (std::size_t v = 0; v < width; ++v) total += std::max<std::int64_t>(own[v] - whole[v] * scale * x, 0);
            return total;
        };
        const auto under = [&](std::int64_t x) {
            std::int64_t total = 0;
            for (std::size_t v = 0; v < width; ++v)
                total += std::max<std::int64_t>(whole[v] * scale * x - each[v] * sum, 0);
            return total;
        };
        auto [low, high] = persons;
        below.raise({2 * over(high), high});
        below.raise({2 * under(low), low});
        while (low < high) {
            const std::int64_t x = low + (high - low) / 2, more = over(x), less = under(x);
            below.raise({2 * std::min(more, less), x});
            if (more > less)
                low = x + 1;
            else
                high = x;
        }
    }

    std::vector<std::int64_t> more_, bits_, weights_;
    std::vector<Matching::Open> open_;
    Matching matching_;
};

}  // namespace shoal
