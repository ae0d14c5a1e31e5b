// SPDX-License-Identifier: Apache-2.0
#include <dunlin/parametric.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "device/cancel.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/cpu.hpp"
#include "device/memory.hpp"
#include "kmeans/rows.hpp"
#include "parametric/resolve.hpp"
#include "parametric/training.hpp"

namespace dunlin::parametric {

namespace {

PointStatistics statistics_of(device::Cpu& cpu, MatrixView<const float> points) {
    PointStatistics found{points.rows, points.cols, {}, 0, 0, 0, true};
    if (points.size() == 0) return found;
    kmeans::Scales scales = kmeans::measure(cpu, {points});
    found.means = std::move(scales.means);
    found.variance = scales.variance;
    found.least = found.most = static_cast<double>(points.data[0]);
    for (Index r = 0; r < points.rows; ++r) {
        if (r % 1024 == 0) device::cancellation_point();
        for (const float value : points.row(r)) {
            found.least = std::min(found.least, static_cast<double>(value));
            found.most = std::max(found.most, static_cast<double>(value));
            found.whole = found.whole && value == std::floor(value);
        }
    }
    return found;
}

void complete(device::Cpu& cpu, const Run& run, Result& result) {
    result.threads = cpu.threads();
    result.engines = {{"iteration", name_of(*result.options.optimizer), 0}};
    device::complete(result, Device::cpu, run);
}

}  // namespace

Result train(MatrixView<const float> points, const Options& wanted, const Run& run) {
    device::require_cpu(run, "parametric maps are");
    device::Cpu cpu(run);
    Result result;
    result.options = wanted;
    PointStatistics statistics;
    const bool is_read = device::run_cancellable(run.stop, [&] { statistics = statistics_of(cpu, points); });
    if (!is_read) {
        result.stopped = Stopped::cancelled;
        device::complete(result, Device::cpu, run);
        return result;
    }
    result.options = resolve(wanted, statistics);
    const std::vector<Index> widths = widths_of(result.options, points.cols);
    device::require_memory(run, bytes_of(result.options, points.rows, points.cols),
                           fmt::format("training a network {}-{}-{} on {} points", points.cols, result.options.layers,
                                       result.options.dim, points.rows),
                           "use fewer points, a smaller batch or smaller layers");
    Training training(cpu, points, result.options, statistics, run);
    bool done = device::run_cancellable(run.stop, [&] {
        training.pretrain(result);
        training.optimize(result);
    });
    if (training.is_trained()) {
        result.model = training.model();
        Run rest = run;
        if (!done) rest.stop = {};  // the map of the network that is returned
        result.map = transform(result.model, points, rest);
        done = done && device::run_cancellable(run.stop, [&] { training.score(result); });
    }
    if (!done) result.stopped = Stopped::cancelled;
    complete(cpu, run, result);
    return result;
}

}  // namespace dunlin::parametric
