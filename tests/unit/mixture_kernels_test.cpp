// SPDX-License-Identifier: Apache-2.0
// The kernels of mixtures for GPUs, emulated on the CPU: an expectation step beside that of the CPU.
#include <dunlin/mixture.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "device/slice.hpp"
#include "math/rng.hpp"
#include "mixture/arrays.hpp"
#include "mixture/cuda/sizes.hpp"
#include "mixture/formulas.hpp"

#include "cases/emulated_gpu.hpp"

namespace dunlin::mixture {

using std::min;

inline void __syncthreads() { emulated::Block::running->wait_for_block(); }
inline int emulated_lane() { return static_cast<int>(emulated::Block::thread.x % 32); }
template <class T>
T exchanged(T value, int lane) {
    return static_cast<T>(emulated::Block::running->exchange(static_cast<double>(value), lane));
}
/// With one barrier: values of the call before are in the other half.
inline double __shfl_sync(unsigned, double value, int lane) {
    static double values[2][block_threads];
    static unsigned calls[block_threads];
    const unsigned me = emulated::Block::thread.x, half = calls[me]++ % 2;
    values[half][me] = value;
    emulated::Block::running->wait_for_warp();
    return values[half][me / 32 * 32 + static_cast<unsigned>(lane)];
}
inline double __shfl_xor_sync(unsigned, double value, int mask) { return exchanged(value, emulated_lane() ^ mask); }
inline int __shfl_up_sync(unsigned, int value, int lanes) { return exchanged(value, emulated_lane() - lanes); }

}  // namespace dunlin::mixture

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include "mixture/cuda/densities.cuh"
#include "mixture/cuda/moments.cuh"
#pragma GCC diagnostic pop

namespace dunlin::mixture {
namespace {

unsigned tiles_of(Index count, int side) { return static_cast<unsigned>((count + side - 1) / side); }

std::vector<double> normals(std::size_t count, std::uint64_t seed) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = math::random_normal(seed, i, 0);
    return values;
}

/// Components with covariances of full rank.
std::vector<Component> some_components(Index count, Index cols, Covariance covariance, double offset) {
    std::vector<Component> components;
    for (Index k = 0; k < count; ++k) {
        const auto seed = static_cast<std::uint64_t>(k);
        const std::vector<double> mean = normals(static_cast<std::size_t>(cols), 10 + seed),
                                  noise = normals(static_cast<std::size_t>(cols * cols), 1000 + seed);
        Component component{
            (k + 1.0) / (count * (count + 1) / 2.0), Eigen::Map<const Vector>(mean.data(), cols), {}, {}, 0};
        component.mean.array() += offset;
        const Eigen::Map<const Square> values(noise.data(), cols, cols);
        if (covariance == Covariance::full || (covariance == Covariance::tied && k == 0)) {
            component.covariance = Square::Identity(cols, cols) + values * values.transpose() / cols;
        } else if (covariance == Covariance::diagonal) {
            component.covariance = (values.col(0).array().square() + 0.5).matrix();
        } else if (covariance == Covariance::spherical) {
            component.covariance = Square::Constant(cols, 1, 0.5 + values(0, 0) * values(0, 0));
        }
        components.push_back(component);
    }
    for (Component& component : components) {
        if (component.covariance.size() > 0) {
            EXPECT_TRUE(factorize(component));
        } else {
            component.log_scale = log_scale_beside(components.front(), component.share);
        }
    }
    return components;
}

/// An expectation step by the kernels.
struct EmulatedStep {
    const std::vector<float>& rows;
    Index n, cols;
    const std::vector<Component>& components;
    Covariance covariance;
    bool descending;
    std::vector<double> densities, inverses, log_likelihoods;
    std::vector<Index> labels;
    MomentArrays moments;

    ComponentArrays arrays;

    EmulatedStep(const std::vector<float>& points, Index width, const std::vector<Component>& all, Covariance form,
                 bool from_last)
        : rows(points),
          n(static_cast<Index>(points.size()) / width),
          cols(width),
          components(all),
          covariance(form),
          descending(from_last),
          densities(static_cast<std::size_t>(stride()) * all.size(), std::nan("")),
          inverses(static_cast<std::size_t>(n), std::nan("")),
          log_likelihoods(inverses),
          labels(static_cast<std::size_t>(n), -1) {
        device::Cpu cpu(1);
        arrays = arrays_of(cpu, components, covariance);
        find_densities();
        normalize();
        const Index step = cols <= few_columns ? few_rows : window_rows;
        GpuPlan plan;
        plan.segments = 3;
        plan.segment_rows = static_cast<Index>(tiles_of((n + step - 1) / step, plan.segments)) * step;
        find_moments(plan, 1);
    }

    [[nodiscard]] Index count() const { return static_cast<Index>(components.size()); }
    [[nodiscard]] Offset stride() const { return n + 3; }
    void launch(unsigned blocks, const std::function<void()>& kernel, unsigned of_rows = 1) const {
        emulated::launch({blocks, of_rows, 1}, block_threads, 0, descending, kernel);
    }

    template <class Real, bool HasFactors, bool Shifts>
    void find_many_diagonal(const DensityTask<Real>& task) const {
        if (count() <= 64) {
            launch(tiles_of(n, 64) * tiles_of(count(), 64),
                   [&] { diagonal_kernel<Real, HasFactors, 4, 4, Shifts>(task); });
        } else {
            launch(tiles_of(n, 64) * tiles_of(count(), 112),
                   [&] { diagonal_kernel<Real, HasFactors, 4, 7, Shifts>(task); });
        }
    }
    /// About the mean of the first component where threads run from the last one on, else from each mean.
    template <class Real, bool HasFactors>
    void find_diagonal(const DensityTask<Real>& task) const {
        if (count() <= 16) {
            launch(tiles_of(n, 128) * tiles_of(count(), 16),
                   [&] { diagonal_kernel<Real, HasFactors, 8, 1, false>(task); });
        } else if (HasFactors && descending) {
            find_many_diagonal<Real, HasFactors, HasFactors>(task);
        } else {
            find_many_diagonal<Real, HasFactors, false>(task);
        }
    }
    void normalize() {
        const NormalizeTask task{densities.data(),       stride(),     n, count(), least_exponent, inverses.data(),
                                 log_likelihoods.data(), labels.data()};
        if (count() <= 16) {
            launch(tiles_of(n, block_threads), [&] { normalize_kernel<1>(task); });
        } else {
            launch(tiles_of(n, block_threads / 8), [&] { normalize_kernel<8>(task); });
        }
    }
    void find_densities() {
        const DensityTask<float> task{rows.data(),
                                      n,
                                      cols,
                                      count(),
                                      arrays.means.data(),
                                      arrays.factors.data(),
                                      arrays.log_scales.data(),
                                      densities.data(),
                                      stride()};
        if (covariance == Covariance::full && cols <= few_columns) {
            launch(tiles_of(n, block_threads) * tiles_of(count(), factors_at_once),
                   [&] { few_columns_full_kernel(task); });
        } else if (covariance == Covariance::full) {
            launch(tiles_of(n, tile_side) * static_cast<unsigned>(count()), [&] { full_kernel<false>(task); });
        } else if (covariance == Covariance::tied) {
            std::vector<double> white(rows.size(), std::nan(""));
            DensityTask<float> whitening = task;
            whitening.densities = white.data();
            launch(tiles_of(n, tile_side), [&] { full_kernel<true>(whitening); });
            find_diagonal<double, false>({white.data(), n, cols, count(), arrays.white_means.data(), nullptr,
                                          arrays.log_scales.data(), densities.data(), stride()});
        } else {
            find_diagonal<float, true>(task);
        }
    }
    [[nodiscard]] MomentTask task_of(const GpuPlan& plan, const GpuChunk& chunk, double* sums) const {
        const Offset width = cols;
        return {rows.data() + chunk.begin * width,
                chunk.rows,
                cols,
                count(),
                arrays.means.data(),
                densities.data() + chunk.begin,
                stride(),
                inverses.data() + chunk.begin,
                plan.segments * chunk.blocks,
                plan.segment_rows,
                sums,
                covariance == Covariance::full   ? width * width
                : covariance == Covariance::tied ? 0
                                                 : width,
                !chunk.begins};
    }
    /// All sums, of which each rank computes those of its blocks.
    std::vector<double> sum_blocks(const GpuPlan& plan, int ranks) const {
        const Offset size = task_of(plan, {}, nullptr).size();
        std::vector<double> sums(static_cast<std::size_t>(plan.segments * plan.blocks_of_chunk * size)),
            of_blocks(static_cast<std::size_t>(plan.blocks * size), std::nan("")),
            total(static_cast<std::size_t>(size), std::nan(""));
        for (int r = 0; r < ranks; ++r) {
            const device::Slice slice = device::slice_of(r, ranks, plan.blocks);
            for (const GpuChunk& chunk :
                 chunks_of(plan, n, static_cast<Index>(slice.begin), static_cast<Index>(slice.end))) {
                const MomentTask task = task_of(plan, chunk, sums.data());
                if (cols <= few_columns) {
                    sum_products(task);
                } else {
                    sum_lists(task);
                }
                launch(static_cast<unsigned>(task.segments),
                       [&] { likelihood_kernel(task, log_likelihoods.data() + chunk.begin); });
                if (!chunk.ends) continue;
                const BlockTask adding{
                    sums.data(),  size,           size,
                    chunk.blocks, plan.segments,  plan.keeps_blocks ? of_blocks.data() + chunk.block * size : nullptr,
                    total.data(), chunk.block > 0};
                const auto width = static_cast<Index>(size);
                const unsigned blocks = plan.keeps_blocks ? static_cast<unsigned>(chunk.blocks) : 1;
                if (plan.segments <= few_segments) {
                    launch(tiles_of(width, block_threads), [&] { add_blocks_kernel<1>(adding); }, blocks);
                } else {
                    launch(
                        tiles_of(width, block_threads / groups_of_segments),
                        [&] { add_blocks_kernel<groups_of_segments>(adding); }, blocks);
                }
            }
        }
        const AddBlocks add{of_blocks.data(), size, plan.blocks, total.data()};
        for (Offset at = 0; plan.keeps_blocks && at < size; ++at) add(at);
        return total;
    }
    void find_moments(const GpuPlan& plan, int ranks) {
        std::vector<double> total = sum_blocks(plan, ranks);
        const MomentTask task = task_of(plan, {}, total.data());
        double *const first = task.first(0, 0), *const second = task.second(0, 0);
        moments.weights.assign(task.weight(0, 0), first);
        moments.first.assign(first, second);
        moments.second.assign(second, task.log_likelihood(0));
        moments.log_likelihood = *task.log_likelihood(0);
    }
    void sum_products(const MomentTask& task) const {
        const bool full = covariance == Covariance::full;
        const unsigned tiles = tiles_of(count(), components_of_block(count(), products_of(cols, full)));
        launch(static_cast<unsigned>(task.segments) * tiles, [&] {
            if (full) {
                few_columns_kernel<true>(task);
            } else {
                few_columns_kernel<false>(task);
            }
        });
    }
    void sum_lists(const MomentTask& task) const {
        int lanes = 1;
        while (lanes < most_lanes && lanes < cols) lanes *= 2;
        const unsigned slots = static_cast<unsigned>(task.segments * count());
        const bool simple = covariance == Covariance::diagonal || covariance == Covariance::spherical;
        launch(slots * tiles_of(cols, lanes), [&] {
            if (simple) {
                moment_kernel<true>(task, lanes);
            } else {
                moment_kernel<false>(task, lanes);
            }
        });
        if (covariance != Covariance::full) return;
        launch(slots * static_cast<unsigned>(tile_pairs(cols)), [&] { outer_kernel(task); });
    }
};

/// Largest difference, relative to the largest value.
double difference(const Square& found, const Square& expected) {
    if (found.size() == 0) return 0;
    return (found - expected).cwiseAbs().maxCoeff() / std::max(1e-300, expected.cwiseAbs().maxCoeff());
}

void expect_step(Index n, Index cols, Index count, Covariance covariance, bool descending, float offset = 0) {
    std::vector<float> rows;
    for (const double value : normals(static_cast<std::size_t>(n * cols), 7))
        rows.push_back(2 * static_cast<float>(value) + offset);
    const std::vector<Component> components = some_components(count, cols, covariance, static_cast<double>(offset));
    EmulatedStep gpu(rows, cols, components, covariance, descending);
    const Expectation found = expectation_of(gpu.moments, count, cols, covariance);

    device::Cpu cpu(1);
    std::vector<Index> labels(static_cast<std::size_t>(n));
    const Expectation expected =
        std::move(mixture::expect(cpu, {rows.data(), n, cols}, components, {covariance, true, labels.data()},
                                  std::numeric_limits<Offset>::max())
                      .front());
    SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(cols) + ", " + std::to_string(count) + " " +
                 std::string(name_of(covariance)));
    constexpr double rounding = 1e-12;  // of sums of a few thousand doubles
    EXPECT_NEAR(found.log_likelihood, expected.log_likelihood, rounding * std::abs(expected.log_likelihood));
    EXPECT_EQ(gpu.labels, labels);
    for (std::size_t k = 0; k < components.size(); ++k) {
        const ComponentMoments &a = found.moments[k], &b = expected.moments[k];
        EXPECT_NEAR(a.weight, b.weight, rounding * std::max(1.0, b.weight)) << k;
        const double scale = std::max(1.0, b.weight);
        EXPECT_LT((a.first - b.first).cwiseAbs().maxCoeff(), 10 * rounding * scale) << k;
        if (covariance == Covariance::full && cols > 1) {
            const Square lower = b.second.triangularView<Eigen::Lower>();
            EXPECT_LT(difference(a.second, lower), rounding) << k;
        } else {
            EXPECT_LT(difference(a.second, b.second), rounding) << k;
        }
    }
}

TEST(MixtureKernels, AStepIsThatOfTheCpu) {
    for (const Covariance covariance :
         {Covariance::diagonal, Covariance::full, Covariance::spherical, Covariance::tied}) {
        expect_step(1, 1, 1, covariance, false);
        expect_step(33, 2, 2, covariance, true);
        expect_step(70, 17, 3, covariance, false);
    }
    expect_step(40, 5, 18, Covariance::diagonal, true);
    expect_step(40, 5, 18, Covariance::tied, true);
    expect_step(40, 20, 18, Covariance::spherical, false);
    for (const bool descending : {false, true}) expect_step(40, 5, 19, Covariance::diagonal, descending);
    expect_step(70, 3, 115, Covariance::diagonal, true);  // in tiles of 112
    expect_step(33, 4, 113, Covariance::tied, false);
}

/// The most columns of which all products are summed in whole tiles; several tiles of components.
TEST(MixtureKernels, FewColumns) {
    for (const Covariance covariance :
         {Covariance::diagonal, Covariance::full, Covariance::spherical, Covariance::tied}) {
        expect_step(300, few_columns, 9, covariance, true);
        expect_step(2 * few_rows, 1, 40, covariance, false);
        expect_step(few_rows + 1, 10, 33, covariance, true);
    }
    expect_step(4 * few_rows + 7, 2, 66, Covariance::full, false);
    expect_step(20 * few_rows + 1, 2, 2, Covariance::diagonal, true);
}

TEST(MixtureKernels, FarFromZero) {
    for (const Covariance covariance :
         {Covariance::diagonal, Covariance::full, Covariance::spherical, Covariance::tied}) {
        expect_step(70, 5, 4, covariance, false, 3e4F);
        expect_step(70, 17, 4, covariance, true, 3e4F);
    }
    for (const bool descending : {false, true}) expect_step(70, 5, 20, Covariance::diagonal, descending, 3e4F);
}

/// Several tiles of columns, several windows of rows.
TEST(MixtureKernels, WideAndLong) {
    expect_step(65, 70, 2, Covariance::full, true);
    expect_step(130, 33, 3, Covariance::tied, false);
    expect_step(40, most_lanes + 3, 2, Covariance::diagonal, true);
    expect_step(2 * window_rows + 5, 18, 2, Covariance::diagonal, true);
    expect_step(window_rows + 20, 17, 1, Covariance::full, false);
}

/// Whole blocks of one rank, or of several: the same bytes. Chunks of several blocks, and blocks of several chunks;
/// blocks of few segments and of many.
TEST(MixtureKernels, RanksHaveTheBytesOfOne) {
    struct Case {
        Index n, cols;
        Covariance covariance;
    };
    for (const auto& [n, cols, covariance] :
         {Case{1, 2, Covariance::diagonal}, {130, 17, Covariance::diagonal}, {200, 2, Covariance::full}}) {
        std::vector<float> rows;
        for (const double value : normals(static_cast<std::size_t>(n * cols), 7))
            rows.push_back(static_cast<float>(value));
        const std::vector<Component> components = some_components(2, cols, covariance, 0);
        const EmulatedStep step(rows, cols, components, covariance, n == 200);
        GpuPlan apart, in_parts, of_many;
        apart.segments = 3, apart.segment_rows = 20;
        apart.blocks = static_cast<Index>(tiles_of(n, 60)), apart.blocks_of_chunk = std::min(2, apart.blocks);
        in_parts.segments = 2, in_parts.parts = 2, in_parts.segment_rows = 20;
        in_parts.blocks = static_cast<Index>(tiles_of(n, 80));
        of_many.segments = few_segments + 1, of_many.segment_rows = 10;
        of_many.blocks = static_cast<Index>(tiles_of(n, 10 * of_many.segments));
        for (GpuPlan plan : {gpu_plan(covariance, 2, n, cols), apart, in_parts, of_many}) {
            plan.keeps_blocks = false;
            const std::vector<double> expected = step.sum_blocks(plan, 1);
            EXPECT_NEAR(expected.back(), step.moments.log_likelihood, 1e-12 * std::abs(expected.back()));
            EXPECT_NEAR(expected.front(), step.moments.weights.front(), 1e-12 * n);
            plan.keeps_blocks = true;
            for (const int ranks : {1, 3}) EXPECT_EQ(step.sum_blocks(plan, ranks), expected) << n << ", " << ranks;
        }
    }
}

/// Chunks have all rows, once and in order, and fit into the room that is planned for them; so do those of ranks.
TEST(MixtureKernels, PlansCoverRows) {
    for (const Covariance covariance : {Covariance::diagonal, Covariance::full, Covariance::tied}) {
        for (const Index rows : {1, 64, 65, 1000, 1'000'000, 2'000'000'000}) {
            for (const Index cols : {0, 1, 2, 16, 17, 200}) {
                for (const Index components : {1, 10, 1000}) {
                    const GpuPlan plan = gpu_plan(covariance, components, rows, cols);
                    EXPECT_GT(plan.segment_rows, 0);
                    EXPECT_GE(plan.blocks * plan.block_rows(), rows);
                    EXPECT_LT((plan.blocks - 1) * plan.block_rows(), rows);
                    EXPECT_TRUE(plan.parts == 1 || plan.blocks_of_chunk == 1);
                    EXPECT_LE(gpu_plan(covariance, components, rows, cols, 2).point_bytes, plan.point_bytes);
                    for (const int ranks : {1, 3}) {
                        const GpuPlan of_ranks = gpu_plan(covariance, components, rows, cols, ranks);
                        EXPECT_EQ(of_ranks.block_rows(), plan.block_rows());
                        EXPECT_EQ(of_ranks.segment_rows, plan.segment_rows);
                        EXPECT_LE(of_ranks.chunk_rows, plan.chunk_rows);
                        Offset next = 0;
                        for (int r = 0; r < ranks; ++r) {
                            const device::Slice own = device::slice_of(r, ranks, plan.blocks);
                            for (const GpuChunk& chunk : chunks_of(of_ranks, rows, static_cast<Index>(own.begin),
                                                                   static_cast<Index>(own.end))) {
                                EXPECT_EQ(chunk.begin, next);
                                EXPECT_GT(chunk.rows, 0);
                                EXPECT_LE(chunk.rows, of_ranks.chunk_rows);
                                EXPECT_LE(chunk.blocks, of_ranks.blocks_of_chunk);
                                EXPECT_LE(chunk.rows, chunk.blocks * of_ranks.part_rows());
                                next += chunk.rows;
                            }
                        }
                        EXPECT_EQ(next, rows);
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace dunlin::mixture
