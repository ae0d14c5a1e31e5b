// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/options.hpp>
#include <dunlin/types.hpp>

namespace dunlin {

/// Where a method runs. `automatic` takes the GPU if there is one and the data are large enough to gain from it.
enum class Device { automatic, cpu, cuda };
constexpr std::array<std::string_view, 3> names(Device) { return {"auto", "cpu", "cuda"}; }

/// Why a method ended: its stopping rule was met, its limit of iterations was reached, or the caller requested a stop.
enum class Stopped { converged, budget, cancelled };
constexpr std::array<std::string_view, 3> names(Stopped) { return {"converged", "budget", "cancelled"}; }

/// Progress of a running method.
struct Progress {
    std::string_view stage;  ///< "neighbors", "affinities", "start", "optimize", "score"
    Offset done = 0;         ///< finished steps of this stage, of `total`
    Offset total = 0;
    double cost =
        std::numeric_limits<double>::quiet_NaN();  ///< the method's cost when last computed; NaN: not computed yet
    std::span<const float> coordinates = {};       ///< the map so far, on snapshots only
};

/// Kind of a message to Run::on_notice. warning: something failed without ending the run. note: anything else.
enum class Notice { note, warning };

/// How to run a method. Only the seed changes a result.
struct Run {
    Device device = Device::automatic;
    std::vector<int> gpus = {};  ///< which GPUs, by number from 0; empty: the first. Several: docs/machines.md
    int threads = 0;             ///< CPU threads; 0: one per core that this process may use (threads.hpp)
    std::uint64_t seed = 1;      ///< the same seed gives the same bytes, for any number of threads
    std::uint64_t memory = 0;    ///< limit of memory in bytes; 0: the free memory
    /// File for the state of a method's loop (docs/checkpoints.md); empty: none. Error{bad_input} in a call that writes
    /// none. A file that cannot be written after the first iteration is a notice, not an error.
    std::string checkpoint = {};
    double checkpoint_every = 60;  ///< seconds between two writes of `checkpoint`
    bool resume = false;           ///< goes on from `checkpoint` if it is there; the result has the same bytes
    int snapshot_every = 0;        ///< iterations between snapshots given to on_progress; 0: none
    /// May be requested from any thread. The method then returns its last complete result, on a CPU within about 0.1 s.
    /// A stop is not an error.
    std::stop_token stop = {};
    /// Called on the caller's thread, at least about 10 times a second; a long step repeats its last progress.
    std::function<void(const Progress&)> on_progress = {};
    /// Called on the caller's thread with a sentence: that a run goes on from a checkpoint, or cannot write one.
    std::function<void(Notice, const std::string&)> on_notice = {};

    /// The GPU to use.
    [[nodiscard]] int gpu() const { return gpus.empty() ? 0 : gpus.front(); }
};

template <class Visit>
void fields(Visit&& visit, Run& run) {
    visit(field("device", run.device, "where to run; cuda:N is GPU number N").by_rule("auto"));
    visit(
        field("threads", run.threads, "CPU threads; 0: one per core that the process may use; DUNLIN_THREADS limits it")
            .at_least(0)
            .at_most(4096));
    visit(field("seed", run.seed, "the same seed gives the same bytes"));
    visit(field("memory", run.memory, "maximum memory to use, bytes; k, M, G and T are powers of 1000")
              .by_rule("the free memory"));
}

/// The members of Run that concern its checkpoint, with their list of fields: options of the methods that write one.
struct CheckpointOptions {
    std::string checkpoint = {};
    double checkpoint_every = Run{}.checkpoint_every;
    bool resume = false;

    /// Sets the members of this name.
    void set(Run& run) const {
        run.checkpoint = checkpoint;
        run.checkpoint_every = checkpoint_every;
        run.resume = resume;
    }
};

template <class Visit>
void fields(Visit&& visit, CheckpointOptions& o) {
    visit(field("checkpoint", o.checkpoint, "file for the state of the loop, from which resume goes on").or_file());
    visit(field("checkpoint-every", o.checkpoint_every, "seconds between two writes of the checkpoint").at_least(0));
    visit(field("resume", o.resume, "go on from the checkpoint, if it is there"));
}

}  // namespace dunlin
