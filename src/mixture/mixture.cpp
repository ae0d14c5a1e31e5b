// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <dunlin/error.hpp>
#include <dunlin/kmeans.hpp>

#include "device/blas.hpp"
#include "device/cancel.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/cpu.hpp"
#include "device/gpus.hpp"
#include "device/memory.hpp"
#include "device/progress.hpp"
#include "device/stopwatch.hpp"
#include "kmeans/rows.hpp"
#include "math/rng.hpp"
#include "mixture/arrays.hpp"
#include "mixture/fit.hpp"

namespace dunlin::mixture {

namespace {

constexpr Offset whole = std::numeric_limits<Offset>::max();  ///< a node of all rows

/// Peak host memory in bytes: the sums, and components with their factors before and after a step; on a GPU, once more
/// as arrays.
std::uint64_t bytes_of(const Options& o, Index rows, Index cols, Device device, const Wanted& wanted) {
    const std::uint64_t sums = bytes_of_expectation(o.components, cols, o.covariance);
    const auto n = static_cast<std::uint64_t>(rows);
    const std::uint64_t kept = o.restarts > 1 ? 2 : 1;
    const bool steps = device == Device::cpu || o.covariance == Covariance::tied;
    return (steps ? bytes_of_step(o.components, cols, o.covariance, rows) : 0) +
           (device == Device::cuda ? 9 : 5) * sums + n * (1 + kept) * sizeof(Index) +
           (wanted.responsibilities ? kept * n * static_cast<std::uint64_t>(o.components) * sizeof(float) : 0);
}

/// Whether the mixture fits beside the points, or a chunk of them, in the memory of the GPU.
void require_gpu(MatrixView<const float> points, const Options& options, const Run& run) {
    const GpuPlan plan = gpu_plan(options.covariance, options.components, points.rows, points.cols);
    const std::uint64_t allowed = device::gpu_allowance(run);
    const std::uint64_t held = static_cast<std::uint64_t>(points.size()) * sizeof(float);
    device::require_gpu_memory(plan.bytes + (held <= allowed / 2 ? held : plan.chunk_bytes), allowed,
                               fmt::format("a mixture of {} {} Gaussians of {} columns", options.components,
                                           name_of(options.covariance), points.cols));
}

/// The device of a run. `automatic` takes a GPU if a step on a CPU takes longer than starting the GPU, and if it fits.
Device choose(MatrixView<const float> points, const Options& options, const Run& run) {
    const double width = options.covariance == Covariance::full ? points.cols : 1;
    const bool gains = static_cast<double>(points.size()) * options.components * width >= 1e8;
    const Device device = device::choose(run, gains, {.what = "a mixture runs"});
    if (device == Device::cpu) return device;
    try {
        require_gpu(points, options, run);
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
        device::cancellation_point();
        labels_ = std::move(clusters.labels);
        has_expected_ = false;
        std::vector<float>().swap(responsibilities_);  // gives its memory back
        const device::ProgressReporter reporter(run_, "start", points_.rows);
        if (!variance_) variance_ = kmeans::measure(cpu_, {points_}).variance;
        fit.start(clusters.centroids.view(), *variance_);
    }

    Expectation nearest(const std::vector<Component>& components) override {
        if (device_ == Device::cuda && options_.covariance != Covariance::tied) {  // whose pooled sums are cheap
            std::vector<double> means;
            for (const Component& component : components) {
                means.insert(means.end(), component.mean.begin(), component.mean.end());
            }
            return as_expectation(gpu().nearest(means, labels_));
        }
        return std::move(expect_labels(cpu_, points_, components, options_.covariance, labels_, whole).front());
    }
    Expectation expect(const std::vector<Component>& components, bool moments) override {
        std::vector<float> responsibilities;
        if (wanted_.responsibilities && !moments) {
            responsibilities.resize(static_cast<std::size_t>(Offset{points_.rows} * options_.components));
        }
        float* const to = responsibilities.empty() ? nullptr : responsibilities.data();
        Expectation all =
            device_ == Device::cuda ? expect_there(components, moments, to) : expect_here(components, moments, to);
        has_expected_ = true;
        responsibilities_.swap(responsibilities);
        return all;
    }

    /// Both are left empty.
    std::vector<Index> take_labels() {
        if (gpu_ != nullptr && has_expected_) return gpu_->labels();
        return std::move(labels_);
    }
    std::vector<float> take_responsibilities() { return std::move(responsibilities_); }

private:
    Expectation expect_here(const std::vector<Component>& components, bool moments, float* responsibilities) {
        std::vector<Index> labels(labels_.size());
        auto all = mixture::expect(cpu_, points_, components,
                                   {options_.covariance, moments, labels.data(), responsibilities}, whole);
        labels_.swap(labels);
        return std::move(all.front());
    }
    Expectation expect_there(const std::vector<Component>& components, bool moments, float* responsibilities) {
        return as_expectation(
            gpu().expect(arrays_of(cpu_, components, options_.covariance), {moments, responsibilities}));
    }
    GpuExpectations& gpu() {
        if (gpu_ == nullptr) gpu_ = expect_on_gpu(points_, options_.covariance, options_.components, run_);
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
    std::unique_ptr<GpuExpectations> gpu_;
    bool has_expected_ = false;
    std::optional<double> variance_;  ///< of the points; found by the first start
    std::vector<Index> labels_;
    std::vector<float> responsibilities_;
};

/// One run. Returns whether it was completed; its mixture replaces that of `best` if it is likelier.
bool run_once(RowsOfProcess& rows, device::Cpu& cpu, MatrixView<const float> points, std::uint64_t seed, const Run& run,
              Result& best) {
    Fit fit(cpu, rows, best.options, points.rows);
    Result result;
    device::Stopwatch watch;
    const bool done = device::run_cancellable(run.stop, [&] {
        rows.start(fit, seed);
        best.seconds["start"] += watch.lap();
        fit.iterate(run, result);
    });
    best.seconds["optimize"] += watch.lap();
    if (!done) best.stopped = Stopped::cancelled;
    if (fit.state().components.empty()) return done;
    if (!best.shares.empty() && !(fit.state().log_likelihood > best.log_likelihood)) return done;
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

}  // namespace

Result fit(MatrixView<const float> points, const Options& options, const Run& run, const Wanted& wanted) {
    check(options, points.rows);
    const Device device = choose(points, options, run);
    device::require_memory(run, bytes_of(options, points.rows, points.cols, device, wanted),
                           fmt::format("a mixture of {} {} Gaussians of {} columns", options.components,
                                       name_of(options.covariance), points.cols));
    Result result;
    result.options = options;
    device::hold_blas_to_one_thread();
    device::Cpu cpu(run);
    RowsOfProcess rows(cpu, points, options, run, device, wanted);
    for (int r = 0; r < options.restarts; ++r) {
        const std::uint64_t seed = r == 0 ? run.seed : math::random_bits(run.seed, static_cast<std::uint64_t>(r));
        if (!run_once(rows, cpu, points, seed, run, result)) break;
    }
    if (!result.shares.empty()) result.threads = cpu.threads();
    result.engines = {{"iteration", "expectation-maximization", 0}};
    device::complete(result, device, run);
    return result;
}

}  // namespace dunlin::mixture
