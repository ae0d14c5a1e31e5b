// Which inputs each method accepts: the table in docs/mds.md.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <dunlin/error.hpp>
#include <dunlin/mds.hpp>

#include "math/rng.hpp"

namespace dunlin::mds {
namespace {

constexpr Index n = 40;

struct Takes {
    Method method;
    bool weights, start, random, fixed, ordinal, missing;
};

constexpr Takes table[] = {
    {Method::dunlin, true, true, true, true, true, true},
    {Method::smacof, true, true, true, true, true, true},
    {Method::classical, false, false, false, false, false, false},
    {Method::landmark, false, false, false, false, false, false},
    {Method::pivot, false, false, false, false, false, false},
    {Method::stochastic, false, true, true, false, false, true},
    {Method::gpu_sf, false, true, true, false, false, true},
    {Method::glimmer, false, false, true, false, false, true},
    {Method::hybrid, false, false, true, false, false, true},
};

Matrix random_matrix(Index rows, Index cols) {
    std::vector<float> x;
    for (Offset k = 0; k < Offset{rows} * cols; ++k)
        x.push_back(static_cast<float>(math::random_normal(8, static_cast<std::uint64_t>(k))));
    return {rows, cols, std::move(x)};
}

float apart(const Matrix& x, Index i, Index j) {
    float sum = 0;
    for (Index c = 0; c < x.cols(); ++c) sum += std::pow(x.view()(i, c) - x.view()(j, c), 2.0F);
    return std::sqrt(sum);
}

/// Distances of points; one pair may be missing.
Dissimilarities matrix(bool whole = true) {
    const Matrix x = random_matrix(n, 3);
    std::vector<float> values;
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) values.push_back(apart(x, i, j));
    }
    if (!whole) values[1] = values[std::size_t{n}] = std::numeric_limits<float>::quiet_NaN();
    return Dissimilarities::of_matrix(Matrix(n, n, std::move(values)));
}

Dissimilarities fed(const Matrix& x) {
    return Dissimilarities::of_callback(n,
                                        [&x](std::span<const Index> i, std::span<const Index> j, std::span<float> out) {
                                            for (std::size_t k = 0; k < out.size(); ++k) out[k] = apart(x, i[k], j[k]);
                                        });
}

/// A map with finite coordinates, or an error that names the method.
void expect(bool taken, const Dissimilarities& items, const Options& o, const Given& given, const char* what) {
    SCOPED_TRACE(std::string(name_of(o.method)) + ", " + what);
    try {
        const Map map = place(items, o, {}, given).map;
        EXPECT_TRUE(taken);
        ASSERT_EQ(map.size(), n);
        for (const float y : map.coordinates) ASSERT_TRUE(std::isfinite(y));
    } catch (const Error& error) {
        EXPECT_FALSE(taken) << error.what();
        EXPECT_EQ(error.fault(), Fault::bad_input);
        EXPECT_NE(std::string(error.what()).find(name_of(o.method)), std::string::npos) << error.what();
    }
}

TEST(MdsInputs, EachMethodAcceptsWhatTheTableSays) {
    const auto items = matrix(), holed = matrix(false);
    const Matrix weights(n, n, std::vector<float>(std::size_t{n} * n, 2.0F)), flat = random_matrix(n, 2);
    const Map start{2, {flat.view().data, flat.view().data + flat.view().size()}};
    Map some = start;
    some.coordinates[6] = some.coordinates[7] = std::numeric_limits<float>::quiet_NaN();
    for (const Takes& takes : table) {
        const Options o{.method = takes.method};
        expect(takes.weights, items, o, {.weights = &weights}, "weights");
        expect(takes.start, items, o, {.start = &start}, "a start map");
        expect(takes.random, items, {.method = takes.method, .start = Start::random}, {}, "a random start");
        expect(takes.fixed, items, o, {.fixed = &some}, "fixed points");
        expect(takes.ordinal, items, {.method = takes.method, .transform = Transform::ordinal}, {}, "a transform");
        expect(takes.missing, holed, o, {}, "a missing pair");
    }
}

TEST(MdsInputs, EachMethodAcceptsPointsMatricesDocumentsAndOnDemandDistances) {
    const Matrix x = random_matrix(n, 3);
    std::vector<float> sparse(std::size_t{n} * 90, 0.0F);
    for (std::size_t i = 0; i < n; ++i) sparse[i * 90 + i % 30] = sparse[i * 90 + 30 + i % 7] = 1;
    const auto documents = Dissimilarities::of_points(Matrix(n, 90, std::move(sparse)));
    for (const Takes& takes : table) {
        const Options o{.method = takes.method};
        expect(true, Dissimilarities::of_points(x), o, {}, "points");
        expect(true, matrix(), o, {}, "a matrix");
        expect(true, documents, o, {}, "documents");
        expect(true, fed(x), o, {}, "fed");
    }
}

TEST(MdsInputs, NumbersWhoseSquaresLeaveFloat32AreRefused) {
    const auto of_points = [](float unit, neighbors::Metric metric) {
        Matrix x = random_matrix(n, 3);
        std::vector<float> values(x.view().data, x.view().data + x.view().size());
        for (float& value : values) value *= unit;
        return Dissimilarities::of_points({n, 3, std::move(values)}, {.metric = metric});
    };
    for (const float unit : {1e-17F, 1e16F}) {
        for (const auto metric : {neighbors::Metric::euclidean, neighbors::Metric::manhattan})
            EXPECT_THROW(of_points(unit, metric), Error) << unit;
        EXPECT_NO_THROW(of_points(unit, neighbors::Metric::cosine)) << unit;
    }
    EXPECT_NO_THROW(of_points(0, neighbors::Metric::euclidean));
    for (const float entry : {1e-17F, 2e18F})
        EXPECT_THROW(Dissimilarities::of_matrix({2, 2, {0, entry, entry, 0}}), Error) << entry;
    EXPECT_THROW(Dissimilarities::of_graph({{0, 1, 2}, {1, 0}, {1e-17F, 1e-17F}}), Error);
    EXPECT_NO_THROW(Dissimilarities::of_matrix({3, 3, {0, 1e-17F, 1, 1e-17F, 0, 1, 1, 1, 0}}));
}

TEST(MdsInputs, LandmarkScalingAcceptsNoStartFixedPointsOrWeights) {
    const Matrix x = random_matrix(n, 3), weights(n, n, std::vector<float>(std::size_t{n} * n, 2.0F));
    const Map start{2, std::vector<float>(std::size_t{2} * n, 1.0F)};
    for (const Given& given : {Given{.start = &start}, Given{.fixed = &start}, Given{.weights = &weights}}) {
        EXPECT_THROW(place(fed(x), {.landmarks = 10}, {}, given), Error);
        EXPECT_NO_THROW(place(fed(x), {.method = Method::smacof}, {}, given));
    }
}

}  // namespace
}  // namespace dunlin::mds
