// SPDX-License-Identifier: Apache-2.0
#include "mds/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <dunlin/error.hpp>

#include "mds/input/on_demand_rows.hpp"
#include "mds/sgd/anneal.hpp"
#include "options/check.hpp"

namespace dunlin::mds {

namespace {

template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
    throw Error(Fault::bad_input, fmt::format(format, std::forward<Args>(args)...));
}

/// Spring methods that move all items from the beginning and accept a start map.
bool moves_all_items(Method method) { return method == Method::stochastic || method == Method::gpu_sf; }
bool has_landmarks(Method method, bool on_demand) {
    return method == Method::landmark || method == Method::pivot || (method == Method::dunlin && on_demand);
}

Index default_landmarks(const Options& o) {
    return o.method == Method::landmark ? 15 : o.method == Method::pivot ? 50 : 200 * o.dim;
}

/// Refuses inputs and options that the method would ignore.
void refuse_ignored(const Options& o, const Given& given, bool on_demand) {
    const std::string_view method = name_of(o.method);
    if (given.start != nullptr) {
        if (!is_iterative(o.method)) refuse("a start map is given; method {} needs no start", method);
        if (moves_by_forces(o.method) && !moves_all_items(o.method))
            refuse("a start map is given; method {} begins with a few random items", method);
        if (o.start != Start::automatic) refuse("a start map is given and start is {}; choose one", name_of(o.start));
    }
    if (!has_landmarks(o.method, on_demand) && o.landmarks)
        refuse("landmarks is {}; method {} has none", *o.landmarks, method);
    if (!minimizes_stress(o.method) && given.weights != nullptr)
        refuse("weights are given; method {} ignores them, dunlin and smacof do not", method);
}

/// A coordinate of a given map: finite, and like the dissimilarities at most 1e15.
void check_coordinate(float y, Index point, std::string_view what) {
    constexpr float farthest = 1e15F;
    if (std::abs(y) <= farthest) return;
    if (!std::isfinite(y)) refuse("the {}'s point {} is not finite; correct it", what, point);
    refuse("the {}'s point {} has the coordinate {}, and the limit is {:g}; scale the map", what, point, y, farthest);
}

void check_start(const Map& start, Index n) {
    if (start.dim < 1) refuse("the start map has {} dimensions; it needs at least 1", start.dim);
    if (start.size() != n) refuse("the start map has {} points and there are {} items", start.size(), n);
    for (Index i = 0; i < n; ++i) {
        for (const float y : start.view().row(i)) check_coordinate(y, i, "start map");
    }
}

/// Default number of starts: few items have many local minima and take little time.
void resolve_starts(Options& o, const Given& given, Index n, bool by_landmarks) {
    constexpr Index few = 500;
    const bool one = given.start != nullptr || given.fixed != nullptr || by_landmarks;
    if (!minimizes_stress(o.method)) return;
    if (!o.starts) o.starts = one || o.start == Start::random || n > few ? 1 : 16;
    if (*o.starts == 1 || !one) return;
    if (given.start != nullptr) refuse("starts is {} and a start map is given; choose one", *o.starts);
    if (given.fixed != nullptr)
        refuse("starts is {} and fixed points are given; free points start at these", *o.starts);
    refuse("starts is {}; with landmarks only there is one", *o.starts);
}

/// A point of a fixed map has all coordinates or only NaN (free); at least one point must be fixed.
void check_fixed(const Map& fixed, Index n) {
    if (fixed.dim < 1) refuse("the fixed map has {} dimensions; it needs at least 1", fixed.dim);
    if (fixed.size() != n) refuse("the fixed map has {} points and there are {} items", fixed.size(), n);
    Index free = 0;
    for (Index i = 0; i < n; ++i) {
        int unknown = 0;
        for (int c = 0; c < fixed.dim; ++c) {
            const float y = fixed.view()(i, c);
            if (!std::isnan(y)) check_coordinate(y, i, "fixed map");
            unknown += std::isnan(y) ? 1 : 0;
        }
        if (unknown > 0 && unknown < fixed.dim) refuse("the fixed map's point {} has only some coordinates", i);
        free += unknown > 0 ? 1 : 0;
    }
    if (free == n && n > 0) refuse("the fixed map has no point with coordinates; leave it out");
}

/// A given map sets the dimension; `dim` may repeat it.
void check_dim(const Options& o, const Map& given, std::string_view what) {
    if (o.dim == Options{}.dim || o.dim == given.dim) return;
    refuse("dim is {} and the {} has {}; leave dim out", o.dim, what, given.dim);
}

void refuse_beside_fixed(const Options& o, const Given& given) {
    if (!minimizes_stress(o.method))
        refuse("fixed points are given; method {} moves all, smacof does not", name_of(o.method));
    if (given.start != nullptr) refuse("a start map and fixed points are given; choose one");
    if (o.start != Start::automatic) refuse("start is {}; free points start at fixed ones", name_of(o.start));
    if (o.transform != Transform::ratio) {
        refuse("transform is {} and fixed points are given; disparities have a scale of their own",
               name_of(o.transform));
    }
}

void resolve_landmarks(Options& o, Index n) {
    if (!o.landmarks) o.landmarks = std::clamp<Index>(default_landmarks(o), 1, std::max(n, 1));
    if (*o.landmarks > std::max(n, 1)) {
        refuse("landmarks is {}; it must be from 1 to the number of items, {}", *o.landmarks, n);
    }
}

void resolve_forces(Options& o, Index n) {
    if (!o.until) o.until = o.method == Method::stochastic ? Until::count : Until::velocity;
    if (!o.iterations) o.iterations = o.method == Method::hybrid ? 50 : o.until == Until::count ? n : 20000;
    o.start = Start::random;
}

}  // namespace

void check_weights(const Matrix& weights, Index n) {
    const auto w = weights.view();
    if (w.rows != n || w.cols != n) refuse("the weights are {} x {} and there are {} items", w.rows, w.cols, n);
    double sum = 0, count = 0;
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j <= i; ++j) {
            if (!(w(i, j) >= 0) || !std::isfinite(w(i, j))) {
                refuse("weight ({}, {}) is {}; weights must be at least 0", i, j, w(i, j));
            }
            if (w(i, j) != w(j, i)) {
                refuse("weight ({}, {}) is {} and ({}, {}) is {}; weights must be symmetric", i, j, w(i, j), j, i,
                       w(j, i));
            }
            if (j < i && w(i, j) > 0) {
                sum += static_cast<double>(w(i, j));
                count += 1;
            }
        }
    }
    if (count == 0 && n > 1) refuse("all weights are 0; some pair must count");
    // weight / mean must be finite in float32
    if (count > 0 && sum < count * static_cast<double>(std::numeric_limits<float>::min()))
        refuse("the mean of the weights above 0 is {:.2g}; it must be at least 1.2e-38: multiply them all",
               sum / count);
}

bool moves_by_forces(Method method) {
    return method == Method::stochastic || method == Method::gpu_sf || method == Method::glimmer ||
           method == Method::hybrid;
}

bool minimizes_stress(Method method) { return method == Method::dunlin || method == Method::smacof; }

bool is_iterative(Method method) { return minimizes_stress(method) || moves_by_forces(method); }

int annealed_steps(Index n) { return steps_within(1.3e8, n); }

Options resolve(const Dissimilarities& items, Options o, const Given& given) {
    options::check(o);
    if (o.method == Method::dunlin && o.transform != Transform::ratio) o.method = Method::smacof;  // has transforms
    const bool on_demand = items.on_demand() != nullptr;
    refuse_ignored(o, given, on_demand);
    const Index n = items.size();
    if (given.start != nullptr) {
        check_start(*given.start, n);
        check_dim(o, *given.start, "start map");
        o.dim = given.start->dim;
    }
    if (given.fixed != nullptr) {
        refuse_beside_fixed(o, given);
        check_fixed(*given.fixed, n);
        check_dim(o, *given.fixed, "fixed map");
        o.dim = given.fixed->dim;
    }
    if (given.weights != nullptr) check_weights(*given.weights, n);
    if (has_landmarks(o.method, on_demand)) resolve_landmarks(o, n);
    if (moves_by_forces(o.method)) resolve_forces(o, n);
    const bool by_landmarks =
        on_demand && o.method == Method::dunlin && (*o.landmarks < n || items.on_demand()->is_limited());
    resolve_starts(o, given, n, by_landmarks);
    if (minimizes_stress(o.method)) {
        if (!o.iterations && o.landmarks.value_or(n) < n) o.iterations = 1000;  // few landmarks, from a good start
        if (!o.iterations && o.method == Method::smacof) o.iterations = 1000;
        if (!o.iterations && given.fixed != nullptr) o.iterations = annealed_steps(n);
        if (!o.tolerance) o.tolerance = o.landmarks.value_or(n) < n ? 1e-4 : 1e-6;
    }
    if (!is_iterative(o.method) && items.missing() > 0 && items.graph() == nullptr) {
        refuse("{} pairs are missing; method {} needs all of them, smacof does not", items.missing(),
               name_of(o.method));
    }
    options::settle(o);
    return o;
}

}  // namespace dunlin::mds
