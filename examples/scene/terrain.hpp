// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model.hpp"
#include "textures.hpp"

/// Terrain by midpoint displacement on (2^levels + 1)^2 nodes of a square; the water is at height 0.
namespace scene {

class Terrain {
public:
    static constexpr double size = 400;

    Terrain(int levels, std::uint64_t seed)
        : side_((Index{1} << levels) + 1), random_(seed), heights_(std::size_t(side_) * std::size_t(side_)) {
        set_given((side_ - 1) / 8);
        for (Index width = (side_ - 1) / 8; width > 1; width /= 2) refine(width, width / 2);
        for (int pass = 0; pass < 2; ++pass) filter();
    }

    [[nodiscard]] Index side() const { return side_; }
    [[nodiscard]] double spacing() const { return size / (side_ - 1); }
    double& at(Index x, Index y) { return heights_[std::size_t(x) * std::size_t(side_) + std::size_t(y)]; }
    [[nodiscard]] double at(Index x, Index y) const {
        return heights_[std::size_t(x) * std::size_t(side_) + std::size_t(y)];
    }

    /// The height at a place, linear between the nodes.
    [[nodiscard]] double height(double x, double y) const {
        const double u = std::clamp(x / spacing(), 0.0, side_ - 1.001),
                     v = std::clamp(y / spacing(), 0.0, side_ - 1.001);
        const auto i = static_cast<Index>(u), j = static_cast<Index>(v);
        const auto along = [&](Index a) { return (1 - v + j) * at(i + a, j) + (v - j) * at(i + a, j + 1); };
        return (1 - u + i) * along(0) + (u - i) * along(1);
    }
    [[nodiscard]] Vec on(double x, double y, double above = 0) const { return {x, y, height(x, y) + above}; }
    [[nodiscard]] double slope(double x, double y) const {
        const double d = 1.5, dx = height(x + d, y) - height(x - d, y), dy = height(x, y + d) - height(x, y - d);
        return std::hypot(dx, dy) / (2 * d);
    }

    /// Makes the ground level within `radius` of a place, and leads over to the rest within twice that.
    void level(double x, double y, double radius) {
        const double floor = height(x, y);
        for (Index n = 0; n < side_ * side_; ++n) {
            double& here = heights_[std::size_t(n)];
            const double away = std::hypot(n / side_ * spacing() - x, n % side_ * spacing() - y);
            here += (floor - here) * (1 - smooth(radius, 2 * radius, away));
        }
    }

    /// The surface, with one part for each band of elevation.
    [[nodiscard]] Model model() const {
        Model model("terrain");
        for (std::size_t band = 0; band < layers.size(); ++band) {
            model.in("band " + std::to_string(band), mix(layers[band].dark, layers[band].light, 0.5), Kind::terrain);
            std::vector<Index> number(heights_.size(), -1);
            const auto vertex = [&](Index x, Index y) {
                Index& n = number[std::size_t(x) * std::size_t(side_) + std::size_t(y)];
                if (n < 0) n = model.vertex({x * spacing(), y * spacing(), at(x, y)}, normal(x, y));
                return n;
            };
            for (Index x = 0; x + 1 < side_; ++x) {
                for (Index y = 0; y + 1 < side_; ++y) {
                    if (band_of(at(x, y)) != band) continue;
                    model.square(vertex(x, y), vertex(x + 1, y), vertex(x + 1, y + 1), vertex(x, y + 1));
                }
            }
        }
        model.places = {{}};
        return model;
    }

private:
    /// The cross product of central differences.
    [[nodiscard]] Vec normal(Index x, Index y) const {
        const Index x0 = std::max<Index>(x - 1, 0), x1 = std::min<Index>(x + 1, side_ - 1);
        const Index y0 = std::max<Index>(y - 1, 0), y1 = std::min<Index>(y + 1, side_ - 1);
        const Vec along_x{spacing() * (x1 - x0), 0, at(x1, y) - at(x0, y)},
            along_y{0, spacing() * (y1 - y0), at(x, y1) - at(x, y0)};
        return unit(cross(along_x, along_y));
    }

    /// The first three levels: a lake in the southwest, meadows around it, and a mountain in the north; the border lies
    /// below the water.
    void set_given(Index step) {
        constexpr double heights[9][9] = {
            {-14, -14, -14, -14, -12, -12, -12, -13, -14}, {-14, -10, -10, -9, -7, -4, -3, -4, -12},
            {-12, -7, -7, -6, -1.2, 2.2, 3.2, 1.5, -9},    {-12, -5, -7, -6, -0.8, 3.4, 5.5, 3, -8},
            {-10, -2, -4, -3, 1.6, 6, 9, 5, -8},           {-10, 2, 2, 4, 11, 19, 21, 8, -9},
            {-11, 4, 13, 30, 58, 66, 36, 9, -10},          {-12, 1, 14, 46, 104, 78, 30, 5, -11},
            {-14, -10, -6, 4, 12, 9, -2, -11, -14}};
        for (Index n = 0; n < 81; ++n) at(n / 9 * step, n % 9 * step) = heights[n % 9][n / 9];
    }

    /// The mean of the ends plus normal noise of a deviation that follows the width (Fournier, Fussell and Carpenter
    /// 1982) and grows with the height, so that meadows are smooth and mountains rough.
    double between(std::initializer_list<double> ends, Index width) {
        double mean = 0;
        for (const double end : ends) mean += end / static_cast<double>(ends.size());
        const double roughness = 0.022 + 0.24 * smooth(5, 45, mean);
        return mean + roughness * std::pow(width * spacing(), 0.95) * random_.normal();
    }

    /// Midpoints of the sides and centers of all squares of this width. An edge that two squares share is set once.
    void refine(Index width, Index half) {
        for (Index x = 0; x < side_; x += width) {
            for (Index y = 0; y < side_; y += width) {
                const Index right = x + width, upper = y + width;
                if (right < side_) at(x + half, y) = between({at(x, y), at(right, y)}, width);
                if (upper < side_) at(x, y + half) = between({at(x, y), at(x, upper)}, width);
                if (right >= side_ || upper >= side_) continue;
                at(x + half, y + half) = between({at(x, y), at(right, y), at(x, upper), at(right, upper)}, width);
            }
        }
    }

    /// A 3 x 3 Gaussian filter; the border stays.
    void filter() {
        const Terrain before = *this;
        for (Index x = 1; x + 1 < side_; ++x) {
            for (Index y = 1; y + 1 < side_; ++y) {
                const auto row = [&](Index i) {
                    return before.at(i, y - 1) + 2 * before.at(i, y) + before.at(i, y + 1);
                };
                at(x, y) = (row(x - 1) + 2 * row(x) + row(x + 1)) / 16;
            }
        }
    }

    Index side_;
    Random random_;
    std::vector<double> heights_;
};

}  // namespace scene
