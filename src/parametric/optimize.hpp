// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>
#include <utility>

#include <dunlin/parametric.hpp>

#include "descent/steps.hpp"
#include "device/cancel.hpp"
#include "device/progress.hpp"
#include "math/at.hpp"
#include "parametric/batches.hpp"
#include "parametric/conjugate_gradients.hpp"
#include "parametric/kept_state.hpp"
#include "parametric/layers.hpp"
#include "parametric/network.hpp"

/// Training of a network by batches. A loss has
///   keeps_batches                       whether the batches of all epochs are those of the first
///   begin(exec, network)                before an epoch
///   gradient(exec, batch, rows, count, outputs, gradient, part)
///                                       sets the gradient with respect to the outputs of these rows, and the cell
///                                       `part` to the batch's part of the cost
///   accept(exec, rows, count, outputs)  called after the step along that gradient (within Uncancellable)
///   cost(sum)                           returns the cost of an epoch, given the sum of the parts
///   write(exec, archive), read(exec, archive)
///                                       for a checkpoint: its state between begin() and the end of an epoch
namespace dunlin::parametric {

/// Length of a training and its batches.
struct Schedule {
    std::string_view stage;  ///< a literal
    Index batch = 0;         ///< at most so many rows
    int epochs = 0;
    std::uint64_t seed = 1;
    InputNoise noise = {};

    [[nodiscard]] int steps(Index n) const { return epochs * Batches(n, batch).count(); }
};

/// Adam with decoupled weight decay (Loshchilov and Hutter 2019).
struct AdamRule {
    float rate = 1e-3F;  ///< at the beginning
    float weight_decay = 0;
};

/// Running means of the gradient and of its square, for Adam.
template <class Exec>
struct AdamState {
    typename Exec::template Buffer<float> mean, square;

    AdamState(Exec& exec, Offset parameters) {
        exec.fill(mean, at(parameters), 0.0F);
        exec.fill(square, at(parameters), 0.0F);
    }
};

/// Learning rate of a step: falls along a cosine from `rate` to 0 (Loshchilov and Hutter 2017).
inline float annealed(float rate, int step, int steps) {
    return rate * static_cast<float>(0.5 * (1 + std::cos(std::numbers::pi * step / steps)));
}

/// Epochs over batches of gathered rows, with a checkpoint. step(done, b, rows of the batch, count, inputs, part)
/// lowers the loss of batch b after `done` steps and sets `part` to the loss before it. moments: the state of step(),
/// for the checkpoint. steps: set to done * per_batch. keeps: copies the state before each step, for a step() that
/// leaves the network half changed when it is cancelled.
template <class Exec, class Loss, class Moments, class Step>
void descend_in_batches(Exec& exec, Network<Exec>& network, const TrainingRows& rows, const Schedule& schedule,
                        Loss& loss, device::ProgressReporter& reporter, Moments moments, bool keeps, int per_batch,
                        int& steps, const Step& step) {
    const Batches batches(rows.points.rows, schedule.batch);
    const int all = schedule.steps(rows.points.rows);
    int done = 0;
    checkpoint::CountedLoop loop(schedule.stage, all,
                                 DescentMemory(exec, network, loss, std::move(moments), done, all, batches.count()));
    steps = done * per_batch;
    if (loop.had_ended()) return;
    reporter.tick(done);
    typename Exec::template Buffer<float> inputs;
    exec.resize(inputs, at(Offset{batches.most_rows()} * rows.points.cols));
    typename Exec::template Cell<double> part, sum;
    Pace<Exec> pace;
    if (keeps) loop.keep();
    try {
        while (done < all) {
            const int epoch = done / batches.count();
            const auto of_order = static_cast<std::uint64_t>(loss.keeps_batches ? 0 : epoch);
            const auto order = batches.order(exec, schedule.seed, of_order);
            const Index first = done % batches.count();
            if (first == 0) loss.begin(exec, network);
            exec.set(sum, 0.0);
            for (Index b = first; b < batches.count(); ++b) {
                const Index* const of_batch = order.data() + batches.begin(b);
                const Index count = batches.rows(b);
                gather(exec, rows, of_batch, count, inputs.data());
                add_noise(exec, rows, schedule.noise, of_batch, count, static_cast<std::uint64_t>(epoch),
                          inputs.data());
                step(done, b, of_batch, count, inputs.data(), part);
                loop.finished(++done);
                if (keeps) loop.keep();
                steps = done * per_batch;
                exec.each(1, AddCell{exec.address(part), exec.address(sum)});
                pace.step(exec);
                reporter.tick(done);
                device::cancellation_point();
            }
            if (first == 0) reporter.cost(loss.cost(exec.read(sum)));
        }
    } catch (const device::Cancelled&) {
        loop.cancelled();
        throw;
    }
    loop.ended(all, Stopped::budget);
}

/// Sets `part` to the loss of a batch, and its gradient by the network's parameters.
template <class Exec, class Loss>
void propagate(Exec& exec, Network<Exec>& network, Loss& loss, Index batch, const Index* rows, Index count,
               const float* inputs, typename Exec::template Cell<double>& part) {
    network.forward(exec, inputs, count);
    loss.gradient(exec, batch, rows, count, network.outputs(), network.output_gradient(exec, count), part);
    network.backward(exec, inputs, count);
}

/// Lowers the loss of the network's outputs for `rows` by one step of Adam per batch. After a cancellation the network
/// has the parameters of the last finished step.
template <class Exec, class Loss>
void descend_by_adam(Exec& exec, Network<Exec>& network, const TrainingRows& rows, const Schedule& schedule,
                     const AdamRule& rule, Loss& loss, device::ProgressReporter& reporter, int& steps) {
    const int all = schedule.steps(rows.points.rows);
    AdamState<Exec> adam(exec, network.shape().parameters);
    const auto step = [&](int done, Index batch, const Index* of, Index count, const float* inputs, auto& part) {
        propagate(exec, network, loss, batch, of, count, inputs, part);
        const float now = annealed(rule.rate, done, all);
        const device::Uncancellable whole;
        descend(exec, network.parameters().data(), adam.mean.data(), adam.square.data(), network.gradient().data(),
                network.shape().parameters, now * descent::AdamStep::bias_correction(done),
                1 - now * rule.weight_decay);
        loss.accept(exec, of, count, network.outputs());
    };
    descend_in_batches(exec, network, rows, schedule, loss, reporter,
                       checkpoint::Remembered(exec, adam.mean, adam.square), false, 1, steps, step);
}

/// Lowers the loss by conjugate gradients: `searches` line searches per batch.
template <class Exec, class Loss>
void descend_by_searches(Exec& exec, Network<Exec>& network, const TrainingRows& rows, const Schedule& schedule,
                         int searches, Loss& loss, device::ProgressReporter& reporter, int& steps) {
    ConjugateGradients<Exec> minimizer(exec, network.shape().parameters);
    const auto step = [&](int, Index batch, const Index* of, Index count, const float* inputs, auto& part) {
        const double cost = minimizer.minimize(exec, network.parameters(), network.gradient(), searches, [&] {
            device::cancellation_point();
            propagate(exec, network, loss, batch, of, count, inputs, part);
            return exec.read(part);
        });
        const device::Uncancellable whole;
        exec.set(part, cost);
        loss.accept(exec, of, count, network.outputs());
    };
    descend_in_batches(exec, network, rows, schedule, loss, reporter, checkpoint::Remembered(exec), true, searches,
                       steps, step);
}

}  // namespace dunlin::parametric
