// SPDX-License-Identifier: Apache-2.0
#include <dunlin/parametric.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <dunlin/error.hpp>

#include "cases/parametric.hpp"
#include "cases/points.hpp"
#include "folder.hpp"
#include "parametric/resolve.hpp"
#include "refusal.hpp"

namespace dunlin::parametric {
namespace {

made::Points blobs(Index n) { return made::gaussians(n, 10, 5); }

Options quick(Pretrain pretrain) { return cases::short_training(pretrain, 3, 3); }

MatrixView<const float> rows_of(const MatrixView<const float>& points, Index begin, Index end) {
    return {points.row(begin).data(), end - begin, points.cols};
}

/// Share of the rows whose nearest place among the others is of another label.
double error_of(const Map& map, const std::vector<int>& labels) {
    const auto y = map.view();
    Index wrong = 0;
    for (Index i = 0; i < map.size(); ++i) {
        double least = std::numeric_limits<double>::infinity();
        Index nearest = 0;
        for (Index j = 0; j < map.size(); ++j) {
            double r2 = 0;
            for (Index d = 0; d < map.dim; ++d) r2 += std::pow(static_cast<double>(y(i, d) - y(j, d)), 2);
            if (i != j && r2 < least) least = r2, nearest = j;
        }
        wrong += labels[static_cast<std::size_t>(i)] != labels[static_cast<std::size_t>(nearest)];
    }
    return wrong / static_cast<double>(map.size());
}

TEST(Parametric, SameBytesForAnyNumberOfThreads) {
    const made::Points points = blobs(400);
    for (const Pretrain pretrain : {Pretrain::map, Pretrain::rbm, Pretrain::none}) {
        SCOPED_TRACE(std::string(name_of(pretrain)));
        dunlin::Run one, three;
        one.threads = 1;
        three.threads = 3;
        const Result a = train(points.view(), quick(pretrain), one), b = train(points.view(), quick(pretrain), three);
        EXPECT_EQ(a.map.coordinates, b.map.coordinates);
        ASSERT_EQ(a.model.layers.size(), 3U);
        for (std::size_t l = 0; l < 3; ++l) EXPECT_EQ(a.model.layers[l].weights, b.model.layers[l].weights);
        EXPECT_EQ(a.kl, b.kl);
        EXPECT_TRUE(std::isfinite(a.kl));
        EXPECT_TRUE(a.varies_because.empty());
        three.seed = 2;
        EXPECT_NE(train(points.view(), quick(pretrain), three).map.coordinates, a.map.coordinates);
    }
}

TEST(Parametric, PlacesDoNotDependOnOtherRows) {
    const made::Points points = blobs(300);
    const Result result = train(points.view(), quick(Pretrain::map));
    EXPECT_EQ(transform(result.model, points.view()).coordinates, result.map.coordinates);
    for (const Index row : {0, 127, 128, 299}) {
        const Map one = transform(result.model, rows_of(points.view(), row, row + 1));
        ASSERT_EQ(one.size(), 1);
        for (int d = 0; d < 2; ++d) EXPECT_EQ(one.view()(0, d), result.map.view()(row, d)) << row;
    }
    EXPECT_EQ(transform(result.model, {nullptr, 0, 10}).size(), 0);
}

TEST(Parametric, NewRowsLieAmongTheirOwn) {
    const made::Points points = blobs(1200);
    Options o = quick(Pretrain::map);
    o.pretrain_epochs = 60;
    o.epochs = 20;
    const Result result = train(rows_of(points.view(), 0, 800), o);
    EXPECT_GT(result.kl, 0);
    EXPECT_LT(result.kl, 3 * result.kl_of_start);
    EXPECT_LT(result.pretrain_error, 0.2);
    EXPECT_LT(error_of(result.map, {points.labels.of.begin(), points.labels.of.begin() + 800}), 0.02);
    const Map fresh = transform(result.model, rows_of(points.view(), 800, 1200));
    EXPECT_LT(error_of(fresh, {points.labels.of.begin() + 800, points.labels.of.end()}), 0.04);
}

TEST(Parametric, TuningLowersTheDivergence) {
    const made::Points points = blobs(500);
    for (const Pretrain pretrain : {Pretrain::map, Pretrain::rbm, Pretrain::none}) {
        SCOPED_TRACE(std::string(name_of(pretrain)));
        Options o = quick(pretrain);
        o.epochs = 0;
        const double before = train(points.view(), o).kl;
        o.epochs = 15;
        const Result after = train(points.view(), o);
        EXPECT_LT(after.kl, 0.95 * before);
        EXPECT_EQ(after.iterations, 15 * 5 * (pretrain == Pretrain::rbm ? 3 : 1));
    }
}

TEST(Parametric, MapsOfOtherDimensions) {
    const made::Points points = blobs(300);
    for (const int dim : {1, 3}) {
        Options o = quick(Pretrain::map);
        o.dim = dim;
        EXPECT_EQ(train(points.view(), o).map.size(), 300);
    }
    Options o = quick(Pretrain::rbm);
    o.dim = 8;
    o.freedom = 4;
    const Result result = train(points.view(), o);
    EXPECT_EQ(result.map.dim, 8);
    EXPECT_EQ(result.map.size(), 300);
}

TEST(Parametric, UnusualPointsAreMapped) {
    std::vector<float> few{0, 0, 1, 0, 0, 1, 5, 5};
    Options o = quick(Pretrain::map);
    o.perplexity.reset();
    for (const Pretrain pretrain : {Pretrain::map, Pretrain::rbm, Pretrain::none}) {
        o.pretrain = pretrain;
        o.pretrain_epochs = pretrain == Pretrain::none ? std::optional<int>() : 2;
        const Result result = train({few.data(), 4, 2}, o);
        EXPECT_EQ(result.map.size(), 4);
        for (const float value : result.map.coordinates) EXPECT_TRUE(std::isfinite(value));
    }
    // Constant columns, and every row thrice
    made::Points points = blobs(100);
    for (Index r = 0; r < 100; ++r) {
        points.values[static_cast<std::size_t>(r) * 10 + 3] = 7;
        for (Index c = 0; c < 10; ++c) {
            const auto from = static_cast<std::size_t>(r - r % 3) * 10 + static_cast<std::size_t>(c);
            points.values[static_cast<std::size_t>(r) * 10 + static_cast<std::size_t>(c)] = points.values[from];
        }
    }
    o.pretrain = Pretrain::map;
    o.pretrain_epochs = 2;
    const Result result = train(points.view(), o);
    EXPECT_EQ(result.map.view()(0, 0), result.map.view()(1, 0));
    for (const float value : result.map.coordinates) EXPECT_TRUE(std::isfinite(value));
}

TEST(Parametric, RefusesInput) {
    const made::Points points = blobs(50);
    const auto of = [&](const Options& o) { return refusal(Fault::bad_input, [&] { train(points.view(), o); }); };
    EXPECT_NE(refusal(Fault::bad_input, [] { train({nullptr, 0, 3}); }).find("there are 0 points"), std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [&] { train(rows_of(points.view(), 0, 1)); }).find("at least 4"),
              std::string::npos);
    const std::vector<float> equal(20, 1.5F);
    EXPECT_NE(refusal(Fault::bad_input, [&] { train({equal.data(), 10, 2}); }).find("all points are equal"),
              std::string::npos);
    std::vector<float> broken = points.values;
    broken[32] = std::numeric_limits<float>::quiet_NaN();
    try {
        train({broken.data(), 50, 10});
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.place().row, 3);
    }
    for (const char* layers : {"", "0", "10,", "a", "10,,10", "1e3", "2000000"})
        EXPECT_NE(of({.layers = layers}).find("layers is '"), std::string::npos) << layers;
    EXPECT_NE(of({.dim = 5}).find("give pretrain rbm or none"), std::string::npos);
    EXPECT_NE(of({.dim = 5, .pretrain = Pretrain::none, .loss = Loss::whole}).find("give loss batch"),
              std::string::npos);
    EXPECT_NE(of({.perplexity = 60.0F}).find("it must be at most 49"), std::string::npos);
    EXPECT_NE(of({.visible = Visible::binary}).find("read only"), std::string::npos);
    EXPECT_NE(of({.pretrain = Pretrain::rbm, .visible = Visible::binary}).find("give visible gaussian"),
              std::string::npos);
    EXPECT_NE(of({.pretrain = Pretrain::rbm, .activation = Activation::relu}).find("read only"), std::string::npos);
    EXPECT_NE(of({.optimizer = Optimizer::conjugate_gradients}).find("give loss batch"), std::string::npos);
    EXPECT_NE(of({.epochs = 2'100'000'000}).find("give fewer epochs"), std::string::npos);
    dunlin::Run cuda;
    cuda.device = Device::cuda;
    cuda.gpus = {0, 1};
    EXPECT_NE(
        refusal(Fault::bad_input, [&] { train(points.view(), {}, cuda); }).find("a network is trained on one GPU"),
        std::string::npos);
    dunlin::Run small;
    small.memory = 1000;
    EXPECT_NE(refusal(Fault::out_of_memory, [&] { train(points.view(), {}, small); }).find("network 10-500,500,2000-2"),
              std::string::npos);
}

TEST(Parametric, OptionsFollowThePoints) {
    PointStatistics points{60000, 784, std::vector<double>(784), 1, 0, 255};
    const Options rbm = resolve({.pretrain = Pretrain::rbm}, points);
    EXPECT_EQ(rbm.visible, Visible::binary);
    EXPECT_EQ(rbm.optimizer, Optimizer::conjugate_gradients);
    EXPECT_EQ(rbm.batch, 5000);
    EXPECT_EQ(rbm.epochs, 30);
    EXPECT_EQ(rbm.line_searches, 3);
    EXPECT_EQ(rbm.activation, std::nullopt);
    EXPECT_EQ(scaling_of(rbm, points).scale, 1.0 / 255);
    points.means.assign(784, 30);
    for (const double unit : {1.0, 1.0 / 255, 1e20}) {  // even values, and values near their mean
        PointStatistics pixels{100, 2, {127 * unit, 127 * unit}, 5400 * unit * unit, 0, 255 * unit};
        EXPECT_EQ(resolve({.pretrain = Pretrain::rbm}, pixels).visible, Visible::binary) << unit;
        EXPECT_DOUBLE_EQ(scaling_of(resolve({.pretrain = Pretrain::rbm}, pixels), pixels).scale * unit * 255, 1);
        pixels.variance = 1000 * unit * unit;
        EXPECT_EQ(resolve({.pretrain = Pretrain::rbm}, pixels).visible, Visible::gaussian) << unit;
    }
    points.least = -1;
    EXPECT_EQ(resolve({.pretrain = Pretrain::rbm}, points).visible, Visible::gaussian);
    const Options map = resolve({}, points);
    EXPECT_EQ(map.loss, Loss::whole);
    EXPECT_EQ(map.optimizer, Optimizer::adam);
    EXPECT_EQ(map.batch, 1000);
    EXPECT_EQ(map.perplexity, 30.0F);
    EXPECT_EQ(map.noise, default_noise);
    EXPECT_EQ(rbm.noise, std::nullopt);
    EXPECT_NE(
        refusal(Fault::bad_input, [&] { resolve({.pretrain = Pretrain::none, .noise = 1.0F}, points); }).find("noise"),
        std::string::npos);
    points.rows = 20;
    EXPECT_NEAR(static_cast<double>(*resolve({}, points).perplexity), 19.0 / 3, 1e-6);
    EXPECT_EQ(widths_of(map, 784), (std::vector<Index>{784, 500, 500, 2000, 256}));
}

TEST(Parametric, NoiseMakesASmootherMap) {
    const made::Points points = blobs(300);
    Options o = quick(Pretrain::map);
    o.pretrain_epochs = 200;
    o.weight_decay = 0;
    const auto fit = [&](float noise) {
        o.noise = noise;
        return train(points.view(), o).pretrain_error;
    };
    const double without = fit(0), with = fit(2);
    EXPECT_GT(with, without);
    EXPECT_LT(with, 0.5);
}

TEST(Parametric, TransformRefusesRows) {
    const made::Points points = blobs(100);
    const Result result = train(points.view(), quick(Pretrain::none));
    const auto of = [&](MatrixView<const float> rows) {
        return refusal(Fault::bad_input, [&] { transform(result.model, rows); });
    };
    EXPECT_NE(of({points.values.data(), 10, 9}).find("the rows have 9 columns, and the model was trained on 10"),
              std::string::npos);
    std::vector<float> broken(points.values.begin(), points.values.begin() + 30);
    broken[25] = std::numeric_limits<float>::infinity();
    EXPECT_NE(of({broken.data(), 3, 10}).find('2'), std::string::npos);
    Model model = result.model;
    model.layers[1].weights.pop_back();
    EXPECT_NE(refusal(Fault::bad_input, [&] { transform(model, points.view()); }).find("layer 2"), std::string::npos);
    model = result.model;
    model.layers[0].biases[0] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(refusal(Fault::bad_input, [&] { transform(model, points.view()); }).find("not finite"),
              std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [&] { transform({}, points.view()); }).find("no layers"), std::string::npos);
}

class ParametricFiles : public InFolder {};

TEST_F(ParametricFiles, HoldTheModel) {
    const std::filesystem::path file = path("m.npz");
    const made::Points points = blobs(100);
    const Model model = train(points.view(), quick(Pretrain::none)).model;
    io::write_parametric_model(file, model);
    const Model back = io::read_parametric_model(file);
    EXPECT_EQ(transform(back, points.view()).coordinates, transform(model, points.view()).coordinates);
    EXPECT_EQ(back.made_by, model.made_by);
    EXPECT_NE(back.made_by.find("layers 20,15\n"), std::string::npos);
    EXPECT_EQ(back.shift, model.shift);
    // A file that is cut off is noticed
    const std::string content = bytes(file);
    for (std::size_t size = 0; size < content.size(); size += 997) {
        const std::filesystem::path cut = put("cut.npz", content.substr(0, size));
        EXPECT_NE(refusal(Fault::bad_file, [&] { io::read_parametric_model(cut); }), "") << size;
    }
    EXPECT_NE(refusal(Fault::bad_file, [&] { io::read_parametric_model(path("none.npz")); }), "");
    Model wrong = model;
    wrong.layers[1].weights.pop_back();
    io::write_parametric_model(file, wrong);
    EXPECT_NE(refusal(Fault::bad_file, [&] { io::read_parametric_model(file); }), "");
}

/// Stops a training as soon as it is in a stage.
void expect_stop(Pretrain pretrain, const std::string& stage) {
    SCOPED_TRACE(stage);
    const made::Points points = blobs(2000);
    Options o = quick(pretrain);
    o.layers = "500,500";
    std::stop_source stop;
    dunlin::Run run;
    run.stop = stop.get_token();
    auto asked = std::chrono::steady_clock::time_point::max();
    run.on_progress = [&](const Progress& progress) {
        if (progress.stage != stage || stop.stop_requested()) return;
        asked = std::chrono::steady_clock::now();
        stop.request_stop();
    };
    const Result result = train(points.view(), o, run);
    ASSERT_TRUE(stop.stop_requested());
    EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(1));
    EXPECT_EQ(result.stopped, Stopped::cancelled);
    const bool has_model = stage == "optimize";
    EXPECT_EQ(result.map.size(), has_model ? 2000 : 0);
    EXPECT_EQ(result.model.layers.size(), has_model ? 3U : 0U);
}

TEST(Parametric, StopsSoonInEveryStage) {
    for (const char* stage : {"neighbors", "map", "pretrain", "optimize"}) expect_stop(Pretrain::map, stage);
    for (const char* stage : {"pretrain", "optimize"}) expect_stop(Pretrain::rbm, stage);
}

}  // namespace
}  // namespace dunlin::parametric
