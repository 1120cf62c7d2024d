// The search over cuts on several threads: workers, and the parts that wait for one.
//
// A worker takes the part with the lowest bound and searches it depth first; after a while it gives back what is left
// of it, in parts, so that the lowest bound of all rises steadily. It keeps parts that are large, and those that would
// take those that wait beyond their memory.
// Which cut is found does not depend on the threads: ties have one answer (see comes_first), and a part of the search
// is left out only if nothing in it comes before the worst of the best.
#pragma once

#include <condition_variable>
#include <memory>
#include <thread>

#include "common/deadline.hpp"
#include "cuts/worker.hpp"

namespace shoal {

template <class Count>
class CutSearch {
  public:
    template <class Fill>
    CutSearch(const Trees& trees, const Rules& rules, SearchOptions options, int threads, const std::vector<int>& open,
              Fill&& fill)
        : options_(options), incumbents_(options.keep, options.slack) {
        for (int t = 0; t < threads; ++t)
            workers_.push_back(std::make_unique<Worker<Count>>(trees, rules, options_, incumbents_));
        workers_[0]->begin(open, fill);
    }

    Incumbents& incumbents() { return incumbents_; }

    // Works for some seconds, or so many steps a thread; returns whether all is done.
    bool run(double seconds, std::int64_t steps) {
        const auto deadline = deadline_after(seconds);
        busy_ = static_cast<int>(workers_.size());
        hungry_ = false;
        std::vector<std::thread> threads;
        for (std::size_t t = 1; t < workers_.size(); ++t)
            threads.emplace_back([&, t] { work(*workers_[t], deadline, steps); });
        work(*workers_[0], deadline, steps);
        for (std::thread& thread : threads) thread.join();
        return done();
    }

    bool done() const {
        for (const auto& worker : workers_)
            if (!worker->idle()) return false;
        return tasks_.empty();
    }

    std::int64_t examined() const {
        std::int64_t total = 0;
        for (const auto& worker : workers_) total += worker->examined();
        return total;
    }

    // The least that a cut can cost that is not among the best: a lower bound, together with the best. Between runs.
    std::int64_t bound() {
        std::int64_t least = incumbents_.left_out();
        for (const auto& worker : workers_) least = std::min(least, worker->bound());
        for (const Task<Count>& task : tasks_) least = std::min(least, task.bound);
        return least;
    }

  private:
    static constexpr std::int64_t kBurst = 512;           // steps between two looks at the other parts
    static constexpr std::size_t kMostBytes = 32u << 20;  // of parts that wait
    static constexpr std::size_t kPartBytes = 4u << 20;   // of a part that is given back

    void work(Worker<Count>& worker, std::chrono::steady_clock::time_point deadline, std::int64_t steps) {
        const auto feed = [this](Worker<Count>& own) {
            if (hungry_.load(std::memory_order_relaxed)) put(own.give_highest());
        };
        while (true) {
            // Bursts go on where the clock has cut them off: what one thread does depends on no clock.
            if (worker.burst() >= kBurst) {
                put(worker.give_back(kPartBytes, room()));
                worker.begin_burst();
            }
            const std::int64_t before = worker.burst();
            worker.run(deadline, std::min(kBurst - before, steps), feed);
            steps -= worker.burst() - before;
            const bool over = steps == 0 || std::chrono::steady_clock::now() >= deadline;
            if (!worker.idle() && !over) continue;
            std::unique_lock<std::mutex> lock(mutex_);
            --busy_;
            arrived_.notify_all();
            if (!worker.idle() || (over && tasks_.empty())) return;
            hungry_ = tasks_.empty();
            if (tasks_.empty()) worker.rest();
            arrived_.wait_until(lock, deadline, [this] { return !tasks_.empty() || busy_ == 0; });
            if (tasks_.empty()) return;
            if (!over) ++busy_;
            std::pop_heap(tasks_.begin(), tasks_.end(), later);
            Task<Count> task = std::move(tasks_.back());
            tasks_.pop_back();
            bytes_ -= task.groups.bytes();
            lock.unlock();
            worker.begin(std::move(task));
            // However short its time, a run leaves every worker with work, so that the next one goes on.
            if (over) return;
        }
    }

    // For parts that wait, beside those that do.
    std::size_t room() {
        std::lock_guard<std::mutex> lock(mutex_);
        return kMostBytes - std::min(bytes_, kMostBytes);
    }

    void put(std::vector<Task<Count>> tasks) {
        if (tasks.empty()) return;
        std::lock_guard<std::mutex> lock(mutex_);
        for (Task<Count>& task : tasks) {
            bytes_ += task.groups.bytes();
            tasks_.push_back(std::move(task));
            std::push_heap(tasks_.begin(), tasks_.end(), later);
        }
        hungry_ = false;
        arrived_.notify_all();
    }

    static bool later(const Task<Count>& a, const Task<Count>& b) { return a.bound > b.bound; }

    SearchOptions options_;
    Incumbents incumbents_;
    std::vector<std::unique_ptr<Worker<Count>>> workers_;
    std::vector<Task<Count>> tasks_;  // a heap, the lowest bound first
    std::size_t bytes_ = 0;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::atomic<bool> hungry_{false};
    int busy_ = 0;
};

}  // namespace shoal
