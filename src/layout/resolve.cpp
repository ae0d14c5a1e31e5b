// SPDX-License-Identifier: Apache-2.0
#include "layout/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "layout/low_stress.hpp"
#include "layout/repeller.hpp"
#include "options/check.hpp"

namespace dunlin::layout {

namespace {

template <class T>
void require(bool holds, std::string_view name, T value, std::string_view must) {
    if (!holds) throw Error(Fault::bad_input, fmt::format("{} is {}; it must be {}", name, value, must));
}

/// Checks of combinations of options; single options are checked by `fields`.
void check_pairs(const Options& o) {
    if (o.repulsion == Repulsion::grid && o.method != Method::multilevel) {
        throw Error(Fault::bad_input,
                    fmt::format("repulsion grid: the law of {} is too steep near 0 for a grid; use tree or exact",
                                name_of(o.method)));
    }
    if (o.repulsion == Repulsion::grid && o.dim == 1)
        throw Error(Fault::bad_input,
                    "repulsion is grid and dim is 1; maps on a line have no grid, take tree or exact");
    if (o.dim != 2 && o.crossing.value_or(0) > 0) {
        throw Error(Fault::bad_input,
                    fmt::format("crossing is given and dim is {}; edges cross in 2-D only, leave crossing out", o.dim));
    }
}

void check_annealing(Index n) {
    constexpr Index most = 20000;
    require(n <= most, "the number of vertices", n,
            fmt::format("at most {} for annealing; other methods take more", most));
}

template <class T>
void set_default(std::optional<T>& option, T value) {
    if (!option) option = value;
}

/// In drawings of larger graphs neighborhoods matter more than single distances.
float nearness_for(Index n) { return std::min(20.0F, 5.5F * std::log10(static_cast<float>(std::max(n, 10)))); }

/// Small graphs get more iterations.
void resolve_multilevel(Options& o, Index n) {
    set_default(o.iterations, std::clamp(static_cast<int>(1500000 / std::max(n, 1)), 50, 150));
    set_default(o.nearness, nearness_for(n));
}

/// Initial temperature: a tenth of the width of the drawing, as in the paper; on a line, where the start has an order,
/// half a length, so that vertices do not jump over their neighbors.
void resolve_fruchterman_reingold(Options& o, Index n) {
    if (o.area || o.c) {
        require(o.length == 1, "length", o.length, "left out where area or c is given: length = c * sqrt(area / n)");
        const float area = o.area.value_or(static_cast<float>(n));
        if (n > 0) o.length = o.c.value_or(1) * std::sqrt(area / static_cast<float>(n));
        o.area.reset();  // now expressed by the length
        o.c.reset();
    }
    const float width = std::max(1.0F, std::pow(static_cast<float>(n), 1.0F / static_cast<float>(o.dim)));
    set_default(o.temperature, o.dim == 1 ? 0.5F : 0.1F * width);
}

/// Over all pairs: as many iterations as 2 billion moves allow.
int stress_iterations(Index n, Device where) {
    if (n > all_pairs_up_to(where)) return 100;
    return static_cast<int>(std::clamp(4e9 / std::pow(std::max(n, 1), 2), 30.0, 300.0));
}

}  // namespace

Options resolve_by_list(Options o) {
    options::settle(o);
    return o;
}

Options resolve(Options o, Index n, Device where) {
    options::check(o);
    check_pairs(o);
    switch (o.method) {
        case Method::multilevel:
            resolve_multilevel(o, n);
            break;
        case Method::stress:
            set_default(o.iterations, stress_iterations(n, where));
            break;
        case Method::annealing:
            check_annealing(n);
            break;
        case Method::fruchterman_reingold:
            resolve_fruchterman_reingold(o, n);
            break;
        case Method::forceatlas2:
            set_default(o.scaling, n >= 100 ? 2.0F : 10.0F);
            break;
        case Method::eades:
            set_default(o.tolerance, 1e-4F * static_cast<float>(n));
            break;
    }
    o.repulsion = where == Device::cuda ? cuda_engine_for(o.repulsion, n) : engine_for(o.repulsion, n);
    options::settle(o);
    return o;
}

}  // namespace dunlin::layout
