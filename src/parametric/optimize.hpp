// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>
#include <utility>

#include <dunlin/parametric.hpp>
#include <dunlin/run.hpp>

#include "descent/steps.hpp"
#include "math/at.hpp"
#include "parametric/batches.hpp"
#include "parametric/conjugate_gradients.hpp"
#include "parametric/kept_state.hpp"
#include "parametric/layers.hpp"
#include "parametric/network.hpp"
#include "progress/cancel.hpp"
#include "run/kept.hpp"
#include "run/loop.hpp"

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

/// Epochs over batches of gathered rows. step(done, b, rows of the batch, count, inputs, part) lowers the loss of a
/// batch after `done` others, and sets `part` to what it was before. moments: what it remembers. per_batch: its number
/// of steps. steps: output, their sum, also if the loop is cancelled. Throws Cancelled.
template <class Exec, class Loss, class Moments, class Step>
void descend_in_batches(Exec& exec, Network<Exec>& network, const TrainingRows& rows, const Schedule& schedule,
                        Loss& loss, const Run& run, Moments moments, run::Cancelled cancelled, int per_batch,
                        int& steps, const Step& step) {
    const Batches batches(rows.points.rows, schedule.batch);
    const int all = schedule.steps(rows.points.rows);
    int done = 0;
    run::Kept state(DescentMemory(exec, network, loss, std::move(moments), done, all, batches.count()), cancelled);
    run::Loop loop(run, {schedule.stage, schedule.stage, all}, state);
    typename Exec::template Buffer<float> inputs;
    exec.resize(inputs, at(Offset{batches.most_rows()} * rows.points.cols));
    typename Exec::template Cell<double> part, sum;
    typename Exec::template Buffer<Index> order;
    Pace<Exec> pace;
    bool is_whole = false, has_order = false;  // the cost of a whole epoch is known
    while (loop.next()) {
        loop.step([&](Offset) {
            const int epoch = done / batches.count();
            const Index b = done % batches.count();
            if (b == 0 || !has_order) {
                is_whole = b == 0;
                order = batches.order(exec, schedule.seed, static_cast<std::uint64_t>(loss.keeps_batches ? 0 : epoch));
                has_order = true;
                if (b == 0) loss.begin(exec, network);
                exec.set(sum, 0.0);
            }
            const Index* const of_batch = order.data() + batches.begin(b);
            const Index count = batches.rows(b);
            gather(exec, rows, of_batch, count, inputs.data());
            add_noise(exec, rows, schedule.noise, of_batch, count, static_cast<std::uint64_t>(epoch), inputs.data());
            step(done, b, of_batch, count, inputs.data(), part);
            const progress::Uncancellable whole;
            ++done;
            exec.each(1, AddCell{exec.address(part), exec.address(sum)});
            pace.step(exec);
            if (is_whole && b + 1 == batches.count()) loop.cost(loss.cost(exec.read(sum)));
        });
    }
    steps = done * per_batch;
    if (loop.ending().stopped == Stopped::cancelled) throw progress::Cancelled{};
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
                     const AdamRule& rule, Loss& loss, const Run& run, int& steps) {
    const int all = schedule.steps(rows.points.rows);
    AdamState<Exec> adam(exec, network.shape().parameters);
    const auto step = [&](int done, Index batch, const Index* of, Index count, const float* inputs, auto& part) {
        propagate(exec, network, loss, batch, of, count, inputs, part);
        const float now = annealed(rule.rate, done, all);
        const progress::Uncancellable whole;
        descend(exec, network.parameters().data(), adam.mean.data(), adam.square.data(), network.gradient().data(),
                network.shape().parameters, now * descent::AdamStep::bias_correction(done),
                1 - now * rule.weight_decay);
        loss.accept(exec, of, count, network.outputs());
    };
    descend_in_batches(exec, network, rows, schedule, loss, run, checkpoint::Remembered(exec, adam.mean, adam.square),
                       run::Cancelled::leaves_state, 1, steps, step);
}

/// Lowers the loss by conjugate gradients: `searches` line searches per batch.
template <class Exec, class Loss>
void descend_by_searches(Exec& exec, Network<Exec>& network, const TrainingRows& rows, const Schedule& schedule,
                         int searches, Loss& loss, const Run& run, int& steps) {
    ConjugateGradients<Exec> minimizer(exec, network.shape().parameters);
    const auto step = [&](int, Index batch, const Index* of, Index count, const float* inputs, auto& part) {
        const double cost = minimizer.minimize(exec, network.parameters(), network.gradient(), searches, [&] {
            progress::cancellation_point();
            propagate(exec, network, loss, batch, of, count, inputs, part);
            return exec.read(part);
        });
        const progress::Uncancellable whole;
        exec.set(part, cost);
        loss.accept(exec, of, count, network.outputs());
    };
    descend_in_batches(exec, network, rows, schedule, loss, run, checkpoint::Remembered(exec),
                       run::Cancelled::changes_state, searches, steps, step);
}

}  // namespace dunlin::parametric
