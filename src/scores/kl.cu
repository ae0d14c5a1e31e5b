// SPDX-License-Identifier: Apache-2.0
#include "scores/kl.cuh"

#include "forces/attraction/attraction.cuh"
#include "forces/exact/exact.cuh"
#include "scores/kl.hpp"
#include "scores/sample.hpp"

namespace dunlin::scores {

namespace {

template <class Real>
struct Weight {
    const Real* weights;
    __device__ double operator()(Offset e) const { return fabs(static_cast<double>(static_cast<float>(weights[e]))); }
};

/// Sum of the weights of these edges.
template <class Real>
double total_of(device::Cuda& cuda, const Real* weights, Offset edges) {
    device::CudaCell<double> total;
    cuda.sum(edges, Weight<Real>{weights}, total);
    return cuda.read(total);
}
double total_of(device::Cuda& cuda, const graph::DeviceGraph& graph) {
    return total_of(cuda, graph.weights.data(), graph.edges());
}
double total_of(device::Cuda& cuda, const graph::HalfGraph& graph) {
    const auto of = [&](const graph::HalfGraph::Part& part) { return total_of(cuda, part.weights, part.edges); };
    const graph::HalfGraph::View view = graph.view();
    return static_cast<double>(view.unit) * (of(view.lists) + of(view.reverse));
}

template <class Law>
Score row_mass(device::Cuda& cuda, const Law& law, MatrixView<const float> y, const std::vector<Index>& rows) {
    device::CudaBuffer<Index> judged;
    cuda.upload(judged, rows);
    const device::CudaBuffer<double> masses(rows.size(), cuda.stream());
    forces::exact_potentials<Law>(cuda, y, judged.data(), static_cast<Index>(rows.size()), masses.data(), law);
    return mean_over(cuda.host(masses), y.rows);
}

}  // namespace

template <class Law, class Graph>
Score kl_on_device(device::Cuda& cuda, const Law& law, const Graph& affinities, MatrixView<const float> y,
                   const Options& options) {
    device::CudaCell<double> cost;
    forces::attract_cost(cuda, law, affinities, y, cost);
    const double total = total_of(cuda, affinities);
    const Score mass = row_mass(cuda, law, y, rows_of_normalizer(y.rows, options, cuda.run().seed));
    return kl_of(cuda.read(cost), total, mass, y.rows);
}

#define DUNLIN_KL(Law, Graph) \
    template Score kl_on_device(device::Cuda&, const Law&, const Graph&, MatrixView<const float>, const Options&);
DUNLIN_KL(forces::StudentT, graph::DeviceGraph)
DUNLIN_KL(forces::GeneralStudentT, graph::DeviceGraph)
DUNLIN_KL(forces::StudentT, graph::HalfGraph)
DUNLIN_KL(forces::GeneralStudentT, graph::HalfGraph)

}  // namespace dunlin::scores
