// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "checkpoint/session.hpp"
#include "device/choose.hpp"
#include "device/memory.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "waves/simulate.hpp"

namespace dunlin::waves {

namespace {

/// Activation times of all nodes after the stimulus at `vertex`, on this thread.
std::vector<double> times_from(Problem problem, const Stimulus& stimulus, Offset vertex) {
    Given given{.stimuli = {stimulus}};
    given.stimuli[0].vertex = static_cast<Index>(vertex);
    problem.stimuli = given.stimuli;
    device::Cpu one(1);
    const Run run{.threads = 1, .seed = problem.seed};
    return simulate_problem(one, problem, run, given).activation;
}

void store_row(const std::vector<double>& times, Offset vertex, std::vector<float>& matrix) {
    const Offset n = std::ssize(times);
    for (Offset j = 0; j < n; ++j) {
        if (times[at(j)] == never) {
            throw Error(
                Fault::bad_input,
                fmt::format("the stimulus of vertex {} never activates vertex {}; use a smaller threshold, more "
                            "diffusion, a longer stimulus, or a connected graph",
                            vertex, j),
                {.row = vertex, .column = j});
        }
        matrix[at(vertex * n + j)] = static_cast<float>(times[at(j)]);
    }
}

/// Replaces both directions by their mean, and the diagonal by 0.
void make_symmetric(device::Cpu& cpu, Offset n, std::vector<float>& matrix) {
    cpu.each(
        n,
        [&](Offset i) {
            matrix[at(i * n + i)] = 0;
            for (Offset j = 0; j < i; ++j) {
                float &one = matrix[at(i * n + j)], &other = matrix[at(j * n + i)];
                one = other = (one + other) / 2;
            }
        },
        1);
}

}  // namespace

std::vector<float> activation_matrix(const Domain& domain, const Options& options, const Run& given_run,
                                     const Stimulus& stimulus) {
    const Run run = checkpoint::without_checkpoint(given_run);
    device::require_cpu(run, "matrices of activation times are");
    device::Cpu cpu(run);
    Stimulus first = stimulus;
    first.vertex = 0;
    const Given given{.stimuli = domain.size() > 0 ? std::vector{first} : std::vector<Stimulus>{}};
    Problem problem = problem_of(cpu, domain, options, run, given);
    problem.until_all_active = true;
    const Offset n = problem.size();
    const auto count = static_cast<std::uint64_t>(n);
    device::require_memory(run, count * count * sizeof(float), "the matrix of activation times", "use fewer vertices");
    checkpoint::Session session(given_run, "waves: activation times", [&](checkpoint::Key& key) {
        add_to(key, problem, Device::cpu, given);
        key.add("stimulus",
                fmt::format("{} from {} to {} every {}", stimulus.value, stimulus.from, stimulus.to, stimulus.every));
    });
    std::vector<float> matrix(at(n * n));
    checkpoint::Sequence rows("rows");
    Offset row = 0;
    rows.resume([&](auto& archive) {
        std::vector<float> finished;
        archive(row);
        archive.require(row >= 0 && row <= n, "number of rows");
        archive.finite(finished, at(row * n), "matrix");
        std::copy(finished.begin(), finished.end(), matrix.begin());
    });
    const auto write = [&](auto& archive) {
        archive(row), archive(std::vector<float>(matrix.begin(), matrix.begin() + row * n));
    };
    const Offset at_once = std::max(64, 8 * cpu.threads());
    progress::ProgressReporter reporter(run, "optimize", n);
    Outcome<Options> outcome;
    const bool done = progress::run_cancellable(run.stop, [&] {
        while (row < n) {
            const Offset begin = row, next = std::min(n, begin + at_once);
            cpu.blocks(next - begin, 1, [&](Offset i, Offset, int) {
                const checkpoint::Suspended alone;  // simulations of one vertex run in any order
                store_row(times_from(problem, stimulus, begin + i), begin + i, matrix);
            });
            row = next;
            reporter.tick(row);
            rows.offer(row, write);
        }
    });
    if (!done) {
        rows.save(row, write);
        return {};
    }
    rows.commit(row, write);
    session.complete(outcome);
    make_symmetric(cpu, n, matrix);
    return matrix;
}

}  // namespace dunlin::waves
