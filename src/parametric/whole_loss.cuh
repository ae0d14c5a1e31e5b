// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "forces/grid/grid.cuh"
#include "graph/device_graph.cuh"
#include "parametric/whole_loss.hpp"

namespace dunlin::parametric {

/// The potential is the spline of the grid by which points repel each other on a GPU; of few points, and on a line, it
/// is summed exactly.
template <class Law>
class WholeLoss<device::Cuda, Law> {
public:
    WholeLoss(device::Cuda& cuda, const graph::DeviceGraph& affinities, int dim, Law law, float scale);

    void refresh(device::Cuda& cuda, device::CudaBuffer<float> outputs);
    /// Only enqueues work.
    void gradient(device::Cuda& cuda, const Index* rows, Index count, const float* outputs, float* gradient,
                  device::CudaCell<double>& part);
    /// Only enqueues work.
    void place(device::Cuda& cuda, const Index* rows, Index count, const float* outputs);
    [[nodiscard]] double kl(double attraction) const;
    void write(device::Cuda& cuda, checkpoint::ArchiveWriter& archive);
    void read(device::Cuda& cuda, checkpoint::ArchiveReader& archive, float* outputs);

private:
    void make_field(device::Cuda& cuda);
    template <int D>
    [[nodiscard]] placement::Field<D, Law> field() const;
    template <int D>
    double exact_normalizer(device::Cuda& cuda) const;
    template <int D>
    void gradient_in(device::Cuda& cuda, const Index* rows, Index count, const float* outputs, float* gradient);

    const graph::DeviceGraph& affinities_;
    int dim_;
    Law law_;
    float scale_;
    double entropy_ = 0;                            ///< sum p log p
    device::CudaBuffer<float> reference_, places_;  ///< [point][axis]; of the last refresh, and now
    forces::CudaGrid<Law> grid_;                    ///< of `reference_`
    forces::GridSpline spline_;                     ///< without values: the field is exact
    float center_[3]{};
    double normalizer_ = 0;
    device::CudaBuffer<double> parts_;  ///< of a batch
};

}  // namespace dunlin::parametric
