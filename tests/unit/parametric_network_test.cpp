// SPDX-License-Identifier: Apache-2.0
#include "parametric/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "forces/law.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"
#include "parametric/batch_loss.hpp"
#include "parametric/conjugate_gradients.hpp"
#include "parametric/optimize.hpp"
#include "parametric/training_parts.hpp"
#include "parametric/whole_loss.hpp"
#include "tsne/law.hpp"

namespace dunlin::parametric {
namespace {

std::vector<float> normals(Offset count, std::uint64_t seed, double deviation = 1) {
    std::vector<float> values(at(count));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(deviation * math::random_normal(seed, i));
    return values;
}

/// A ring of neighbors with uneven symmetric affinities of sum 1.
Graph ring(Index n) {
    Graph graph;
    double sum = 0;
    const auto raw = [&](Index i, Index j) { return 1.0 + (i * j) % 5; };
    for (Index i = 0; i < n; ++i) sum += raw(i, (i + 1) % n) + raw(i, (i + n - 1) % n);
    for (Index i = 0; i < n; ++i) {
        for (const Index j : {(i + 1) % n, (i + n - 1) % n}) {
            graph.targets.push_back(j);
            graph.weights.push_back(static_cast<float>(raw(i, j) / sum));
        }
        graph.offsets.push_back(std::ssize(graph.targets));
    }
    return graph;
}

/// KL of places in double, by its definition.
double kl_of(const std::vector<double>& y, int dim, const Graph& p, double freedom) {
    const Index n = p.size();
    const auto kernel = [&](Index i, Index j) {
        double r2 = 0;
        for (int d = 0; d < dim; ++d) r2 += std::pow(y[at(i * dim + d)] - y[at(j * dim + d)], 2);
        return std::pow(1 + r2 / freedom, -freedom);
    };
    double z = 0, sum = 0;
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) z += i == j ? 0 : kernel(i, j);
    }
    for (Index i = 0; i < n; ++i) {
        for (Offset e = p.offsets[at(i)]; e < p.offsets[at(i + 1)]; ++e) {
            const auto weight = static_cast<double>(p.weights[at(e)]);
            sum += weight * std::log(weight / (kernel(i, p.targets[at(e)]) / z));
        }
    }
    return sum;
}

/// The outputs of a network in double.
std::vector<double> forward_in_double(const NetworkShape& shape, const std::vector<double>& parameters,
                                      std::vector<double> values, Index rows) {
    for (const LayerShape& layer : shape.layers) {
        std::vector<double> next(at(rows) * at(layer.outputs));
        for (Index r = 0; r < rows; ++r) {
            for (Index o = 0; o < layer.outputs; ++o) {
                double x = parameters[at(layer.biases + o)];
                for (Index i = 0; i < layer.inputs; ++i) {
                    x += values[at(r * layer.inputs + i)] *
                         parameters[at(layer.weights + Offset{i} * layer.outputs + o)];
                }
                if (layer.unit == Unit::logistic) x = 1 / (1 + std::exp(-x));
                if (layer.unit == Unit::relu) x = std::max(0.0, x);
                next[at(r * layer.outputs + o)] = x;
            }
        }
        values = std::move(next);
    }
    return values;
}

/// Places of rows in double, given the values of the prototypes.
std::vector<double> places_in_double(const std::vector<double>& values, const std::vector<float>& prototypes,
                                     Index count, int dim) {
    std::vector<double> places;
    for (std::size_t first = 0; first < values.size(); first += at(count)) {
        double sum = 0;
        std::vector<double> place(at(dim));
        for (std::size_t k = 0; k < at(count); ++k) {
            const double weight = std::exp(values[first + k]);
            sum += weight;
            for (std::size_t d = 0; d < at(dim); ++d)
                place[d] += weight * static_cast<double>(prototypes[k * at(dim) + d]);
        }
        for (const double coordinate : place) places.push_back(coordinate / sum);
    }
    return places;
}

/// The gradient of the KL divergence through the network, against differences in double. prototypes: 0, or their
/// number.
void expect_gradient(Activation activation, int dim, float freedom, Index prototypes = 0) {
    device::Cpu cpu(2);
    constexpr Index rows = 24, cols = 3;
    Network<device::Cpu> network(cpu, NetworkShape({cols, 7, 5, prototypes > 0 ? prototypes : dim}, activation));
    network.draw(cpu, 5);
    const std::vector<float> where = normals(Offset{prototypes} * dim, 9);
    if (prototypes > 0) network.place_by(cpu, where);
    const NetworkShape& shape = network.shape();
    // Biases other than 0, and outputs that are not all close
    const std::vector<float> noise = normals(shape.parameters, 6, 0.3);
    for (std::size_t i = 0; i < noise.size(); ++i) network.parameters()[i] += noise[i];
    const std::vector<float> inputs = normals(rows * cols, 7);
    const Graph p = ring(rows);

    network.forward(cpu, inputs.data(), rows);
    device::Cell<double> cost;
    tsne::with_law(freedom, [&](const auto& law) {
        batch_kl(cpu, law, p, {network.outputs(), rows, dim}, {network.output_gradient(cpu, rows), rows, dim}, cost);
    });
    network.backward(cpu, inputs.data(), rows);

    std::vector<double> parameters(network.parameters().begin(), network.parameters().end());
    const std::vector<double> values(inputs.begin(), inputs.end());
    const auto cost_in_double = [&] {
        std::vector<double> outputs = forward_in_double(shape, parameters, values, rows);
        if (prototypes > 0) outputs = places_in_double(outputs, where, prototypes, dim);
        return kl_of(outputs, dim, p, static_cast<double>(freedom));
    };
    EXPECT_NEAR(cost.value, cost_in_double(), 1e-5);
    double error = 0, length = 0;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        constexpr double step = 1e-6;
        const double here = parameters[i];
        parameters[i] = here + step;
        const double up = cost_in_double();
        parameters[i] = here - step;
        const double slope = (up - cost_in_double()) / (2 * step);
        parameters[i] = here;
        error += std::pow(static_cast<double>(network.gradient()[i]) - slope, 2);
        length += slope * slope;
    }
    EXPECT_GT(length, 1e-6);
    EXPECT_LT(std::sqrt(error / length), 2e-5);
}

TEST(ParametricNetwork, GradientOfKlIsThatOfDifferences) {
    for (const Activation activation : {Activation::logistic, Activation::relu}) {
        for (const int dim : {1, 2, 3, 6}) {
            SCOPED_TRACE(std::string(name_of(activation)) + " " + std::to_string(dim));
            expect_gradient(activation, dim, 1);
        }
        expect_gradient(activation, 2, 0.5F);
        expect_gradient(activation, 5, 3);
    }
}

TEST(ParametricNetwork, GradientThroughPrototypesIsThatOfDifferences) {
    for (const int dim : {1, 2, 3}) {
        SCOPED_TRACE(dim);
        expect_gradient(Activation::relu, dim, 1, 6);
        expect_gradient(Activation::logistic, dim, 0.5F, 37);
    }
}

TEST(ParametricNetwork, ForwardByHand) {
    device::Cpu cpu(1);
    Network<device::Cpu> network(cpu, NetworkShape({2, 2, 1}, Activation::relu));
    // weights [input][output], biases; then those of the next layer
    network.parameters() = {1, -1, 2, 0.5F, 0.5F, -0.25F, 3, 4, 1};
    const float inputs[] = {1, 1, -1, 0};
    network.forward(cpu, inputs, 2);
    EXPECT_FLOAT_EQ(network.outputs()[0], 3 * 3.5F + 1);           // hidden 3.5 and -0.75
    EXPECT_FLOAT_EQ(network.outputs()[1], 3 * 0 + 4 * 0.75F + 1);  // -0.5 and 0.75
}

/// d KL / d y of one coordinate, by differences in double.
double slope_of(const std::vector<float>& map, std::size_t coordinate, int dim, const Graph& p, double freedom) {
    constexpr double step = 1e-5;
    std::vector<double> y(map.begin(), map.end());
    y[coordinate] += step;
    const double up = kl_of(y, dim, p, freedom);
    y[coordinate] -= 2 * step;
    return (up - kl_of(y, dim, p, freedom)) / (2 * step);
}

void expect_whole_gradient(Index n, int dim, float freedom, double tolerance) {
    device::Cpu cpu(2);
    const std::vector<float> map = normals(Offset{n} * dim, 8, 4);
    const Graph p = ring(n);
    tsne::with_law(freedom, [&]<class Law>(const Law& law) {
        WholeLoss<device::Cpu, Law> loss(cpu, p, dim, law, 1);
        device::Cell<double> sum;
        loss.refresh(cpu, map);
        const std::vector<Index> rows{n - 1, 0, n / 2};
        std::vector<float> places, gradient(rows.size() * at(dim));
        for (const Index row : rows)
            places.insert(places.end(), map.begin() + row * dim, map.begin() + (row + 1) * dim);
        loss.gradient(cpu, rows.data(), 3, places.data(), gradient.data(), sum);
        std::vector<double> slopes;
        double length = 0;
        for (const Index row : rows) {
            for (int d = 0; d < dim; ++d) {
                slopes.push_back(n / 3.0 * slope_of(map, at(row * dim + d), dim, p, static_cast<double>(freedom)));
                length = std::max(length, std::abs(slopes.back()));
            }
        }
        for (std::size_t i = 0; i < slopes.size(); ++i)
            EXPECT_NEAR(static_cast<double>(gradient[i]), slopes[i], tolerance * length) << i;
        // KL of all rows
        std::vector<Index> all(at(n));
        for (Index i = 0; i < n; ++i) all[at(i)] = i;
        std::vector<float> out(map.size());
        loss.gradient(cpu, all.data(), n, map.data(), out.data(), sum);
        const std::vector<double> y(map.begin(), map.end());
        EXPECT_NEAR(loss.kl(sum.value), kl_of(y, dim, p, static_cast<double>(freedom)), 1e-3);
    });
}

TEST(ParametricNetwork, InputNoiseIsThatOfThePoint) {
    device::Cpu cpu(2);
    constexpr Index cols = 20000;
    const std::vector<float> deviations{0, 2}, points(2 * cols);
    const std::vector<Index> neighbors{1, 0};
    const auto noise_of = [&](const std::vector<Index>& order, std::uint64_t draw) {
        std::vector<float> rows(order.size() * at(cols));
        add_noise(cpu, {{points.data(), 2, cols}}, {deviations.data(), neighbors.data(), 1, 1, 3}, order.data(),
                  static_cast<Index>(order.size()), draw, rows.data());
        return rows;
    };
    const std::vector<float> both = noise_of({1, 0}, 5), alone = noise_of({1}, 5);
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), both.begin()));
    EXPECT_EQ(std::count(both.begin() + cols, both.end(), 0.0F), cols);
    EXPECT_NE(noise_of({1}, 6), alone);
    double sum = 0, squares = 0;
    for (const float value : alone) sum += static_cast<double>(value), squares += std::pow(value, 2);
    EXPECT_NEAR(sum / cols, 0, 5 * 2 / std::sqrt(1.0 * cols));
    EXPECT_NEAR(squares / cols, 4, 5 * 4 * std::sqrt(2.0 / cols));
}

/// Lists of k neighbors, i + 1, i + 2 .. modulo n, at the distances 1 + i, 2 + i ..
Graph lists_in_a_ring(Index n, Index k) {
    Graph lists;
    for (Index i = 0; i < n; ++i) {
        for (Index j = 1; j <= k; ++j) {
            lists.targets.push_back((i + j) % n);
            lists.weights.push_back(static_cast<float>(j + i));
        }
        lists.offsets.push_back(Offset{i + 1} * k);
    }
    return lists;
}

TEST(ParametricNetwork, NoiseDependsOnTheNearestNeighbors) {
    const NoiseOfPoints few = noise_of_points(lists_in_a_ring(4, 3), 0.5F);
    EXPECT_EQ(few.deviations, (std::vector<float>{1.5, 2, 2.5, 3}));  // half the distance to the third, the last
    EXPECT_EQ(few.candidates, 3);
    EXPECT_EQ(few.neighbors, (std::vector<Index>{1, 2, 3, 2, 3, 0, 3, 0, 1, 0, 1, 2}));
    const NoiseOfPoints many = noise_of_points(lists_in_a_ring(40, 20), 2);
    EXPECT_EQ(many.deviations[0], 10);  // twice the distance to the fifth
    EXPECT_EQ(many.deviations[39], 88);
    EXPECT_EQ(many.candidates, 15);
    ASSERT_EQ(many.neighbors.size(), 40U * 15);
    EXPECT_EQ(many.neighbors[14], 15);
    EXPECT_EQ(many.neighbors[15], 2);
    const NoiseOfPoints none = noise_of_points({.offsets = {0, 0, 0}, .targets = {}, .weights = {}}, 1);
    EXPECT_EQ(none.candidates, 0);
    EXPECT_TRUE(none.neighbors.empty());
    EXPECT_EQ(noise_of_points({}, 1).candidates, 0);
}

/// Point 0 and its three neighbors lie on axes of their own, so that the difference that was added can be read.
TEST(ParametricNetwork, NoiseAddsAShareOfTheDifferenceOfTwoNeighbors) {
    device::Cpu cpu(1);
    constexpr Index cols = 3, draws = 9000;
    constexpr float scale = 0.5F, most = 2;
    const std::vector<float> points{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, shift(cols, 7), deviations(4);
    const std::vector<Index> neighbors{1, 2, 3}, order{0};
    std::vector<int> pairs(9);
    double sum = 0, squares = 0;
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
        std::vector<float> row(cols);
        add_noise(cpu, {{points.data(), 4, cols}, shift.data(), scale},
                  {deviations.data(), neighbors.data(), 3, most, 1}, order.data(), 1, draw, row.data());
        const auto up = std::max_element(row.begin(), row.end()), down = std::min_element(row.begin(), row.end());
        const double share = static_cast<double>(*up);
        ASSERT_EQ(*up, -*down);
        ASSERT_LE(share, static_cast<double>(most * scale));
        ASSERT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 0, 1e-6);
        if (share == 0) continue;  // a neighbor and itself
        ++pairs.at(static_cast<std::size_t>(3 * (up - row.begin()) + (down - row.begin())));
        sum += share, squares += share * share;
    }
    int different = 0;
    for (std::size_t p = 0; p < 9; ++p) {
        if (p % 4 == 0) continue;
        EXPECT_NEAR(pairs[p], draws / 9.0, 5 * std::sqrt(draws / 9.0));
        different += pairs[p];
    }
    EXPECT_NEAR(sum / different, 0.5, 5 * std::sqrt(1.0 / 12 / different));  // uniform up to most * scale = 1
    EXPECT_NEAR(squares / different, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / different));
}

TEST(ParametricNetwork, WholeLossHasTheGradientOfKl) {
    expect_whole_gradient(40, 1, 1, 1e-4);
    expect_whole_gradient(40, 2, 1, 1e-4);
    expect_whole_gradient(40, 2, 0.5F, 1e-4);
    expect_whole_gradient(40, 3, 1, 1e-4);
    expect_whole_gradient(400, 2, 1, 0.02);  // by the grid
}

TEST(ParametricNetwork, ConjugateGradientsSolveAQuadraticProblem) {
    device::Cpu cpu(1);
    // 1/2 sum s_i (x_i - i)^2
    const std::vector<double> stiffness{1, 3, 10, 30, 100};
    std::vector<float> x(5, 2.0F), gradient(5);
    int evaluations = 0;
    const auto evaluate = [&] {
        ++evaluations;
        double sum = 0;
        for (std::size_t i = 0; i < 5; ++i) {
            const double away = static_cast<double>(x[i]) - static_cast<double>(i);
            gradient[i] = static_cast<float>(stiffness[i] * away);
            sum += 0.5 * stiffness[i] * away * away;
        }
        return sum;
    };
    ConjugateGradients<device::Cpu> minimizer(cpu, 5);
    const double cost = minimizer.minimize(cpu, x, gradient, 15, evaluate);
    EXPECT_LT(cost, 1e-5);
    EXPECT_LT(evaluations, 60);
    EXPECT_NEAR(evaluate(), cost, 1e-9);  // x is where that cost is
    for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(static_cast<double>(x[i]), static_cast<double>(i), 5e-3);
}

TEST(ParametricNetwork, ConjugateGradientsDescendACurvedValley) {
    device::Cpu cpu(1);
    std::vector<float> x{-1.2F, 1.0F}, gradient(2);
    const auto evaluate = [&] {  // Rosenbrock's function
        const double a = x[0], b = x[1], bend = b - a * a;
        gradient = {static_cast<float>(-400 * a * bend - 2 * (1 - a)), static_cast<float>(200 * bend)};
        return 100 * bend * bend + (1 - a) * (1 - a);
    };
    ConjugateGradients<device::Cpu> minimizer(cpu, 2);
    EXPECT_LT(minimizer.minimize(cpu, x, gradient, 100, evaluate), 1e-4);
}

TEST(ParametricNetwork, CubicMinimumByHand) {
    // f = t^3 - 3 t, least at t = 1; f(0) = 0, f'(0) = -3, f(2) = 2, f'(2) = 9
    EXPECT_NEAR(cubic_minimum({0, 0, -3}, {2, 2, 9}, 0.1, 0.9), 1, 1e-12);
    EXPECT_NEAR(cubic_minimum({2, 2, 9}, {0, 0, -3}, 0.1, 0.9), 1, 1e-12);
    EXPECT_NEAR(cubic_minimum({0, 0, -1}, {1, -1, -1}, 2, 10), 10, 1e-12);  // a line falls for ever
}

TEST(ParametricNetwork, RateFallsAlongACosine) {
    EXPECT_FLOAT_EQ(annealed(2, 0, 10), 2);
    EXPECT_FLOAT_EQ(annealed(2, 5, 10), 1);
    EXPECT_NEAR(static_cast<double>(annealed(2, 10, 10)), 0, 1e-7);
}

TEST(ParametricNetwork, BatchesCoverAllRowsOnce) {
    device::Cpu cpu(1);
    for (const Index n : {4, 5, 99, 100, 101, 1000}) {
        const Batches batches(n, 100);
        Index sum = 0;
        for (Index b = 0; b < batches.count(); ++b) {
            EXPECT_EQ(batches.begin(b), sum);
            EXPECT_LE(batches.rows(b), batches.most_rows());
            sum += batches.rows(b);
        }
        EXPECT_EQ(sum, n);
        EXPECT_LE(batches.most_rows(), 100);
        std::vector<Index> order = batches.order(cpu, 3, 1);
        std::sort(order.begin(), order.end());
        EXPECT_EQ(order, batches.in_order(cpu));
    }
}

TEST(TiledProduct, IsTheProductAndDoesNotDependOnThreads) {
    struct Size {
        Index rows, cols, inner;
    };
    for (const Size size : {Size{1, 1, 1}, {3, 2, 5}, {33, 31, 32}, {257, 513, 40}, {600, 2, 100}, {1, 700, 9}}) {
        for (const bool a_transposed : {false, true}) {
            for (const bool b_transposed : {false, true}) {
                const std::vector<float> a = normals(Offset{size.rows} * size.inner, 1);
                const std::vector<float> b = normals(Offset{size.inner} * size.cols, 2);
                const std::vector<float> before = normals(Offset{size.rows} * size.cols, 3);
                std::vector<float> c[3];
                for (const int threads : {1, 2, 5}) {
                    device::Cpu cpu(threads);
                    std::vector<float>& out = c[threads / 2];
                    out = before;
                    numerics::multiply(cpu, {.rows = size.rows,
                                             .cols = size.cols,
                                             .inner = size.inner,
                                             .a = {a.data(), a_transposed ? size.rows : size.inner, a_transposed},
                                             .b = {b.data(), b_transposed ? size.inner : size.cols, b_transposed},
                                             .c = out.data(),
                                             .scale = 0.5F,
                                             .keep = 2});
                }
                EXPECT_EQ(c[0], c[1]);
                EXPECT_EQ(c[0], c[2]);
                for (Index r = 0; r < size.rows; ++r) {
                    for (Index k = 0; k < size.cols; ++k) {
                        double sum = 0;
                        for (Index i = 0; i < size.inner; ++i) {
                            sum += static_cast<double>(a[at(a_transposed ? i * size.rows + r : r * size.inner + i)]) *
                                   static_cast<double>(b[at(b_transposed ? k * size.inner + i : i * size.cols + k)]);
                        }
                        const std::size_t place = at(Offset{r} * size.cols + k);
                        ASSERT_NEAR(static_cast<double>(c[0][place]),
                                    0.5 * sum + 2 * static_cast<double>(before[place]), 1e-4);
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace dunlin::parametric
