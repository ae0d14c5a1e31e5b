// SPDX-License-Identifier: Apache-2.0
#include <dunlin/density.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cases/maps.hpp"
#include "density/checks.hpp"
#include "math/at.hpp"
#include "refusal.hpp"

namespace dunlin::density {
namespace {

using made::clusters;

/// The sum of Gaussians by its definition.
double direct_sum(const Map& map, double h, const std::array<double, 3>& position,
                  std::span<const double> weights = {}) {
    double sum = 0;
    for (Index i = 0; i < map.size(); ++i) {
        double square = 0;
        for (int d = 0; d < map.dim; ++d) {
            const double difference = static_cast<double>(map.view()(i, d)) - position[at(d)];
            square += difference * difference;
        }
        sum += (weights.empty() ? 1 : weights[at(i)]) * std::exp(-square / (2 * h * h));
    }
    return sum * std::pow(std::sqrt(2 * std::numbers::pi) * h, -map.dim);
}

std::array<double, 3> position_of(const ScalarField& field, Offset node) {
    const auto [nx, ny, nz] = field.nodes;
    return {field.coordinate(0, static_cast<double>(node % nx)),
            field.coordinate(1, static_cast<double>(node / nx % ny)),
            field.coordinate(2, static_cast<double>(node / nx / ny))};
}

Map uniform(Index n, int dim) { return {dim, made::scattered(n, dim, 10)}; }

double mass_of(const ScalarField& field) {
    double sum = 0;
    for (const float value : field.values) sum += static_cast<double>(value);
    return sum * std::pow(field.spacing, field.dim);
}

TEST(Density, HasTheMassOfThePoints) {
    for (const int dim : {2, 3}) {
        for (const Index n : {1, 2, 3, 7, 1000, 20000}) {
            for (const Map& map : {clusters(n, dim, 100), uniform(n, dim)}) {
                const Result result = estimate(map, {.nodes = dim == 2 ? 256 : 64});
                EXPECT_NEAR(mass_of(result.field) / n, 1, 1e-6) << dim << "-D, n " << n;
                EXPECT_NEAR(result.mass / mass_of(result.field), 1, 1e-12);
                EXPECT_EQ(*std::max_element(result.field.nodes.begin(), result.field.nodes.end()), dim == 2 ? 256 : 64);
                EXPECT_EQ(result.stopped, Stopped::converged);
                EXPECT_GE(*std::min_element(result.field.values.begin(), result.field.values.end()), 0);
            }
        }
    }
}

// 100,000 points at one place: sums of floats would be off by more
TEST(Density, OfManyPointsInOnePlaceIsExact) {
    Map map{2, std::vector<float>(200000, 1.25F)};
    for (const double bandwidth : {0.0, 0.4}) {
        Options options;
        if (bandwidth > 0) options.bandwidth = bandwidth;
        const Result result = estimate(map, options);
        EXPECT_NEAR(result.mass / map.size(), 1, 1e-6);
        const double h = *result.options.bandwidth;
        EXPECT_EQ(h, bandwidth > 0 ? bandwidth : 1);
        const float peak = *std::max_element(result.field.values.begin(), result.field.values.end());
        EXPECT_NEAR(static_cast<double>(peak) / (map.size() / (2 * std::numbers::pi * h * h)), 1, 1e-3);
        for (const Band& band : result.bands) EXPECT_EQ(band.points, map.size());
    }
}

/// Largest difference from the direct sum relative to the largest value; and relative to the value where it is at least
/// a thousandth of the largest.
struct SumErrors {
    double absolute = 0, relative = 0;
};

SumErrors errors_of(const Map& map, const Result& result, Offset stride) {
    SumErrors errors;
    const auto largest = static_cast<double>(*std::max_element(result.field.values.begin(), result.field.values.end()));
    for (Offset node = 0; node < result.field.size(); node += stride) {
        const double truth = direct_sum(map, *result.options.bandwidth, position_of(result.field, node));
        const double off = std::abs(static_cast<double>(result.field.values[at(node)]) - truth);
        errors.absolute = std::max(errors.absolute, off / largest);
        if (truth > 1e-3 * largest) errors.relative = std::max(errors.relative, off / truth);
    }
    return errors;
}

TEST(Density, EqualsTheDirectSum) {
    for (const int dim : {2, 3}) {
        for (const Index n : {1, 3, 1000}) {
            for (const Index nodes : {64, 200}) {
                const Map map = clusters(n, dim, 30);
                Options options{.nodes = dim == 2 ? nodes : 64};
                const Offset stride = dim == 2 ? 37 : 509;
                const SumErrors by_rule = errors_of(map, estimate(map, options), stride);
                EXPECT_LT(by_rule.absolute, 1e-4) << dim << "-D, n " << n << ", nodes " << nodes;
                EXPECT_LT(by_rule.relative, 1e-4) << dim << "-D, n " << n << ", nodes " << nodes;
                if (n == 1) continue;
                // The narrowest kernel of the grid, and a wide one
                const std::string least =
                    refusal(Fault::bad_input, [&] { estimate(map, {.bandwidth = 1e-3, .nodes = options.nodes}); });
                const double narrow = std::stod(least.substr(least.find("at least ") + 9));
                for (const double h : {narrow * 1.00001, 5 * narrow, 40.0}) {
                    options.bandwidth = h;
                    const SumErrors errors = errors_of(map, estimate(map, options), stride);
                    EXPECT_LT(errors.absolute, 3e-5) << dim << "-D, n " << n << ", nodes " << nodes << ", h " << h;
                    EXPECT_LT(errors.relative, 3e-4) << dim << "-D, n " << n << ", nodes " << nodes << ", h " << h;
                }
            }
        }
    }
}

TEST(Density, OfAMapFarFromTheOriginIsThatOfTheMapAtIt) {
    Map map = clusters(500, 2, 64);
    for (float& x : map.coordinates) x = std::round(x * 64) / 64;  // exact also when shifted
    Map shifted = map;
    for (float& x : shifted.coordinates) x += 65536;
    const Options options{.bandwidth = 2, .nodes = 128};
    const Result near = estimate(map, options), far = estimate(shifted, options);
    EXPECT_LT(errors_of(map, near, 11).absolute, 1e-5);
    EXPECT_LT(errors_of(shifted, far, 11).absolute, 1e-5);
}

TEST(Density, IsTheSameForAnyThreadsAndOrder) {
    for (const int dim : {2, 3}) {
        const Map map = clusters(30000, dim, 50);
        Map reversed = map;
        for (Index i = 0; i < map.size(); ++i)
            std::copy_n(map.coordinates.begin() + Offset{i} * dim, dim,
                        reversed.coordinates.end() - Offset{i + 1} * dim);
        std::vector<double> values(at(map.size()));
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 7 == 0 ? NAN : static_cast<double>(i % 13);
        const Options options{.nodes = 96};
        const Result one = estimate(map, options, {.device = Device::cpu, .threads = 1}, {.values = values});
        const Result four = estimate(map, options, {.device = Device::cpu, .threads = 4}, {.values = values});
        EXPECT_EQ(one.field.values, four.field.values);
        EXPECT_EQ(one.mean.values.size(), four.mean.values.size());
        EXPECT_TRUE(std::equal(one.mean.values.begin(), one.mean.values.end(), four.mean.values.begin(),
                               [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }));
        const Result other = estimate(reversed, options, {.device = Device::cpu});
        EXPECT_EQ(one.options.bandwidth, other.options.bandwidth);
        EXPECT_EQ(one.field.values, other.field.values);
        for (std::size_t b = 0; b < one.bands.size(); ++b) EXPECT_EQ(one.bands[b].level, other.bands[b].level);
    }
}

TEST(Density, OfSeveralGroupsOfPointsIsTheSameInAnyOrder) {
    const Index n = static_cast<Index>(points_per_group(64 * 64)) + 5000;
    const Map map = clusters(n, 2, 50);
    Map reversed = map;
    for (Index i = 0; i < n; ++i)
        std::copy_n(map.coordinates.begin() + Offset{i} * 2, 2, reversed.coordinates.end() - Offset{i + 1} * 2);
    std::vector<double> values(at(n));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 7 == 0 ? NAN : static_cast<double>(i % 13);
    const Options options{.nodes = 64, .bands = "50"};
    const Result one = estimate(map, options, {.device = Device::cpu}, {.values = values});
    std::reverse(values.begin(), values.end());
    const Result other = estimate(reversed, options, {.device = Device::cpu, .threads = 1}, {.values = values});
    EXPECT_EQ(one.field.values, other.field.values);
    EXPECT_EQ(one.bands[0].level, other.bands[0].level);
    EXPECT_EQ(one.mean_bands[0].level, other.mean_bands[0].level);
    EXPECT_TRUE(std::equal(one.mean.values.begin(), one.mean.values.end(), other.mean.values.begin(),
                           [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }));
    EXPECT_NEAR(one.mass / n, 1, 1e-6);
}

TEST(Density, DoesNotDependOnWhatIsNotAsked) {
    const Map map = clusters(20000, 2, 50);
    const Result all = estimate(map, {.nodes = 96});
    const Result given = estimate(map.view(), {.bandwidth = all.options.bandwidth, .nodes = 96, .bands = ""});
    EXPECT_EQ(all.field.values, given.field.values);
    EXPECT_EQ(all.mass, given.mass);
    EXPECT_TRUE(given.bands.empty());
    EXPECT_EQ(all.bands.size(), 7U);
}

TEST(Density, DefaultBandwidthIsHalfOfSilvermans) {
    // 4 x 4 lattice, 0 .. 3 along x, the same times 10 along y: variance 1.25, interquartile range 2
    Map map{2, {}};
    for (int i = 0; i < 16; ++i)
        map.coordinates.insert(map.coordinates.end(), {static_cast<float>(i % 4), static_cast<float>(i / 4) * 10});
    const double x = std::min(1.25, std::pow(2 / 1.349, 2)), scale = std::sqrt((x + 100 * x) / 2);
    EXPECT_NEAR(*estimate(map).options.bandwidth, scale * std::pow(16, -1.0 / 6) / 2, 1e-3);
    // Half of the points in one place: the range between quartiles is 0, the deviation is not
    for (int i = 0; i < 8; ++i) map.coordinates[at(2 * i)] = map.coordinates[at(2 * i + 1)] = 0;
    EXPECT_GT(*estimate(map).options.bandwidth, 1);
}

TEST(Density, OfNoPointsHasNoNodes) {
    for (const int dim : {2, 3}) {
        const Result result = estimate({dim, {}});
        EXPECT_EQ(result.field.values.size(), 0U);
        EXPECT_EQ(result.field.size(), 0);
        EXPECT_TRUE(result.bands.empty());
        EXPECT_EQ(result.mass, 0);
        EXPECT_TRUE(contours(result.field, 1).empty());
        EXPECT_TRUE(peaks(result.field).empty());
    }
}

TEST(Density, RefusesWhatItCannotUse) {
    Map map = clusters(50, 2, 10);
    map.coordinates[61] = NAN;
    const auto refused = [](const Map& of, const Options& options = {}, const Given& given = {}) {
        return refusal(Fault::bad_input, [&] { estimate(of, options, {}, given); });
    };
    EXPECT_EQ(refused(map), "coordinate 2 of point 30 is nan; every one must be a finite number");
    map.coordinates[61] = -INFINITY;
    EXPECT_EQ(refused(map), "coordinate 2 of point 30 is -inf; every one must be a finite number");
    map.coordinates[61] = 3;
    EXPECT_EQ(refused({1, {1, 2, 3}}), "the map has 1 dimensions; a density is of maps of 2 or 3 dimensions");
    EXPECT_NE(refused(map, {.bandwidth = 0}).find("bandwidth is 0"), std::string::npos);
    EXPECT_NE(refused(map, {.bandwidth = NAN}), "");
    EXPECT_NE(refused(map, {.nodes = 63}).find("nodes is 63"), std::string::npos);
    EXPECT_NE(refused(clusters(50, 3, 10), {.nodes = 2000}).find("nodes is 2000; in 3-D"), std::string::npos);
    const std::string narrow = refused(map, {.bandwidth = 0.01});
    EXPECT_NE(narrow.find("bandwidth is 0.01; with 1024 nodes over"), std::string::npos) << narrow;
    const auto needed = static_cast<Index>(std::stoi(narrow.substr(narrow.find("use at least ") + 13)));
    EXPECT_NEAR(estimate(map, {.bandwidth = 0.01, .nodes = needed}).mass / 50, 1, 1e-6);
    for (const char* bands : {"50,10", "0", "101", "10,,20", "10,", ",10", "ten", "10 20", "50,50", "-1", "nan"})
        EXPECT_NE(refused(map, {.bands = bands}).find(std::string("bands is '") + bands), std::string::npos) << bands;
    EXPECT_TRUE(estimate(map, {.bands = ""}).bands.empty());
    const std::vector<double> few(49), infinite(50, INFINITY);
    EXPECT_NE(refused(map, {}, {.values = few}).find("50 points and there are 49 values"), std::string::npos);
    EXPECT_NE(refused(map, {}, {.values = infinite}).find("the value of point 0 is inf"), std::string::npos);
    const std::string span = refused({2, {-3e38F, 0, 3e38F, 1}});
    EXPECT_NE(span.find("leaves the range of float32"), std::string::npos) << span;
    EXPECT_NE(refused({2, {1e9F, 0, 1e9F, 1}}, {.bandwidth = 100}).find("in float32"), std::string::npos);
    EXPECT_NE(refusal(Fault::out_of_memory, [&] { estimate(map, {}, {.device = Device::cpu, .memory = 1000}); }), "");
}

TEST(Density, OfEqualPointsAtLargeCoordinatesIsResolved) {
    const Result result = estimate({2, {1e9F, 1e9F, 1e9F, 1e9F}});
    EXPECT_GE(*result.options.bandwidth, 256);
    EXPECT_NEAR(result.mass, 2, 2e-6);
}

// Bands

/// Winding number of contours around a point.
int winding(const std::vector<Contour>& all, double x, double y) {
    int turns = 0;
    for (const Contour& contour : all) {
        for (std::size_t i = 0; i < contour.points.size(); ++i) {
            const auto &a = contour.points[i], &b = contour.points[(i + 1) % contour.points.size()];
            const double side = (b[0] - a[0]) * (y - a[1]) - (x - a[0]) * (b[1] - a[1]);
            if (a[1] <= y && b[1] > y && side > 0) ++turns;
            if (a[1] > y && b[1] <= y && side < 0) --turns;
        }
    }
    return turns;
}

TEST(Density, BandsHoldTheirPercentageOfThePointsWithinTheirContours) {
    for (const Index n : {1, 2, 10, 1000}) {
        const Map map = clusters(n, 2, 40);
        const Result result = estimate(map, {.nodes = 300});
        ASSERT_EQ(result.bands.size(), 7U);
        for (const Band& band : result.bands) {
            EXPECT_GE(static_cast<double>(band.points), band.percentage / 100 * n - 1e-9);
            EXPECT_LT(static_cast<double>(band.points), band.percentage / 100 * n + 1);
            const std::vector<Contour> lines = contours(result.field, band.level);
            int inside = 0;
            for (Index i = 0; i < n; ++i) {
                const int turns =
                    winding(lines, static_cast<double>(map.view()(i, 0)), static_cast<double>(map.view()(i, 1)));
                EXPECT_TRUE(turns == 0 || turns == 1);
                inside += turns;
            }
            EXPECT_NEAR(inside, static_cast<double>(band.points), 1) << band.percentage << "% of " << n;
        }
        EXPECT_TRUE(std::is_sorted(result.bands.begin(), result.bands.end(),
                                   [](const Band& a, const Band& b) { return a.level > b.level; }));
    }
}

// Values

TEST(Density, MeanOfValuesIsKernelWeighted) {
    const Map map = clusters(800, 2, 30);
    std::vector<double> values, ones;
    for (Index i = 0; i < map.size(); ++i) {
        const bool missing = i % 5 == 0;
        values.push_back(missing ? NAN : 7 + 0.3 * static_cast<double>(map.view()(i, 0)));
        ones.push_back(missing ? 0 : 1);
    }
    const Result result = estimate(map, {.nodes = 128}, {}, {.values = values});
    EXPECT_EQ(result.missing, 160);
    std::vector<double> known = values;
    for (double& value : known) value = std::isnan(value) ? 0 : value;
    const float largest = *std::max_element(result.field.values.begin(), result.field.values.end());
    int compared = 0;
    for (Offset node = 0; node < result.mean.size(); node += 17) {
        if (result.field.values[at(node)] < 1e-3F * largest) continue;
        const auto position = position_of(result.mean, node);
        const double h = *result.options.bandwidth;
        const double truth = direct_sum(map, h, position, known) / direct_sum(map, h, position, ones);
        EXPECT_NEAR(static_cast<double>(result.mean.values[at(node)]), truth, 1e-3);
        ++compared;
    }
    EXPECT_GT(compared, 50);
    ASSERT_EQ(result.mean_bands.size(), 7U);
    for (const Band& band : result.mean_bands) EXPECT_NEAR(static_cast<double>(band.points), band.percentage * 6.4, 1);
}

TEST(Density, MeanOfEqualOrMissingValues) {
    const Map map = clusters(100, 3, 30);
    const std::vector<double> fives(100, 5), none(100, NAN);
    const Result equal = estimate(map, {}, {}, {.values = fives});
    for (const float value : equal.mean.values) EXPECT_TRUE(value == 5 || std::isnan(value));
    EXPECT_EQ(equal.mean_bands[0].level, 5);
    EXPECT_EQ(equal.mean_bands[0].points, 100);
    const Result missing = estimate(map, {}, {}, {.values = none});
    EXPECT_EQ(missing.missing, 100);
    EXPECT_TRUE(missing.mean.values.empty());
    EXPECT_TRUE(missing.mean_bands.empty());
    const std::vector<double> huge = [] {
        std::vector<double> v(100, 1e308);
        v[3] = -1e308;
        return v;
    }();
    EXPECT_NE(refusal(Fault::bad_input, [&] { estimate(map, {}, {}, {.values = huge}); }), "");
}

TEST(Density, IsEmptyIfStopped) {
    const Map map = clusters(5000, 2, 30);
    for (int reports = 1; reports <= 5; ++reports) {
        std::stop_source source;
        int seen = 0;
        const Result result =
            estimate(map, {}, {.device = Device::cpu, .stop = source.get_token(), .on_progress = [&](const Progress&) {
                                   if (++seen == reports) source.request_stop();
                               }});
        if (result.stopped == Stopped::converged) continue;
        EXPECT_TRUE(result.field.values.empty());
        EXPECT_TRUE(result.bands.empty());
        EXPECT_FALSE(result.varies_because.empty());
    }
}

}  // namespace
}  // namespace dunlin::density
