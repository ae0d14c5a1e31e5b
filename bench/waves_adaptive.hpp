// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "waves/formulas.hpp"

/// The adaptive grid of Lewellen (The Antimatroid, 2015-16), as a study: explicit steps on a subset of the nodes of a
/// line, chosen anew before each step. Irregular spacing has a second derivative of first order only.
namespace dunlin::bench {

struct Refinement {
    double slope = 0.005;  ///< every 2nd node where |v_x| is larger, all where |v_t| is larger
    double radius = 4;     ///< all nodes this near to an inflection with |v_x| > 10 slope
};

class AdaptiveLine {
public:
    AdaptiveLine(std::vector<double> v, double spacing, Refinement refinement)
        : v_(std::move(v)), w_(v_.size(), 0.0), rate_(v_.size(), 0.0), spacing_(spacing), refinement_(refinement) {}

    void step(double dt) {
        choose();
        interpolate(v_);
        interpolate(w_);
        std::vector<waves::Node> next(nodes_.size());
        for (std::size_t k = 0; k < nodes_.size(); ++k) {
            const double v = v_[nodes_[k]], w = w_[nodes_[k]];
            const waves::Node rate = waves::rates<Law>(law_, {v, w}, {second_derivative(k), 0}, 0);
            rate_[nodes_[k]] = rate.v;
            next[k] = {waves::euler(dt, rate.v, v), waves::euler(dt, rate.w, w)};
        }
        for (std::size_t k = 0; k < nodes_.size(); ++k) v_[nodes_[k]] = next[k].v, w_[nodes_[k]] = next[k].w;
        used_ += nodes_.size();
        possible_ += v_.size();
    }

    /// Values of all nodes, between chosen ones linear.
    [[nodiscard]] std::vector<double> values() const {
        std::vector<double> all = v_;
        interpolate(all);
        return all;
    }
    /// Nodes of a uniform line per node used, the mean over the steps.
    [[nodiscard]] double saving() const { return static_cast<double>(possible_) / static_cast<double>(used_); }

private:
    using Law = waves::Law<waves::Model::fitzhugh_nagumo, false, false>;

    void choose() {
        if (nodes_.empty()) {  // the first step: all
            for (std::size_t i = 0; i < v_.size(); ++i) nodes_.push_back(i);
            return;
        }
        interpolate(v_);
        interpolate(w_);
        interpolate(rate_);
        const std::size_t n = v_.size();
        std::vector<char> chosen(n, 0);
        double curvature = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const double left = v_[i > 0 ? i - 1 : 0], right = v_[std::min(i + 1, n - 1)];
            const double slope = std::abs(right - left) / (2 * spacing_);
            const double before = curvature;
            curvature = right - 2 * v_[i] + left;
            const auto choose_around = [&](std::size_t reach, std::size_t every) {
                for (std::size_t k = i - std::min(i, reach); k < std::min(n, i + reach + 1); ++k) {
                    if (k % every == 0) chosen[k] = 1;
                }
            };
            if (i % 8 == 0) chosen[i] = 1;
            if (slope > refinement_.slope) choose_around(8, 2);
            if (std::abs(rate_[i]) > refinement_.slope) choose_around(2, 1);
            if (before * curvature >= 0 || slope <= 10 * refinement_.slope) continue;
            choose_around(static_cast<std::size_t>(refinement_.radius / spacing_), 1);
        }
        chosen.front() = chosen[1] = chosen[n - 2] = chosen.back() = 1;
        nodes_.clear();
        for (std::size_t i = 0; i < n; ++i) {
            if (chosen[i] != 0) nodes_.push_back(i);
        }
    }

    void interpolate(std::vector<double>& values) const {
        for (std::size_t k = 0; k + 1 < nodes_.size(); ++k) {
            const std::size_t a = nodes_[k], b = nodes_[k + 1];
            for (std::size_t i = a + 1; i < b; ++i)
                values[i] =
                    values[a] + (values[b] - values[a]) * static_cast<double>(i - a) / static_cast<double>(b - a);
        }
    }

    /// Of the parabola through a node and its neighbors; ends have a ghost node.
    [[nodiscard]] double second_derivative(std::size_t k) const {
        const std::size_t last = nodes_.size() - 1;
        const std::size_t before = k > 0 ? nodes_[k - 1] : nodes_[1],
                          after = k < last ? nodes_[k + 1] : nodes_[last - 1];
        const auto distance = [&](std::size_t i, std::size_t j) {
            return spacing_ * static_cast<double>(i > j ? i - j : j - i);
        };
        const double left = distance(nodes_[k], before), right = distance(after, nodes_[k]), v = v_[nodes_[k]];
        return 2 / (left + right) * ((v_[before] - v) / left + (v_[after] - v) / right);
    }

    std::vector<double> v_, w_, rate_;
    double spacing_;
    Refinement refinement_;
    waves::Coefficients law_;
    std::vector<std::size_t> nodes_;
    std::size_t used_ = 0, possible_ = 0;
};

}  // namespace dunlin::bench
