// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "build.hpp"

/// Terrain by midpoint displacement on (2^levels + 1)^2 nodes of the unit square, in bands of elevation.
namespace scene {

/// uniform: a midpoint is uniform between the heights of its ends, and a center between those of its four corners, so
/// that heights never leave the range of the first corners (Lewellen, The Antimatroid, 2015). fractional: their mean
/// plus normal noise of standard deviation roughness 2^(-H level) (Fournier, Fussell and Carpenter 1982).
enum class Rule { uniform, fractional };

class Terrain {
public:
    Terrain(int levels, Rule rule, std::uint64_t seed) : side_((Index{1} << levels) + 1), random_(seed) {
        heights_.assign(static_cast<std::size_t>(side_) * static_cast<std::size_t>(side_), 0);
        const std::array<double, 4> corners{-0.28, 0.12, 0.36, -0.1};
        for (std::size_t c = 0; c < 4; ++c) at(c % 2 == 0 ? 0 : side_ - 1, c < 2 ? 0 : side_ - 1) = corners[c];
        for (int level = 0; level < levels; ++level) refine((side_ - 1) >> level, level, rule);
        for (int pass = 0; pass < 2; ++pass) smooth();
    }

    [[nodiscard]] Index side() const { return side_; }
    double& at(Index x, Index y) {
        return heights_[static_cast<std::size_t>(x) * static_cast<std::size_t>(side_) + static_cast<std::size_t>(y)];
    }
    [[nodiscard]] double at(Index x, Index y) const {
        return heights_[static_cast<std::size_t>(x) * static_cast<std::size_t>(side_) + static_cast<std::size_t>(y)];
    }
    /// Position and, by central differences, normal of a node.
    [[nodiscard]] Vec position(Index x, Index y) const {
        return {double(x) / (side_ - 1), double(y) / (side_ - 1), at(x, y)};
    }
    [[nodiscard]] Vec normal(Index x, Index y) const {
        const Index x0 = std::max<Index>(x - 1, 0), x1 = std::min<Index>(x + 1, side_ - 1);
        const Index y0 = std::max<Index>(y - 1, 0), y1 = std::min<Index>(y + 1, side_ - 1);
        return cross(position(x1, y) - position(x0, y), position(x, y1) - position(x, y0));
    }

    /// Adds the squares of each of 8 bands of elevation.
    void add_to(Builder& builder) const {
        constexpr std::array<Color, 8> colors{{{88, 84, 70, 255},
                                               {150, 138, 104, 255},
                                               {214, 196, 146, 255},
                                               {128, 160, 84, 255},
                                               {84, 134, 66, 255},
                                               {104, 116, 84, 255},
                                               {142, 136, 128, 255},
                                               {240, 242, 246, 255}}};
        constexpr std::array<double, 7> tops{-0.12, -0.03, 0.02, 0.09, 0.16, 0.23, 0.29};
        for (std::size_t band = 0; band < 8; ++band) {
            builder.begin("band " + std::to_string(band), colors[band]);
            std::vector<Index> number(heights_.size(), -1);
            const auto vertex = [&](Index x, Index y) {
                Index& n =
                    number[static_cast<std::size_t>(x) * static_cast<std::size_t>(side_) + static_cast<std::size_t>(y)];
                if (n < 0) n = builder.vertex(position(x, y), normal(x, y));
                return n;
            };
            for (Index x = 0; x + 1 < side_; ++x) {
                for (Index y = 0; y + 1 < side_; ++y) {
                    const double mean = (at(x, y) + at(x + 1, y) + at(x, y + 1) + at(x + 1, y + 1)) / 4;
                    const auto of =
                        static_cast<std::size_t>(std::upper_bound(tops.begin(), tops.end(), mean) - tops.begin());
                    if (of == band)
                        builder.square(vertex(x, y), vertex(x + 1, y), vertex(x + 1, y + 1), vertex(x, y + 1));
                }
            }
        }
    }

private:
    double between(std::initializer_list<double> ends, int level, Rule rule) {
        if (rule == Rule::uniform) return random_.uniform(std::min(ends), std::max(ends));
        double sum = 0;
        for (const double end : ends) sum += end;
        constexpr double roughness = 0.12, exponent = 0.9;
        return sum / static_cast<double>(ends.size()) + roughness * std::pow(2, -exponent * level) * random_.normal();
    }

    /// Midpoints of the sides and centers of all squares of this width. An edge that two squares share is set once.
    void refine(Index width, int level, Rule rule) {
        const Index half = width / 2;
        for (Index x = 0; x < side_; x += width) {
            for (Index y = 0; y < side_; y += width) {
                if (x + width < side_) at(x + half, y) = between({at(x, y), at(x + width, y)}, level, rule);
                if (y + width < side_) at(x, y + half) = between({at(x, y), at(x, y + width)}, level, rule);
                if (x + width >= side_ || y + width >= side_) continue;
                at(x + half, y + half) =
                    between({at(x, y), at(x + width, y), at(x, y + width), at(x + width, y + width)}, level, rule);
            }
        }
    }

    /// A 3 x 3 Gaussian filter; the border stays.
    void smooth() {
        const Terrain before = *this;
        for (Index x = 1; x + 1 < side_; ++x) {
            for (Index y = 1; y + 1 < side_; ++y) {
                double sum = 0;
                for (Index dx = -1; dx <= 1; ++dx) {
                    for (Index dy = -1; dy <= 1; ++dy)
                        sum += (2 - std::abs(dx)) * (2 - std::abs(dy)) * before.at(x + dx, y + dy) / 16;
                }
                at(x, y) = sum;
            }
        }
    }

    Index side_;
    Random random_;
    std::vector<double> heights_;
};

}  // namespace scene
