// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <dunlin/parametric.hpp>
#include <dunlin/run.hpp>

#include "math/at.hpp"
#include "parametric/network.hpp"
#include "parametric/optimize.hpp"
#include "parametric/rbm.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "run/kept.hpp"
#include "run/loop.hpp"

/// The stages of a training, as templates over the executor.
namespace dunlin::parametric {

/// Rows that go through a network at once where no gradient is needed.
constexpr Index rows_at_once = 2048;

/// The outputs of the network for all rows.
template <class Exec>
auto outputs_of(Exec& exec, Network<Exec>& network, const TrainingRows& rows) {
    const Index n = rows.points.rows, dim = network.dim();
    const Batches batches(n, rows_at_once);
    const auto order = batches.in_order(exec);
    typename Exec::template Buffer<float> inputs, outputs;
    exec.resize(inputs, at(Offset{batches.most_rows()} * rows.points.cols));
    exec.resize(outputs, at(Offset{n} * dim));
    Pace<Exec> pace;
    for (Index b = 0; b < batches.count(); ++b) {
        gather(exec, rows, order.data() + batches.begin(b), batches.rows(b), inputs.data());
        network.forward(exec, inputs.data(), batches.rows(b));
        copy(exec, network.outputs(), Offset{batches.rows(b)} * dim, outputs.data() + Offset{batches.begin(b)} * dim);
        pace.step(exec);
        progress::cancellation_point();
    }
    return outputs;
}

/// The rule of machine `layer` of `layers` by the options.
inline RbmRule rule_of(const Options& o, std::size_t layer, std::size_t layers) {
    RbmRule rule{.rate = *o.pretrain_rate, .epochs = *o.pretrain_epochs, .steps = o.gibbs_steps};
    if (layer == 0 && o.visible == Visible::gaussian) rule.rate /= 100;
    if (layer + 1 == layers) rule.rate /= 100;
    rule.persistent = rule.draws_visible = o.divergence == Divergence::pcd;
    return rule;
}

/// next (n x outputs) = the means of the units of a layer whose inputs are the rows of `features`.
template <class Exec>
void pass_layer(Exec& exec, Network<Exec>& network, const LayerShape& layer, MatrixView<const float> features,
                typename Exec::template Buffer<float>& next) {
    const Batches parts(features.rows, rows_at_once);
    const float* const parameters = network.parameters().data();
    exec.resize(next, at(Offset{features.rows} * layer.outputs));
    for (Index p = 0; p < parts.count(); ++p) {
        float* const out = next.data() + Offset{parts.begin(p)} * layer.outputs;
        multiply(exec, {.rows = parts.rows(p),
                        .cols = layer.outputs,
                        .inner = layer.inputs,
                        .a = {features.row(parts.begin(p)).data(), layer.inputs},
                        .b = {parameters + layer.weights, layer.outputs},
                        .c = out});
        activate(exec, out, parts.rows(p), layer.outputs, parameters + layer.biases, layer.unit);
    }
}

/// The training of a stack of machines, each on the hidden means of the one below. The network gets their layers.
template <class Exec>
class Stack {
public:
    Stack(Exec& exec, Network<Exec>& network, const TrainingRows& rows, const Options& o, std::uint64_t seed)
        : exec_(exec),
          network_(network),
          rows_(rows),
          options_(o),
          seed_(seed),
          parts_(rows.points.rows, rows_at_once) {}

    [[nodiscard]] std::size_t layers() const { return network_.shape().layers.size(); }
    [[nodiscard]] std::size_t layer() const { return layer_; }
    /// Sum over the rows of the squared differences from their reconstructions by the first machine.
    [[nodiscard]] double error() const { return error_; }

    /// The batch of the machine of this layer after `done` others.
    void step(int done) {
        begin_layer();
        training_->step(exec_, *machine_, done);
    }
    /// The machine is trained: its layer goes to the network.
    void finish_layer() {
        begin_layer();
        const LayerShape& layer = network_.shape().layers[layer_];
        float* const parameters = network_.parameters().data();
        copy(exec_, machine_->weights.data(), Offset{layer.inputs} * layer.outputs, parameters + layer.weights);
        copy(exec_, machine_->hidden_biases.data(), layer.outputs, parameters + layer.biases);
        if (layer_ == 0) error_ = error_of_machine();
        if (layer_ + 1 < layers()) pass_through(layer_);
        training_.reset(), machine_.reset();
        ++layer_;
    }

    void write(checkpoint::ArchiveWriter& archive) {
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
        archive.require(layer <= layers(), "layer");
        archive.finite(error_);
        archive(has_machine);
        checkpoint::Remembered(exec_, network_.parameters()).read(archive);
        layer_ = static_cast<std::size_t>(layer);
        if (has_machine == 0) return;
        archive.require(layer_ < layers(), "layer");
        make_machine();
        machine_->read(exec_, archive);
    }

private:
    void make_machine() {
        const LayerShape& layer = network_.shape().layers[layer_];
        const Unit visible = layer_ == 0 && options_.visible == Visible::gaussian ? Unit::linear : Unit::logistic;
        machine_.emplace(exec_, layer.inputs, layer.outputs, visible, layer.unit, seed_ + 2 * layer_);
    }
    void begin_layer() {
        if (training_) return;
        if (features_.size() == 0) reach_layer();
        if (!machine_) make_machine();
        training_.emplace(exec_, inputs_of(layer_), rule_of(options_, layer_, layers()), seed_ + 2 * layer_);
    }
    [[nodiscard]] MatrixView<const float> inputs_of(std::size_t layer) const {
        return {features_.data(), rows_.points.rows, network_.shape().layers[layer].inputs};
    }
    /// The inputs of the layer, from the rows.
    void reach_layer() {
        exec_.resize(features_, at(rows_.points.size()));
        gather(exec_, rows_, parts_.in_order(exec_).data(), rows_.points.rows, features_.data());
        for (std::size_t layer = 0; layer < layer_; ++layer) pass_through(layer);
    }
    void pass_through(std::size_t layer) {
        pass_layer(exec_, network_, network_.shape().layers[layer], inputs_of(layer), next_);
        std::swap(features_, next_);
    }
    [[nodiscard]] double error_of_machine() {
        double sum = 0;
        for (Index p = 0; p < parts_.count(); ++p)
            sum += machine_->reconstruction_error(exec_, inputs_of(0).row(parts_.begin(p)).data(), parts_.rows(p));
        return sum;
    }

    Exec& exec_;
    Network<Exec>& network_;
    const TrainingRows& rows_;
    const Options& options_;
    std::uint64_t seed_;
    Batches parts_;
    std::size_t layer_ = 0;
    double error_ = 0;
    std::optional<Rbm<Exec>> machine_;
    std::optional<RbmTraining<Exec>> training_;
    typename Exec::template Buffer<float> features_, next_;
};

/// A stack in a checkpoint.
template <class Exec>
struct KeptStack {
    static constexpr bool on_cpu = std::is_same_v<Exec, device::Cpu>;
    Stack<Exec>& stack;

    void write(checkpoint::ArchiveWriter& archive) const { stack.write(archive); }
    void read(checkpoint::ArchiveReader& archive) const { stack.read(archive); }
};

/// Sets the network's layers to those of a stack of machines, with a checkpoint. Returns the mean squared difference
/// per value between the rows and their reconstructions by the first machine. Throws Cancelled.
template <class Exec>
double pretrain_stack(Exec& exec, Network<Exec>& network, const TrainingRows& rows, const Options& o, const Run& run) {
    Stack<Exec> stack(exec, network, rows, o, run.seed);
    const Offset steps = Offset{*o.pretrain_epochs} * Batches(rows.points.rows, RbmRule{}.batch).count();  // of a layer
    const Offset all = steps * static_cast<Offset>(stack.layers());
    run::Kept state(KeptStack<Exec>{stack});
    run::Loop loop(run, {"pretrain", "pretrain", all}, state);
    const auto done_of_layer = [&] { return loop.iteration() - steps * static_cast<Offset>(stack.layer()); };
    loop.require(done_of_layer() >= 0 && done_of_layer() <= (stack.layer() < stack.layers() ? steps : 0), "layer");
    while (loop.next()) {
        loop.step([&](Offset) {
            if (done_of_layer() == steps) stack.finish_layer();
            stack.step(static_cast<int>(done_of_layer()));
        });
    }
    if (loop.ending().stopped == Stopped::cancelled) throw progress::Cancelled{};
    while (stack.layer() < stack.layers()) stack.finish_layer();
    return stack.error() / static_cast<double>(rows.points.size());
}

/// A loss of optimize.hpp that remembers nothing.
template <class Exec>
struct LossWithoutMemory {
    static constexpr bool keeps_batches = false;
    void begin(Exec&, Network<Exec>&) {}
    void accept(Exec&, const Index*, Index, const float*) {}
    void write(Exec&, checkpoint::ArchiveWriter&) {}
    void read(Exec&, checkpoint::ArchiveReader&) {}
};

/// Mean squared distance between outputs and targets.
template <class Exec>
struct Regression : LossWithoutMemory<Exec> {
    MatrixView<const float> targets;  ///< a row per point, in the executor's memory
    typename Exec::template Buffer<float> wanted = {};

    void gradient(Exec& exec, Index, const Index* rows, Index count, const float* outputs, float* gradient,
                  typename Exec::template Cell<double>& part) {
        const Offset size = Offset{count} * targets.cols;
        reserve(exec, wanted, size);
        gather(exec, targets, rows, count, wanted.data());
        exec.each(size, ScaledDifference{2 / static_cast<float>(count), outputs, wanted.data(), gradient});
        exec.sum(size, SquaredDifference{outputs, wanted.data()}, part);
    }
    [[nodiscard]] double cost(double sum) const { return sum / static_cast<double>(targets.size()); }
};

/// The values of the prototypes, against the shares that the targets have of them.
template <class Exec>
struct PrototypeMatching : LossWithoutMemory<Exec> {
    MatrixView<const float> targets;  ///< a row per point, in the executor's memory
    PrototypeShares shares;
    typename Exec::template Buffer<float> wanted = {};
    typename Exec::template Buffer<double> costs = {};

    void gradient(Exec& exec, Index, const Index* rows, Index count, const float* outputs, float* gradient,
                  typename Exec::template Cell<double>& part) {
        reserve(exec, wanted, Offset{count} * targets.cols);
        reserve(exec, costs, count);
        gather(exec, targets, rows, count, wanted.data());
        match_shares(exec, shares, wanted.data(), outputs, count, gradient, costs.data());
        exec.sum(count, RowValue{costs.data()}, part);
    }
    [[nodiscard]] double cost(double sum) const { return sum / targets.rows; }
};

}  // namespace dunlin::parametric
