// The sets of at most so many of n attributes, each with a number.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace shoal {

// A set with attributes a_1 < a_2 < ... < a_m has the number of all smaller sets plus the sum of (a_j choose j): sets of
// one size are numbered without gaps. `after` gives the part of that sum that an attribute adds, so that a walk from
// sets to larger ones needs one addition a step.
class AttributeSets {
  public:
    static constexpr std::size_t kMost = std::size_t{1} << 24;

    AttributeSets(int attributes, int largest) : attributes_(attributes), largest_(largest) {
        choose_.assign(attributes + 1, std::vector<std::size_t>(largest + 2, 0));
        for (int a = 0; a <= attributes; ++a) {
            choose_[a][0] = 1;
            for (int j = 1; j <= largest && a > 0; ++j) {
                choose_[a][j] = choose_[a - 1][j - 1] + choose_[a - 1][j];
                if (choose_[a][j] > kMost) throw std::invalid_argument("there are too many sets of attributes");
            }
        }
        smaller_.assign(largest + 2, 0);
        for (int m = 1; m <= largest; ++m) {
            smaller_[m + 1] = smaller_[m] + choose_[attributes][m];
            if (smaller_[m + 1] > kMost) throw std::invalid_argument("there are too many sets of attributes");
        }
    }

    int attributes() const { return attributes_; }
    int largest() const { return largest_; }
    std::size_t size() const { return smaller_[largest_ + 1]; }
    // How many sets have fewer attributes than `size`, without the empty one.
    std::size_t smaller(int size) const { return smaller_[size]; }
    // What attribute a adds to the number of a set where it is the j-th, j from 1.
    std::size_t after(int a, int j) const { return choose_[a][j]; }

  private:
    int attributes_;
    int largest_;
    std::vector<std::vector<std::size_t>> choose_;
    std::vector<std::size_t> smaller_;
};

}  // namespace shoal
