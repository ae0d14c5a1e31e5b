// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <type_traits>

#include "waves/cuda/engine.cuh"
#include "waves/cuda/grid.cuh"
#include "waves/cuda/line.cuh"

/// Several steps at once where no stimulus, noise or input acts: euler and heun on lines and rings, euler on 2-D grids,
/// of the models that are excited. The other problems take one step at a time.
namespace dunlin::waves {

namespace {

using FitzHughNagumo = Law<Model::fitzhugh_nagumo, false, false>;
using Nagumo = Law<Model::nagumo, false, false>;

/// Shapes and steps at once that an H200 takes least time with (docs/lab/waves-gpu.md). A warp of fewer nodes a lane
/// leaves more warps to a short line.
template <int nodes_of, int blocks_of, int depth_of>
struct LineShape {
    static constexpr int nodes = nodes_of, blocks = blocks_of, depth = depth_of;
};
template <bool is_heun>
using ShortLine = std::conditional_t<is_heun, LineShape<21, 4, 16>, LineShape<15, 5, 32>>;
template <bool is_heun>
using LongLine = std::conditional_t<is_heun, LineShape<21, 4, 16>, LineShape<43, 2, 32>>;
constexpr int longest_short_line = 1 << 22;
template <bool is_heun>
constexpr int line_depth = LongLine<is_heun>::depth;

constexpr int grid_columns = 2, grid_depth = 8, grid_blocks = 12;
constexpr int grid_recording_blocks = 8;  ///< fewer, which leaves a warp the registers for its branches

/// Warps that record: as many as run at once, and no more than 32 tiles each.
int recording_warps(int tiles, int multiprocessors) {
    return std::min(tiles, std::max((tiles + 31) / 32, 16 * multiprocessors));
}

template <class Law, bool is_heun, class Shape, Watch watch>
void launch_line(const LineSteps& line, device::Cuda& cuda) {
    const auto kernel = step_line<Law, is_heun, Shape::nodes, Shape::blocks, watch>;
    constexpr std::size_t bytes = shared_doubles<Law>(Shape::nodes) * sizeof(double);
    device::cuda_check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    const int written = written_nodes<is_heun>(Shape::nodes, line.steps), tiles = (line.n + written - 1) / written;
    const int warps = watch == Watch::records ? recording_warps(tiles, cuda.multiprocessors()) : tiles;
    kernel<<<static_cast<unsigned>(warps), 32, bytes, cuda.stream()>>>(line);
    device::cuda_check(cudaGetLastError());
}

/// Tiles that may have activations are computed once more in such small parts, whose warps all run at once.
struct RecordedLine {
    static constexpr int nodes = 7, blocks = 6;
};

/// All tiles, then the parts that may have activations.
template <class Law>
void launch_grid(const GridSteps& grid, int strips, int tiles, device::Cuda& cuda) {
    const dim3 blocks(static_cast<unsigned>(strips), static_cast<unsigned>(tiles));
    step_grid<Law, grid_columns, grid_depth, grid_blocks, Watch::flags><<<blocks, 32, 0, cuda.stream()>>>(grid);
    device::cuda_check(cudaGetLastError());
    const int warps = recording_warps(strips * tiles * parts_of(grid.rows, grid_depth), cuda.multiprocessors());
    step_grid<Law, grid_columns, grid_depth, grid_recording_blocks, Watch::records>
        <<<static_cast<unsigned>(warps), 32, 0, cuda.stream()>>>(grid);
    device::cuda_check(cudaGetLastError());
}

}  // namespace

/// No stimulus holds a node between these times.
bool CudaEngine::is_free(double begin, double end) const {
    return std::all_of(problem_.stimuli.begin(), problem_.stimuli.end(),
                       [&](const Stimulus& s) { return s.from > end || (s.every <= 0 && s.to <= begin); });
}

bool CudaEngine::is_tiled(double begin, double end) const {
    const Options& options = problem_.options;
    const bool one_model = options.model == Model::nagumo || options.model == Model::fitzhugh_nagumo;
    const bool is_plain = one_model && problem_.coefficients.recovery_diffusion <= 0 && problem_.current.empty() &&
                          problem_.noise <= 0 && *options.level > 0;
    const bool is_line = side_.domain.axes == 1 && (options.scheme == Scheme::euler || options.scheme == Scheme::heun);
    const bool is_grid = side_.domain.axes == 2 && options.scheme == Scheme::euler && problem_.recovers();
    return is_plain && size() < (Offset{1} << 30) && (is_line || is_grid) && is_free(begin, end);
}

Offset CudaEngine::advance_tiles(Offset first, Offset steps, double dt) {
    const bool is_line = side_.domain.axes == 1, is_heun = problem_.options.scheme == Scheme::heun;
    const Offset depth =
        !is_line ? grid_depth : std::min<Offset>(steps, is_heun ? line_depth<true> : line_depth<false>);
    if (depth > steps || depth < 2 || !is_tiled(time_of(dt, first), time_of(dt, first + depth))) return 0;
    if (is_line) {
        advance_line(first, depth, dt);
    } else {
        advance_grid(first, dt);
    }
    std::swap(now_, next_);
    evaluations_ += depth * (is_heun ? 2 : 1);
    return depth;
}

void CudaEngine::advance_line(Offset first, Offset steps, double dt) {
    const bool is_heun = problem_.options.scheme == Scheme::heun;
    const int count = static_cast<int>(steps);
    constexpr int least = written_nodes<false>(ShortLine<false>::nodes, ShortLine<false>::depth);
    static_assert(least <= written_nodes<true>(ShortLine<true>::nodes, ShortLine<true>::depth));
    cuda_.resize(flags_, static_cast<std::size_t>(size() / least + 1));
    const LineSteps line{.coefficients = side_.coefficients,
                         .dt = dt,
                         .v = now_.v.data(),
                         .w = now_.w.data(),
                         .v_out = next_.v.data(),
                         .w_out = next_.w.data(),
                         .n = static_cast<int>(size()),
                         .steps = count,
                         .periodic = side_.domain.periodic[0],
                         .activations = {*problem_.options.level, flags_.data(), activation_.data(), first}};
    const auto launch_shape = [&]<class Law, bool heun, class Shape>() {
        launch_line<Law, heun, Shape, Watch::flags>(line, cuda_);
        LineSteps recorded = line;
        recorded.flagged_nodes = written_nodes<heun>(Shape::nodes, count);
        launch_line<Law, heun, RecordedLine, Watch::records>(recorded, cuda_);
    };
    const auto launch = [&]<class Law, bool heun>() {
        line.n <= longest_short_line ? launch_shape.template operator()<Law, heun, ShortLine<heun>>()
                                     : launch_shape.template operator()<Law, heun, LongLine<heun>>();
    };
    if (problem_.recovers()) {
        is_heun ? launch.template operator()<FitzHughNagumo, true>()
                : launch.template operator()<FitzHughNagumo, false>();
    } else {
        is_heun ? launch.template operator()<Nagumo, true>() : launch.template operator()<Nagumo, false>();
    }
}

void CudaEngine::advance_grid(Offset first, double dt) {
    const Index width = side_.domain.nodes[0], height = side_.domain.nodes[1];
    constexpr int strip = strip_width(grid_columns, grid_depth);
    const int strips = (width + strip - 1) / strip;
    const int rows = balanced_rows(height, strips, grid_blocks * cuda_.multiprocessors(), grid_depth);
    const int tiles = (height + rows - 1) / rows;
    cuda_.resize(flags_, static_cast<std::size_t>(Offset{strips} * tiles * periods_of(rows, grid_depth)));
    const GridSteps grid{.coefficients = side_.coefficients,
                         .dt = dt,
                         .v = now_.v.data(),
                         .w = now_.w.data(),
                         .v_out = next_.v.data(),
                         .w_out = next_.w.data(),
                         .width = width,
                         .height = height,
                         .rows = rows,
                         .periodic_x = side_.domain.periodic[0],
                         .periodic_y = side_.domain.periodic[1],
                         .activations = {*problem_.options.level, flags_.data(), activation_.data(), first}};
    launch_grid<FitzHughNagumo>(grid, strips, tiles, cuda_);
}

}  // namespace dunlin::waves
