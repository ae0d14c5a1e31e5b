// SPDX-License-Identifier: Apache-2.0
// Springs of a t-SNE map to anchors, of any strength
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <dunlin/error.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/tsne.hpp>

#include "cases/maps.hpp"
#include "descent/repeller.hpp"
#include "refusal.hpp"
#include "tsne/descend.hpp"
#include "tsne/resolve.hpp"

namespace dunlin::tsne {
namespace {

TEST(Springs, AStepIsThatOfItsEnd) {
    EXPECT_EQ(step_with_spring(3, 1, 2), 0.5);  // 0.5 = 3 - 1 (2 + 0.5)
    EXPECT_EQ(step_with_spring(3, 0, 2), 3);
    EXPECT_NEAR(step_with_spring(3, 1e30, 2), -2, 1e-15);
}

TEST(Springs, StepsEndWhereThePullIsTheGradientAtAnyRate) {
    // A force of 0.5 and a spring to 7, with momentum: the end is 7 - 0.5 / stiffness
    for (const double rate : {1e-3, 0.1, 1.0, 2.5, 30.0, 1e4, 1e12, 1e30}) {
        const double learning_rate = 3, stiffness = rate / learning_rate;
        double y = -20, v = 0;
        for (int t = 0; t < 40000; ++t) {
            v = step_with_spring(0.8 * v - learning_rate * 0.5, rate, y - 7);
            y += v;
            ASSERT_LT(std::abs(y), 1e4);
        }
        EXPECT_NEAR(y, 7 - 0.5 / stiffness, 1e-9 * (1 + 0.5 / stiffness)) << rate;
    }
}

constexpr Index n = 60;

struct Pull {
    std::vector<float> x = made::cloud(n, 5, 1, 3);
    MatrixView<const float> points{x.data(), n, 5};
    Map anchors{2, made::cloud(n, 2, 8, 4)};
    Graph p = affinities(neighbors::search(points, {.k = 30}).graph, 10.0F);

    [[nodiscard]] Result map(float strength, Options o = {}) const {
        o.perplexity = 10;
        o.dim = anchors.dim;
        o.anchor = Anchor::given;
        o.anchor_strength = strength;
        return embed(points, o, {}, {.anchors = &anchors});
    }
    [[nodiscard]] double apart(const Map& map) const {
        double sum = 0, count = 0;
        for (Index i = 0; i < n; ++i) {
            if (std::isnan(anchors.view()(i, 0))) continue;
            for (int c = 0; c < map.dim; ++c)
                sum += std::pow(static_cast<double>(map.view()(i, c)) - static_cast<double>(anchors.view()(i, c)), 2);
            count += 1;
        }
        return std::sqrt(sum / count);
    }
    /// Mean way of the points from their anchors along an axis.
    [[nodiscard]] double way(const Map& map, int c) const {
        double sum = 0, count = 0;
        for (Index i = 0; i < n; ++i) {
            if (std::isnan(anchors.view()(i, 0))) continue;
            sum += static_cast<double>(map.view()(i, c)) - static_cast<double>(anchors.view()(i, c));
            count += 1;
        }
        return sum / count;
    }
    /// Largest component of the gradient of KL + strength / n sum |y - a|^2.
    [[nodiscard]] double steepest(const Map& map, float strength) const {
        const Options o = resolve_descent({.anchor = Anchor::given, .anchor_strength = strength}, n, Device::cpu);
        device::Cpu cpu(1);
        auto state = descent::descent_state_at(cpu, map.coordinates, map.dim);
        descent::Repeller<forces::StudentT> repeller(repulsion_of(o));
        cpu.set(state.parameters, {1, 1, 0, 0, 1});
        repeller.choose(cpu, state.positions());
        find_forces(cpu, forces::StudentT(), state, p, repeller);
        double most = 0;
        for (std::size_t k = 0; k < map.coordinates.size(); ++k) {
            const double of_kl = descent::gradient_of(static_cast<double>(state.attraction[k]),
                                                      static_cast<double>(state.repulsion[k]), 1.0, state.mass.value);
            const double from = static_cast<double>(map.coordinates[k]) - static_cast<double>(anchors.coordinates[k]);
            most = std::max(most, std::abs(4 * of_kl + 2.0 / n * static_cast<double>(strength) * from));
        }
        return most;
    }
};

TEST(Springs, MapsOfAnyStrengthAreMinima) {
    const Pull pull;
    const double kl_of_anchors = scores::kl(pull.p, pull.anchors).value;
    for (const float strength : {1e-3F, 0.15F, 3.0F, 12.0F, 20.0F, 1e3F, 1e4F, 1e10F, 1e30F, 3e38F}) {
        const Map map = pull.map(strength).map;
        ASSERT_TRUE(made::is_finite(map));
        // The anchors themselves have the loss kl_of_anchors: at the minimum the springs take no more
        EXPECT_LE(pull.apart(map), 1.5 * std::sqrt(kl_of_anchors / static_cast<double>(strength)) + 1e-6) << strength;
        for (const int c : {0, 1}) EXPECT_NEAR(pull.way(map, c), 0, 2e-6) << strength;
    }
    for (const float strength : {0.01F, 0.15F, 3.0F, 20.0F, 100.0F}) {
        const Map map = pull.map(strength, {.iterations = 6000}).map;
        // Rounding: a place near 20 has steps of 2e-6
        EXPECT_LT(pull.steepest(map, strength), 2e-4 + 2.0 / n * static_cast<double>(strength) * 2e-6) << strength;
    }
}

/// Springs of this strength leave one minimum: weaker ones leave several, of which rounding at 6,000 chooses.
TEST(Springs, FarAnchorsMoveTheMap) {
    Pull pull;
    const Map near = pull.map(3.0F).map;
    Pull far = pull;
    for (std::size_t k = 0; k < far.anchors.coordinates.size(); k += 2) {
        far.anchors.coordinates[k] += 6000;
        far.anchors.coordinates[k + 1] -= 4000;
    }
    const Map moved = far.map(3.0F).map;
    for (std::size_t k = 0; k < near.coordinates.size(); k += 2) {
        EXPECT_NEAR(moved.coordinates[k] - 6000, near.coordinates[k], 0.02);
        EXPECT_NEAR(moved.coordinates[k + 1] + 4000, near.coordinates[k + 1], 0.02);
    }
    // Wide ones are reached, however short steps are; of ten anchors, too, and on a line and in space
    for (const int dim : {1, 2, 3}) {
        Pull wide;
        wide.anchors = {dim, made::cloud(n, dim, 3000, 7)};
        for (const bool all : {true, false}) {
            if (!all) std::fill(wide.anchors.coordinates.begin() + 10 * dim, wide.anchors.coordinates.end(), NAN);
            const Map map = wide.map(20, {.longest_step = 0.1F}).map;
            EXPECT_LT(wide.apart(map), 0.01) << dim << ' ' << all;
            for (int c = 0; c < dim; ++c) EXPECT_NEAR(wide.way(map, c), 0, 2e-3) << dim << ' ' << all;
        }
    }
}

TEST(Springs, AnchorsAtTheStartLeaveItsScaleFree) {
    const Pull pull;
    const auto of = [&](float strength) {
        return embed(pull.points,
                     {.perplexity = 10, .iterations = 3000, .anchor = Anchor::start, .anchor_strength = strength});
    };
    const Map start = embed(pull.points, {.perplexity = 10, .iterations = 0}).map;
    const double loose = of(1).kl;
    for (const float strength : {1e4F, 1e30F}) {
        const Result result = of(strength);
        double overlap = 0, square = 0, left = 0, all = 0;
        for (std::size_t k = 0; k < start.coordinates.size(); ++k) {
            overlap += static_cast<double>(result.map.coordinates[k] * start.coordinates[k]);
            square += static_cast<double>(start.coordinates[k] * start.coordinates[k]);
        }
        for (std::size_t k = 0; k < start.coordinates.size(); ++k) {
            const auto y = static_cast<double>(result.map.coordinates[k]);
            left += std::pow(y - overlap / square * static_cast<double>(start.coordinates[k]), 2);
            all += y * y;
        }
        EXPECT_LT(left, 1e-4 * all) << strength;  // the start, scaled
        // by the factor of least KL: no other has less
        EXPECT_GT(result.kl, loose);
        for (const float factor : {0.97F, 1.03F}) {
            Map other = result.map;
            for (float& y : other.coordinates) y *= factor;
            EXPECT_GT(scores::kl(pull.p, other).value, result.kl - 1e-5) << strength << ' ' << factor;
        }
    }
}

TEST(Springs, AnchorsOfAnotherShapeOrBeyondTheLimitAreRefused) {
    const Pull pull;
    const auto sentence = [&](const Map& anchors, const Options& o = {}, const Map* start = nullptr) {
        Options with = o;
        with.anchor = Anchor::given;
        return refusal(Fault::bad_input, [&] { embed(pull.points, with, {}, {.start = start, .anchors = &anchors}); });
    };
    const Map space{3, made::cloud(n, 3, 5, 1)}, plane{2, made::cloud(n, 2, 5, 1)};
    EXPECT_EQ(
        sentence(plane, {.dim = 3}),
        "the map of anchors has 2 dimensions and the map that is made has 3; they must agree: make dim 2, or give "
        "3 coordinates of each point");
    EXPECT_NE(sentence(space), "");
    EXPECT_NE(sentence(plane, {}, &space), "");
    EXPECT_EQ(sentence(space, {}, &space), "");
    Map short_of_one = plane, dimless = plane, infinite = plane, partial = plane, distant = plane;
    short_of_one.coordinates.pop_back();
    dimless.dim = 0;
    infinite.coordinates[8] = std::numeric_limits<float>::infinity();
    partial.coordinates[8] = NAN;
    distant.coordinates[9] = 1e20F;
    for (const Map& map : {short_of_one, dimless, infinite, partial, distant}) EXPECT_NE(sentence(map), "");
    EXPECT_NE(sentence(distant).find("row 4 of the map of anchors has the coordinate 1e+20, and the limit is 1e+09"),
              std::string::npos);
}

}  // namespace
}  // namespace dunlin::tsne
