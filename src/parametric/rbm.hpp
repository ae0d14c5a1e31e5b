// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include <dunlin/parametric.hpp>

#include "checkpoint/remembered.hpp"
#include "math/at.hpp"
#include "parametric/batches.hpp"
#include "parametric/layers.hpp"
#include "progress/cancel.hpp"

/// Restricted Boltzmann machines. With binary units E(v, h) = -b'v - c'h - v'Wh; with visible units of variance 1 the
/// first term is |v - b|^2 / 2, and the same for hidden ones. P(h | v) has the means unit(c + v'W), P(v | h) unit(b +
/// Wh), with the logistic function for binary units.
namespace dunlin::parametric {

/// How a machine is trained (van der Maaten 2009 and his program; Hinton 2010).
struct RbmRule {
    float rate = 0.1F;
    float weight_cost = 2e-4F;
    float first_momentum = 0.5F, momentum = 0.9F;
    int first_epochs = 5;  ///< with first_momentum
    int epochs = 30;
    Index batch = 100;
    int steps = 1;            ///< of Gibbs sampling per batch
    bool persistent = false;  ///< chains go on from the last batch
    /// The visible units of a reconstruction are drawn. False: they are their means, as with contrastive divergence in
    /// practice (Hinton 2010, section 3.2).
    bool draws_visible = false;
};

template <class Exec>
class Rbm {
public:
    template <class T>
    using Buffer = typename Exec::template Buffer<T>;

    /// Weights of the standard deviation 0.1 and biases 0.
    Rbm(Exec& exec, Index visible, Index hidden, Unit visible_unit, Unit hidden_unit, std::uint64_t seed)
        : visible_(visible), hidden_(hidden), visible_unit_(visible_unit), hidden_unit_(hidden_unit), seed_(seed) {
        const Offset size = Offset{visible} * hidden;
        for (Buffer<float>* each : {&weights, &weight_change_, &weight_gradient_}) exec.fill(*each, at(size), 0.0F);
        for (Buffer<float>* each : {&visible_biases, &visible_change_, &visible_gradient_})
            exec.fill(*each, at(visible), 0.0F);
        for (Buffer<float>* each : {&hidden_biases, &hidden_change_, &hidden_gradient_})
            exec.fill(*each, at(hidden), 0.0F);
        exec.each(size, DrawNormal{weights.data(), 0.1, seed, 0});
    }

    Buffer<float> weights;         ///< [visible][hidden]
    Buffer<float> visible_biases;  ///< b
    Buffer<float> hidden_biases;   ///< c

    /// out (rows x hidden) = the means of the hidden units.
    void hidden_means(Exec& exec, const float* v, Index rows, float* out) const {
        multiply(exec, {.rows = rows,
                        .cols = hidden_,
                        .inner = visible_,
                        .a = {v, visible_},
                        .b = {weights.data(), hidden_},
                        .c = out});
        activate(exec, out, rows, hidden_, hidden_biases.data(), hidden_unit_);
    }
    void visible_means(Exec& exec, const float* h, Index rows, float* out) const {
        multiply(exec, {.rows = rows,
                        .cols = visible_,
                        .inner = hidden_,
                        .a = {h, hidden_},
                        .b = {weights.data(), hidden_, true},
                        .c = out});
        activate(exec, out, rows, visible_, visible_biases.data(), visible_unit_);
    }

    /// Sets the gradient of the log likelihood by contrastive divergence: <vh> of the rows less <vh> after the steps,
    /// with the means of the hidden units in both. step: the number of the batch, for its random numbers.
    void contrast(Exec& exec, const float* rows, Index count, const RbmRule& rule, std::uint64_t step) {
        const bool goes_on = rule.persistent && chain_count_ > 0;
        const Index chains = goes_on ? chain_count_ : count;
        resize_for(exec, std::max(count, chains));
        hidden_means(exec, rows, count, means_.data());
        correlate(exec, rows, means_.data(), count, 1, 0);
        std::uint64_t draw = step * static_cast<std::uint64_t>(2 * rule.steps + 1);
        exec.resize(states_, at(Offset{chains} * hidden_));
        if (goes_on) {
            copy(exec, chains_.data(), Offset{chains} * hidden_, states_.data());
        } else {
            draw_units(exec, means_.data(), Offset{chains} * hidden_, hidden_unit_, draw++, states_.data());
        }
        for (int s = 0; s < rule.steps; ++s) {
            visible_means(exec, states_.data(), chains, reconstruction_.data());
            if (rule.draws_visible) {
                draw_units(exec, reconstruction_.data(), Offset{chains} * visible_, visible_unit_, draw++,
                           reconstruction_.data());
            }
            hidden_means(exec, reconstruction_.data(), chains, means_.data());
            if (s + 1 < rule.steps || rule.persistent)
                draw_units(exec, means_.data(), Offset{chains} * hidden_, hidden_unit_, draw++, states_.data());
        }
        correlate(exec, reconstruction_.data(), means_.data(), chains, -1, 1);
        if (!rule.persistent) return;
        std::swap(states_, chains_);
        chain_count_ = chains;
    }

    /// write() and read() a checkpoint of all that later steps depend on.
    void write(Exec& exec, checkpoint::ArchiveWriter& archive) {
        archive(chain_count_);
        remembered(exec).write(archive);
    }
    void read(Exec& exec, checkpoint::ArchiveReader& archive) {
        archive(chain_count_);
        archive.require(chain_count_ >= 0 && chain_count_ <= RbmRule{}.batch, "number of chains");
        exec.resize(chains_, at(Offset{chain_count_} * hidden_));
        remembered(exec).read(archive);
    }

    /// Sum of the squared differences between rows and the means of their reconstructions from means.
    double reconstruction_error(Exec& exec, const float* rows, Index count) {
        resize_for(exec, count);
        hidden_means(exec, rows, count, means_.data());
        visible_means(exec, means_.data(), count, reconstruction_.data());
        return sum_of(exec, Offset{count} * visible_, SquaredDifference{rows, reconstruction_.data()});
    }

    /// A step along the gradient of contrast().
    void ascend_gradient(Exec& exec, const RbmRule& rule, int epoch) {
        const progress::Uncancellable whole;
        const float momentum = epoch < rule.first_epochs ? rule.first_momentum : rule.momentum;
        ascend(exec, weights.data(), weight_change_.data(), weight_gradient_.data(), Offset{visible_} * hidden_,
               momentum, rule.rate, rule.weight_cost);
        ascend(exec, visible_biases.data(), visible_change_.data(), visible_gradient_.data(), visible_, momentum,
               rule.rate, 0);
        ascend(exec, hidden_biases.data(), hidden_change_.data(), hidden_gradient_.data(), hidden_, momentum, rule.rate,
               0);
    }

    [[nodiscard]] const Buffer<float>& weight_gradient() const { return weight_gradient_; }
    [[nodiscard]] const Buffer<float>& visible_gradient() const { return visible_gradient_; }
    [[nodiscard]] const Buffer<float>& hidden_gradient() const { return hidden_gradient_; }

private:
    auto remembered(Exec& exec) {
        return checkpoint::Remembered(exec, weights, visible_biases, hidden_biases, weight_change_, visible_change_,
                                      hidden_change_, chains_);
    }

    void resize_for(Exec& exec, Index count) {
        reserve(exec, means_, Offset{count} * hidden_);
        reserve(exec, reconstruction_, Offset{count} * visible_);
        exec.resize(visible_sums_, at(visible_));
        exec.resize(hidden_sums_, at(hidden_));
    }

    /// gradients = keep * gradients + sign * mean over the rows of vh', v and h.
    void correlate(Exec& exec, const float* v, const float* h, Index count, float sign, float keep) {
        const float share = sign / static_cast<float>(count);
        multiply(exec, {.rows = visible_,
                        .cols = hidden_,
                        .inner = count,
                        .a = {v, visible_, true},
                        .b = {h, hidden_},
                        .c = weight_gradient_.data(),
                        .scale = share,
                        .keep = keep});
        sum_columns(exec, v, count, visible_, visible_sums_.data());
        sum_columns(exec, h, count, hidden_, hidden_sums_.data());
        const auto add = [&](Buffer<float>& gradient, const Buffer<float>& sums) {
            exec.each(static_cast<Offset>(sums.size()), Blend{keep, share, sums.data(), gradient.data()});
        };
        add(visible_gradient_, visible_sums_);
        add(hidden_gradient_, hidden_sums_);
    }

    void draw_units(Exec& exec, const float* means, Offset count, Unit unit, std::uint64_t draw, float* states) const {
        if (unit == Unit::linear) {
            exec.each(count, AddNoise{means, seed_ + 1, draw, states});
        } else {
            draw_states(exec, means, count, seed_ + 1, draw, states);
        }
    }
    Index visible_, hidden_;
    Unit visible_unit_, hidden_unit_;
    std::uint64_t seed_;
    Buffer<float> weight_change_, visible_change_, hidden_change_;  ///< of the last step
    Buffer<float> weight_gradient_, visible_gradient_, hidden_gradient_;
    Buffer<float> means_, reconstruction_;  ///< of a batch
    Buffer<float> states_;                  ///< of the hidden units
    Buffer<float> chains_;                  ///< hidden units at the end of the persistent chains, after a full step
    Index chain_count_ = 0;
    Buffer<float> visible_sums_, hidden_sums_;
};

/// Training of a machine on rows (n x visible) in random batches.
template <class Exec>
class RbmTraining {
public:
    RbmTraining(Exec& exec, MatrixView<const float> rows, const RbmRule& rule, std::uint64_t seed)
        : rows_(rows), rule_(rule), seed_(seed), batches_(rows.rows, rule.batch) {
        exec.resize(batch_, at(Offset{batches_.most_rows()} * rows.cols));
    }

    /// The batch after `done` others, of all epochs. A cancelled one leaves the machine as it was.
    void step(Exec& exec, Rbm<Exec>& rbm, int done) {
        const int epoch = done / batches_.count();
        const Index b = done % batches_.count();
        if (epoch != epoch_) order_ = batches_.order(exec, seed_, static_cast<std::uint64_t>(epoch));
        epoch_ = epoch;
        gather(exec, rows_, order_.data() + batches_.begin(b), batches_.rows(b), batch_.data());
        rbm.contrast(exec, batch_.data(), batches_.rows(b), rule_, static_cast<std::uint64_t>(done));
        rbm.ascend_gradient(exec, rule_, epoch);
        pace_.step(exec);
    }

private:
    MatrixView<const float> rows_;
    RbmRule rule_;
    std::uint64_t seed_;
    Batches batches_;
    typename Exec::template Buffer<float> batch_;
    typename Exec::template Buffer<Index> order_;
    int epoch_ = -1;  ///< of order_
    Pace<Exec> pace_;
};

}  // namespace dunlin::parametric
