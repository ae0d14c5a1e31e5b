#pragma once

#include <array>
#include <memory>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "forces/law.hpp"

namespace dunlin::forces {

/// Repulsion by convolution on a regular grid: spread charges to nodes, convolve by FFT, gather. Holds its buffers,
/// its plan and the law's spectrum from call to call; its size follows the extent of the points.
template <class Law>
class Grid {
public:
    /// spacing: largest distance between nodes, in units of y.
    explicit Grid(float spacing);
    ~Grid();

    /// As repel_exact, approximately; docs/tsne.md has the measured error.
    void repel(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force, device::Cell<double>& mass);

    /// Nodes per axis of the last call, without padding.
    [[nodiscard]] std::array<int, 3> nodes() const;

    /// Bytes that a call over points with these extents would hold.
    [[nodiscard]] static std::uint64_t bytes(float spacing, std::array<float, 3> extent, int dim);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace dunlin::forces
