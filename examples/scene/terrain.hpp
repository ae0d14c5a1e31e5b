// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model.hpp"
#include "textures.hpp"

/// Terrain by midpoint displacement on (2^levels + 1)^2 nodes of a square; the water is at height 0.
namespace scene {

class Terrain {
public:
    static constexpr double size = 400;
    std::vector<std::vector<double>> heights;  ///< at x, y

    Terrain(int levels, std::uint64_t seed)
        : heights((1U << levels) + 1, std::vector<double>((1U << levels) + 1)), random_(seed) {
        set_given((side_ - 1) / 8);
        for (std::size_t width = (side_ - 1) / 8; width > 1; width /= 2) refine(width, width / 2);
        for (int pass = 0; pass < 2; ++pass) filter();
    }

    [[nodiscard]] double spacing() const { return size / double(side_ - 1); }
    /// The place on the ground, linear between the nodes, or above it.
    [[nodiscard]] Vec on(const Vec& p, double above = 0) const {
        const double most = double(side_) - 1.001, u = clamp(p[0] / spacing(), 0.0, most),
                     v = clamp(p[1] / spacing(), 0.0, most);
        const auto i = static_cast<std::size_t>(u), j = static_cast<std::size_t>(v);
        return {p, above + bilinear(u - std::floor(u), v - std::floor(v),
                                    [&](std::size_t a, std::size_t b) { return heights[i + a][j + b]; })};
    }
    /// The cross product of central differences.
    [[nodiscard]] Vec normal(const Vec& p) const {
        const Vec x{spacing(), 0}, y{0, spacing()};
        return normalize(cross(on(p + x) - on(p - x), on(p + y) - on(p - y)));
    }

    /// Makes the ground level within `radius` of a place, and leads over to the rest within twice that.
    void level(const Vec& place, double radius) {
        const double floor = on(place)[2];
        for (std::size_t n = 0; n < side_ * side_; ++n) {
            double& here = heights[n / side_][n % side_];
            const double away = distance(place, spacing() * Vec(double(n / side_), double(n % side_)));
            here = mix(floor, here, smoothstep(radius, 2 * radius, away));
        }
    }

    /// The surface, with one part for each band of elevation.
    [[nodiscard]] Model model() const {
        Model model("terrain");
        for (std::size_t band = 0; band < layers.size(); ++band) {
            model.in("band " + std::to_string(band), mix(layers[band].dark, layers[band].light, 0.5), TERRAIN);
            std::vector<Index> numbers(heights.size() * heights.size(), -1);
            const auto vertex = [&](std::size_t x, std::size_t y) {
                Index& n = numbers[x * heights.size() + y];
                const Vec at{double(x) * spacing(), double(y) * spacing(), heights[x][y]};
                if (n < 0) n = model.vertex(at, normal(at));
                return n;
            };
            for (std::size_t x = 0; x + 1 < side_; ++x) {
                for (std::size_t y = 0; y + 1 < side_; ++y) {
                    if (band_of(heights[x][y]) != band) continue;
                    model.square(vertex(x, y), vertex(x + 1, y), vertex(x + 1, y + 1), vertex(x, y + 1));
                }
            }
        }
        model.places = {{}};
        return model;
    }

private:
    /// The first three levels: a lake in the southwest, meadows around it, and a mountain in the north; the border lies
    /// below the water.
    void set_given(std::size_t step) {
        constexpr double given[9][9] = {
            {-14, -14, -14, -14, -12, -12, -12, -13, -14}, {-14, -10, -10, -9, -7, -4, -3, -4, -12},
            {-12, -7, -7, -6, -1.2, 2.2, 3.2, 1.5, -9},    {-12, -5, -7, -6, -0.8, 3.4, 5.5, 3, -8},
            {-10, -2, -4, -3, 1.6, 6, 9, 5, -8},           {-10, 2, 2, 4, 11, 19, 21, 8, -9},
            {-11, 4, 13, 30, 58, 66, 36, 9, -10},          {-12, 1, 14, 46, 104, 78, 30, 5, -11},
            {-14, -10, -6, 4, 12, 9, -2, -11, -14}};
        for (std::size_t n = 0; n < 81; ++n) heights[n / 9 * step][n % 9 * step] = given[n % 9][n / 9];
    }

    /// The mean of the ends plus normal noise of a deviation that follows the width (Fournier, Fussell and Carpenter
    /// 1982) and grows with the height, so that meadows are smooth and mountains rough.
    double between(std::initializer_list<double> ends, std::size_t width) {
        double mean = 0;
        for (const double end : ends) mean += end / static_cast<double>(ends.size());
        const double roughness = 0.022 + 0.24 * smoothstep(5, 45, mean);
        return mean + roughness * pow(double(width) * spacing(), 0.95) * random_.normal();
    }

    /// Midpoints of the sides and centers of all squares of this width. An edge that two squares share is set once.
    void refine(std::size_t width, std::size_t half) {
        for (std::size_t x = 0; x < side_; x += width) {
            for (std::size_t y = 0; y < side_; y += width) {
                const std::size_t right = x + width, upper = y + width;
                if (right < side_) heights[x + half][y] = between({heights[x][y], heights[right][y]}, width);
                if (upper < side_) heights[x][y + half] = between({heights[x][y], heights[x][upper]}, width);
                if (right >= side_ || upper >= side_) continue;
                heights[x + half][y + half] =
                    between({heights[x][y], heights[right][y], heights[x][upper], heights[right][upper]}, width);
            }
        }
    }

    /// A 3 x 3 Gaussian filter; the border stays.
    void filter() {
        const Terrain before = *this;
        for (std::size_t x = 1; x + 1 < side_; ++x) {
            for (std::size_t y = 1; y + 1 < side_; ++y) {
                heights[x][y] = 0;
                for (std::size_t a = 0; a < 3; ++a)
                    for (std::size_t b = 0; b < 3; ++b)
                        heights[x][y] +=
                            (a == 1 ? 2 : 1) * (b == 1 ? 2 : 1) * before.heights[x + a - 1][y + b - 1] / 16;
            }
        }
    }

    std::size_t side_ = heights.size();
    Random random_;
};

}  // namespace scene
