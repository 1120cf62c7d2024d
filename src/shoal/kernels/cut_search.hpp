// The search over cuts on several threads: workers, and the parts that wait for one.
//
// Which cut is found does not depend on the threads: ties have one answer (see comes_first), and a part of the search
// is left out only if nothing in it comes before the worst of the best.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <thread>

#include "cut_worker.hpp"

namespace shoal {

template <class Count>
class CutSearch {
  public:
    CutSearch(const Trees& trees, const Rules& rules, SearchOptions options, int threads, const Task<Count>& root)
        : options_(options), incumbents_(options.keep, options.slack) {
        for (int t = 0; t < threads; ++t)
            workers_.push_back(std::make_unique<Worker<Count>>(trees, rules, options_, incumbents_));
        workers_[0]->begin(root, true);
    }

    Incumbents& incumbents() { return incumbents_; }

    // Works for some seconds, or so many steps a thread; returns whether all is done.
    bool run(double seconds, std::int64_t steps) {
        using clock = std::chrono::steady_clock;
        const auto deadline =
            clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds));
        busy_ = static_cast<int>(workers_.size());
        hungry_ = false;
        std::vector<std::thread> threads;
        for (std::size_t t = 1; t < workers_.size(); ++t) threads.emplace_back([&, t] { work(*workers_[t], deadline, steps); });
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
    void work(Worker<Count>& worker, std::chrono::steady_clock::time_point deadline, std::int64_t steps) {
        const auto feed = [this](Worker<Count>& own) {
            if (!hungry_.load(std::memory_order_relaxed)) return;
            Task<Count> task;
            if (!own.give(task)) return;
            std::lock_guard<std::mutex> lock(mutex_);
            tasks_.push_back(std::move(task));
            hungry_ = false;
            arrived_.notify_all();
        };
        while (true) {
            worker.run(deadline, steps, feed);
            std::unique_lock<std::mutex> lock(mutex_);
            --busy_;
            arrived_.notify_all();
            if (!worker.idle()) return;
            hungry_ = tasks_.empty();
            arrived_.wait_until(lock, deadline, [this] { return !tasks_.empty() || busy_ == 0; });
            if (tasks_.empty()) return;
            ++busy_;
            const Task<Count> task = std::move(tasks_.front());
            tasks_.pop_front();
            lock.unlock();
            worker.begin(task);
        }
    }

    SearchOptions options_;
    Incumbents incumbents_;
    std::vector<std::unique_ptr<Worker<Count>>> workers_;
    std::deque<Task<Count>> tasks_;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::atomic<bool> hungry_{false};
    int busy_ = 0;
};

}  // namespace shoal
