// SPDX-License-Identifier: Apache-2.0
#include <dunlin/parametric.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cases/points.hpp"
#include "cases/resumed.hpp"
#include "refusal.hpp"

namespace dunlin::parametric {
namespace {

std::vector<float> blobs(Index n) {
    std::vector<float> x(static_cast<std::size_t>(n) * 6);
    for (Index i = 0; i < n; ++i) made::blob(i, 6, x.data() + Offset{i} * 6, 4);
    return x;
}

std::vector<std::byte> bytes_of(const Result& result) {
    std::vector<std::byte> bytes = cases::bytes_of(result);
    for (const Layer& layer : result.model.layers) {
        cases::append(bytes, layer.weights);
        cases::append(bytes, layer.biases);
    }
    cases::append(bytes, result.kl_of_start);
    cases::append(bytes, result.pretrain_error);
    return bytes;
}

class ResumedParametric : public cases::Resumed {
protected:
    const std::vector<float> values_ = blobs(260);
    const MatrixView<const float> points_{values_.data(), 260, 6};

    /// A short training, of more than one batch and epoch.
    static Options quick(Pretrain pretrain) {
        Options o;
        o.pretrain = pretrain;
        o.layers = "12,9";
        o.perplexity = 8;
        o.batch = 70;
        o.epochs = 3;
        if (pretrain != Pretrain::none) o.pretrain_epochs = 3;
        return o;
    }
    [[nodiscard]] auto training(const Options& o) const {
        return [this, o](const dunlin::Run& run) { return bytes_of(train(points_, o, run)); };
    }
};

TEST_F(ResumedParametric, LossOfBatchesByEachOptimizer) {
    for (const Optimizer optimizer : {Optimizer::adam, Optimizer::conjugate_gradients}) {
        Options o = quick(Pretrain::none);
        o.optimizer = optimizer;
        SCOPED_TRACE(name_of(optimizer));
        expect_resumed(training(o));
    }
}

TEST_F(ResumedParametric, LossOfTheWholeMap) {
    Options o = quick(Pretrain::none);
    o.loss = Loss::whole;
    o.epochs = 8;
    expect_resumed(training(o));
}

TEST_F(ResumedParametric, StacksOfMachines) {
    for (const Divergence divergence : {Divergence::cd, Divergence::pcd}) {
        Options o = quick(Pretrain::rbm);
        o.divergence = divergence;
        o.gibbs_steps = 2;
        SCOPED_TRACE(name_of(divergence));
        expect_resumed(training(o));
    }
}

TEST_F(ResumedParametric, MapOfTsne) { expect_resumed(training(quick(Pretrain::map))); }

// The writes of the regression and of the KL divergence are the last ones
TEST_F(ResumedParametric, EveryWriteAfterTheMapOfTsne) {
    const auto make = training(quick(Pretrain::map));
    const std::vector<std::byte> wanted = make({});
    constexpr int kept = 30;
    const auto copy = [&](int version) { return path("copy" + std::to_string(version % kept)); };
    const Run run = fresh("written.ckpt", {});
    int copies = 0;
    {
        const cases::FileWatcher watcher(run.checkpoint, [&](int) {
            std::ifstream now(run.checkpoint, std::ios::binary);
            if (now && std::ofstream(copy(copies), std::ios::binary) << now.rdbuf()) ++copies;
        });
        EXPECT_TRUE(make(run) == wanted);
    }
    std::vector<Offset> iterations;
    for (int c = std::max(0, copies - kept); c < copies; ++c) {
        Run resumed = fresh("resumed.ckpt", {});
        std::filesystem::rename(copy(c), resumed.checkpoint);
        resumed.resume = true;
        resumed.threads = c % 3 + 1;
        const Result result = train(points_, quick(Pretrain::map), resumed);
        EXPECT_TRUE(bytes_of(result) == wanted) << "write " << c << " of " << copies;
        EXPECT_TRUE(result.checkpoint.resumed);
        const auto& again = result.checkpoint.computed_again;
        EXPECT_EQ(std::find(again.begin(), again.end(), "map"), again.end());
        iterations.push_back(result.checkpoint.resumed_from);
    }
    EXPECT_GT(std::count_if(iterations.begin(), iterations.end(), [](Offset i) { return i > 0 && i <= 12; }), 3)
        << "no file of a later loop was seen";
}

TEST_F(ResumedParametric, AnotherRunIsRefused) {
    Run run = fresh("a.ckpt", {});
    const Options o = quick(Pretrain::none);
    train(points_, o, run);
    run.resume = true;
    Options other = o;
    other.layers = "12,8";
    EXPECT_NE(refusal(Fault::bad_file, [&] { train(points_, other, run); }).find("its layers is 12,9"),
              std::string::npos);
    EXPECT_NE(refusal(Fault::bad_file, [&] { train(MatrixView<const float>{values_.data(), 259, 6}, o, run); })
                  .find("hash of points"),
              std::string::npos);
    EXPECT_NE(refusal(Fault::bad_file, [&] { train(MatrixView<const float>{values_.data(), 520, 3}, o, run); })
                  .find("its columns is 6"),
              std::string::npos);
    run.resume = false;
    run.checkpoint.clear();
    run.resume = true;
    EXPECT_NE(refusal(Fault::bad_input, [&] { train(points_, o, run); }).find("without a checkpoint"),
              std::string::npos);
}

}  // namespace
}  // namespace dunlin::parametric
