// SPDX-License-Identifier: Apache-2.0
#include "device/gpus.hpp"
#include "mds/on_demand/landmark_rows.hpp"
#include "mds/smacof/stress_rows.hpp"
#include "mds/spectral/landmarks.cuh"
#include "mds/start.cuh"

namespace dunlin::mds {

using device::Cuda;

/// Rows computed on the host.
struct HostRows {
    const OnDemandInput* input;
    [[nodiscard]] Index size() const { return input->on_demand.size(); }
};

namespace {

struct WriteColumn {
    const float* row;
    Index stride;
    float* to;
    __device__ void operator()(Offset i) const { to[i * stride] = row[i]; }
};

}  // namespace

// Found by argument-dependent lookup, hence outside the anonymous namespace

HostRows rows_of(Cuda&, const OnDemandInput& input) { return {&input}; }

void distances_to(Cuda& cuda, const HostRows& rows, std::span<const Index> chosen, float* to, Index stride,
                  const Run& run) {
    const OnDemandInput& input = *rows.input;
    input.source.request(input.cpu, chosen, run);
    const auto n = static_cast<std::size_t>(rows.size());
    device::CudaBuffer<float> row(n, cuda.stream());
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        cuda.copy_in(row.data(), input.on_demand.row(chosen[k]), n * sizeof(float));
        cuda.each(rows.size(), WriteColumn{row.data(), stride, to + k});
    }
}

/// Stress sums of rows in host memory.
std::vector<StressSums> stress_rows(Cuda& cuda, const HostRows& rows, const float* y, int dim,
                                    std::span<const Index> some) {
    std::vector<float> map(static_cast<std::size_t>(Offset{rows.size()} * dim));
    cuda.copy_out(map.data(), y, map.size() * sizeof(float));
    return stress_rows(rows.input->cpu, rows.input->source, map.data(), dim, some);
}

ScalingOutput backend::place_by_landmark_rows_on_cuda(const OnDemandInput& input) {
    Cuda cuda(input.run);
    device::require_gpu_memory(bytes_of_rows(input.options, input.on_demand.size()), device::allowance(cuda),
                               "multidimensional scaling by these landmarks");
    return place_by_landmark_rows(cuda, input);
}

}  // namespace dunlin::mds
