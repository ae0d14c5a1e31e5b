// SPDX-License-Identifier: Apache-2.0
#include "picture/relief.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "math/at.hpp"
#include "math/rng.hpp"
#include "progress/cancel.hpp"

namespace dunlin::picture {

namespace {

/// Gradients of heights per node.
class Slopes {
public:
    Slopes(const ScalarField& grid, const std::vector<float>& heights)
        : heights_(heights), nx_(grid.nodes[0]), ny_(grid.nodes[1]) {}

    [[nodiscard]] std::array<double, 2> at_node(Index x, Index y) const {
        const auto difference = [&](Offset low, Offset high, Index apart) {
            return apart == 0
                       ? 0
                       : (static_cast<double>(heights_[at(high)]) - static_cast<double>(heights_[at(low)])) / apart;
        };
        const Index left = std::max(x - 1, 0), right = std::min(x + 1, nx_ - 1);
        const Index below = std::max(y - 1, 0), above = std::min(y + 1, ny_ - 1);
        return {difference(node(left, y), node(right, y), right - left),
                difference(node(x, below), node(x, above), above - below)};
    }

private:
    [[nodiscard]] Offset node(Index x, Index y) const { return x + Offset{nx_} * y; }

    const std::vector<float>& heights_;
    Index nx_, ny_;
};

/// 1 / the 90% quantile of the slopes of the nodes on land; 0 if they are flat.
double steepness(const ScalarField& density, double water, const Slopes& slopes) {
    std::vector<float> found;
    for (Index y = 0; y < density.nodes[1]; ++y) {
        progress::cancellation_point();
        for (Index x = 0; x < density.nodes[0]; ++x) {
            if (static_cast<double>(density.values[at(x + Offset{density.nodes[0]} * y)]) < water) continue;
            const auto [dx, dy] = slopes.at_node(x, y);
            found.push_back(static_cast<float>(std::hypot(dx, dy)));
        }
    }
    if (found.empty()) return 0;
    const auto place = found.begin() + static_cast<std::ptrdiff_t>(0.9 * static_cast<double>(found.size() - 1));
    std::nth_element(found.begin(), place, found.end());
    return *place > 0 ? 1 / static_cast<double>(*place) : 0;
}

}  // namespace

double elevation(double density, double water) { return std::log1p(density / (water > 0 ? water : 1)); }

std::vector<float> elevations(device::Cpu& cpu, const ScalarField& density, double water) {
    std::vector<float> heights(density.values.size());
    cpu.each(std::ssize(heights), [&](Offset node) {
        heights[at(node)] = static_cast<float>(elevation(static_cast<double>(density.values[at(node)]), water));
    });
    return heights;
}

constexpr double roughness = 0.75;  // H: the surface has the fractal dimension 3 - H

/// A node is displaced at the level at which it becomes the middle of an edge or a square of the coarser lattice.
void add_detail(device::Cpu& cpu, const ScalarField& grid, double height, std::uint64_t seed,
                std::vector<float>& elevations) {
    const Index nx = grid.nodes[0], ny = grid.nodes[1];
    Index side = 1;
    while (side + 1 < std::max(nx, ny)) side *= 2;
    const Offset row = Offset{side} + 1;
    std::vector<float> noise(at(row * row));
    double deviation = height * static_cast<double>(*std::max_element(elevations.begin(), elevations.end()));
    const auto normal = [&](std::uint64_t level, Offset node) {
        return deviation * math::random_normal(seed, level, static_cast<std::uint64_t>(node));
    };
    for (const Offset corner : {Offset{0}, Offset{side}, row * side, row * side + side})
        noise[at(corner)] = static_cast<float>(normal(0, corner));
    std::uint64_t level = 1;
    for (Index step = side; step > 1; step /= 2, ++level) {
        deviation *= std::exp2(-roughness);
        const Index half = step / 2;
        cpu.blocks(side / half + 1, 16, [&](Offset begin, Offset end, int) {
            for (Offset r = begin; r < end; ++r) {
                const bool odd_row = r % 2 == 1;
                for (Offset c = odd_row ? 0 : 1; c <= side / half; c += odd_row ? 1 : 2) {
                    // Ends of the edge, or corners of the square, whose middle the node is
                    const Offset up = odd_row ? half : 0, across = c % 2 == 1 ? half : 0;
                    const Offset y = r * half, x = c * half, node = x + row * y;
                    double sum = 0;
                    for (const Offset dy : {-up, up}) {
                        for (const Offset dx : {-across, across})
                            sum += static_cast<double>(noise[at(x + dx + row * (y + dy))]);
                    }
                    noise[at(node)] = static_cast<float>(sum / 4 + normal(level, node));
                }
            }
        });
    }
    cpu.each(std::ssize(elevations),
             [&](Offset node) { elevations[at(node)] += noise[at(node % nx + row * (node / nx))]; });
}

Shade hillshade(device::Cpu& cpu, const ScalarField& density, double water, const std::vector<float>& elevations) {
    const Index nx = density.nodes[0], ny = density.nodes[1];
    const Slopes slopes(density, elevations);
    const double scale = steepness(density, water, slopes);
    Shade shade{nx, ny, std::vector<std::int16_t>(elevations.size())};
    constexpr double darkest = 130, lightest = 130;  // opacities
    cpu.blocks(ny, 16, [&](Offset begin, Offset end, int) {
        for (Offset y = begin; y < end; ++y) {
            for (Index x = 0; x < nx; ++x) {
                auto [dx, dy] = slopes.at_node(x, static_cast<Index>(y));
                dx *= scale, dy *= scale;
                // Cosine of the angle between the normal (-dx, -dy, 1) and the light (-1, 1, sqrt 2) / 2, relative to
                // that of flat ground
                const double lit = ((dx - dy) / std::numbers::sqrt2 + 1) / std::sqrt(1 + dx * dx + dy * dy);
                const double dark = 1 - std::max(lit, 0.0);
                const double share = static_cast<double>(density.values[at(x + Offset{nx} * y)]) / water;
                const double fade = share < 1 ? share * share : 1;  // water is nearly flat
                const double opacity = fade * (dark > 0 ? darkest * dark : lightest * dark / (std::numbers::sqrt2 - 1));
                shade.values[at(x + Offset{nx} * (ny - 1 - y))] =
                    static_cast<std::int16_t>(std::lround(std::clamp(opacity, -255.0, 255.0)));
            }
        }
    });
    return shade;
}

}  // namespace dunlin::picture
