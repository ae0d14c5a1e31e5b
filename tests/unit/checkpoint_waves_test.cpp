// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <dunlin/waves.hpp>

#include "cases/resumed.hpp"
#include "math/at.hpp"
#include "refusal.hpp"

namespace dunlin::waves {
namespace {

using cases::bytes_of;

class ResumedWaves : public cases::Resumed {};

const Given from_left{.stimuli = {{.vertex = 0, .value = 1, .to = 5}}, .snapshots = {3, 9.5}};

TEST_F(ResumedWaves, EverySchemeOfALine) {
    for (const Scheme scheme : {Scheme::euler, Scheme::heun, Scheme::rkc, Scheme::crank_nicolson, Scheme::adaptive}) {
        Options options;
        options.scheme = scheme;
        options.until = 60;
        SCOPED_TRACE(name_of(scheme));
        expect_resumed(
            [&](const Run& run) { return bytes_of(simulate(Domain::line(3000, 0.5), options, run, from_left)); });
    }
}

TEST_F(ResumedWaves, GridsAndNoise) {
    for (const Scheme scheme : {Scheme::euler, Scheme::adi}) {
        Options options;
        options.scheme = scheme;
        options.until = 30;
        if (scheme == Scheme::euler) options.noise = 0.01;
        expect_resumed([&](const Run& run) {
            return bytes_of(simulate(Domain::grid({70, 60, 1}, 0.5), options, run, from_left));
        });
    }
    Options spots;
    spots.model = Model::gray_scott;
    spots.until = 200;
    expect_resumed(
        [&](const Run& run) { return bytes_of(simulate(Domain::grid({40, 40, 1}, 1, true), spots, run, from_left)); });
}

TEST_F(ResumedWaves, StepsByATolerance) {
    for (const Scheme scheme : {Scheme::heun, Scheme::rkc}) {
        Options options;
        options.scheme = scheme;
        options.tolerance = 1e-4;
        options.until = 60;
        expect_resumed(
            [&](const Run& run) { return bytes_of(simulate(Domain::line(300, 0.5), options, run, from_left)); });
    }
}

TEST_F(ResumedWaves, OfAGraphUntilRest) {
    Graph ring;
    for (Index v = 0; v < 200; ++v) {
        const auto [less, more] = std::minmax({(v + 199) % 200, (v + 1) % 200});
        ring.targets.insert(ring.targets.end(), {less, more});
        ring.offsets.push_back(std::ssize(ring.targets));
    }
    ring.weights.assign(ring.targets.size(), 1.0F);
    expect_resumed([&](const Run& run) {
        return bytes_of(simulate(Domain::on(ring), {}, run, {.stimuli = {{.vertex = 3, .value = 1, .to = 5}}}));
    });
}

TEST_F(ResumedWaves, MatrixOfActivationTimes) {
    const auto times = [&](const Run& run) {
        std::vector<std::byte> bytes;
        cases::append(bytes, activation_matrix(Domain::ring(150), {}, run, {.value = 1, .to = 5}));
        return bytes;
    };
    expect_resumed(times);
}

TEST_F(ResumedWaves, AnotherStimulusIsRefused) {
    Options options;
    options.until = 12;
    Run run = fresh("a.ckpt", {});
    simulate(Domain::line(100), options, run, from_left);
    run.resume = true;
    Given other = from_left;
    other.stimuli[0].value = 0.9;
    EXPECT_NE(refusal(Fault::bad_file, [&] { simulate(Domain::line(100), options, run, other); }).find("stimuli"),
              std::string::npos);
    EXPECT_NE(refusal(Fault::bad_file, [&] { simulate(Domain::line(101), options, run, from_left); }).find("nodes"),
              std::string::npos);
}

}  // namespace
}  // namespace dunlin::waves
