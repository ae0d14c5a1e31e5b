// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "checkpoint/remembered.hpp"
#include "parametric/network.hpp"

/// The state of a training's loop in its checkpoint (docs/checkpoints.md), as run::Kept takes it.
namespace dunlin::parametric {

/// State of a descent in batches. Has the parameters of the network. Before the last step also the moments of the
/// optimizer (checkpoint::Remembered), and within an epoch the state of the loss.
template <class Exec, class Loss, class Moments>
class DescentMemory {
public:
    static constexpr bool on_cpu = true;  ///< also on a GPU, where a stop can cancel a line search

    /// done: number of finished steps. all: number of steps of the training. Holds references to its arguments.
    DescentMemory(Exec& exec, Network<Exec>& network, Loss& loss, Moments moments, int& done, int all, Index batches)
        : exec_(exec),
          network_(network),
          loss_(loss),
          moments_(std::move(moments)),
          done_(done),
          all_(all),
          batches_(batches) {}

    void write(checkpoint::ArchiveWriter& archive) const {
        archive(done_);
        checkpoint::Remembered(exec_, network_.parameters()).write(archive);
        if (done_ == all_) return;
        moments_.write(archive);
        if (done_ % batches_ != 0) loss_.write(exec_, archive);
    }
    void read(checkpoint::ArchiveReader& archive) {
        archive(done_);
        archive.require(done_ >= 0 && done_ <= all_, "step");
        checkpoint::Remembered(exec_, network_.parameters()).read(archive);
        if (done_ == all_) return;
        moments_.read(archive);
        if (done_ % batches_ != 0) loss_.read(exec_, archive);
    }

private:
    Exec& exec_;
    Network<Exec>& network_;
    Loss& loss_;
    Moments moments_;
    int& done_;
    int all_;
    Index batches_;
};

}  // namespace dunlin::parametric
