// SPDX-License-Identifier: Apache-2.0
#include "reliability/summarize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <dunlin/error.hpp>

#include "math/at.hpp"
#include "neighbors/search_rows.hpp"
#include "scores/evaluated_rows.hpp"

namespace dunlin::reliability {

namespace {

/// Neighbors in a map among which one at another position is looked for.
constexpr Index neighbors_of_unit = 15;

/// Share of the values for which `is_bad` holds, among those that are numbers. The standard error of a sample counts
/// one more bad and one more good value (Agresti and Coull 1998): none found is not none for certain.
template <class IsBad>
std::optional<scores::Score> share_of(std::span<const float> values, Index n, const IsBad& is_bad) {
    double count = 0, bad = 0;
    for (const float value : values) {
        if (std::isnan(value)) continue;
        ++count;
        if (is_bad(static_cast<double>(value))) ++bad;
    }
    if (count == 0) return std::nullopt;
    const double likely = (bad + 1) / (count + 2), left_out = std::max(0.0, 1 - count / n);
    return scores::Score{bad / count, std::sqrt(likely * (1 - likely) / count * left_out)};
}

}  // namespace

double nn_distance_of(const Graph& nearest) {
    std::vector<float> distances;
    for (Index i = 0; i < nearest.size(); ++i) {
        const auto begin = nearest.weights.begin() + nearest.offsets[at(i)],
                   end = nearest.weights.begin() + nearest.offsets[at(i) + 1];
        const auto first = std::find_if(begin, end, [](float d) { return d > 0; });
        if (first != end) distances.push_back(*first);
    }
    if (distances.empty()) return std::numeric_limits<double>::quiet_NaN();
    return median_of(std::move(distances));
}

double median_of(std::vector<float> values) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

double span_of(const Map& map) {
    double span = 0;
    for (int c = 0; c < map.dim; ++c) {
        float least = std::numeric_limits<float>::infinity(), most = -least;
        for (Index i = 0; i < map.size(); ++i) {
            const float y = map.view()(i, c);
            least = std::min(least, y);
            most = std::max(most, y);
        }
        span = std::max(span, static_cast<double>(most) - static_cast<double>(least));
    }
    return span;
}

Summary summarize(const Map& map, const Columns& columns, double nn_distance) {
    const Index n = map.size();
    const double limit = far_from_home * span_of(map) / nn_distance;
    return {.points_elsewhere = share_of(columns.home, n, [&](double home) { return home > limit; }),
            .points_torn = share_of(columns.lost, n, [](double lost) { return lost > torn_off; }),
            .points_unheld = share_of(columns.singularity, n, [](double s) { return std::isinf(s); }),
            .nn_distance = nn_distance};
}

Summary summarize(const Map& map, const Columns& columns, const Run& run) {
    const Index n = map.size();
    each_column(columns, [&](const char* name, const std::vector<float>& column) {
        if (!column.empty())
            scores::check_sizes("reliability", fmt::format("values of {}", name).c_str(), std::ssize(column), map);
    });
    double nn_distance = std::numeric_limits<double>::quiet_NaN();
    if (n > 1) {
        device::Cpu cpu(run);
        const Graph nearest = neighbors::search_all(cpu, map.view(), std::min(n - 1, neighbors_of_unit),
                                                    neighbors::Metric::euclidean, scores::quiet_run(run))
                                  .graph;
        nn_distance = nn_distance_of(nearest);
    }
    return summarize(map, columns, nn_distance);
}

}  // namespace dunlin::reliability
