// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include <dunlin/error.hpp>
#include <dunlin/shepard.hpp>

#include "io/output.hpp"
#include "math/at.hpp"
#include "mds/smacof/fitted_line.hpp"
#include "mds/smacof/monotone.hpp"
#include "mds/smacof/stress1.hpp"

namespace dunlin::mds {

namespace {

/// Pairs by dissimilarity; equal ones by distance.
struct SortedPairs {
    std::vector<std::size_t> order;  ///< without pairs of weight 0
    std::vector<float> delta;
    std::vector<double> distance, weight;

    [[nodiscard]] double x(std::size_t k) const { return static_cast<double>(delta[k]); }
};

SortedPairs sorted(const ShepardPairs& pairs, const Matrix* weights) {
    const MatrixView<const float> places = pairs.diagram.view();
    const auto weight_of = [&](std::size_t pair) {
        return weights == nullptr ? 1.0 : static_cast<double>(weights->view()(pairs.first[pair], pairs.second[pair]));
    };
    SortedPairs all;
    for (std::size_t pair = 0; pair < pairs.first.size(); ++pair) {
        if (weight_of(pair) > 0) all.order.push_back(pair);
    }
    const auto key = [&](std::size_t pair) {
        const auto row = static_cast<Index>(pair);
        return std::tuple(places(row, 0), places(row, 1), pair);
    };
    std::sort(all.order.begin(), all.order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    for (const std::size_t pair : all.order) {
        const auto row = static_cast<Index>(pair);
        all.delta.push_back(places(row, 0));
        all.distance.push_back(static_cast<double>(places(row, 1)));
        all.weight.push_back(weight_of(pair));
    }
    return all;
}

/// The straight line of a linear transform.
struct FittedTransform {
    FittedLine line;
    double origin;
    [[nodiscard]] double operator()(double delta) const { return line.height + line.slope * (delta - origin); }
};

FittedTransform straight_line(const SortedPairs& all, Transform transform) {
    const double origin = transform == Transform::interval ? all.x(0) : 0;
    const AboveOrigin x{all.delta.data(), origin};
    const LineMoments moment{x, all.weight.data()};
    const LineProducts product{x, all.weight.data(), all.distance.data()};
    math::Vec<double, 3> moments;
    math::Vec<double, 2> products;
    for (Offset k = 0; k < std::ssize(all.order); ++k) {
        moments += moment(k);
        products += product(k);
    }
    return {fitted_line(moments, products, transform == Transform::ratio), origin};
}

/// Corners of the steps: up at a dissimilarity, then right to the next one.
std::vector<double> steps_of(const SortedPairs& all, const std::vector<double>& fitted) {
    std::vector<double> line{all.x(0), fitted[0]};
    for (std::size_t k = 1; k < fitted.size(); ++k) {
        if (fitted[k] == fitted[k - 1]) continue;
        if (line[line.size() - 2] != all.x(k - 1)) line.insert(line.end(), {all.x(k - 1), fitted[k - 1]});
        line.insert(line.end(), {all.x(k - 1), fitted[k]});
    }
    line.insert(line.end(), {all.x(fitted.size() - 1), fitted.back()});
    return line;
}

double stress1_of_fit(const SortedPairs& all, const std::vector<double>& fitted) {
    double error = 0, squares = 0;
    for (std::size_t k = 0; k < fitted.size(); ++k) {
        const double off = all.distance[k] - fitted[k];
        error += all.weight[k] * off * off;
        squares += all.weight[k] * all.distance[k] * all.distance[k];
    }
    return stress1_of(error, squares, static_cast<double>(all.delta.back()));
}

std::string name_of_item(std::span<const std::string> ids, Index item) {
    return ids.empty() ? std::to_string(item) : ids[at(item)];
}

std::string grouped(Offset count) {
    std::string digits = std::to_string(count);
    for (auto place = std::ssize(digits) - 3; place > 0; place -= 3)
        digits.insert(static_cast<std::size_t>(place), 1, ',');
    return digits;
}

}  // namespace

ShepardFit shepard_fit(const ShepardPairs& pairs, Transform transform, const Matrix* weights) {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    ShepardFit fit{transform, std::vector<double>(pairs.first.size(), unknown), 0, {}};
    const SortedPairs all = sorted(pairs, weights);
    if (all.order.empty()) return fit;
    std::vector<double> fitted = all.distance;
    if (transform == Transform::ordinal) {
        make_monotone(fitted, all.weight);
        fit.line = steps_of(all, fitted);
    } else {
        const FittedTransform line = straight_line(all, transform);
        std::transform(all.delta.begin(), all.delta.end(), fitted.begin(),
                       [&](float delta) { return line(static_cast<double>(delta)); });
        const double end = all.x(all.order.size() - 1);
        fit.line = {line.origin, line(line.origin), end, line(end)};
    }
    fit.stress1 = stress1_of_fit(all, fitted);
    for (std::size_t k = 0; k < fitted.size(); ++k) fit.disparities[all.order[k]] = fitted[k];
    return fit;
}

std::string shepard_title(const ShepardPairs& pairs, const ShepardFit& fit, Index items) {
    const auto count = std::ssize(pairs.first);
    const Offset all = Offset{items} * (items - 1) / 2;
    const bool sampled = count >= most_drawn_pairs / 2 && count < all;  // few are left out because they are missing
    return fmt::format("{}, stress-1 {:.3g}, fit {:.3g}, {}{} pairs", name_of(fit.transform), fit.stress1, fit.fit(),
                       grouped(count), sampled ? " of " + grouped(all) : "");
}

picture::Scatter shepard_scatter(const ShepardPairs& pairs, const ShepardFit& fit, std::span<const std::string> ids) {
    picture::Scatter scatter{pairs.diagram.view(), fit.line, "dissimilarity", "distance in the map"};
    if (std::ssize(pairs.first) > picture::most_circles) return scatter;
    for (std::size_t pair = 0; pair < pairs.first.size(); ++pair) {
        const auto row = static_cast<Index>(pair);
        scatter.tips.push_back(fmt::format("{}, {}: dissimilarity {:.4g}, distance {:.4g}, disparity {:.4g}",
                                           name_of_item(ids, pairs.first[pair]), name_of_item(ids, pairs.second[pair]),
                                           pairs.diagram.view()(row, 0), pairs.diagram.view()(row, 1),
                                           fit.disparities[pair]));
    }
    return scatter;
}

void write_shepard(const std::filesystem::path& path, const ShepardPairs& pairs, const ShepardFit& fit,
                   std::span<const std::string> ids) {
    constexpr std::array<std::string_view, 2> tables{".csv", ".tsv"};
    const char delimiter = io::format_of(path, "pairs are", tables) == ".csv" ? ',' : '\t';
    io::Output out(path);
    out.text(delimiter == ',' ? "first,second,dissimilarity,distance,disparity\n"
                              : "first\tsecond\tdissimilarity\tdistance\tdisparity\n");
    for (std::size_t pair = 0; pair < pairs.first.size(); ++pair) {
        for (const Index item : {pairs.first[pair], pairs.second[pair]}) {
            out.field(name_of_item(ids, item), delimiter);
            out.character(delimiter);
        }
        const auto row = pairs.diagram.view().row(static_cast<Index>(pair));
        out.number(row[0]);
        out.character(delimiter);
        out.number(row[1]);
        out.character(delimiter);
        if (std::isfinite(fit.disparities[pair])) out.number(fit.disparities[pair]);
        out.character('\n');
    }
    out.commit();
}

}  // namespace dunlin::mds
