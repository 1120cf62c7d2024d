// Keeps the class tables of the nodes already measured, and rolls a new node up from the smallest
// of those below it.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "lattice/measure.hpp"
#include "lattice/near_base.hpp"
#include "lattice/node_sets.hpp"

namespace shoal {

template <int W>
class ClassTables {
  public:
    ClassTables(const Codebook& book, Table<W> bottom, Levels levels, std::int64_t eta, std::size_t budget)
        : book_(book), eta_(eta), budget_(budget), nodes_(levels.size()) {
        keep({std::move(levels), std::move(bottom)});
        bottom_ = &kept_.front()->table;
        near_ = std::make_unique<NearBase<W>>(book_, *bottom_, kept_.front()->levels);
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

    // Measures nodes for one k, in their order and on several threads, until `over` says that the time is up. Returns how
    // many are measured. Throws where the bottom table is not below one.
    std::size_t measure_below(const std::vector<Levels>& nodes, std::int64_t k, int threads,
                              const std::function<bool()>& over, std::vector<std::int64_t>& out) {
        const std::size_t columns = kWeights + book_.attributes().size();
        out.resize(nodes.size() * columns);
        return each(nodes, threads, over, [&](std::size_t i, const Table<W>& table, Measurer<W>& measurer) {
            measurer.measure_below(book_, table, nodes[i], k, out.data() + i * columns);
        });
    }

    // The same for every amount of suppression within the limit: the profiles too, as `measure` gives them.
    std::size_t measure_many(const std::vector<Levels>& nodes, int threads, const std::function<bool()>& over,
                             std::vector<std::int64_t>& out, std::vector<std::vector<std::int64_t>>& profiles) {
        const std::size_t columns = kWeights + book_.attributes().size();
        out.resize(nodes.size() * columns);
        profiles.resize(nodes.size());
        return each(nodes, threads, over, [&](std::size_t i, const Table<W>& table, Measurer<W>& measurer) {
            measurer.measure(book_, table, nodes[i], eta_, out.data() + i * columns, profiles[i]);
        });
    }

    std::size_t bytes() const { return bytes_; }

  private:
    static constexpr std::size_t kMany = 8;     // from so many nodes on, a base of their own pays
    static constexpr std::size_t kCheaper = 6;  // so many combinations are split while one is rolled up

    struct Kept {
        Levels levels;
        Table<W> table;
    };

    // What one thread works with.
    struct Worker {
        typename NearBase<W>::Scratch scratch;
        Measurer<W> measurer;
        Table<W> table;
    };

    // Takes the node in the midst of many as the base that they are counted from.
    void place(const std::vector<Levels>& nodes, Worker& worker) {
        for (const Levels& node : nodes)
            if (smallest_below(node) == nullptr) throw std::invalid_argument("the node is not above the bottom table");
        if (nodes.size() >= kMany) near_->place(NearBase<W>::midst(nodes), worker.scratch);
        if (near_->placed()) near_->prepare(nodes);
    }

    // Whether a node is counted sooner from the base than by rolling up a table.
    bool pays(const Levels& node, const Table<W>& source) const {
        if (!near_->reaches(node)) return false;
        const std::size_t lowered = near_->lowered(node);
        const std::size_t work = lowered == 0 ? 0 : length(*bottom_) * (1 + lowered) / kCheaper;
        return work + length(near_->table()) < length(source);
    }

    // Calls use(i, table, measurer) for nodes in their order, each on some thread. The kept tables stay as they are
    // meanwhile; new ones are kept in the end.
    template <typename Use>
    std::size_t each(const std::vector<Levels>& nodes, int threads, const std::function<bool()>& over, Use&& use) {
        std::atomic<std::size_t> next{0};
        std::atomic<bool> ended{false};
        std::exception_ptr failure;
        std::mutex lock;
        std::vector<Kept> made;
        std::size_t room = budget_ - std::min(budget_, bytes_);
        const int others = std::max(static_cast<int>(std::min<std::size_t>(threads, nodes.size())) - 1, 0);
        if (workers_.size() < static_cast<std::size_t>(others) + 1) workers_.resize(others + 1);
        place(nodes, workers_.front());
        ended = over();  // or other threads might take the nodes before this one has looked
        const auto work = [&](Worker& worker, bool looking) {
            try {
                while (!ended) {
                    if (looking && over()) ended = true;
                    if (ended) break;
                    const std::size_t i = next.fetch_add(1);
                    if (i >= nodes.size()) break;
                    const Kept* source = smallest_below(nodes[i]);
                    if (source->levels == nodes[i]) {
                        use(i, source->table, worker.measurer);
                        continue;
                    }
                    if (pays(nodes[i], source->table)) {
                        near_->classes(nodes[i], worker.scratch, worker.table);
                        use(i, worker.table, worker.measurer);
                        continue;
                    }
                    Table<W> table;
                    worker.scratch.grouper.roll_up(source->table, book_.transform(source->levels, nodes[i]), table);
                    use(i, table, worker.measurer);
                    const std::size_t own = bytes_of(table);
                    if (length(table) > length(source->table) * 3 / 4) continue;
                    const std::lock_guard<std::mutex> locked(lock);
                    if (own > room) continue;
                    room -= own;
                    made.push_back({nodes[i], std::move(table)});
                }
            } catch (...) {
                const std::lock_guard<std::mutex> locked(lock);
                failure = std::current_exception();
                ended = true;
            }
        };
        std::vector<std::thread> helpers;
        for (int i = 0; i < others; ++i) helpers.emplace_back(work, std::ref(workers_[i + 1]), false);
        work(workers_.front(), true);
        for (std::thread& helper : helpers) helper.join();
        if (failure) std::rethrow_exception(failure);
        for (Kept& kept : made) keep(std::move(kept));
        return std::min(next.load(), nodes.size());
    }

    static std::size_t bytes_of(const Table<W>& table) {
        return table.size() * (sizeof(Key<W>) + table.labels * sizeof(std::int64_t)) + table.people.bytes() +
               table.spread.bytes();
    }

    // What a roll-up goes through; where persons have values, the classes' many numbers, and these values sorted again.
    static std::size_t length(const Table<W>& table) {
        if (table.spread.columns.empty()) return table.size() + table.people.length();
        return table.size() * static_cast<std::size_t>(table.labels) / 4 + table.people.length() +
               3 * table.spread.length();
    }

    void keep(Kept kept) {
        kept.table.keys.shrink_to_fit();
        kept.table.counts.shrink_to_fit();
        kept.table.people.trim();
        kept.table.spread.trim();
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
    const Table<W>* bottom_;
    std::unique_ptr<NearBase<W>> near_;
    std::vector<Worker> workers_;
    Grouper<W> grouper_;
    Measurer<W> measurer_;
};

}  // namespace shoal
