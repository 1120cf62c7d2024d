// Keeps the class tables of the nodes already measured, and rolls a new node up from the smallest
// of those below it.
#pragma once

#include <memory>

#include "lattice/measure.hpp"
#include "lattice/node_sets.hpp"

namespace shoal {

template <int W>
class ClassTables {
  public:
    ClassTables(const Codebook& book, Table<W> bottom, Levels levels, std::int64_t eta, std::size_t budget)
        : book_(book), eta_(eta), budget_(budget), nodes_(levels.size()) {
        keep({std::move(levels), std::move(bottom)});
    }

    // Calls use(table) with the classes of a node; false where the bottom table is not below it.
    template <typename Use>
    bool at(const Levels& levels, Use&& use) {
        const Kept* source = smallest_below(levels);
        if (source == nullptr) return false;
        if (source->levels == levels) {
            use(source->table);
            return true;
        }
        Table<W> table;
        grouper_.roll_up(source->table, book_.transform(source->levels, levels), table);
        use(table);
        // A table that is hardly smaller than its source would only take up room.
        if (length(table) <= length(source->table) * 3 / 4 && bytes_ + bytes_of(table) <= budget_)
            keep({levels, std::move(table)});
        return true;
    }

    bool measure(const Levels& levels, std::vector<std::int64_t>& out, std::vector<std::int64_t>& profile) {
        out.resize(kWeights + levels.size());
        return at(levels,
                  [&](const Table<W>& table) { measurer_.measure(book_, table, levels, eta_, out.data(), profile); });
    }

    std::size_t bytes() const { return bytes_; }

  private:
    struct Kept {
        Levels levels;
        Table<W> table;
    };

    static std::size_t bytes_of(const Table<W>& table) {
        return table.size() * (sizeof(Key<W>) + table.labels * sizeof(std::int64_t)) + table.people.bytes();
    }

    // What a roll-up goes through.
    static std::size_t length(const Table<W>& table) { return table.size() + table.people.length(); }

    void keep(Kept kept) {
        kept.table.keys.shrink_to_fit();
        kept.table.counts.shrink_to_fit();
        kept.table.people.trim();
        bytes_ += bytes_of(kept.table);
        // Smallest first, so that the first one below a node is the best one.
        const auto at =
            std::upper_bound(kept_.begin(), kept_.end(), length(kept.table),
                             [](std::size_t size, const std::unique_ptr<Kept>& k) { return size < length(k->table); });
        nodes_.insert(static_cast<std::size_t>(at - kept_.begin()), nodes_.pack(kept.levels).data());
        kept_.insert(at, std::make_unique<Kept>(std::move(kept)));
    }

    const Kept* smallest_below(const Levels& levels) const {
        const auto packed = nodes_.pack(levels);
        for (std::size_t i = 0; i < kept_.size(); ++i)
            if (nodes_.at_most(nodes_[i], packed.data())) return kept_[i].get();
        return nullptr;
    }

    const Codebook& book_;
    std::int64_t eta_;
    std::size_t budget_, bytes_ = 0;
    PackedNodes nodes_;  // those of kept_, packed: thousands are compared for every node
    std::vector<std::unique_ptr<Kept>> kept_;
    Grouper<W> grouper_;
    Measurer<W> measurer_;
};

}  // namespace shoal
