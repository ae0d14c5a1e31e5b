// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
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

/// Sets the network's layers to those of a stack of machines, each trained on the hidden means of the one below, with a
/// checkpoint. Returns the mean squared difference per value between the rows and their reconstructions by the first
/// machine.
template <class Exec>
double pretrain_stack(Exec& exec, Network<Exec>& network, const TrainingRows& rows, const Options& o, const Run& run) {
    const std::vector<LayerShape>& layers = network.shape().layers;
    const Index n = rows.points.rows;
    const Batches parts(n, rows_at_once);
    const int steps = *o.pretrain_epochs * Batches(n, RbmRule{}.batch).count();  // of a layer
    const int all = steps * static_cast<int>(layers.size());
    progress::ProgressReporter reporter(run, "pretrain", all);
    std::optional<Rbm<Exec>> rbm;
    std::size_t l = 0;
    int done = 0;
    double error = 0;
    const auto begin_machine = [&](std::size_t layer) {
        const Unit visible = layer == 0 && o.visible == Visible::gaussian ? Unit::linear : Unit::logistic;
        rbm.emplace(exec, layers[layer].inputs, layers[layer].outputs, visible, layers[layer].unit,
                    run.seed + 2 * layer);
    };
    checkpoint::CountedLoop loop("pretrain", all, StackMemory(exec, network, rbm, l, error, begin_machine));
    done = loop.done();
    const int begin = steps * static_cast<int>(l);  // of the layer
    loop.require(done >= begin && done - begin <= (l < layers.size() ? steps : 0), "layer");
    const double mean = 1 / static_cast<double>(rows.points.size());
    if (loop.had_ended()) return mean * error;
    try {
        typename Exec::template Buffer<float> features, next;
        exec.resize(features, at(rows.points.size()));
        gather(exec, rows, parts.in_order(exec).data(), n, features.data());
        for (std::size_t finished = 0; finished < l; ++finished) {
            pass_layer(exec, network, layers[finished], {features.data(), n, layers[finished].inputs}, next);
            std::swap(features, next);
        }
        for (; l < layers.size(); ++l) {
            const LayerShape& layer = layers[l];
            if (!rbm) begin_machine(l);
            const MatrixView<const float> inputs{features.data(), n, layer.inputs};
            const auto tick = [&] {
                loop.finished(++done);
                reporter.tick(done);
            };
            const int of_layer = done - steps * static_cast<int>(l);
            train_rbm(exec, *rbm, inputs, rule_of(o, l, layers.size()), run.seed + 2 * l, tick, of_layer);
            copy(exec, rbm->weights.data(), Offset{layer.inputs} * layer.outputs,
                 network.parameters().data() + layer.weights);
            copy(exec, rbm->hidden_biases.data(), layer.outputs, network.parameters().data() + layer.biases);
            if (l == 0) {
                double sum = 0;
                for (Index p = 0; p < parts.count(); ++p)
                    sum += rbm->reconstruction_error(exec, inputs.row(parts.begin(p)).data(), parts.rows(p));
                error = sum;
            }
            if (l + 1 < layers.size()) {
                pass_layer(exec, network, layer, inputs, next);
                std::swap(features, next);
            }
            rbm.reset();
        }
    } catch (const progress::Cancelled&) {
        loop.cancelled();
        throw;
    }
    loop.ended(all, Stopped::budget);
    return mean * error;
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
