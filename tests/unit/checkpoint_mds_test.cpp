// SPDX-License-Identifier: Apache-2.0
#include <dunlin/mds.hpp>

#include "cases/points.hpp"
#include "cases/resumed.hpp"
#include "math/at.hpp"
#include "refusal.hpp"

namespace dunlin::mds {
namespace {

using cases::bytes_of;

Matrix points(Index n, Index cols) {
    std::vector<float> x(at(Offset{n} * cols));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(math::random_normal(3, i));
    return {n, cols, std::move(x)};
}

class ResumedScaling : public cases::Resumed {};

TEST_F(ResumedScaling, EveryMethodThatIterates) {
    const auto items = Dissimilarities::of_points(points(700, 5));
    for (const Method method :
         {Method::dunlin, Method::smacof, Method::stochastic, Method::gpu_sf, Method::glimmer, Method::hybrid}) {
        Options options{.method = method};
        options.iterations = method == Method::glimmer || method == Method::gpu_sf ? 60 : 30;
        SCOPED_TRACE(name_of(method));
        expect_resumed([&](const Run& run) { return bytes_of(place(items, options, run)); });
    }
}

TEST_F(ResumedScaling, RoundsAndLevelsOfManyItems) {
    const auto items = Dissimilarities::of_points(points(4200, 3));
    const Options options{.start = Start::random};
    expect_resumed([&](const Run& run) { return bytes_of(place(items, options, run)); });
}

TEST_F(ResumedScaling, SeveralStartsAndTransforms) {
    const auto items = Dissimilarities::of_points(points(90, 6));
    for (const Transform transform : {Transform::ratio, Transform::interval, Transform::ordinal}) {
        for (const int starts : {1, 6}) {
            Options options{.method = Method::smacof};
            options.starts = starts;
            options.iterations = 90;
            options.transform = transform;
            options.tolerance = 1e-9;
            SCOPED_TRACE(std::string(name_of(transform)) + std::to_string(starts));
            expect_resumed([&](const Run& run) { return bytes_of(place(items, options, run)); });
        }
    }
}

TEST_F(ResumedScaling, OrdinalTies) {
    std::vector<float> values(at(Offset{40} * 40));
    for (Index i = 0; i < 40; ++i)
        for (Index j = 0; j < 40; ++j) values[at(i * 40 + j)] = i == j ? 0.0F : static_cast<float>(1 + (i + j) % 3);
    const auto items = Dissimilarities::of_matrix({40, 40, std::move(values)});
    Options options{.method = Method::smacof};
    options.transform = Transform::ordinal;
    options.iterations = 60;
    expect_resumed([&](const Run& run) { return bytes_of(place(items, options, run)); });
}

TEST_F(ResumedScaling, FixedPoints) {
    const auto items = Dissimilarities::of_points(points(150, 4));
    Map fixed{2, std::vector<float>(300, std::nanf(""))};
    for (std::size_t i = 0; i < 60; ++i) fixed.coordinates[i] = static_cast<float>(i % 7);
    for (const Method method : {Method::dunlin, Method::smacof}) {
        Options options{.method = method};
        options.iterations = 40;
        expect_resumed([&](const Run& run) { return bytes_of(place(items, options, run, {.fixed = &fixed})); });
    }
}

TEST_F(ResumedScaling, PathsOfAGraphByLandmarks) {
    Graph ring;
    for (Index v = 0; v < 500; ++v) {
        ring.targets.push_back((v + 499) % 500);
        ring.targets.push_back((v + 1) % 500);
        if (v == 0) std::swap(ring.targets[0], ring.targets[1]);
        if (v == 499) std::swap(ring.targets[998], ring.targets[999]);
        ring.offsets.push_back(std::ssize(ring.targets));
    }
    ring.weights.assign(ring.targets.size(), 1.0F);
    Options options;
    options.landmarks = 60;
    expect_resumed([&](const Run& run) { return bytes_of(place(Dissimilarities::of_graph(ring), options, run)); });
}

TEST_F(ResumedScaling, RefusedByName) {
    const auto items = Dissimilarities::of_points(points(60, 4));
    const Run run = fresh("a.ckpt", {});
    for (const Method method : {Method::classical, Method::landmark, Method::pivot}) {
        const std::string sentence = refusal(Fault::bad_input, [&] { place(items, {.method = method}, run); });
        EXPECT_NE(sentence.find(name_of(method)), std::string::npos) << sentence;
    }
    const auto distances =
        Dissimilarities::of_callback(30, [](std::span<const Index> i, std::span<const Index> j, std::span<float> out) {
            for (std::size_t k = 0; k < out.size(); ++k) out[k] = static_cast<float>(std::abs(i[k] - j[k]));
        });
    EXPECT_NE(refusal(Fault::bad_input, [&] { place(distances, {}, run); }).find("function"), std::string::npos);
}

}  // namespace
}  // namespace dunlin::mds
