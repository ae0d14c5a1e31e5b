// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "checkpoint/counted_loop.hpp"
#include "parametric/network.hpp"
#include "parametric/rbm.hpp"

/// The states of a training's loops in its checkpoint (docs/checkpoints.md), as checkpoint::CountedLoop takes them.
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

/// State of the training of a stack of machines. Has the network with the layers that are finished, the machine in
/// training, and the reconstruction error of the first machine.
template <class Exec, class MakeMachine>
class StackMemory {
public:
    static constexpr bool on_cpu = std::is_same_v<Exec, device::Cpu>;

    /// make(layer) begins the machine of a layer. Holds references.
    StackMemory(Exec& exec, Network<Exec>& network, std::optional<Rbm<Exec>>& machine, std::size_t& layer,
                double& error, MakeMachine make)
        : exec_(exec), network_(network), machine_(machine), layer_(layer), error_(error), make_(std::move(make)) {}

    void write(checkpoint::ArchiveWriter& archive) const {
        archive(static_cast<std::uint64_t>(layer_));
        archive(error_);
        archive(static_cast<std::uint8_t>(machine_.has_value()));
        checkpoint::Remembered(exec_, network_.parameters()).write(archive);
        if (machine_) machine_->write(exec_, archive);
    }
    void read(checkpoint::ArchiveReader& archive) {
        std::uint64_t layer = 0;
        std::uint8_t has_machine = 0;
        archive(layer);
        archive.require(layer <= network_.shape().layers.size(), "layer");
        archive.finite(error_);
        archive(has_machine);
        checkpoint::Remembered(exec_, network_.parameters()).read(archive);
        layer_ = static_cast<std::size_t>(layer);
        if (has_machine == 0) return;
        archive.require(layer_ < network_.shape().layers.size(), "layer");
        make_(layer_);
        machine_->read(exec_, archive);
    }

private:
    Exec& exec_;
    Network<Exec>& network_;
    std::optional<Rbm<Exec>>& machine_;
    std::size_t& layer_;
    double& error_;
    MakeMachine make_;
};

}  // namespace dunlin::parametric
