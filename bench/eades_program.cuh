// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shared by the rungs of Eades' model: the graph and its initial positions, the sequential program, and the state on a
// GPU.

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include <dunlin/network.hpp>

#include "cases/cases.hpp"
#include "device/cuda.cuh"
#include "eades_model.hpp"

namespace dunlin::bench::eades {

using device::CudaBuffer;

constexpr int threads = 128;
constexpr int tile = 16;

unsigned blocks_for(Offset n, int size) { return static_cast<unsigned>((n + size - 1) / size); }

struct Drawing {
    std::vector<float2> at, velocity;
    double kinetic_energy = 0;
};

struct Input {
    std::string name;
    Graph graph;
    std::vector<std::uint8_t> linked;  // n x n

    Input(std::string called, Graph edges) : name(std::move(called)), graph(std::move(edges)) {
        const auto n = static_cast<std::size_t>(graph.size());
        linked.assign(n * n, 0);
        for (std::size_t i = 0; i < n; ++i) {
            for (Offset e = graph.offsets[i]; e < graph.offsets[i + 1]; ++e) {
                linked[i * n + static_cast<std::size_t>(graph.targets[static_cast<std::size_t>(e)])] = 1;
            }
        }
    }
    [[nodiscard]] Index size() const { return graph.size(); }
    [[nodiscard]] double threshold() const { return cases::converged_kinetic_energy * size(); }

    /// A sunflower spiral with one vertex per squared edge length: no two vertices are close, so that all rungs follow
    /// the same trajectory.
    [[nodiscard]] Drawing start() const {
        Drawing drawing;
        for (Index i = 0; i < size(); ++i) {
            const double radius = std::sqrt((i + 0.5) / std::numbers::pi), angle = 2.399963 * i;
            drawing.at.push_back({float(radius * std::cos(angle)), float(radius * std::sin(angle))});
        }
        drawing.velocity.assign(drawing.at.size(), {0, 0});
        return drawing;
    }
};

/// The sequential program, the reference of every rung.
class Sequential {
public:
    static constexpr const char* name = "sequential";

    Sequential(device::Cuda& /*cuda*/, const Input& input) : input_(input), drawing_(input.start()) {}

    double step() {
        const auto n = drawing_.at.size();
        std::vector<Forces> forces(n);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                if (j != i) bench::meet(drawing_.at[i], drawing_.at[j], input_.linked[i * n + j] != 0, forces[i]);
            }
        }
        double energy = 0;
        for (std::size_t i = 0; i < n; ++i) {
            bench::move(Eades{}, forces[i], drawing_.at[i], drawing_.velocity[i]);
            energy += static_cast<double>(bench::energy_of(drawing_.velocity[i]));
        }
        return energy;
    }
    std::vector<float2> positions() { return drawing_.at; }

private:
    const Input& input_;
    Drawing drawing_;
};

/// State of the rungs in device memory.
struct State {
    device::Cuda& cuda;
    Index n;
    CudaBuffer<float2> at, velocity;
    CudaBuffer<std::uint8_t> linked;
    CudaBuffer<float> energy;

    State(device::Cuda& on, const Input& input) : cuda(on), n(input.size()) {
        const Drawing start = input.start();
        cuda.upload(at, start.at);
        cuda.upload(velocity, start.velocity);
        cuda.upload(linked, input.linked);
        cuda.resize(energy, start.at.size());
    }
    [[nodiscard]] std::size_t pairs() const { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }

    /// Copies kinetic energies to the host, which adds them.
    double energy_on_host() {
        double sum = 0;
        for (const float e : cuda.host(energy)) sum += static_cast<double>(e);
        return sum;
    }
};

__global__ void energy_kernel(Index n, const float2* velocity, float* energy) {
    const Index i = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) energy[i] = bench::energy_of(velocity[i]);
}

}  // namespace dunlin::bench::eades
