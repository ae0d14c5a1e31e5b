// SPDX-License-Identifier: Apache-2.0
#include "pacmap/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include <dunlin/error.hpp>

#include "descent/repulsion.hpp"
#include "options/check.hpp"
#include "pacmap/pairs.hpp"

namespace dunlin::pacmap {

namespace {
constexpr Index default_k = 10;  // of the paper, up to 10,000 points
}

std::array<int, 3> phases_of(const std::string& iterations) {
    std::array<int, 3> phases{};
    const char *at = iterations.data(), *end = at + iterations.size();
    Offset total = 0;
    for (std::size_t p = 0; p < phases.size(); ++p) {
        const auto [after, error] = std::from_chars(at, end, phases[p]);
        const bool ends_well = p + 1 < phases.size() ? after != end && *after == ',' : after == end;
        total += phases[p];
        if (error != std::errc() || phases[p] < 0 || !ends_well || total > std::numeric_limits<int>::max()) {
            throw Error(Fault::bad_input,
                        fmt::format("iterations is \"{}\" and must be three numbers of at least 0, those of the three "
                                    "phases, such as 100,100,250",
                                    iterations),
                        {.option = "iterations"});
        }
        at = after + 1;
    }
    return phases;
}

void check(const Options& o) {
    options::check(o);
    static_cast<void>(phases_of(o.iterations));
}

Options resolve_neighbors(Options o, Index n, Index cols, Index most_neighbors) {
    o.k = std::clamp<Index>(o.k.value_or(default_k), 1, std::max<Index>(most_neighbors, 1));
    o.mid_near = std::clamp<Index>(o.mid_near, 0, std::max<Index>(n - 1, 0));
    o.pca = std::min(o.pca.value_or(cols), cols);
    return o;
}

Options resolve_descent(Options o, Index n, Device where) {
    o.repulsion = descent::resolve_repulsion(o.repulsion, n, o.dim, where);
    options::settle(o);
    return o;
}

descent::StagePlan stage_plan(const Options& o) {
    const Index k = *o.k + std::min(more_neighbors, std::numeric_limits<Index>::max() - *o.k);
    return {.points = {.dim = o.dim,
                       .pca = *o.pca,
                       .start = o.start,
                       .deviation = 0.01,
                       .search = {.k = k, .metric = o.metric, .method = o.search, .recall = o.recall}},
            .k = k,
            .method = method_name(o),
            .edges = "pairs",
            .reads_points = true};
}

bool is_moving(const Options& o) {
    const std::array<int, 3> phases = phases_of(o.iterations);
    return phases[0] + phases[1] + phases[2] > 0;
}

/// Maps have a root mean square radius of at most 25 (docs/tsne.md), whatever the number of points.
descent::StartRule start_rule(const Options&, Index) { return {0.01, false, 50}; }

}  // namespace dunlin::pacmap
