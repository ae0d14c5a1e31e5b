// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "density/backend.hpp"
#include "density/checks.hpp"
#include "density/convolve.hpp"
#include "density/estimate.hpp"
#include "density/formulas.hpp"
#include "device/memory.hpp"
#include "forces/box.hpp"
#include "forces/grid/charges.hpp"
#include "math/at.hpp"
#include "numerics/ranked.hpp"
#include "progress/cancel.hpp"

namespace dunlin::density {

namespace {

/// The points and the grid.
template <int D>
class CpuEngine {
public:
    using Field = std::vector<float>;

    CpuEngine(device::Cpu& cpu, MatrixView<const float> map) : cpu_(cpu), map_(map) {}

    Survey survey(bool with_scale) {
        const forces::BoundingBox box = forces::box_of(cpu_, map_);
        Survey survey{box.least, box.most};
        if (!with_scale) return survey;
        const auto ranks = quartile_ranks(map_.rows);
        for (int a = 0; a < D; ++a) {
            const auto axis = at(a);
            const double low = static_cast<double>(box.least[axis]);
            const double length = static_cast<double>(box.most[axis]) - low;
            if (!(length > 0)) continue;
            device::Cell<Moments> sums;
            cpu_.sum(map_.rows, [&](Offset i) { return moments_of(map_.data[i * D + a], low, length); }, sums);
            survey.variance[axis] = variance_of(sums.value, map_.rows, length);
            const std::vector<float> quartiles =
                numerics::ranked(cpu_, map_.rows, [&](Offset i) { return map_.data[i * D + a]; }, ranks);
            survey.interquartile_range[axis] = static_cast<double>(quartiles[1]) - static_cast<double>(quartiles[0]);
        }
        return survey;
    }

    void prepare(const Placement& placement) {
        placement_ = &placement;
        frame_ = {placement.corner, static_cast<float>(1 / placement.spacing)};
        charges_.resize(at(placement.size()));
        convolution_.emplace(placement);
    }

    std::int64_t charge(std::span<const float> weights) {
        cpu_.each(std::ssize(charges_), [&](Offset node) { charges_[at(node)] = 0; }, 65536);
        const forces::GridShape shape{.dim = D, .nodes = placement_->nodes, .spacing = placement_->spacing};
        const Offset row = placement_->nodes[0], group = points_per_group(placement_->size());
        for (Offset begin = 0; begin < map_.rows; begin += group) {
            const auto rows = static_cast<Index>(std::min<Offset>(group, map_.rows - begin));
            order_.sort(cpu_, shape, frame_, {map_.data + begin * D, rows, D});
            const std::span<const float> of_group = weights.empty() ? weights : weights.subspan(at(begin), at(rows));
            spreader_.spread<D>(cpu_, order_, of_group, {row, row * placement_->nodes[1]}, charges_);
        }
        device::Cell<math::Vec<std::int64_t, 1>> total;
        cpu_.sum(
            std::ssize(charges_), [&](Offset node) { return math::Vec<std::int64_t, 1>{{charges_[at(node)]}}; }, total,
            65536);
        return total.value.at[0];
    }

    void convolve(double scale, Field& field) {
        const std::span<float> input = convolution_->input();
        const auto factor = static_cast<float>(scale);
        cpu_.each(
            std::ssize(input), [&](Offset node) { input[at(node)] = factor * static_cast<float>(charges_[at(node)]); },
            65536);
        field.resize(input.size());
        convolution_->run(cpu_, field);
    }

    void divide(Field& sums, const Field& counts, double low, double range) {
        cpu_.each(std::ssize(sums),
                  [&](Offset node) { sums[at(node)] = mean_of(sums[at(node)], counts[at(node)], low, range); });
    }

    double mass(const Field& field) {
        device::Cell<double> sum;
        cpu_.sum(std::ssize(field), [&](Offset node) { return static_cast<double>(field[at(node)]); }, sum);
        return sum.value;
    }

    RankedValues ranked(const Field& field, std::span<const Offset> ranks, std::span<const float> present) {
        const Offset strides[3] = {1, placement_->nodes[0], Offset{placement_->nodes[0]} * placement_->nodes[1]};
        Offset stride[D];
        std::copy_n(strides, D, stride);
        std::vector<float> values(at(map_.rows));
        cpu_.each(map_.rows, [&](Offset i) {
            const bool there = present.empty() || present[at(i)] > 0;
            float cells[D];
            forces::to_grid<D>(frame_, map_.data + i * D, cells);
            values[at(i)] = there ? value_at<D>(field.data(), stride, cells) : -std::numeric_limits<float>::infinity();
        });
        RankedValues found;
        found.values = numerics::ranked(cpu_, map_.rows, [&](Offset i) { return values[at(i)]; }, ranks);
        found.at_least = counts_at_least(values, found.values);
        return found;
    }

private:
    std::vector<Offset> counts_at_least(const std::vector<float>& values, const std::vector<float>& levels) {
        constexpr Offset grain = 65536;
        std::vector<std::vector<Offset>> parts(at((std::ssize(values) + grain - 1) / grain));
        cpu_.blocks(std::ssize(values), grain, [&](Offset begin, Offset end, int) {
            for (const float level : levels) {
                parts[at(begin / grain)].push_back(std::count_if(values.begin() + begin, values.begin() + end,
                                                                 [level](float v) { return v >= level; }));
            }
        });
        std::vector<Offset> counts(levels.size());
        for (const auto& part : parts)
            std::transform(part.begin(), part.end(), counts.begin(), counts.begin(), std::plus<>());
        return counts;
    }

    device::Cpu& cpu_;
    MatrixView<const float> map_;
    const Placement* placement_ = nullptr;
    forces::GridFrame frame_;
    forces::GridOrder<D> order_;  ///< of a group of points
    forces::ChargeSpreader spreader_;
    std::vector<std::int64_t> charges_;
    std::optional<Convolution> convolution_;
};

template <int D>
void estimate_in(device::Cpu& cpu, MatrixView<const float> map, const Options& options, const Run& run,
                 const Given& given, Result& result) {
    CpuEngine<D> engine(cpu, map);
    Estimation<CpuEngine<D>> estimation(engine, map.rows, D, options, run, result);
    estimation.run(given);
    result.field = estimation.placement().field();
    result.field.values = std::move(estimation.field);
    if (estimation.mean.empty()) return;
    result.mean = estimation.placement().field();
    result.mean.values = std::move(estimation.mean);
}

}  // namespace

Result estimate_on_cpu(MatrixView<const float> map, const Options& options, const Run& run, const Given& given) {
    device::require_memory(run, bytes_on_cpu(map.rows, map.cols, options, !given.values.empty()), "the density",
                           "use fewer nodes");
    device::Cpu cpu(run);
    Result result;
    result.threads = cpu.threads();
    const bool complete = progress::run_cancellable(run.stop, [&] {
        check_coordinates(cpu, map);
        map.cols == 2 ? estimate_in<2>(cpu, map, options, run, given, result)
                      : estimate_in<3>(cpu, map, options, run, given, result);
    });
    if (complete) {
        result.stopped = Stopped::converged;
        return result;
    }
    Result cancelled;
    cancelled.options = options;
    cancelled.threads = cpu.threads();
    cancelled.stopped = Stopped::cancelled;
    return cancelled;
}

}  // namespace dunlin::density
