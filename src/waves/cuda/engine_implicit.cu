// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "math/at.hpp"
#include "waves/cuda/engine.cuh"
#include "waves/cuda/implicit.cuh"
#include "waves/drive.hpp"

/// Crank-Nicolson steps on lines and rings.
namespace dunlin::waves {

namespace {

constexpr int blocks_of_multiprocessor = 4;

template <bool has_inputs>
void launch(const ImplicitStep& step, cudaStream_t stream) {
    constexpr int nodes = gpu_shape.nodes, threads = gpu_shape.threads;
    const auto kernel = step_implicit<nodes, threads, blocks_of_multiprocessor, has_inputs>;
    constexpr int bytes = 2 * threads * nodes * static_cast<int>(sizeof(double));
    device::cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    const int written = (threads - 2 * step.halo_parts) * nodes;
    kernel<<<static_cast<unsigned>((step.n + written - 1) / written), threads, bytes, stream>>>(step);
    device::cuda_check(cudaGetLastError());
}

/// Steps whose Newton iterations are counted together.
constexpr Offset steps_counted = steps_between_checks;

}  // namespace

void CudaEngine::take_implicit(Offset number, double dt, const Activations& activations) {
    if (newton_.size() == 0) cuda_.fill(newton_, at(steps_counted), 0ULL);
    const double end = time_of(dt, number + 1);
    const bool holds = !is_free(time_of(dt, number), end);
    if (holds) {
        cuda_.fill(held_, at(size()), free_node());
        const auto count = static_cast<Offset>(problem_.stimuli.size());
        cuda_.each(count, Hold{stimuli_.data(), count, end, held_.data(), false});
    }
    const ImplicitConstants constants =
        implicit_constants(problem_.options.model, problem_.coefficients, problem_.coefficients.diffusion, dt);
    const ImplicitReach reach(constants, gpu_shape);
    const ImplicitStep step{.constants = constants,
                            .v = now_.v.data(),
                            .w = now_.w.data(),
                            .v_out = next_.v.data(),
                            .w_out = next_.w.data(),
                            .n = static_cast<int>(size()),
                            .periodic = problem_.domain.periodic[0],
                            .newton = max_newton,
                            .halo_parts = reach.halo_parts,
                            .reductions = reach.reductions,
                            .tolerance = last_change(constants),
                            .iterations = newton_.data() + number % steps_counted,
                            .current = problem_.current.empty() ? nullptr : current_.data(),
                            .held = holds ? held_.data() : nullptr,
                            .activations = activations,
                            .dt = dt};
    holds || step.current != nullptr ? launch<true>(step, cuda_.stream()) : launch<false>(step, cuda_.stream());
}

void CudaEngine::count_newton(double dt) {
    if (counted_ == completed_) return;
    const std::vector<unsigned long long> iterations = cuda_.host(newton_);
    for (Offset k = std::exchange(counted_, completed_); k < completed_; ++k) {
        const auto most = static_cast<Offset>(iterations[at(k % steps_counted)]);
        if (most > max_newton) refuse_newton(time_of(dt, k), dt);
        evaluations_ += most;
    }
    cuda_.fill(newton_, at(steps_counted), 0ULL);
}

}  // namespace dunlin::waves
