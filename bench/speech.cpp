// SPDX-License-Identifier: Apache-2.0
// Pretraining of a network of the sizes of an acoustic model, on made frames.
//
//   bench_speech [--commit NAME] [--device cpu|cuda] [FRAMES]
//
// The layers are those of Dahl, Yu, Deng and Acero (2012), 429-2048-2048-2048-2048-2048-761, pretrained for one epoch
// by contrastive divergence; FRAMES: 20000 if absent. The frames are made because the corpora are licensed: the time is
// that of the sizes. Prints CSV: seconds of the epoch, GFLOP/s of 10 operations for each weight and frame, and the
// hours that an epoch of 24 hours of speech (8.64 million frames) would take at this rate.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <dunlin/parametric.hpp>

#include "arguments.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"

namespace {

using namespace dunlin;

constexpr Index features = 39, around = 11;  ///< of a frame; frames of a row

/// Rows of neighbors in time, whose features change slowly and have the variance 1.
std::vector<float> made_frames(Index frames) {
    std::vector<float> track(at(Offset{frames + around} * features));
    for (std::size_t i = 0; i < track.size(); ++i) {
        const auto fresh = static_cast<float>(math::random_normal(11, i));
        track[i] = i < at(features) ? fresh : 0.9F * track[i - at(features)] + 0.436F * fresh;
    }
    std::vector<float> rows;
    rows.reserve(at(Offset{frames} * features * around));
    for (Index f = 0; f < frames; ++f) {
        const auto first = track.begin() + Offset{f} * features;
        rows.insert(rows.end(), first, first + features * around);
    }
    return rows;
}

}  // namespace

int bench_main(int count, char** words) {
    const bench::Arguments given = bench::arguments_from(count, words, {"--commit", "--device"});
    const Index frames = given.cases.empty() ? 20000 : static_cast<Index>(std::atoi(given.cases.front().c_str()));
    Run run;
    run.device = given.device;
    parametric::Options options;
    options.layers = "2048,2048,2048,2048,2048";
    options.dim = 761;
    options.pretrain = parametric::Pretrain::rbm;
    options.pretrain_epochs = 1;
    options.epochs = 0;
    const std::vector<float> rows = made_frames(frames);
    const parametric::Result result = parametric::train({rows.data(), frames, features * around}, options, run);
    double weights = 0;
    for (const parametric::Layer& layer : result.model.layers) weights += static_cast<double>(layer.weights.size());
    const double seconds = result.seconds["pretrain"];
    std::puts("commit,device,threads,frames,weights,seconds,gflops,hours_of_a_day");
    std::printf("%s,%s,%d,%d,%.0f,%.4g,%.4g,%.3g\n", given.commit.c_str(), std::string(name_of(given.device)).c_str(),
                result.threads, frames, weights, seconds, 1e-9 * 10 * weights * frames / seconds,
                seconds / frames * 8.64e6 / 3600);
    return 0;
}
