// SPDX-License-Identifier: Apache-2.0
#include "parametric/prototypes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "cases/parametric.hpp"
#include "cases/points.hpp"
#include "folder.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"
#include "parametric/resolve.hpp"
#include "refusal.hpp"

namespace dunlin::parametric {
namespace {

std::vector<float> normals(Offset count, std::uint64_t seed) {
    std::vector<float> values(at(count));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(math::random_normal(seed, i));
    return values;
}

double distance(const float* a, const float* b, int dim) {
    double r2 = 0;
    for (int d = 0; d < dim; ++d) r2 += std::pow(static_cast<double>(a[d]) - static_cast<double>(b[d]), 2);
    return std::sqrt(r2);
}

TEST(ParametricPrototypes, CoverTheMap) {
    for (const int dim : {1, 2, 3}) {
        SCOPED_TRACE(dim);
        constexpr Index n = 3000, count = 40;
        const std::vector<float> map = normals(Offset{n} * dim, 4);
        const std::vector<float> prototypes = prototypes_of({map.data(), n, dim}, count);
        ASSERT_EQ(std::ssize(prototypes), Offset{count} * dim);
        // No row is further from the nearest one than they are from each other
        double apart = std::numeric_limits<double>::infinity(), farthest = 0;
        for (Index a = 0; a < count; ++a) {
            for (Index b = 0; b < a; ++b)
                apart = std::min(apart, distance(&prototypes[at(a * dim)], &prototypes[at(b * dim)], dim));
        }
        for (Index i = 0; i < n; ++i) {
            double nearest = std::numeric_limits<double>::infinity();
            for (Index a = 0; a < count; ++a)
                nearest = std::min(nearest, distance(&map[at(i * dim)], &prototypes[at(a * dim)], dim));
            farthest = std::max(farthest, nearest);
        }
        EXPECT_LE(farthest, apart);
        EXPECT_GT(apart, 0);
    }
}

TEST(ParametricPrototypes, RepeatWhereThereAreFewerPlaces) {
    const std::vector<float> map{0, 0, 3, 4, 0, 0, 3, 4};
    const std::vector<float> prototypes = prototypes_of({map.data(), 4, 2}, 4);
    ASSERT_EQ(prototypes.size(), 8U);
    std::set<std::pair<float, float>> places;
    for (std::size_t i = 0; i < 8; i += 2) places.insert({prototypes[i], prototypes[i + 1]});
    EXPECT_EQ(places.size(), 2U);
    EXPECT_FLOAT_EQ(sharpness_of({prototypes.data(), 4, 2}), 1.0F / 50);  // all are 5 from the other place
    const std::vector<float> equal(6, 1.0F);
    EXPECT_FLOAT_EQ(sharpness_of({equal.data(), 3, 2}), 1);
}

TEST(ParametricPrototypes, SharesAreMatchedByTheirLogarithms) {
    device::Cpu cpu(2);
    constexpr Index rows = 5, count = 33;
    constexpr int dim = 2;
    const std::vector<float> where = normals(count * dim, 1), wanted = normals(rows * dim, 2);
    const PrototypeShares shares{{where.data(), count, dim}, 1.5F};
    std::vector<float> values, delta(at(rows * count)), places(at(rows * dim));
    for (Index r = 0; r < rows; ++r) {
        for (Index k = 0; k < count; ++k) {
            const double r1 = distance(&wanted[at(r * dim)], &where[at(k * dim)], dim);
            values.push_back(static_cast<float>(7 - 1.5 * r1 * r1));  // a constant changes nothing
        }
    }
    std::vector<double> costs(at(rows));
    match_shares(cpu, shares, wanted.data(), values.data(), rows, delta.data(), costs.data());
    for (const double cost : costs) EXPECT_NEAR(cost, 0, 1e-5);
    for (const float each : delta) EXPECT_NEAR(static_cast<double>(each), 0, 1e-6);
    // Elsewhere costs are positive, and delta is their slope
    values = normals(rows * count, 3);
    match_shares(cpu, shares, wanted.data(), values.data(), rows, delta.data(), costs.data());
    for (const double cost : costs) EXPECT_GT(cost, 0.1);
    for (const std::size_t k : {std::size_t{0}, at(count) - 1, at(count) * 3 + 7}) {
        const float here = values[k], step = 0.01F;
        std::vector<float> ignored(delta.size());
        std::vector<double> up(at(rows)), down(at(rows));
        values[k] = here + step;
        match_shares(cpu, shares, wanted.data(), values.data(), rows, ignored.data(), up.data());
        values[k] = here - step;
        match_shares(cpu, shares, wanted.data(), values.data(), rows, ignored.data(), down.data());
        values[k] = here;
        const std::size_t row = k / at(count);
        EXPECT_NEAR(static_cast<double>(delta[k]), (up[row] - down[row]) / (2 * 0.01) / rows, 1e-5);
    }
}

TEST(ParametricPrototypes, NumberFollowsThePoints) {
    PointStatistics points{60000, 784, std::vector<double>(784), 1, 0, 255};
    EXPECT_EQ(resolve({}, points).prototypes, 256);
    EXPECT_EQ(widths_of(resolve({}, points), 784), (std::vector<Index>{784, 500, 500, 2000, 256}));
    EXPECT_EQ(resolve({.pretrain = Pretrain::none}, points).prototypes, std::nullopt);
    points.rows = 100;
    EXPECT_EQ(resolve({}, points).prototypes, 50);
    points.rows = 4;
    EXPECT_EQ(resolve({}, points).prototypes, 2);
    EXPECT_EQ(resolve({.prototypes = 4}, points).prototypes, 4);
    const auto of = [&](const Options& o) { return refusal(Fault::bad_input, [&] { resolve(o, points); }); };
    EXPECT_NE(of({.prototypes = 5}).find("at most 4"), std::string::npos);
    EXPECT_NE(of({.prototypes = 1}).find("at least 2, or 0"), std::string::npos);
    EXPECT_NE(of({.prototypes = -1}).find("prototypes is -1"), std::string::npos);
    EXPECT_NE(of({.pretrain = Pretrain::rbm, .prototypes = 3}).find("read only"), std::string::npos);
}

class PrototypeFiles : public InFolder {};

TEST_F(PrototypeFiles, HoldThemAndFilesWithoutAreRead) {
    const made::Points points = made::gaussians(200, 10, 5);
    for (const Index count : {0, 30}) {
        SCOPED_TRACE(count);
        Options o = cases::short_training(Pretrain::map, 1, 1);
        o.prototypes = count;
        const Result result = train(points.view(), o);
        const Model& model = result.model;
        EXPECT_EQ(model.dim(), 2);
        EXPECT_EQ(std::ssize(model.prototypes), 2 * count);
        const std::filesystem::path file = path("m.npz");
        io::write_parametric_model(file, model);
        const Model back = io::read_parametric_model(file);
        EXPECT_EQ(back.prototypes, model.prototypes);
        EXPECT_EQ(transform(back, points.view()).coordinates, result.map.coordinates);
        const std::string content = bytes(file);
        for (std::size_t size = 0; size < content.size(); size += 997) {
            const std::filesystem::path cut = put("cut.npz", content.substr(0, size));
            EXPECT_NE(refusal(Fault::bad_file, [&] { io::read_parametric_model(cut); }), "") << size;
        }
        if (count == 0) continue;
        Model wrong = model;
        wrong.prototypes.pop_back();
        EXPECT_NE(refusal(Fault::bad_input, [&] { transform(wrong, points.view()); }).find("prototypes"),
                  std::string::npos);
        wrong.prototypes.push_back(std::numeric_limits<float>::quiet_NaN());
        EXPECT_NE(refusal(Fault::bad_input, [&] { transform(wrong, points.view()); }).find("not finite"),
                  std::string::npos);
    }
}

}  // namespace
}  // namespace dunlin::parametric
