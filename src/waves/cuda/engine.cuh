// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "checkpoint/archive.hpp"
#include "device/cuda.cuh"
#include "waves/cuda/nodes.cuh"
#include "waves/problem.hpp"

namespace dunlin::waves {

/// A value of each species per node, in device memory.
struct DeviceValues {
    device::CudaBuffer<double> v, w;

    [[nodiscard]] Pair pair() const { return {v.data(), w.data()}; }
};

/// The arrays of a SlicedGraph.
struct DeviceSlices {
    device::CudaBuffer<int> vertices, degrees, targets;
    device::CudaBuffer<long long> begins;
    device::CudaBuffer<float> weights;
    DeviceValues hub_sums;
};

/// An engine (waves/drive.hpp) on a GPU: euler, heun and rkc with fixed steps, the same bytes as on a CPU;
/// crank-nicolson on lines and rings, the same values to rounding.
class CudaEngine {
public:
    CudaEngine(device::Cuda& cuda, const Problem& problem, State start);

    void advance(Offset first, Offset steps, double dt);
    /// Counts the Newton iterations of the steps since the last count. Throws for one that did not converge.
    void count_newton(double dt);
    double fastest(double t);
    [[nodiscard]] State state() const;
    [[nodiscard]] std::vector<double> activation() const { return cuda_.host(activation_); }
    [[nodiscard]] Pair values() const { return now_.pair(); }
    [[nodiscard]] const double* times() const { return activation_.data(); }
    [[nodiscard]] Offset completed() const { return completed_; }
    [[nodiscard]] Offset skipped() const { return 0; }
    [[nodiscard]] Offset evaluations() const { return evaluations_; }
    void write(checkpoint::ArchiveWriter& archive, double time);
    void read(checkpoint::ArchiveReader& archive);

private:
    void upload(const Graph& graph);
    template <class Visit>
    void each_species(const Visit& visit);
    template <class Loop>
    void each_row(const Pair& values, const Loop& loop_of);
    template <class Loop>
    void each_node(const Loop& loop);
    void share(DeviceValues& values);
    [[nodiscard]] Offset size() const { return problem_.size(); }
    /// The nodes whose values are found here: of a graph on several ranks, those of this rank.
    [[nodiscard]] device::Slice computed() const {
        return problem_.domain.graph != nullptr ? problem_.own() : device::Slice{0, size()};
    }
    [[nodiscard]] double* watched(const DeviceValues& values) const;
    void hold(double t, const DeviceValues& values, bool is_zero = false);
    void find_rates(const DeviceValues& values, DeviceValues& rates);
    void take_euler(Offset number, double dt, const DeviceValues& from, DeviceValues& to,
                    const Activations& activations = {});
    void take_heun(Offset number, double dt);
    void take_chebyshev(Offset number, double dt);
    void take_implicit(Offset number, double dt, const Activations& activations);
    void take(Offset number, double dt);
    [[nodiscard]] bool is_free(double begin, double end) const;
    [[nodiscard]] bool is_tiled(double begin, double end) const;
    [[nodiscard]] Offset advance_tiles(Offset first, Offset steps, double dt);
    void advance_line(Offset first, Offset steps, double dt);
    void advance_grid(Offset first, double dt);

    device::Cuda& cuda_;
    const Problem& problem_;
    RightSide side_;
    DeviceSlices slices_;
    device::CudaBuffer<double> current_, inverse_degree_, activation_, held_;
    device::CudaBuffer<unsigned long long> newton_;  ///< iterations of each step since they were last counted
    device::CudaBuffer<Stimulus> stimuli_;
    device::CudaBuffer<int> flags_;
    device::CudaCell<unsigned long long> largest_;
    DeviceValues now_, next_, rate_, first_, last_, before_;
    std::vector<ChebyshevStage> stages_;
    Offset completed_ = 0, evaluations_ = 0, counted_ = 0;
    Offset queued_ = 0;  ///< node steps since the GPU was last waited for
};

}  // namespace dunlin::waves
