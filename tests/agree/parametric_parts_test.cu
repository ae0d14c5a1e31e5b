// SPDX-License-Identifier: Apache-2.0
// Parts of parametric maps on a GPU compared with a CPU: products, gradients of both losses, a step of contrastive
// divergence.
#include "parametric/batch_loss.cuh"
#include "parametric/layers.cuh"
#include "parametric/whole_loss.cuh"

#include <tuple>
#include <utility>

#include "agree/agree.hpp"
#include "cases/cases.hpp"
#include "parametric/conjugate_gradients.hpp"
#include "parametric/network.hpp"
#include "parametric/rbm.hpp"
#include "tsne/law.hpp"

namespace dunlin::parametric {
namespace {

using device::Cpu, device::Cuda, numerics::DenseProduct, numerics::Factor;

std::vector<float> normals(Offset count, std::uint64_t seed, double deviation = 1) {
    std::vector<float> values(at(count));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(deviation * math::random_normal(seed, i));
    return values;
}

struct Shape {
    Index rows, cols, inner;
};

Factor factor_of(const float* values, Index rows, Index cols, bool transposed) {
    return {values, transposed ? rows : cols, transposed};
}

double value_at(const std::vector<float>& values, const Factor& factor, Index row, Index col) {
    return static_cast<double>(values[static_cast<std::size_t>(factor.from(row, col) - factor.values)]);
}

void expect_product(Cuda& cuda, const Shape& shape, bool a_transposed, bool b_transposed) {
    const auto a = normals(Offset{shape.rows} * shape.inner, 1), b = normals(Offset{shape.inner} * shape.cols, 2);
    const auto before = normals(Offset{shape.rows} * shape.cols, 3);
    device::CudaBuffer<float> on_a, on_b, c;
    cuda.upload(on_a, a);
    cuda.upload(on_b, b);
    cuda.upload(c, before);
    DenseProduct job;
    job.rows = shape.rows, job.cols = shape.cols, job.inner = shape.inner;
    job.a = factor_of(on_a.data(), shape.rows, shape.inner, a_transposed);
    job.b = factor_of(on_b.data(), shape.inner, shape.cols, b_transposed);
    job.c = c.data(), job.scale = 0.5F, job.keep = 2;
    multiply(cuda, job);
    const std::vector<float> found = cuda.host(c);
    const Factor of_a = factor_of(a.data(), shape.rows, shape.inner, a_transposed);
    const Factor of_b = factor_of(b.data(), shape.inner, shape.cols, b_transposed);
    for (Index i = 0; i < shape.rows; ++i) {
        for (Index j = 0; j < shape.cols; ++j) {
            double sum = 0, most = 0;
            for (Index k = 0; k < shape.inner; ++k) {
                const double term = value_at(a, of_a, i, k) * value_at(b, of_b, k, j);
                sum += term, most += std::abs(term);
            }
            const std::size_t entry = at(Offset{i} * shape.cols + j);
            const double expected = 0.5 * sum + 2 * static_cast<double>(before[entry]);
            ASSERT_NEAR(found[entry], expected, cases::split_product * (most + std::abs(expected)))
                << i << ", " << j << " of " << shape.rows << " x " << shape.cols << " x " << shape.inner << ", "
                << a_transposed << b_transposed;
        }
    }
    cuda.upload(c, before);
    multiply(cuda, job);
    EXPECT_EQ(cuda.host(c), found);
}

/// The last two have too many tiles for the tilings before them, on a GPU of 132 multiprocessors.
TEST(ParametricPartsOnGpu, ProductsAreThoseInDouble) {
    DUNLIN_NEEDS_GPU();
    Cuda cuda{dunlin::Run{}};
    for (const Shape& shape :
         {Shape{1, 1, 1}, Shape{3, 2, 5}, Shape{31, 33, 32}, Shape{64, 64, 64}, Shape{65, 129, 40}, Shape{100, 7, 0},
          Shape{130, 52, 100}, Shape{8, 200, 333}, Shape{600, 590, 37}, Shape{770, 750, 40}}) {
        for (const bool a : {false, true}) {
            for (const bool b : {false, true}) expect_product(cuda, shape, a, b);
        }
    }
}

/// Also where other rows beside them call for another tiling: these have 8, 128 and 192 or more tiles of 64 x 64.
TEST(ParametricPartsOnGpu, EntriesOfAProductDoNotDependOnTheirPlace) {
    DUNLIN_NEEDS_GPU();
    Cuda cuda{dunlin::Run{}};
    const Index rows = agree::size(10000);
    constexpr Index cols = 500, inner = 784, first = 399;
    device::CudaBuffer<float> a, b, c, part;
    cuda.upload(a, normals(Offset{rows} * inner, 1));
    cuda.upload(b, normals(Offset{inner} * cols, 2));
    cuda.resize(c, at(Offset{rows} * cols));
    multiply(cuda, DenseProduct{rows, cols, inner, {a.data(), inner}, {b.data(), cols}, c.data()});
    const std::vector<float> all = cuda.host(c);
    for (const Index count : {5, 1000}) {
        cuda.resize(part, at(Offset{count} * cols));
        multiply(cuda,
                 DenseProduct{count, cols, inner, {a.data() + first * inner, inner}, {b.data(), cols}, part.data()});
        const std::vector<float> some = cuda.host(part);
        for (std::size_t i = 0; i < some.size(); ++i) ASSERT_EQ(some[i], all[first * cols + i]) << count;
    }
}

/// Gradient of a loss by the parameters of a network with random weights and biases.
template <class Exec, class SetLoss>
std::vector<float> gradient_of(Exec& exec, const NetworkShape& shape, const std::vector<float>& rows, Index count,
                               const SetLoss& set_loss, double& cost) {
    Network<Exec> network(exec, shape);
    network.draw(exec, 5);
    typename Exec::template Buffer<float> inputs, noise;
    exec.upload(inputs, std::span<const float>(rows));
    exec.upload(noise, std::span<const float>(normals(shape.parameters, 6, 0.1)));
    exec.each(shape.parameters, Blend{1, 1, noise.data(), network.parameters().data()});
    typename Exec::template Cell<double> part;
    network.forward(exec, inputs.data(), count);
    set_loss(network, part);
    network.backward(exec, inputs.data(), count);
    cost = exec.read(part);
    const auto& gradient = exec.host(network.gradient());
    return {gradient.begin(), gradient.end()};
}

TEST(ParametricPartsOnGpu, NoiseIsThatOfTheCpu) {
    DUNLIN_NEEDS_GPU();
    Cuda cuda{dunlin::Run{}};
    Cpu cpu(2);
    constexpr Index points = 300, candidates = 15;
    std::vector<float> deviations(points);
    std::vector<Index> neighbors(at(points) * candidates), order;
    for (std::size_t i = 0; i < points; ++i) deviations[i] = 0.01F * static_cast<float>(i);
    for (std::size_t e = 0; e < neighbors.size(); ++e) neighbors[e] = static_cast<Index>(7 * e % points);
    for (Index i = 0; i < 77; ++i) order.push_back(3 * i % points);
    device::CudaBuffer<float> on_values, on_shift, on_deviations, out;
    device::CudaBuffer<Index> on_neighbors, on_order;
    for (const Index cols : {1, 31, 784}) {
        SCOPED_TRACE(cols);
        const std::vector<float> values = normals(Offset{points} * cols, 1), shift = normals(cols, 2);
        std::vector<float> expected(order.size() * at(cols), 1);
        const auto count = static_cast<Index>(order.size());
        add_noise(cpu, {{values.data(), points, cols}, shift.data(), 2},
                  {deviations.data(), neighbors.data(), candidates, 1.5F, 9}, order.data(), count, 4, expected.data());
        cuda.upload(on_values, values);
        cuda.upload(on_shift, shift);
        cuda.upload(on_deviations, deviations);
        cuda.upload(on_neighbors, neighbors);
        cuda.upload(on_order, order);
        cuda.upload(out, std::vector<float>(expected.size(), 1));
        add_noise(cuda, {{on_values.data(), points, cols}, on_shift.data(), 2},
                  {on_deviations.data(), on_neighbors.data(), candidates, 1.5F, 9}, on_order.data(), count, 4,
                  out.data());
        const std::vector<float> found = cuda.host(out);
        for (std::size_t e = 0; e < found.size(); ++e) ASSERT_NEAR(found[e], expected[e], 1e-5) << e;
    }
}

TEST(ParametricPartsOnGpu, PrototypesAreThoseOfTheCpu) {
    DUNLIN_NEEDS_GPU();
    Cuda cuda{dunlin::Run{}};
    Cpu cpu(2);
    for (const auto& [rows, count, dim] : {std::tuple{1, 2, 1}, {7, 31, 2}, {130, 256, 2}, {33, 1000, 3}}) {
        SCOPED_TRACE(count);
        const std::vector<float> where = normals(Offset{count} * dim, 1), wanted = normals(Offset{rows} * dim, 2),
                                 values = normals(Offset{rows} * count, 3, 4), slope = normals(Offset{rows} * dim, 4);
        std::vector<float> places(wanted.size()), delta(values.size()), matched(values.size());
        std::vector<double> costs(at(rows));
        const PrototypeShares shares{{where.data(), count, dim}, 2};
        place_by_prototypes(cpu, shares.prototypes, values.data(), rows, places.data());
        descend_to_values(cpu, shares.prototypes, values.data(), places.data(), slope.data(), rows, delta.data());
        match_shares(cpu, shares, wanted.data(), values.data(), rows, matched.data(), costs.data());

        device::CudaBuffer<float> on_where, on_wanted, on_values, on_slope, on_places, on_delta;
        device::CudaBuffer<double> on_costs;
        cuda.upload(on_where, where);
        cuda.upload(on_wanted, wanted);
        cuda.upload(on_values, values);
        cuda.upload(on_slope, slope);
        cuda.resize(on_places, places.size());
        cuda.resize(on_delta, delta.size());
        cuda.resize(on_costs, costs.size());
        const MatrixView<const float> there{on_where.data(), count, dim};
        const auto expect_near = [](const auto& found, const auto& expected) {
            for (std::size_t i = 0; i < expected.size(); ++i)
                ASSERT_NEAR(found[i], expected[i], 1e-5 * (1 + std::abs(static_cast<double>(expected[i])))) << i;
        };
        place_by_prototypes(cuda, there, on_values.data(), rows, on_places.data());
        expect_near(cuda.host(on_places), places);
        descend_to_values(cuda, there, on_values.data(), on_places.data(), on_slope.data(), rows, on_delta.data());
        expect_near(cuda.host(on_delta), delta);
        match_shares(cuda, {there, 2}, on_wanted.data(), on_values.data(), rows, on_delta.data(), on_costs.data());
        expect_near(cuda.host(on_delta), matched);
        expect_near(cuda.host(on_costs), costs);
    }
}

void expect_batch_gradient(Index count, int dim, Activation activation, float freedom) {
    SCOPED_TRACE(testing::Message() << count << " rows, " << dim << " axes, freedom " << freedom);
    Cpu cpu(2);
    Cuda cuda{dunlin::Run{}};
    const NetworkShape shape({9, 40, 21, dim}, activation);
    const std::vector<float> rows = normals(Offset{count} * 9, 7);
    const Graph p = agree::some_graph(count, 8);
    const auto on_gpu = graph::upload(cuda, p);
    double expected_cost = 0, found_cost = 0;
    tsne::with_law(freedom, [&](const auto& law) {
        const auto expected = gradient_of(
            cpu, shape, rows, count,
            [&](Network<Cpu>& network, auto& part) {
                batch_kl(cpu, law, p, {network.outputs(), count, dim},
                         {network.output_gradient(cpu, count), count, dim}, part);
            },
            expected_cost);
        const auto on_cuda = [&](Network<Cuda>& network, auto& part) {
            batch_kl(cuda, law, on_gpu, {network.outputs(), count, dim},
                     {network.output_gradient(cuda, count), count, dim}, part);
        };
        const auto found = gradient_of(cuda, shape, rows, count, on_cuda, found_cost);
        EXPECT_LT(agree::relative_error(found, expected), cases::gradient_rounding);
        EXPECT_NEAR(found_cost, expected_cost, 1e-5 * (1 + std::abs(expected_cost)));
        EXPECT_EQ(gradient_of(cuda, shape, rows, count, on_cuda, found_cost), found);
    });
}

TEST(ParametricPartsOnGpu, BatchLossHasTheGradientOfTheCpu) {
    DUNLIN_NEEDS_GPU();
    for (const Activation activation : {Activation::logistic, Activation::relu}) {
        for (const int dim : {1, 2, 3, 9}) expect_batch_gradient(300, dim, activation, 1);
    }
    for (const Index count : {4, 31, 32, 33}) expect_batch_gradient(count, 2, Activation::logistic, 0.5F);
}

void expect_whole_gradient(Index n, int dim, float freedom, double tolerance) {
    SCOPED_TRACE(testing::Message() << n << " points, " << dim << " axes, freedom " << freedom);
    Cpu cpu(2);
    Cuda cuda{dunlin::Run{}};
    const Graph p = agree::some_graph(n, 8);
    const auto on_gpu = graph::upload(cuda, p);
    const std::vector<float> map = normals(Offset{n} * dim, 8, 2), moved = normals(Offset{n} * dim, 9, 2.1);
    std::vector<Index> rows;
    for (Index i = 0; i < n; i += 3) rows.push_back(n - 1 - i);
    const auto count = static_cast<Index>(rows.size());
    constexpr float scale = 1.5F;
    tsne::with_law(freedom, [&]<class Law>(const Law& law) {
        WholeLoss<Cpu, Law> expected_loss(cpu, p, dim, law, scale);
        WholeLoss<Cuda, Law> loss(cuda, on_gpu, dim, law, scale);
        expected_loss.refresh(cpu, map);
        device::CudaBuffer<float> start, outputs, gradient;
        cuda.upload(start, map);
        loss.refresh(cuda, std::move(start));
        cuda.upload(outputs, moved);
        cuda.resize(gradient, at(Offset{count} * dim));
        device::CudaBuffer<Index> of;
        cuda.upload(of, rows);
        std::vector<float> expected(at(Offset{count} * dim));
        for (int pass = 0; pass < 2; ++pass) {  // the second sees the places of the first
            device::Cell<double> expected_part;
            device::CudaCell<double> part;
            expected_loss.gradient(cpu, rows.data(), count, moved.data(), expected.data(), expected_part);
            loss.gradient(cuda, of.data(), count, outputs.data(), gradient.data(), part);
            EXPECT_LT(agree::relative_error(cuda.host(gradient), expected), tolerance);
            EXPECT_NEAR(cuda.read(part), expected_part.value, 1e-5 * std::abs(expected_part.value));
            EXPECT_NEAR(loss.kl(cuda.read(part)), expected_loss.kl(expected_part.value), 1e-3);
            expected_loss.place(cpu, rows.data(), count, moved.data());
            loss.place(cuda, of.data(), count, outputs.data());
        }
    });
}

TEST(ParametricPartsOnGpu, WholeLossHasTheGradientOfTheCpu) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {1, 2, 3}) {
        expect_whole_gradient(200, dim, 1, cases::gradient_rounding);
        expect_whole_gradient(33, dim, 0.5F, cases::gradient_rounding);
    }
    // By the grids of both devices, whose nodes differ
    expect_whole_gradient(1400, 2, 1, cases::gradient_by_grids);
    expect_whole_gradient(1400, 3, 1, cases::gradient_by_grids);
}

template <class Exec>
std::vector<float> divergence(Exec& exec, Index visible, Index hidden, Unit unit, const std::vector<float>& rows,
                              const RbmRule& rule) {
    const auto count = static_cast<Index>(std::ssize(rows) / visible);
    Rbm<Exec> rbm(exec, visible, hidden, unit, Unit::logistic, 3);
    typename Exec::template Buffer<float> batch;
    exec.upload(batch, std::span<const float>(rows));
    for (int step = 0; step < 2; ++step)
        rbm.contrast(exec, batch.data(), count, rule, static_cast<std::uint64_t>(step));
    rbm.ascend_gradient(exec, rule, 0);
    std::vector<float> all;
    for (const auto* each :
         {&rbm.weight_gradient(), &rbm.visible_gradient(), &rbm.hidden_gradient(), &std::as_const(rbm.weights)}) {
        const auto& values = exec.host(*each);
        all.insert(all.end(), values.begin(), values.end());
    }
    return all;
}

TEST(ParametricPartsOnGpu, ContrastiveDivergenceIsThatOfTheCpu) {
    DUNLIN_NEEDS_GPU();
    Cpu cpu(2);
    Cuda cuda{dunlin::Run{}};
    for (const auto& [visible, hidden, count] : {Shape{5, 4, 3}, Shape{33, 31, 20}, Shape{70, 65, 64}}) {
        for (const Unit unit : {Unit::logistic, Unit::linear}) {
            std::vector<float> rows = normals(Offset{count} * visible, 4);
            if (unit == Unit::logistic) {
                for (float& value : rows) value = value > 0 ? 1.0F : 0.0F;
            }
            for (const bool persistent : {false, true}) {
                SCOPED_TRACE(testing::Message() << visible << " x " << hidden << ", " << persistent);
                const RbmRule rule{.steps = 2, .persistent = persistent, .draws_visible = persistent};
                const auto expected = divergence(cpu, visible, hidden, unit, rows, rule);
                const auto found = divergence(cuda, visible, hidden, unit, rows, rule);
                EXPECT_LT(agree::relative_error(found, expected), cases::gradient_rounding);
                EXPECT_EQ(divergence(cuda, visible, hidden, unit, rows, rule), found);
            }
        }
    }
}

TEST(ParametricPartsOnGpu, ConjugateGradientsSolveAQuadraticProblem) {
    DUNLIN_NEEDS_GPU();
    Cuda cuda{dunlin::Run{}};
    constexpr Offset size = 1000;
    device::CudaBuffer<float> x, goal, gradient;
    cuda.fill(x, size, 2.0F);
    cuda.upload(goal, normals(size, 1));
    cuda.resize(gradient, size);
    ConjugateGradients<Cuda> minimizer(cuda, size);
    const double cost = minimizer.minimize(cuda, x, gradient, 3, [&] {
        cuda.each(size, ScaledDifference{1, x.data(), goal.data(), gradient.data()});
        return sum_of(cuda, size, SquaredDifference{x.data(), goal.data()}) / 2;
    });
    EXPECT_LT(cost, 1e-6 * size);
}

}  // namespace
}  // namespace dunlin::parametric
