// SPDX-License-Identifier: Apache-2.0
#include "device/gpus.hpp"
#include "mds/on_demand/fed_some.hpp"
#include "mds/smacof/stress_rows.hpp"
#include "mds/spectral/landmarks.cuh"
#include "mds/start.cuh"

namespace dunlin::mds {

using device::Cuda;

/// Rows that come when they are asked for.
struct ComingRows {
    const Fed* fed;
    [[nodiscard]] Index size() const { return fed->feed.size(); }
};

namespace {

struct PutColumn {
    const float* row;
    Index stride;
    float* to;
    __device__ void operator()(Offset i) const { to[i * stride] = row[i]; }
};

}  // namespace

// Found by their arguments, hence not in a namespace without a name:

ComingRows rows_of(Cuda&, const Fed& fed) { return {&fed}; }

void distances_to(Cuda& cuda, const ComingRows& rows, std::span<const Index> chosen, float* to, Index stride,
                  const Run& run) {
    const Fed& fed = *rows.fed;
    fed.source.want(fed.cpu, chosen, run);
    const auto n = static_cast<std::size_t>(rows.size());
    device::CudaBuffer<float> row(n, cuda.stream());
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        cuda.copy_in(row.data(), fed.feed.row(chosen[k]), n * sizeof(float));
        cuda.each(rows.size(), PutColumn{row.data(), stride, to + k});
    }
}

/// Of rows that lie on the host.
std::vector<StressSums> stress_rows(Cuda& cuda, const ComingRows& rows, const float* y, int dim,
                                    std::span<const Index> some) {
    std::vector<float> map(static_cast<std::size_t>(Offset{rows.size()} * dim));
    cuda.copy_out(map.data(), y, map.size() * sizeof(float));
    return stress_rows(rows.fed->cpu, rows.fed->source, map.data(), dim, some);
}

Placed backend::place_some_on_cuda(const Fed& fed) {
    Cuda cuda(fed.run);
    device::require_gpu_memory(bytes_of_rows(fed.options, fed.feed.size()), device::allowance(cuda),
                               "multidimensional scaling by these landmarks");
    return place_some(cuda, fed);
}

}  // namespace dunlin::mds
