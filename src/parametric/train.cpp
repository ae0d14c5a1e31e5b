// SPDX-License-Identifier: Apache-2.0
#include <dunlin/parametric.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "checkpoint/key.hpp"
#include "checkpoint/session.hpp"
#include "descent/embed.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/cpu.hpp"
#include "device/memory.hpp"
#include "kmeans/rows.hpp"
#include "parametric/backend.hpp"
#include "parametric/resolve.hpp"
#include "parametric/training.hpp"
#include "progress/cancel.hpp"

namespace dunlin::parametric {

namespace {

/// Least and largest value of some rows.
struct ValueRange {
    double least = std::numeric_limits<double>::infinity(), most = -std::numeric_limits<double>::infinity();

    ValueRange& operator+=(const ValueRange& other) {
        least = std::min(least, other.least);
        most = std::max(most, other.most);
        return *this;
    }
};

ValueRange range_of(std::span<const float> values) {
    float least = values.front(), most = least;
    for (const float value : values) {
        least = std::min(least, value);
        most = std::max(most, value);
    }
    return {static_cast<double>(least), static_cast<double>(most)};
}

PointStatistics statistics_of(device::Cpu& cpu, MatrixView<const float> points) {
    PointStatistics found{points.rows, points.cols, {}, 0, 0, 0};
    if (points.size() == 0) return found;
    kmeans::Scales scales = kmeans::measure(cpu, {points});
    found.means = std::move(scales.means);
    found.variance = scales.variance;
    device::Cell<ValueRange> range;
    cpu.sum(points.rows, [&](Offset r) { return range_of(points.row(static_cast<Index>(r))); }, range, 256);
    found.least = range.value.least;
    found.most = range.value.most;
    return found;
}

Result train_on_cpu(device::Cpu& cpu, MatrixView<const float> points, const Options& resolved,
                    const PointStatistics& statistics, const Run& run) {
    device::require_memory(run, bytes_of(resolved, points.rows, points.cols),
                           fmt::format("training a network {}-{}-{} on {} points", points.cols, resolved.layers,
                                       resolved.dim, points.rows),
                           "use fewer points, a smaller batch or smaller layers");
    Result result;
    Training<device::Cpu> training(cpu, points, resolved, statistics, run);
    const auto place = [&](const Model& model, const Run& rest) { return transform(model, points, rest); };
    if (!training.run_all(result, place)) result.stopped = Stopped::cancelled;
    return result;
}

}  // namespace

Result train(MatrixView<const float> points, const Options& wanted, const Run& given_run) {
    Run run = checkpoint::without_checkpoint(given_run);
    const Device device = device::choose(run, points.rows >= descent::enough_for_gpu, {.what = "a network is trained"});
    run.device = device;
    device::Cpu cpu(run);
    Result result;
    PointStatistics statistics;
    device::reset_cuda_peak_memory();
    if (!progress::run_cancellable(run.stop, [&] { statistics = statistics_of(cpu, points); })) {
        result.options = wanted;
        result.stopped = Stopped::cancelled;
        device::complete(result, device, run);
        return result;
    }
    const Options resolved = resolve(wanted, statistics);
    checkpoint::Session session(given_run, "parametric map", [&](checkpoint::Key& key) {
        key.add("device", std::string(name_of(device)));
        key.add("columns", std::to_string(points.cols));
        key.add_options(resolved);
        key.add_input("points", points);
    });
    result = device == Device::cpu ? train_on_cpu(cpu, points, resolved, statistics, run)
                                   : train_on_cuda(points, resolved, statistics, run);
    const double scale = scaling_of(resolved, statistics).scale;
    if (resolved.pretrain == Pretrain::rbm) result.pretrain_variance = statistics.variance * scale * scale;
    result.options = resolved;
    result.threads = cpu.threads();
    result.engines = {{"iteration", name_of(*resolved.optimizer), 0}};
    device::complete(result, device, run);
    session.complete(result);
    std::erase(result.checkpoint.computed_again, "map");  // the loop of this stage is "descent"
    return result;
}

}  // namespace dunlin::parametric
