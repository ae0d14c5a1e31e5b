// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include <dunlin/error.hpp>
#include <dunlin/kmeans.hpp>

#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/cpu.hpp"
#include "device/gpus.hpp"
#include "device/memory.hpp"
#include "device/ranks.hpp"
#include "math/rng.hpp"
#include "mixture/arrays.hpp"
#include "mixture/fit_part.hpp"
#include "mixture/on_ranks.hpp"
#include "numerics/blas.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "progress/stopwatch.hpp"

namespace dunlin::mixture {

namespace {

constexpr Offset whole = std::numeric_limits<Offset>::max();  ///< a node of all rows

/// Peak host memory in bytes: the sums, and components with their factors before and after a step; on a GPU, once more
/// as arrays.
std::uint64_t bytes_of(const Options& o, Index rows, Index cols, Device device, const Wanted& wanted, int runs) {
    const std::uint64_t sums = bytes_of_expectation(o.components, cols, o.covariance);
    const auto n = static_cast<std::uint64_t>(rows);
    const std::uint64_t kept = runs > 1 ? 2 : 1;
    const bool steps = device == Device::cpu || o.covariance == Covariance::tied;
    return (steps ? bytes_of_step(o.components, cols, o.covariance, rows) : 0) +
           (device == Device::cuda ? 9 : 5) * sums + n * (1 + kept) * sizeof(Index) +
           (wanted.responsibilities ? kept * n * static_cast<std::uint64_t>(o.components) * sizeof(float) : 0);
}

/// Bytes that the rank on run.gpus[index] may take.
std::uint64_t allowance_of_rank(const Run& run, std::size_t index) {
    Run own = run;
    own.gpus = {run.gpus[index]};
    own.memory = 0;
    const auto here = static_cast<std::uint64_t>(std::count(run.gpus.begin(), run.gpus.end(), run.gpus[index]));
    const std::uint64_t available = device::gpu_allowance(own) / here;
    return run.memory > 0 ? std::min(run.memory, available) : available;
}

/// The least of all ranks, before they begin.
std::uint64_t least_allowance(const Run& run) {
    if (!device::names_several(run)) return device::gpu_allowance(run);
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t index = 0; index < run.gpus.size(); ++index)
        least = std::min(least, allowance_of_rank(run, index));
    return least;
}

/// Whether the mixture fits beside the points, or a chunk of them, in the memory of each GPU.
void require_gpu(MatrixView<const float> points, const Options& options, const Run& run, std::uint64_t allowed) {
    const int ranks = std::max(1, static_cast<int>(run.gpus.size()));
    const GpuPlan plan = gpu_plan(options.covariance, options.components, points.rows, points.cols, ranks);
    const std::uint64_t held = plan.point_bytes;
    device::require_gpu_memory(plan.bytes + (held <= allowed / 2 ? held : plan.chunk_bytes), allowed,
                               fmt::format("a mixture of {} {} Gaussians of {} columns", options.components,
                                           name_of(options.covariance), points.cols));
}

/// The device of a run. `automatic` takes a GPU if a step on a CPU takes longer than starting the GPU, and if it fits.
Device choose(MatrixView<const float> points, const Options& options, const Run& run) {
    const double width = options.covariance == Covariance::full ? points.cols : 1;
    const bool gains = static_cast<double>(points.size()) * options.components * width >= 1e8;
    const Device device = device::choose(run, gains, device::several_gpus);
    if (device == Device::cpu) return device;
    if (run.device == Device::cuda && device::names_several(run)) return device;  // ranks ask, and name their GPUs
    try {
        require_gpu(points, options, run, least_allowance(run));
    } catch (const Error& error) {
        if (run.device == Device::cuda || error.fault() != Fault::out_of_memory) throw;
        return Device::cpu;
    }
    return device;
}

/// The rows of one process, and the likeliest component of each in the last expectation step; before the first, the
/// clusters of k-means.
class RowsOfProcess final : public ExpectationSource {
public:
    RowsOfProcess(device::Cpu& cpu, MatrixView<const float> points, const Options& options, const Run& run,
                  Device device, const Wanted& wanted)
        : cpu_(cpu), points_(points), options_(options), run_(run), device_(device), wanted_(wanted) {}

    void start(Fit& fit, std::uint64_t seed) {
        Run of_start = run_of_start(run_, device_);
        of_start.seed = seed;
        kmeans::Result clusters = kmeans::cluster(points_, {.clusters = options_.components}, of_start);
        progress::cancellation_point();
        labels_ = std::move(clusters.labels);
        has_expected_ = false;
        std::vector<float>().swap(responsibilities_);  // gives its memory back
        std::vector<float>().swap(new_responsibilities_);
        const progress::ProgressReporter reporter(run_, "start", points_.rows);
        fit.start(clusters.centroids.view());
    }

    std::vector<float> values(const std::vector<Offset>& rows) override {
        std::vector<float> all;
        all.reserve(rows.size() * static_cast<std::size_t>(points_.cols));
        for (const Offset row : rows) {
            progress::cancellation_point();
            const std::span<const float> cells = points_.row(static_cast<Index>(row));
            all.insert(all.end(), cells.begin(), cells.end());
        }
        return all;
    }

    /// Before a fit of components that are known.
    void start() {
        labels_.assign(static_cast<std::size_t>(points_.rows), 0);
        has_expected_ = false;
        std::vector<float>().swap(responsibilities_);
    }

    Expectation nearest(const std::vector<Component>& components) override {
        if (device_ == Device::cuda && options_.covariance != Covariance::tied) {  // whose pooled sums are cheap
            means_.clear();
            for (const Component& component : components) {
                means_.insert(means_.end(), component.mean.begin(), component.mean.end());
            }
            return as_expectation(gpu().nearest(means_, labels_));
        }
        return std::move(expect_labels(cpu_, points_, components, options_.covariance, labels_, whole).front());
    }
    Expectation expect(const std::vector<Component>& components, bool moments) override {
        std::vector<float>().swap(new_responsibilities_);
        if (wanted_.responsibilities && !moments) {
            new_responsibilities_.resize(static_cast<std::size_t>(Offset{points_.rows} * options_.components));
        }
        float* const to = new_responsibilities_.empty() ? nullptr : new_responsibilities_.data();
        Expectation all =
            device_ == Device::cuda ? expect_there(components, moments, to) : expect_here(components, moments, to);
        has_expected_ = true;
        responsibilities_.swap(new_responsibilities_);
        return all;
    }

    /// Both are left empty.
    std::vector<Index> take_labels() {
        if (gpu_ != nullptr && has_expected_) gpu_->labels(labels_.data());
        return std::move(labels_);
    }
    std::vector<float> take_responsibilities() { return std::move(responsibilities_); }

    /// Steps are those of `ranks` until it is null; the GPU's memory is given back.
    void work_on(device::Rank* ranks) {
        ranks_ = ranks;
        gpu_.reset();
    }

private:
    Expectation expect_here(const std::vector<Component>& components, bool moments, float* responsibilities) {
        std::vector<Index> labels(labels_.size());
        auto all = mixture::expect(cpu_, points_, components,
                                   {options_.covariance, moments, labels.data(), responsibilities}, whole);
        labels_.swap(labels);
        return std::move(all.front());
    }
    Expectation expect_there(const std::vector<Component>& components, bool moments, float* responsibilities) {
        arrays_ = arrays_of(cpu_, components, options_.covariance);
        return as_expectation(gpu().expect(arrays_, {moments, responsibilities}));
    }
    GpuExpectations& gpu() {
        if (gpu_ != nullptr) return *gpu_;
        const auto make = [&] { return expect_on_gpu(points_, options_.covariance, options_.components, run_); };
        gpu_ = ranks_ != nullptr ? ask_ranks(*ranks_, make) : make();
        return *gpu_;
    }
    [[nodiscard]] Expectation as_expectation(const MomentArrays& sums) const {
        return expectation_of(sums, options_.components, points_.cols, options_.covariance);
    }

    device::Cpu& cpu_;
    MatrixView<const float> points_;
    const Options& options_;
    const Run& run_;
    Device device_;
    Wanted wanted_;
    device::Rank* ranks_ = nullptr;
    bool has_expected_ = false;
    // Ranks read and write these, also while one ends by an error: not local to a step
    std::vector<double> means_;
    ComponentArrays arrays_;
    std::vector<Index> labels_;
    std::vector<float> responsibilities_, new_responsibilities_;
    std::unique_ptr<GpuExpectations> gpu_;
};

/// One run, from `from`, or if that has no components from clusters of k-means. Returns whether it was completed; its
/// mixture replaces that of `all` if it is likelier.
bool run_once(RowsOfProcess& rows, device::Cpu& cpu, MatrixView<const float> points, std::uint64_t seed,
              const FitState& from, const Run& run, Fitted& all) {
    Result& best = all.result;
    Fit fit(cpu, rows, best.options, points.rows, from);
    Result result;
    progress::Stopwatch watch;
    const bool done = progress::run_cancellable(run.stop, [&] {
        if (from.components.empty()) {
            rows.start(fit, seed);
        } else {
            rows.start();
        }
        best.seconds["start"] += watch.lap();
        fit.iterate(run, result);
    });
    best.seconds["optimize"] += watch.lap();
    if (!done) best.stopped = Stopped::cancelled;
    if (fit.state().components.empty()) return done;
    if (!best.shares.empty() && !(fit.state().log_likelihood > best.log_likelihood)) return done;
    all.state = fit.state();
    fit.describe(points.cols, best);
    best.labels = rows.take_labels();
    best.responsibilities = {};
    std::vector<float> responsibilities = rows.take_responsibilities();
    if (!responsibilities.empty()) {
        best.responsibilities = Matrix(points.rows, best.options.components, std::move(responsibilities));
    }
    best.iterations = result.iterations;
    if (done) best.stopped = result.stopped;
    return done;
}

/// fit_all(), on the first of run.gpus, with a rank for each of them. `first`: the run that it and `rows` use.
template <class FitAll>
void fit_on_ranks(RowsOfProcess& rows, MatrixView<const float> points, const Options& options, const Run& run,
                  Run& first, const FitAll& fit_all) {
    device::run_on_ranks(run, [&](const Run& own) {
        device::Rank& rank = *device::Rank::current();
        const std::uint64_t allowed =
            rank.least_allowance(allowance_of_rank(run, static_cast<std::size_t>(rank.index())));
        require_gpu(points, options, run, allowed);
        if (rank.index() > 0) {
            return serve(rank, [&] { return expect_on_gpu(points, options.covariance, options.components, own); });
        }
        first.stop = own.stop;  // also of the others' failures
        rows.work_on(&rank);
        fit_all();
        rows.work_on(nullptr);
        end_service(rank);
    });
}

}  // namespace

void require_memory_of(const Options& options, MatrixView<const float> points, const Run& run, const Wanted& wanted,
                       int runs, std::uint64_t beside) {
    const Device device = choose(points, options, run);
    device::require_memory(run, bytes_of(options, points.rows, points.cols, device, wanted, runs) + beside,
                           fmt::format("a mixture of {} {} Gaussians of {} columns", options.components,
                                       name_of(options.covariance), points.cols));
}

Result fit(MatrixView<const float> points, const Options& options, const Run& run, const Wanted& wanted) {
    return fit_part(points, options, run, wanted, {.drawn = options.restarts}).result;
}

Fitted fit_part(MatrixView<const float> points, const Options& options, const Run& run, const Wanted& wanted,
                const Starts& starts) {
    check(options, points.rows);
    const Device device = choose(points, options, run);
    require_memory_of(options, points, run, wanted, starts.runs(), 0);
    Fitted all;
    Result& result = all.result;
    result.options = options;
    numerics::hold_blas_to_one_thread();
    device::Cpu cpu(run);
    Run one = device::on_one_gpu(run);
    RowsOfProcess rows(cpu, points, options, one, device, wanted);
    const auto fit_all = [&] {
        for (int r = 0; r < starts.runs(); ++r) {
            const std::uint64_t seed = r == 0 ? run.seed : math::random_bits(run.seed, static_cast<std::uint64_t>(r));
            if (!run_once(rows, cpu, points, seed, r < starts.drawn ? FitState{} : starts.more, one, all)) break;
        }
    };
    if (device == Device::cuda && device::names_several(run)) {
        fit_on_ranks(rows, points, options, run, one, fit_all);
    } else {
        fit_all();
    }
    if (!result.shares.empty()) result.threads = cpu.threads();
    result.engines = {{"iteration", "expectation-maximization", 0}};
    device::complete(result, device, run);
    return all;
}

}  // namespace dunlin::mixture
