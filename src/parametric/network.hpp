// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <dunlin/parametric.hpp>

#include "math/at.hpp"
#include "parametric/layers.hpp"
#include "parametric/prototypes.hpp"

namespace dunlin::parametric {

/// Where a layer lies among the parameters of a network: weights [input][output], then biases.
struct LayerShape {
    Index inputs = 0, outputs = 0;
    Offset weights = 0, biases = 0;
    Unit unit = Unit::linear;
};

/// Layers, and the number of their parameters.
struct NetworkShape {
    std::vector<LayerShape> layers;
    Offset parameters = 0;

    /// widths: of the input, of the hidden layers, and of the output.
    NetworkShape(const std::vector<Index>& widths, Activation activation) {
        const Unit hidden = activation == Activation::relu ? Unit::relu : Unit::logistic;
        for (std::size_t l = 1; l < widths.size(); ++l) {
            const Index inputs = widths[l - 1], outputs = widths[l];
            const Offset biases = parameters + Offset{inputs} * outputs;
            layers.push_back({inputs, outputs, parameters, biases, l + 1 < widths.size() ? hidden : Unit::linear});
            parameters = biases + outputs;
        }
    }

    [[nodiscard]] Index inputs() const { return layers.front().inputs; }
    [[nodiscard]] Index outputs() const { return layers.back().outputs; }
    /// Number of units of all layers: a forward pass keeps one number per unit and row.
    [[nodiscard]] Offset units() const {
        Offset sum = 0;
        for (const LayerShape& layer : layers) sum += layer.outputs;
        return sum;
    }
};

/// Random weights of a layer whose outputs have about the variance of its inputs (Glorot and Bengio 2010, with their
/// factor 4 for logistic units; He et al. 2015 for relu).
inline double initial_deviation(const LayerShape& layer) {
    if (layer.unit == Unit::relu) return std::sqrt(2.0 / layer.inputs);
    return (layer.unit == Unit::logistic ? 4 : 1) * std::sqrt(2.0 / (layer.inputs + layer.outputs));
}

/// A network in training: parameters, their gradient, and the outputs of all units for a batch.
template <class Exec>
class Network {
public:
    template <class T>
    using Buffer = typename Exec::template Buffer<T>;

    Network(Exec& exec, NetworkShape shape) : shape_(std::move(shape)), outputs_(shape_.layers.size()) {
        exec.resize(parameters_, at(shape_.parameters));
        exec.resize(gradient_, at(shape_.parameters));
    }

    /// Random weights and biases 0.
    void draw(Exec& exec, std::uint64_t seed) {
        exec.fill(parameters_, at(shape_.parameters), 0.0F);
        for (const LayerShape& layer : shape_.layers) {
            const auto stream = static_cast<std::uint64_t>(layer.weights);
            exec.each(Offset{layer.inputs} * layer.outputs,
                      DrawNormal{parameters_.data() + layer.weights, initial_deviation(layer), seed, stream});
        }
    }

    /// Makes outputs() return places: weighted means of prototypes. Takes one prototype per output of the last layer,
    /// [prototype][axis].
    void place_by(Exec& exec, std::span<const float> prototypes) {
        exec.upload(prototypes_, prototypes);
        dim_ = static_cast<Index>(std::ssize(prototypes) / shape_.outputs());
    }

    [[nodiscard]] const NetworkShape& shape() const { return shape_; }
    /// Numbers of an output.
    [[nodiscard]] Index dim() const { return has_prototypes() ? dim_ : shape_.outputs(); }
    [[nodiscard]] Buffer<float>& parameters() { return parameters_; }
    [[nodiscard]] const Buffer<float>& parameters() const { return parameters_; }
    [[nodiscard]] const Buffer<float>& gradient() const { return gradient_; }

    /// Sets the outputs of all units for these rows (rows x inputs).
    void forward(Exec& exec, const float* inputs, Index rows) {
        const float* from = inputs;
        for (std::size_t l = 0; l < shape_.layers.size(); ++l) {
            const LayerShape& layer = shape_.layers[l];
            reserve(exec, outputs_[l], Offset{rows} * layer.outputs);
            float* const to = outputs_[l].data();
            multiply(exec, {.rows = rows,
                            .cols = layer.outputs,
                            .inner = layer.inputs,
                            .a = {from, layer.inputs},
                            .b = {parameters_.data() + layer.weights, layer.outputs},
                            .c = to});
            activate(exec, to, rows, layer.outputs, parameters_.data() + layer.biases, layer.unit);
            from = to;
        }
        if (!has_prototypes()) return;
        reserve(exec, places_, Offset{rows} * dim());
        place_by_prototypes(exec, prototypes(), from, rows, places_.data());
    }
    /// Outputs of the last layer after forward() or, with prototypes, places: rows x dim.
    [[nodiscard]] const float* outputs() const { return has_prototypes() ? places_.data() : outputs_.back().data(); }
    /// Array (rows x dim) for the gradient of a loss with respect to outputs(). Fill it before backward().
    [[nodiscard]] float* output_gradient(Exec& exec, Index rows) {
        Buffer<float>& gradient = has_prototypes() ? place_gradient_ : delta_;
        reserve(exec, gradient, Offset{rows} * dim());
        return gradient.data();
    }

    /// Sets the gradient with respect to the parameters. Needs output_gradient() and the outputs that forward()
    /// computed for the same inputs.
    void backward(Exec& exec, const float* inputs, Index rows) {
        if (has_prototypes()) {
            reserve(exec, delta_, Offset{rows} * shape_.outputs());
            descend_to_values(exec, prototypes(), outputs_.back().data(), places_.data(), place_gradient_.data(), rows,
                              delta_.data());
        }
        for (std::size_t l = shape_.layers.size(); l-- > 0;) {
            const LayerShape& layer = shape_.layers[l];
            const float* const below = l > 0 ? outputs_[l - 1].data() : inputs;
            if (layer.unit != Unit::linear)
                multiply_by_slope(exec, delta_.data(), outputs_[l].data(), Offset{rows} * layer.outputs, layer.unit);
            multiply(exec, {.rows = layer.inputs,
                            .cols = layer.outputs,
                            .inner = rows,
                            .a = {below, layer.inputs, true},
                            .b = {delta_.data(), layer.outputs},
                            .c = gradient_.data() + layer.weights});
            sum_columns(exec, delta_.data(), rows, layer.outputs, gradient_.data() + layer.biases);
            if (l == 0) break;
            reserve(exec, next_delta_, Offset{rows} * layer.inputs);
            multiply(exec, {.rows = rows,
                            .cols = layer.inputs,
                            .inner = layer.outputs,
                            .a = {delta_.data(), layer.outputs},
                            .b = {parameters_.data() + layer.weights, layer.outputs, true},
                            .c = next_delta_.data()});
            std::swap(delta_, next_delta_);
        }
    }

private:
    [[nodiscard]] bool has_prototypes() const { return dim_ > 0; }
    [[nodiscard]] MatrixView<const float> prototypes() const { return {prototypes_.data(), shape_.outputs(), dim_}; }

    NetworkShape shape_;
    Index dim_ = 0;  ///< of the prototypes; 0: none
    Buffer<float> parameters_, gradient_, prototypes_;
    std::vector<Buffer<float>> outputs_;
    Buffer<float> places_, place_gradient_;
    Buffer<float> delta_, next_delta_;  ///< gradient with respect to a layer's outputs
};

}  // namespace dunlin::parametric
