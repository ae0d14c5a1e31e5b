// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <dunlin/parametric.hpp>
#include <dunlin/run.hpp>

#include "device/progress.hpp"
#include "math/at.hpp"
#include "parametric/network.hpp"
#include "parametric/optimize.hpp"
#include "parametric/rbm.hpp"

/// The stages of a training, as templates over the executor.
namespace dunlin::parametric {

/// Rows that go through a network at once where no gradient is needed.
constexpr Index rows_at_once = 2048;

/// The outputs of the network for all rows, on the host.
template <class Exec>
std::vector<float> outputs_of(Exec& exec, Network<Exec>& network, const TrainingRows& rows) {
    const Index n = rows.points.rows, dim = network.shape().outputs();
    const Batches batches(n, rows_at_once);
    const std::vector<Index> order = batches.in_order();
    typename Exec::template Buffer<float> inputs, outputs;
    Exec::resize(inputs, at(Offset{batches.most_rows()} * rows.points.cols));
    Exec::resize(outputs, at(Offset{n} * dim));
    for (Index b = 0; b < batches.count(); ++b) {
        gather(exec, rows, order.data() + batches.begin(b), batches.rows(b), inputs.data());
        network.forward(exec, inputs.data(), batches.rows(b));
        copy(exec, network.outputs(), Offset{batches.rows(b)} * dim, outputs.data() + Offset{batches.begin(b)} * dim);
    }
    const auto& host = Exec::host(outputs);
    return {host.begin(), host.end()};
}

/// The rule of machine `layer` of `layers` by the options.
inline RbmRule rule_of(const Options& o, std::size_t layer, std::size_t layers) {
    RbmRule rule{.rate = *o.pretrain_rate, .epochs = *o.pretrain_epochs, .steps = o.gibbs_steps};
    if (layer == 0 && o.visible == Visible::gaussian) rule.rate /= 100;
    if (layer + 1 == layers) rule.rate /= 10;
    rule.persistent = rule.draws_visible = o.divergence == Divergence::pcd;
    return rule;
}

/// Sets the network's layers to those of a stack of machines, each trained on the hidden means of the one below.
/// Returns the mean squared difference per value between the rows and their reconstructions by the first machine.
template <class Exec>
double pretrain_stack(Exec& exec, Network<Exec>& network, const TrainingRows& rows, const Options& o, const Run& run) {
    const std::vector<LayerShape>& layers = network.shape().layers;
    const Index n = rows.points.rows;
    const Batches parts(n, rows_at_once);
    const Offset steps = Offset{*o.pretrain_epochs} * Batches(n, RbmRule{}.batch).count();
    device::ProgressReporter reporter(run, "pretrain", steps * static_cast<Offset>(layers.size()));
    Offset done = 0;
    double error = 0;
    typename Exec::template Buffer<float> features, next;
    Exec::resize(features, at(rows.points.size()));
    gather(exec, rows, parts.in_order().data(), n, features.data());
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const LayerShape& layer = layers[l];
        const Unit visible = l == 0 && o.visible == Visible::gaussian ? Unit::linear : Unit::logistic;
        Rbm<Exec> rbm(exec, layer.inputs, layer.outputs, visible, layer.unit, run.seed + 2 * l);
        const MatrixView<const float> inputs{features.data(), n, layer.inputs};
        train_rbm(exec, rbm, inputs, rule_of(o, l, layers.size()), run.seed + 2 * l, [&] { reporter.tick(++done); });
        copy(exec, rbm.weights.data(), Offset{layer.inputs} * layer.outputs,
             network.parameters().data() + layer.weights);
        copy(exec, rbm.hidden_biases.data(), layer.outputs, network.parameters().data() + layer.biases);
        for (Index p = 0; l == 0 && p < parts.count(); ++p)
            error += rbm.reconstruction_error(exec, inputs.row(parts.begin(p)).data(), parts.rows(p));
        if (l + 1 == layers.size()) break;
        Exec::resize(next, at(Offset{n} * layer.outputs));
        for (Index p = 0; p < parts.count(); ++p) {
            rbm.hidden_means(exec, inputs.row(parts.begin(p)).data(), parts.rows(p),
                             next.data() + Offset{parts.begin(p)} * layer.outputs);
        }
        std::swap(features, next);
    }
    return error / static_cast<double>(rows.points.size());
}

/// Mean squared distance between outputs and targets.
template <class Exec>
struct Regression {
    static constexpr bool keeps_batches = false;
    MatrixView<const float> targets;  ///< a row per point, in the executor's memory
    typename Exec::template Buffer<float> wanted = {};

    void begin(Exec&, Network<Exec>&) {}
    double gradient(Exec& exec, Index, const Index* rows, Index count, const float* outputs, float* gradient) {
        const Offset size = Offset{count} * targets.cols;
        if (wanted.size() < at(size)) Exec::resize(wanted, at(size));
        gather(exec, targets, rows, count, wanted.data());
        const float* const to = wanted.data();
        const float factor = 2 / static_cast<float>(count);
        exec.each(size, [=](Offset i) { gradient[i] = factor * (outputs[i] - to[i]); });
        return squared_difference(exec, outputs, to, size);
    }
    [[nodiscard]] double cost(double sum) const { return sum / static_cast<double>(targets.size()); }
};

}  // namespace dunlin::parametric
