// SPDX-License-Identifier: Apache-2.0
#include "device/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include <dunlin/error.hpp>
#include <dunlin/threads.hpp>

#include "device/gpus.hpp"
#include "math/ordered_sum.hpp"
#include "progress/progress.hpp"
#include "progress/stopwatch.hpp"

namespace dunlin::device {

namespace {

thread_local Rank* rank_of_thread = nullptr;
thread_local std::vector<GpuUse> last_use;

}  // namespace

/// What the ranks of a call share: a barrier that a failure opens, and a place where each posts a value.
class Team {
public:
    explicit Team(int count) : count_(count) {
        for (auto& turn : posts_) turn.resize(static_cast<std::size_t>(count));
    }

    /// Posts are kept in two turns: a rank that is one call ahead writes to the other one.
    std::span<const Rank::Post> exchange(Rank& rank, std::span<const std::byte> own) {
        const std::uint64_t round = round_.load();
        std::vector<Rank::Post>& turn = posts_[round % 2];
        std::copy(own.begin(), own.end(), turn[static_cast<std::size_t>(rank.index_)].begin());
        progress::Stopwatch watch;
        if (arrived_.fetch_add(1) + 1 == count_) {
            arrived_ = 0;
            const std::lock_guard lock(mutex_);
            ++round_;
            all_arrived_.notify_all();
        } else {
            wait_beyond(round);
        }
        rank.use_.waited += watch.lap();
        if (failed_) throw Abandoned{};
        return turn;
    }

    /// The rank has ended its work; others must not wait for it.
    void leave() {
        const std::lock_guard lock(mutex_);
        ++left_;
        all_arrived_.notify_all();
    }

    /// The first failure counts. Ends the waits of all ranks, now and later.
    void fail(std::exception_ptr failure) {
        {
            const std::lock_guard lock(mutex_);
            if (!failed_) failure_ = std::move(failure);
            failed_ = true;
            all_arrived_.notify_all();
        }
        stop_.request_stop();
    }

    [[nodiscard]] std::exception_ptr failure() const { return failure_; }
    [[nodiscard]] std::stop_source& stop() { return stop_; }

private:
    /// Looks for some microseconds, which spares the waking of a thread in each iteration of a loop, then sleeps.
    void wait_beyond(std::uint64_t round) {
        constexpr int looks = 200;
        const auto is_over = [&] { return round_ != round || failed_ || left_ > 0; };
        for (int look = 0; look < looks && !is_over(); ++look) std::this_thread::yield();
        while (!is_over()) {
            {
                std::unique_lock lock(mutex_);
                all_arrived_.wait_for(lock, std::chrono::milliseconds(20), is_over);
            }
            progress::report_if_due();
        }
        if (round_ != round || failed_) return;
        // A rank has gone another way. After a stop that is an end, and otherwise a mistake, which must not hang
        if (stop_.stop_requested()) throw Abandoned{};
        fail(std::make_exception_ptr(
            Error(Fault::device_failure, "one of the GPUs of a call ended while another waited for it")));
    }

    int count_;
    std::atomic<int> arrived_{0};
    std::atomic<std::uint64_t> round_{0};
    std::atomic<bool> failed_{false};
    std::atomic<int> left_{0};
    std::array<std::vector<Rank::Post>, 2> posts_;
    std::mutex mutex_;
    std::condition_variable all_arrived_;
    std::exception_ptr failure_;
    std::stop_source stop_;
};

Rank* Rank::current() { return rank_of_thread; }

std::span<const Rank::Post> Rank::exchange_posts(std::span<const std::byte> own) { return team_.exchange(*this, own); }

bool Rank::any(bool own) {
    const std::vector<char> all = from_all(static_cast<char>(own));
    return std::any_of(all.begin(), all.end(), [](char said) { return said != 0; });
}

std::uint64_t Rank::least_allowance(std::uint64_t own) {
    allowances_ = from_all(GpuAllowance{use_.gpu, own});
    return std::ranges::min(allowances_, {}, &GpuAllowance::bytes).bytes;
}

namespace {

Run run_of_rank(const Run& run, std::size_t index, const std::stop_token& stop) {
    Run own = run;
    own.gpus = {run.gpus[index]};
    own.threads = std::max(1, usable_threads(run.threads) / static_cast<int>(run.gpus.size()));
    own.stop = stop;
    if (index > 0) own.on_progress = {}, own.on_notice = {}, own.snapshot_every = 0;
    return own;
}

}  // namespace

void keep_gpu_use(std::vector<GpuUse> uses) { last_use = std::move(uses); }

void rethrow_naming(int gpu) {
    try {
        throw;
    } catch (const ErrorOfGpus&) {
        throw;
    } catch (const Error& error) {  // errors of the input are the same on all GPUs
        if (error.fault() != Fault::device_failure && error.fault() != Fault::out_of_memory) throw;
        throw Error(error.fault(), fmt::format("GPU {}: {}", gpu, error.what()), error.place());
    }
}

void run_on_ranks(const Run& run, const std::function<void(const Run&)>& work) {
    const std::size_t count = run.gpus.size();
    Team team(static_cast<int>(count));
    const std::stop_callback forward(run.stop, [&] { team.stop().request_stop(); });
    std::vector<Rank> ranks;  // their resources outlive all threads, which may look at those of others
    ranks.reserve(count);
    for (std::size_t index = 0; index < count; ++index)
        ranks.push_back(Rank(team, static_cast<int>(index), static_cast<int>(count), run.gpus[index]));
    const progress::Stopwatch begun;
    const auto be_rank = [&](std::size_t index) {
        progress::Stopwatch watch = begun;
        Rank& rank = ranks[index];
        Rank* const outer = std::exchange(rank_of_thread, &rank);
        try {
            try {
                work(run_of_rank(run, index, team.stop().get_token()));
            } catch (const Error&) {
                rethrow_naming(run.gpus[index]);
            }
        } catch (const Abandoned&) {  // NOLINT(bugprone-empty-catch): the failure or the stop it follows is known
        } catch (...) {
            team.fail(std::current_exception());
        }
        team.leave();
        rank_of_thread = outer;
        rank.use_.seconds = watch.lap();
    };
    {
        std::vector<std::jthread> others;
        try {
            for (std::size_t index = 1; index < count; ++index) others.emplace_back(be_rank, index);
        } catch (...) {
            team.fail(std::current_exception());
        }
        be_rank(0);
    }
    if (team.failure()) std::rethrow_exception(team.failure());
    std::vector<GpuUse> uses;
    uses.reserve(ranks.size());
    for (const Rank& rank : ranks) uses.push_back(rank.use_);
    keep_gpu_use(std::move(uses));
}

RowShare row_share(Offset n) {
    const math::Runs runs = math::runs_of(n);
    RowShare share{.rank = Rank::current(), .run_borders = {0}, .borders = {0}, .runs = {}, .rows = {}};
    const int count = share.rank != nullptr ? share.rank->count() : 1;
    for (int r = 1; r <= count; ++r) {
        share.run_borders.push_back(runs.count() * r / count);
        share.borders.push_back(std::min(n, runs.begin(share.run_borders.back())));
    }
    const std::size_t own = share.rank != nullptr ? static_cast<std::size_t>(share.rank->index()) : 0;
    share.runs = {share.run_borders[own], share.run_borders[own + 1]};
    share.rows = {share.borders[own], share.borders[own + 1]};
    return share;
}

bool stops(const Run& run) {
    const bool own = run.stop.stop_requested();
    return Rank::current() != nullptr ? Rank::current()->any(own) : own;
}

void exchange(Cpu&, Rank& rank, const void* offered, std::span<const RemotePiece> pieces) {
    const std::vector<const void*> offers = rank.from_all(offered);
    for (const RemotePiece& piece : pieces) {
        const auto* from = static_cast<const std::byte*>(offers[static_cast<std::size_t>(piece.from)]);
        std::memcpy(piece.to, from + piece.at, piece.bytes);
        if (piece.from != rank.index()) rank.count_received(piece.bytes);
    }
    rank.wait_for_all();
}

}  // namespace dunlin::device

namespace dunlin {

std::vector<GpuUse> last_gpu_use() { return device::last_use; }

}  // namespace dunlin
