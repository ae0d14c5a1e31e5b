// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "waves/problem.hpp"

/// Interface between the public functions and the implementation on a GPU. Problems are checked and not empty.
namespace dunlin::waves {

/// Fixed steps from `start`: of an explicit scheme, the same bytes as on a CPU, or of crank-nicolson on a line or ring.
/// Fills in what the engine of a CPU does.
void run_on_cuda(const Problem& problem, State start, const Given& given, const Run& run, Result& result);

/// One rank's part of a run on several GPUs (rank_engine.hpp), for an explicit scheme. values: shared by all ranks. Has
/// the start, and on return what is left of it. result: that of the first rank.
void run_rank_on_cuda(const Problem& problem, State& values, const Given& given, const Run& run, Result& result);

/// Implementation in libdunlin_cuda, reached through backend/table.hpp.
namespace backend {
decltype(waves::run_on_cuda) run_on_cuda;
decltype(waves::run_rank_on_cuda) run_rank_on_cuda;
}  // namespace backend

}  // namespace dunlin::waves
