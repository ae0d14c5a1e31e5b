// SPDX-License-Identifier: Apache-2.0
#include "device/ranks.cuh"
#include "waves/cuda.hpp"
#include "waves/cuda/engine.cuh"
#include "waves/rank_engine.hpp"

namespace dunlin::device {

void copy_values(Cuda& cuda, double* to, const double* from, Offset count) {
    cuda.copy_out(to, from, static_cast<std::size_t>(count) * sizeof(double));
}

}  // namespace dunlin::device

namespace dunlin::waves {

void backend::run_rank_on_cuda(const Problem& problem, State& values, const Given& given, const Run& run,
                               Result& result) {
    device::Cuda cuda(run);
    run_rank<CudaEngine>(cuda, problem, values, given, run, result);
}

}  // namespace dunlin::waves
