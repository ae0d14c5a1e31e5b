// SPDX-License-Identifier: Apache-2.0
#include "umap/radii.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include <dunlin/error.hpp>

#include "device/choose.hpp"
#include "graph/symmetrize.hpp"
#include "math/at.hpp"
#include "neighbors/require_distances.hpp"
#include "options/check.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "umap/memberships.hpp"

namespace dunlin::umap {

namespace {

/// Mean of the values that are not NaN; 0 if there is none.
template <class Term>
double mean_of_known(device::Cpu& cpu, std::span<const double> values, const Term& term) {
    device::Cell<double> count, total;
    const auto n = std::ssize(values);
    cpu.sum(n, [&](Offset i) { return std::isnan(values[at(i)]) ? 0.0 : 1.0; }, count);
    cpu.sum(n, [&](Offset i) { return std::isnan(values[at(i)]) ? 0.0 : term(values[at(i)]); }, total);
    return count.value > 0 ? total.value / count.value : 0;
}

/// Mean of d^power over the edges of each point, weighted by the memberships; NaN: no edge. lengths: of the same edges.
std::vector<double> radii_of(device::Cpu& cpu, const Graph& memberships, std::span<const float> lengths, int power) {
    std::vector<double> radii(at(memberships.size()));
    cpu.each(
        memberships.size(),
        [&](Offset i) {
            double total = 0, weights = 0;
            for (Offset e = memberships.offsets[at(i)]; e < memberships.offsets[at(i) + 1]; ++e) {
                const auto d = static_cast<double>(lengths[at(e)]),
                           mu = static_cast<double>(memberships.weights[at(e)]);
                total += mu * (power == 2 ? d * d : d);
                weights += mu;
            }
            radii[at(i)] = weights > 0 ? total / weights : std::numeric_limits<double>::quiet_NaN();
        },
        256);
    return radii;
}

}  // namespace

LogRadii log_radii_of(device::Cpu& cpu, const Graph& neighbors, const Graph& memberships, int power) {
    // Both graphs have the edges of the lists and their reverses, in the same order
    const Graph lengths = graph::symmetrize(cpu, neighbors, neighbors.weights, graph::Larger{});
    LogRadii radii{radii_of(cpu, memberships, lengths.weights, power), 0};
    const double mean = mean_of_known(cpu, radii.of, [](double radius) { return radius; });
    const double unit = mean > 0 ? mean : 1;
    radii.log_mean = std::log(unit);
    cpu.each(std::ssize(radii.of),
             [&](Offset i) { radii.of[at(i)] = std::log(least_radius + radii.of[at(i)] / unit); });
    return radii;
}

std::vector<float> standardized(device::Cpu& cpu, std::span<const double> log_radii) {
    const double mean = mean_of_known(cpu, log_radii, [](double r) { return r; });
    const double deviation =
        std::sqrt(mean_of_known(cpu, log_radii, [&](double r) { return (r - mean) * (r - mean); }));
    std::vector<float> values(log_radii.size());
    if (!(deviation > 1e-12)) return values;
    cpu.each(std::ssize(log_radii), [&](Offset i) {
        const double r = log_radii[at(i)];
        values[at(i)] = std::isnan(r) ? 0.0F : static_cast<float>((r - mean) / deviation);
    });
    return values;
}

std::vector<float> log_radii(const Graph& neighbors, const Options& options, int power, const Run& run,
                             const Labels* labels) {
    options::check(options);
    if (power != 1 && power != 2)
        throw Error(Fault::bad_input, fmt::format("power is {}; it must be 1 or 2", power), {.option = "power"});
    check_labels(options, labels, neighbors.size());
    device::check(run);
    device::Cpu cpu(run);
    std::vector<float> result;
    progress::run_cancellable(run.stop, [&] {
        const progress::ProgressReporter reporter(run, "memberships", 1);
        neighbors::require_distances(cpu, neighbors);
        const Graph edges =
            supervised_on(cpu, memberships_of_distances(cpu, neighbors, options), labels, options.labels_weight);
        const LogRadii radii = log_radii_of(cpu, neighbors, edges, power);
        for (const double r : radii.of) result.push_back(static_cast<float>(r + radii.log_mean));
    });
    return result;
}

}  // namespace dunlin::umap
