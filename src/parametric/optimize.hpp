// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include <dunlin/parametric.hpp>

#include "descent/steps.hpp"
#include "device/cancel.hpp"
#include "device/progress.hpp"
#include "math/at.hpp"
#include "parametric/batches.hpp"
#include "parametric/conjugate_gradients.hpp"
#include "parametric/layers.hpp"
#include "parametric/network.hpp"

/// Training of a network by batches. A loss has
///   keeps_batches                       whether the batches of all epochs are those of the first
///   begin(exec, network)                before an epoch
///   gradient(exec, batch, rows, count, outputs, gradient)
///                                       sets the gradient with respect to the outputs of these rows, and returns the
///                                       batch's part of the cost
///   cost(sum)                           of an epoch, given the sum of the parts
namespace dunlin::parametric {

/// How long, in which batches.
struct Schedule {
    Index batch = 0;  ///< at most so many rows
    int epochs = 0;
    std::uint64_t seed = 1;

    [[nodiscard]] int steps(Index n) const { return epochs * Batches(n, batch).count(); }
};

/// Adam with decoupled weight decay (Loshchilov and Hutter 2019).
struct AdamRule {
    float rate = 1e-3F;  ///< at the beginning
    float weight_decay = 0;
};

/// Mean and mean square of the gradient of Adam.
template <class Exec>
struct AdamState {
    typename Exec::template Buffer<float> mean, square;
    int steps = 0;

    explicit AdamState(Offset parameters) {
        Exec::fill(mean, at(parameters), 0.0F);
        Exec::fill(square, at(parameters), 0.0F);
    }
};

/// Learning rate of a step: falls along a cosine from `rate` to 0 (Loshchilov and Hutter 2017).
inline float annealed(float rate, int step, int steps) {
    return rate * static_cast<float>(0.5 * (1 + std::cos(std::numbers::pi * step / steps)));
}

/// Epochs over batches of gathered rows. step(b, rows of the batch, count, inputs) lowers the loss of a batch and
/// returns it as it was before.
template <class Exec, class Loss, class Step>
void descend_in_batches(Exec& exec, Network<Exec>& network, const TrainingRows& rows, const Schedule& schedule,
                        Loss& loss, device::ProgressReporter& reporter, const Step& step) {
    const Batches batches(rows.points.rows, schedule.batch);
    typename Exec::template Buffer<float> inputs;
    Exec::resize(inputs, at(Offset{batches.most_rows()} * rows.points.cols));
    for (int epoch = 0; epoch < schedule.epochs; ++epoch) {
        const auto of_order = static_cast<std::uint64_t>(loss.keeps_batches ? 0 : epoch);
        const std::vector<Index> order = batches.order(schedule.seed, of_order);
        loss.begin(exec, network);
        double sum = 0;
        for (Index b = 0; b < batches.count(); ++b) {
            const Index* const of_batch = order.data() + batches.begin(b);
            const Index count = batches.rows(b);
            gather(exec, rows, of_batch, count, inputs.data());
            sum += step(b, of_batch, count, inputs.data());
            reporter.tick(Offset{epoch} * batches.count() + b + 1);
        }
        reporter.cost(loss.cost(sum));
    }
}

/// The loss of a batch, and its gradient by the network's parameters.
template <class Exec, class Loss>
double propagate(Exec& exec, Network<Exec>& network, Loss& loss, Index batch, const Index* rows, Index count,
                 const float* inputs) {
    network.forward(exec, inputs, count);
    const double cost = loss.gradient(exec, batch, rows, count, network.outputs(), network.output_gradient(count));
    network.backward(exec, inputs, count);
    return cost;
}

/// Lowers the loss of the network's outputs for `rows` by a step of Adam per batch. If cancelled, the network is that
/// after the last step.
template <class Exec, class Loss>
void descend_by_adam(Exec& exec, Network<Exec>& network, const TrainingRows& rows, const Schedule& schedule,
                     const AdamRule& rule, Loss& loss, device::ProgressReporter& reporter, int& steps) {
    const int all = schedule.steps(rows.points.rows);
    AdamState<Exec> adam(network.shape().parameters);
    const auto step = [&](Index batch, const Index* of, Index count, const float* inputs) {
        const double cost = propagate(exec, network, loss, batch, of, count, inputs);
        const float now = annealed(rule.rate, adam.steps, all);
        const device::Uncancellable whole;
        descend(exec, network.parameters().data(), adam.mean.data(), adam.square.data(), network.gradient().data(),
                network.shape().parameters, now * descent::AdamStep::bias_correction(adam.steps),
                1 - now * rule.weight_decay);
        ++adam.steps;
        ++steps;
        return cost;
    };
    descend_in_batches(exec, network, rows, schedule, loss, reporter, step);
}

/// The same by conjugate gradients: a few line searches for each batch.
template <class Exec, class Loss>
void descend_by_searches(Exec& exec, Network<Exec>& network, const TrainingRows& rows, const Schedule& schedule,
                         int searches, Loss& loss, device::ProgressReporter& reporter, int& steps) {
    ConjugateGradients<Exec> minimizer(network.shape().parameters);
    const auto step = [&](Index batch, const Index* of, Index count, const float* inputs) {
        const double cost = minimizer.minimize(exec, network.parameters(), network.gradient(), searches, [&] {
            return propagate(exec, network, loss, batch, of, count, inputs);
        });
        steps += searches;
        return cost;
    };
    descend_in_batches(exec, network, rows, schedule, loss, reporter, step);
}

}  // namespace dunlin::parametric
