// SPDX-License-Identifier: Apache-2.0
#include "picture/scene.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

namespace dunlin::picture {

namespace {

void check(const Map& map) {
    if (map.dim < 1)
        throw Error(Fault::bad_input, fmt::format("picture: the map has {} dimensions; it needs at least 1", map.dim));
    const auto bad =
        std::find_if(map.coordinates.begin(), map.coordinates.end(), [](float v) { return !std::isfinite(v); });
    if (bad == map.coordinates.end()) return;
    throw Error(Fault::bad_input,
                fmt::format("picture: point {} of the map has a coordinate {}; every one must be a number",
                            (bad - map.coordinates.begin()) / map.dim, *bad));
}

/// The first three principal axes, one per column; the largest loading of each is positive.
Eigen::MatrixXd principal_axes(device::Cpu& cpu, const Map& map, const Eigen::VectorXd& mean) {
    const auto y = map.view();
    Eigen::MatrixXd covariance(map.dim, map.dim);
    for (int a = 0; a < map.dim; ++a) {
        for (int b = 0; b <= a; ++b) {
            device::Cell<double> sum;
            cpu.sum(
                map.size(),
                [&](Offset i) {
                    return (static_cast<double>(y(static_cast<Index>(i), a)) - mean[a]) *
                           (static_cast<double>(y(static_cast<Index>(i), b)) - mean[b]);
                },
                sum);
            covariance(a, b) = covariance(b, a) = sum.value;
        }
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);
    Eigen::MatrixXd axes = solver.eigenvectors().rightCols(3).rowwise().reverse();
    for (int c = 0; c < 3; ++c) {
        Eigen::Index largest = 0;
        axes.col(c).cwiseAbs().maxCoeff(&largest);
        if (axes(largest, c) < 0) axes.col(c) *= -1;
    }
    return axes;
}

void project(device::Cpu& cpu, const Map& map, FlatMap& flat) {
    const auto y = map.view();
    Eigen::VectorXd mean(map.dim);
    for (int c = 0; c < map.dim; ++c) {
        device::Cell<double> sum;
        cpu.sum(map.size(), [&](Offset i) { return y(static_cast<Index>(i), c); }, sum);
        mean[c] = sum.value / map.size();
    }
    const Eigen::MatrixXd axes = principal_axes(cpu, map, mean);
    flat.mean.assign(mean.begin(), mean.end());
    flat.axes.assign(axes.reshaped().begin(), axes.reshaped().end());
    flat.nearness.resize(flat.x.size());
    cpu.each(map.size(), [&](Offset i) {
        double at[3] = {};
        for (int c = 0; c < map.dim; ++c) {
            for (int a = 0; a < 3; ++a)
                at[a] += axes(c, a) * (static_cast<double>(y(static_cast<Index>(i), c)) - mean[c]);
        }
        const auto place = static_cast<std::size_t>(i);
        flat.x[place] = static_cast<float>(at[0]);
        flat.y[place] = static_cast<float>(at[1]);
        flat.nearness[place] = static_cast<float>(at[2]);
    });
    const auto [far, near] = std::minmax_element(flat.nearness.begin(), flat.nearness.end());
    const float from = *far, depth = *near - *far;
    for (float& nearness : flat.nearness) nearness = depth > 0 ? (nearness - from) / depth : 1.0F;
}

}  // namespace

FlatMap flatten(device::Cpu& cpu, const Map& map) {
    check(map);
    if (map.size() == 0) return {};  // blank page
    const auto n = static_cast<std::size_t>(map.size());
    FlatMap flat{std::vector<float>(n), std::vector<float>(n), {}, {}, {}, 0, 0, 0, 0};
    if (map.dim > 2) {
        project(cpu, map, flat);
    } else {
        const auto y = map.view();
        for (Index i = 0; i < map.size(); ++i) {
            flat.x[static_cast<std::size_t>(i)] = y(i, 0);
            flat.y[static_cast<std::size_t>(i)] = map.dim == 2 ? y(i, 1) : 0.0F;
        }
    }
    const auto [left, right] = std::minmax_element(flat.x.begin(), flat.x.end());
    const auto [bottom, top] = std::minmax_element(flat.y.begin(), flat.y.end());
    flat.left = *left, flat.right = *right, flat.bottom = *bottom, flat.top = *top;
    return flat;
}

Map plane_map(const FlatMap& flat) {
    Map plane{2, {}};
    plane.coordinates.reserve(2 * flat.x.size());
    for (std::size_t i = 0; i < flat.x.size(); ++i)
        plane.coordinates.insert(plane.coordinates.end(), {flat.x[i], flat.y[i]});
    return plane;
}

Style style_of(const Options& options, const Page& page, Index n) {
    const float side = std::min(page.plot.width, page.plot.height);
    const auto count = static_cast<float>(n);
    Style style{options.point_size, options.alpha, options.alpha > 0};
    // The fraction of the plot covered by discs falls as n grows
    if (style.diameter <= 0) style.diameter = std::clamp(0.04F * side * std::pow(count, -0.25F), 1.4F, 0.014F * side);
    if (style.alpha <= 0) style.alpha = std::clamp(1.25F - 0.14F * std::log10(count), 0.4F, 0.9F);
    return style;
}

Style vertex_style_of(const Options& options, const Page& page, Index n) {
    Style style = style_of(options, page, n);
    if (options.point_size > 0) return style;
    const float side = std::min(page.plot.width, page.plot.height);
    const float apart = side / std::sqrt(static_cast<float>(n));  // distance of vertices on a regular grid
    style.diameter = std::clamp(0.26F * apart, 0.0006F * side, 0.01F * side);
    return style;
}

EdgeStyle edge_style_of(const Options& options, const Page& page, Offset edges) {
    const float side = std::min(page.plot.width, page.plot.height);
    const float magnitude = std::log10(static_cast<float>(std::max<Offset>(edges, 1)));
    EdgeStyle style{options.edge_width, options.edge_alpha, options.edge_alpha > 0};
    if (style.width <= 0) style.width = std::clamp(2.0F - 0.3F * magnitude, 0.5F, 1.4F) * std::max(side / 1140, 0.7F);
    if (style.alpha <= 0) style.alpha = std::clamp(1.1F - 0.15F * magnitude, 0.15F, 0.8F);
    return style;
}

Viewport viewport_of(const FlatMap& flat, const PixelRect& box, float diameter) {
    const double left = static_cast<double>(flat.left), right = static_cast<double>(flat.right);
    const double bottom = static_cast<double>(flat.bottom), top = static_cast<double>(flat.top);
    const double pad = static_cast<double>(diameter) + 2;
    const double across = (static_cast<double>(box.width) - pad) / (right - left);
    const double along = (static_cast<double>(box.height) - pad) / (top - bottom);
    Viewport viewport;
    if (right > left || top > bottom) viewport.scale = std::min(across, along);  // one may be infinite
    viewport.x0 = (left + right) / 2;
    viewport.y0 = (bottom + top) / 2;
    viewport.left = static_cast<double>(box.left + box.width / 2);
    viewport.top = static_cast<double>(box.top + box.height / 2);
    return viewport;
}

}  // namespace dunlin::picture
