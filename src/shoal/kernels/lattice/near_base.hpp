// Counts the classes of nodes that are near each other from the classes of a node in their midst.
//
// A search looks at all neighbours of a node. Each raises a few of its attributes and lowers a few, so its classes
// are those of the node merged, and split by the codes of the lowered attributes: two or three numbers a combination
// instead of all its attributes.
//
// Proof. Let J have in every attribute the higher of the levels of the base B and the node M. An attribute that M does
// not lower has M's level in J; in a lowered one M's code decides J's, which is B's. So two combinations are in one
// class of M if and only if they are in one class of J and have the same codes in the lowered attributes of M. And J is
// above B, so its classes are those of B merged.
#pragma once

#include "lattice/grouper.hpp"

namespace shoal {

template <int W>
class NearBase {
  public:
    static constexpr std::size_t kMostLowered = 3;  // a combination is looked up once for each

    // What a thread works with, kept from node to node.
    struct Scratch {
        Grouper<W> grouper;
        Grouper<1> splitter;
        Table<W> joined;
        Table<1> split;
        std::vector<Key<1>> cells;
        std::vector<Key<W>> moved;
    };

    NearBase(const Codebook& book, const Table<W>& bottom, Levels levels)
        : book_(book), bottom_(bottom), ground_(std::move(levels)), columns_(ground_.size()) {}

    bool placed() const { return !base_.empty(); }
    const Levels& base() const { return base_; }
    const Table<W>& table() const { return table_; }

    // The level that most nodes have, attribute by attribute: of all neighbours of a node, the node.
    static Levels midst(const std::vector<Levels>& nodes) {
        Levels found(nodes.front().size()), column(nodes.size());
        for (std::size_t a = 0; a < found.size(); ++a) {
            for (std::size_t i = 0; i < nodes.size(); ++i) column[i] = nodes[i][a];
            const auto middle = column.begin() + static_cast<std::ptrdiff_t>(column.size() / 2);
            std::nth_element(column.begin(), middle, column.end());
            found[a] = *middle;
        }
        return found;
    }

    // Makes a node the base.
    void place(const Levels& node, Scratch& scratch) {
        if (node == base_) return;
        Table<W> table;
        std::vector<std::uint32_t> of(bottom_.size());
        if (reaches(node)) {
            prepare({node});
            classes(node, scratch, table, &of);
        } else {
            scratch.grouper.roll_up(bottom_, book_.transform(ground_, node), table, true);
            of = scratch.grouper.of();
        }
        base_ = node;
        table_ = std::move(table);
        of_ = std::move(of);
    }

    // Whether the classes of a node can be counted from the base.
    bool reaches(const Levels& node) const {
        if (!placed() || lowered(node) > kMostLowered) return false;
        int bits = bits_for(static_cast<std::int64_t>(table_.size()));
        for (std::size_t a = 0; a < node.size(); ++a)
            if (node[a] < base_[a]) bits += bits_for(book_.attributes()[a].sizes[node[a]]);
        return bits <= 64;
    }

    // How many attributes of the base a node lowers.
    std::size_t lowered(const Levels& node) const {
        std::size_t count = 0;
        for (std::size_t a = 0; a < node.size(); ++a) count += node[a] < base_[a];
        return count;
    }

    // Reads the columns that nodes within reach lower. To be called before several threads count classes.
    void prepare(const std::vector<Levels>& nodes) {
        const Layout layout = book_.layout(ground_);
        for (const Levels& node : nodes)
            for (std::size_t a = 0; a < node.size() && reaches(node); ++a) {
                if (node[a] >= base_[a] || !columns_[a].empty()) continue;
                columns_[a].resize(bottom_.size());
                for (std::size_t i = 0; i < bottom_.size(); ++i)
                    columns_[a][i] = static_cast<std::uint32_t>(layout.fields[a].code(bottom_.keys[i].word.data()));
            }
    }

    // Counts the classes of a node within reach, whose columns are read. If asked for, `of` gets the class of
    // every combination.
    void classes(const Levels& node, Scratch& scratch, Table<W>& out, std::vector<std::uint32_t>* of = nullptr) const {
        SHOAL_ASSERT(reaches(node));
        Levels join = node;
        for (std::size_t a = 0; a < node.size(); ++a) join[a] = std::max(node[a], base_[a]);
        if (join == node) {
            scratch.grouper.roll_up(table_, book_.transform(base_, node), out, of != nullptr);
            if (of != nullptr) follow(scratch.grouper.of(), *of);
            return;
        }
        const Table<W>* above = &table_;
        const std::uint32_t* merged = nullptr;
        if (join != base_) {
            scratch.joined.people.counted = false;  // persons are counted in the end
            scratch.joined.sets = table_.sets;
            scratch.moved.resize(table_.size());
            const Transform transform = book_.transform(base_, join);
            transform.apply(table_.keys.data(), table_.size(), scratch.moved.data());
            scratch.grouper.group(scratch.moved.data(), table_.counts.data(), table_.size(), table_.labels,
                                  transform.target_bits, scratch.joined, true);
            above = &scratch.joined;
            merged = scratch.grouper.of().data();
        }
        split(node, join, *above, merged, scratch, out, of != nullptr);
        if (bottom_.people.counted) bottom_.people.roll_up(scratch.splitter.of(), out.size(), out.people);
        if (of != nullptr) *of = scratch.splitter.of();
    }

  private:
    // A lowered attribute: where its codes lie in a cell's number, and every code of the bottom table there.
    struct Lowered {
        std::size_t attribute;
        int shift, width;
        std::vector<std::uint64_t> shifted;
    };

    void follow(const std::vector<std::uint32_t>& merged, std::vector<std::uint32_t>& of) const {
        of.resize(of_.size());
        for (std::size_t i = 0; i < of_.size(); ++i) of[i] = merged[of_[i]];
    }

    // Splits the classes of the join by the lowered attributes: a combination's cell is its class and their codes.
    void split(const Levels& node, const Levels& join, const Table<W>& above, const std::uint32_t* merged,
               Scratch& scratch, Table<W>& out, bool listed) const {
        // The codes in the low bits, so that the cells of a class lie side by side.
        int bits = 0;
        std::vector<Lowered> lowered;
        for (std::size_t a = 0; a < node.size(); ++a) {
            if (node[a] == join[a]) continue;
            const std::vector<std::int32_t> map = book_.attributes()[a].up(ground_[a], node[a]);
            lowered.push_back({a, bits, bits_for(book_.attributes()[a].sizes[node[a]]), {}});
            std::vector<std::uint64_t>& shifted = lowered.back().shifted;
            for (const std::int32_t code : map) shifted.push_back(static_cast<std::uint64_t>(code) << bits);
            // As many as the bits of a code can name, so that no key reads beyond them.
            shifted.resize(std::size_t{1} << bits_for(book_.attributes()[a].sizes[ground_[a]]), 0);
            bits += lowered.back().width;
        }
        const int shift = bits;
        bits += bits_for(static_cast<std::int64_t>(above.size()));
        SHOAL_ASSERT(bits <= 64);
        const std::size_t n = bottom_.size();
        scratch.cells.resize(n);
        Key<1>* cells = scratch.cells.data();
        for (const Lowered& one : lowered) {
            const std::uint32_t* column = columns_[one.attribute].data();
            const std::uint64_t* shifted = one.shifted.data();
            if (&one != &lowered.front()) {
                for (std::size_t i = 0; i < n; ++i) cells[i].word[0] |= shifted[column[i]];
            } else if (merged == nullptr) {
                for (std::size_t i = 0; i < n; ++i)
                    cells[i].word[0] = std::uint64_t{of_[i]} << shift | shifted[column[i]];
            } else {
                for (std::size_t i = 0; i < n; ++i)
                    cells[i].word[0] = std::uint64_t{merged[of_[i]]} << shift | shifted[column[i]];
            }
        }
        Table<1>& found = scratch.split;
        found.sets = bottom_.sets;
        listed |= bottom_.people.counted;
        scratch.splitter.group(cells, bottom_.counts.data(), n, bottom_.labels, bits, found, listed);
        // The keys of the join's classes without the lowered attributes, and then with those of each cell.
        const Transform rest = book_.transform_common(join, node);
        scratch.moved.resize(above.size());
        rest.apply(above.keys.data(), above.size(), scratch.moved.data());
        const Layout layout = book_.layout(node);
        out.labels = bottom_.labels;
        out.sets = bottom_.sets;
        out.people.counted = bottom_.people.counted;
        out.keys.resize(found.size());
        for (std::size_t g = 0; g < found.size(); ++g) {
            const std::uint64_t cell = found.keys[g].word[0];
            out.keys[g] = scratch.moved[cell >> shift];
            for (const Lowered& one : lowered) {
                const Field field = layout.fields[one.attribute];
                out.keys[g].word[field.word] |= (cell >> one.shift & mask_of(one.width)) << field.shift;
            }
        }
        out.counts = found.counts;
    }

    const Codebook& book_;
    const Table<W>& bottom_;
    Levels ground_, base_;
    Table<W> table_;                                   // the classes of the base
    std::vector<std::uint32_t> of_;                    // the base's class of every combination
    std::vector<std::vector<std::uint32_t>> columns_;  // the bottom's codes of the attributes lowered so far
};

}  // namespace shoal
