// SPDX-License-Identifier: Apache-2.0
// Parametric maps on a GPU compared with a CPU: trainings by their scores, places of new rows by values.
#include <dunlin/parametric.hpp>

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <dunlin/device.hpp>
#include <dunlin/error.hpp>

#include "agree/agree.hpp"
#include "cases/cases.hpp"
#include "cases/parametric.hpp"
#include "cases/points.hpp"
#include "device/resident.hpp"

namespace dunlin::parametric {
namespace {

using agree::on;

constexpr Index cols = 10;

std::vector<float> blobs(Index n) { return n == 0 ? std::vector<float>() : made::gaussians(n, cols, 5).values; }

MatrixView<const float> view(const std::vector<float>& x) {
    return {x.data(), static_cast<Index>(x.size() / cols), cols};
}

/// DUNLIN_SMALL: for tools that take a thousand times as long.
Options quick(Pretrain pretrain) {
    return agree::only_small() ? cases::short_training(pretrain, 1, 1) : cases::short_training(pretrain, 15, 20);
}

void expect_equal(const Result& a, const Result& b) {
    EXPECT_EQ(a.map.coordinates, b.map.coordinates);
    ASSERT_EQ(a.model.layers.size(), b.model.layers.size());
    EXPECT_EQ(a.model.prototypes, b.model.prototypes);
    for (std::size_t l = 0; l < a.model.layers.size(); ++l) {
        EXPECT_EQ(a.model.layers[l].weights, b.model.layers[l].weights);
        EXPECT_EQ(a.model.layers[l].biases, b.model.layers[l].biases);
    }
    EXPECT_EQ(a.kl, b.kl);
}

/// The divergence is within the spread of a CPU's over seeds, widened by itself: four values have most of a spread.
/// DUNLIN_SMALL: only that the kernels run; few epochs have no score to compare.
void expect_score(const std::vector<float>& points, const Options& options) {
    if (agree::only_small()) {
        EXPECT_TRUE(std::isfinite(train(view(points), options, on(Device::cuda)).kl));
        return;
    }
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
        dunlin::Run run = on(Device::cpu);
        run.seed = seed;
        const double kl = train(view(points), options, run).kl;
        least = std::min(least, kl), most = std::max(most, kl);
    }
    const Result found = train(view(points), options, on(Device::cuda));
    EXPECT_EQ(found.device, Device::cuda);
    EXPECT_GE(found.kl, least - (most - least) - cases::kl_spread * least);
    EXPECT_LE(found.kl, most + (most - least) + cases::kl_spread * most);
    EXPECT_EQ(found.map.size(), view(points).rows);
    expect_equal(train(view(points), options, on(Device::cuda)), found);
    EXPECT_EQ(transform(found.model, view(points), on(Device::cuda)).coordinates, found.map.coordinates);
}

TEST(ParametricOnGpu, TrainingsScoreAsThoseOfTheCpu) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> points = blobs(agree::only_small() ? 150 : 1200);
    for (const Pretrain pretrain : {Pretrain::map, Pretrain::rbm, Pretrain::none}) {
        SCOPED_TRACE(std::string(name_of(pretrain)));
        expect_score(points, quick(pretrain));
    }
    Options o = quick(Pretrain::map);
    o.dim = 3;
    o.freedom = 0.5F;
    if (!agree::only_small()) expect_score(points, o);
    o.prototypes = 0;
    expect_score(points, o);
    o = quick(Pretrain::none);
    o.dim = 5;
    o.optimizer = Optimizer::conjugate_gradients;
    o.activation = Activation::logistic;
    expect_score(points, o);
    o = quick(Pretrain::rbm);
    o.dim = 1;
    o.divergence = Divergence::pcd;
    o.optimizer = Optimizer::adam;
    expect_score(points, o);
}

TEST(ParametricOnGpu, UnusualPointsAreMapped) {
    DUNLIN_NEEDS_GPU();
    // Few points, copies, a constant column; a line
    for (const Index n : agree::only_small() ? std::vector<Index>{33} : std::vector<Index>{4, 31, 33}) {
        std::vector<float> points = blobs(n);
        for (Index i = 0; i < n; ++i) points[static_cast<std::size_t>(i) * cols] = 3;
        std::copy_n(points.begin(), cols, points.begin() + cols);
        for (const Pretrain pretrain : {Pretrain::map, Pretrain::rbm, Pretrain::none}) {
            for (const int dim : agree::only_small() ? std::vector<int>{1} : std::vector<int>{1, 2, 3}) {
                Options o = quick(pretrain);
                o.perplexity.reset();
                o.dim = dim;
                const Result result = train(view(points), o, on(Device::cuda));
                EXPECT_EQ(result.map.size(), n);
                EXPECT_TRUE(std::isfinite(result.kl));
                for (const float value : result.map.coordinates) EXPECT_TRUE(std::isfinite(value));
                for (int d = 0; d < dim; ++d) EXPECT_EQ(result.map.view()(0, d), result.map.view()(1, d));
            }
        }
    }
}

TEST(ParametricOnGpu, PlacesAreThoseOfTheCpuAndDependOnNoOtherRow) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> points = blobs(600);
    const Model model = train(view(points), quick(Pretrain::map), on(Device::cpu)).model;
    const Map expected = transform(model, view(points), on(Device::cpu));
    const HeldModel held(model, on(Device::cuda));
    EXPECT_EQ(held.device(), Device::cuda);
    const Map found = held.transform(view(points));
    EXPECT_LT(agree::relative_error(found.coordinates, expected.coordinates), cases::gradient_rounding);
    EXPECT_EQ(held.transform(view(points)).coordinates, found.coordinates);
    EXPECT_EQ(transform(model, view(points), on(Device::cuda)).coordinates, found.coordinates);
    for (const Index row : {0, 127, 128, 599}) {
        const Map one = held.transform(MatrixView<const float>{view(points).row(row).data(), 1, cols});
        ASSERT_EQ(one.size(), 1);
        for (int d = 0; d < 2; ++d) EXPECT_EQ(one.view()(0, d), found.view()(row, d)) << row;
    }
    EXPECT_EQ(held.transform(MatrixView<const float>{nullptr, 0, cols}).size(), 0);

    const auto resident = device::matrix_on_gpu(std::span(points), view(points).rows, cols, 0);
    const Matrix back = copy_to_host(held.transform(resident.view()).view());
    EXPECT_TRUE(std::equal(found.coordinates.begin(), found.coordinates.end(), back.view().data));
    const HeldModel on_cpu(model, on(Device::cpu));
    EXPECT_EQ(on_cpu.transform(view(points)).coordinates, expected.coordinates);
    EXPECT_THROW((void)on_cpu.transform(resident.view()), Error);
}

TEST(ParametricOnGpu, RowsAreRefused) {
    DUNLIN_NEEDS_GPU();
    std::vector<float> points = blobs(100);
    const HeldModel held(train(view(points), quick(Pretrain::none), on(Device::cuda)).model, on(Device::cuda));
    EXPECT_THROW((void)held.transform(MatrixView<const float>{points.data(), 10, 9}), Error);
    const Map before = held.transform(view(points));
    const float whole = std::exchange(points[777], std::numeric_limits<float>::quiet_NaN());
    try {
        (void)held.transform(view(points));
        ADD_FAILURE() << "NaN was taken";
    } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::bad_input);
        EXPECT_NE(std::string(error.what()).find("77"), std::string::npos) << error.what();
    }
    points[777] = whole;
    EXPECT_EQ(held.transform(view(points)).coordinates, before.coordinates);
    dunlin::Run small = on(Device::cuda);
    small.memory = 1000;
    try {
        (void)train(view(points), quick(Pretrain::none), small);
        ADD_FAILURE() << "1000 bytes were enough";
    } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::out_of_memory) << error.what();
    }
}

TEST(ParametricOnGpu, StopsSoonAndKeepsTheNetwork) {
    DUNLIN_NEEDS_GPU();
    using Clock = std::chrono::steady_clock;
    const std::vector<float> points = blobs(agree::only_small() ? 150 : 20000);
    for (const std::string_view stage : {"map", "pretrain", "optimize"}) {
        SCOPED_TRACE(std::string(stage));
        std::stop_source source;
        Clock::time_point asked;
        dunlin::Run run = on(Device::cuda);
        run.stop = source.get_token();
        run.on_progress = [&](const Progress& progress) {
            if (progress.stage != stage || progress.done == 0 || source.stop_requested()) return;
            asked = Clock::now();
            source.request_stop();
        };
        Options o;
        o.layers = "300,200";
        o.epochs = o.pretrain_epochs = 2000;
        if (stage == "optimize") o.pretrain_epochs = 1;
        const Result result = train(view(points), o, run);
        const std::chrono::duration<double> waited = Clock::now() - asked;
        EXPECT_EQ(result.stopped, Stopped::cancelled);
        EXPECT_EQ(result.model.layers.empty(), stage != "optimize");
        if (!agree::only_small()) {
            EXPECT_LT(waited.count(), 0.25);
        }
        for (const float value : result.map.coordinates) ASSERT_TRUE(std::isfinite(value));
    }
}

}  // namespace
}  // namespace dunlin::parametric
