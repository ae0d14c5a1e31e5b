// SPDX-License-Identifier: Apache-2.0
#include "parametric/rbm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "math/at.hpp"
#include "math/rng.hpp"

namespace dunlin::parametric {
namespace {

constexpr Index visible = 5, hidden = 4;
constexpr std::size_t visible_states = 32, hidden_states = 16;

double sigma(double x) { return 1 / (1 + std::exp(-x)); }
double bit(std::size_t state, Index unit) { return static_cast<double>(state >> unit & 1); }

/// Weights [visible][hidden], then visible and hidden biases.
using Parameters = std::vector<double>;

/// A machine of 5 x 4 binary units by enumeration of all its states, in double.
struct Enumerated {
    Parameters w;

    [[nodiscard]] double b(Index i) const { return w[at(visible * hidden + i)]; }
    [[nodiscard]] double c(Index j) const { return w[at(visible * hidden + visible + j)]; }
    [[nodiscard]] double weight(Index i, Index j) const { return w[at(i * hidden + j)]; }
    [[nodiscard]] double energy(std::size_t v, std::size_t h) const {
        double sum = 0;
        for (Index i = 0; i < visible; ++i) sum -= b(i) * bit(v, i);
        for (Index j = 0; j < hidden; ++j) sum -= c(j) * bit(h, j);
        for (Index i = 0; i < visible; ++i) {
            for (Index j = 0; j < hidden; ++j) sum -= bit(v, i) * weight(i, j) * bit(h, j);
        }
        return sum;
    }
    [[nodiscard]] double hidden_mean(std::size_t v, Index j) const {
        double x = c(j);
        for (Index i = 0; i < visible; ++i) x += bit(v, i) * weight(i, j);
        return sigma(x);
    }
    [[nodiscard]] double visible_mean(std::size_t h, Index i) const {
        double x = b(i);
        for (Index j = 0; j < hidden; ++j) x += weight(i, j) * bit(h, j);
        return sigma(x);
    }
    /// P(v).
    [[nodiscard]] std::vector<double> marginal() const {
        std::vector<double> p(visible_states);
        double z = 0;
        for (std::size_t v = 0; v < visible_states; ++v) {
            for (std::size_t h = 0; h < hidden_states; ++h) p[v] += std::exp(-energy(v, h));
            z += p[v];
        }
        for (double& each : p) each /= z;
        return p;
    }
    [[nodiscard]] double log_likelihood(const std::vector<double>& data) const {
        const std::vector<double> p = marginal();
        double sum = 0;
        for (std::size_t v = 0; v < visible_states; ++v) sum += data[v] * std::log(p[v]);
        return sum;
    }
    /// <vh>, <v>, <h> of visible states with these probabilities.
    [[nodiscard]] Parameters statistics(const std::vector<double>& p) const {
        Parameters sums(w.size());
        for (std::size_t v = 0; v < visible_states; ++v) {
            for (Index j = 0; j < hidden; ++j) {
                const double h = hidden_mean(v, j);
                for (Index i = 0; i < visible; ++i) sums[at(i * hidden + j)] += p[v] * bit(v, i) * h;
                sums[at(visible * hidden + visible + j)] += p[v] * h;
            }
            for (Index i = 0; i < visible; ++i) sums[at(visible * hidden + i)] += p[v] * bit(v, i);
        }
        return sums;
    }
    /// The distribution after a step of Gibbs sampling, by its transition matrix.
    [[nodiscard]] std::vector<double> stepped(const std::vector<double>& p) const {
        std::vector<double> of_hidden(hidden_states), next(visible_states);
        for (std::size_t h = 0; h < hidden_states; ++h) {
            for (std::size_t v = 0; v < visible_states; ++v) {
                double way = p[v];
                for (Index j = 0; j < hidden; ++j) way *= bit(h, j) > 0 ? hidden_mean(v, j) : 1 - hidden_mean(v, j);
                of_hidden[h] += way;
            }
        }
        for (std::size_t v = 0; v < visible_states; ++v) {
            for (std::size_t h = 0; h < hidden_states; ++h) {
                double way = of_hidden[h];
                for (Index i = 0; i < visible; ++i) way *= bit(v, i) > 0 ? visible_mean(h, i) : 1 - visible_mean(h, i);
                next[v] += way;
            }
        }
        return next;
    }
    /// <vh> of the data less <vh> after k steps, in expectation.
    [[nodiscard]] Parameters expected_divergence(const std::vector<double>& data, int k) const {
        std::vector<double> p = data;
        for (int s = 0; s < k; ++s) p = stepped(p);
        return difference(statistics(data), statistics(p));
    }
    [[nodiscard]] Parameters exact_gradient(const std::vector<double>& data) const {
        return difference(statistics(data), statistics(marginal()));
    }
    static Parameters difference(Parameters a, const Parameters& b) {
        for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
        return a;
    }
};

Enumerated machine() {
    Parameters w(at(visible * hidden + visible + hidden));
    for (std::size_t i = 0; i < w.size(); ++i)
        w[i] = static_cast<double>(static_cast<float>(0.7 * math::random_normal(11, i)));
    return {w};
}

/// Probabilities of visible states: four rows, one of them twice as often.
std::vector<double> data() {
    std::vector<double> p(visible_states);
    p[0b00111] = 0.4, p[0b11000] = 0.2, p[0b10101] = 0.2, p[0b00000] = 0.2;
    return p;
}

double distance(const Parameters& a, const Parameters& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum);
}

TEST(ParametricRbm, EnumeratedGradientIsThatOfTheLogLikelihood) {
    const Enumerated exact = machine();
    const Parameters gradient = exact.exact_gradient(data());
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        constexpr double step = 1e-5;
        Enumerated up = exact, down = exact;
        up.w[i] += step;
        down.w[i] -= step;
        EXPECT_NEAR(gradient[i], (up.log_likelihood(data()) - down.log_likelihood(data())) / (2 * step), 1e-9) << i;
    }
}

TEST(ParametricRbm, ExpectedDivergenceApproachesTheGradient) {
    const Enumerated exact = machine();
    const Parameters gradient = exact.exact_gradient(data());
    double last = 1;
    for (const int k : {1, 2, 5, 20, 100}) {
        const double now = distance(exact.expected_divergence(data(), k), gradient);
        EXPECT_LT(now, last) << k;
        last = now;
    }
    EXPECT_LT(last, 1e-6);
}

using CpuRbm = Rbm<device::Cpu>;

CpuRbm rbm_of(device::Cpu& cpu, const Enumerated& exact, std::uint64_t seed) {
    CpuRbm rbm(cpu, visible, hidden, Unit::logistic, Unit::logistic, seed);
    const auto size = static_cast<std::size_t>(visible * hidden);
    for (std::size_t i = 0; i < size; ++i) rbm.weights[i] = static_cast<float>(exact.w[i]);
    for (std::size_t i = 0; i < at(visible); ++i) rbm.visible_biases[i] = static_cast<float>(exact.w[size + i]);
    for (std::size_t j = 0; j < at(hidden); ++j)
        rbm.hidden_biases[j] = static_cast<float>(exact.w[size + at(visible) + j]);
    return rbm;
}

Parameters gradient_of(const CpuRbm& rbm) {
    Parameters all(rbm.weight_gradient().begin(), rbm.weight_gradient().end());
    all.insert(all.end(), rbm.visible_gradient().begin(), rbm.visible_gradient().end());
    all.insert(all.end(), rbm.hidden_gradient().begin(), rbm.hidden_gradient().end());
    return all;
}

/// `copies` times five rows with the frequencies of data().
std::vector<float> rows_of_data(Index copies) {
    std::vector<float> rows;
    for (Index r = 0; r < copies; ++r) {
        for (const std::size_t v : {0b00111U, 0b00111U, 0b11000U, 0b10101U, 0b00000U}) {
            for (Index i = 0; i < visible; ++i) rows.push_back(static_cast<float>(bit(v, i)));
        }
    }
    return rows;
}

/// Means of the sampled gradients, with their standard errors.
struct Sampled {
    Parameters mean, error;
};
template <class Next>
Sampled sampled(int batches, const Next& next) {
    Parameters sum, squares;
    for (int b = 0; b < batches; ++b) {
        const Parameters one = next(static_cast<std::uint64_t>(b));
        sum.resize(one.size());
        squares.resize(one.size());
        for (std::size_t i = 0; i < one.size(); ++i) sum[i] += one[i], squares[i] += one[i] * one[i];
    }
    Sampled found;
    for (std::size_t i = 0; i < sum.size(); ++i) {
        const double mean = sum[i] / batches;
        found.mean.push_back(mean);
        found.error.push_back(std::sqrt(std::max(0.0, squares[i] / batches - mean * mean) / (batches - 1)));
    }
    return found;
}

void expect_near(const Sampled& found, const Parameters& expected) {
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(found.mean[i], expected[i], 5 * found.error[i] + 1e-6) << "parameter " << i;
}

TEST(ParametricRbm, SampledDivergenceHasItsExpectation) {
    device::Cpu cpu(2);
    const Enumerated exact = machine();
    const std::vector<float> rows = rows_of_data(200);
    for (const int k : {1, 3}) {
        CpuRbm rbm = rbm_of(cpu, exact, 3);
        const RbmRule rule{.steps = k, .draws_visible = true};
        const Sampled found = sampled(60, [&](std::uint64_t batch) {
            rbm.contrast(cpu, rows.data(), 1000, rule, batch);
            return gradient_of(rbm);
        });
        expect_near(found, exact.expected_divergence(data(), k));
        EXPECT_GT(distance(found.mean, exact.exact_gradient(data())), 1e-3);  // the bias of few steps is there
    }
}

TEST(ParametricRbm, PersistentChainsReachTheModel) {
    device::Cpu cpu(2);
    const Enumerated exact = machine();
    const std::vector<float> rows = rows_of_data(100);
    CpuRbm rbm = rbm_of(cpu, exact, 4);
    const RbmRule rule{.steps = 10, .persistent = true, .draws_visible = true};
    std::uint64_t step = 0;
    for (; step < 40; ++step) rbm.contrast(cpu, rows.data(), 500, rule, step);  // the chains forget the rows
    const Sampled found = sampled(60, [&](std::uint64_t) {
        rbm.contrast(cpu, rows.data(), 500, rule, step++);
        return gradient_of(rbm);
    });
    expect_near(found, exact.exact_gradient(data()));
}

TEST(ParametricRbm, GaussianUnitsByHand) {
    device::Cpu cpu(1);
    CpuRbm rbm(cpu, 2, 1, Unit::linear, Unit::logistic, 1);
    rbm.weights = {0.5F, -1.0F};
    rbm.visible_biases = {2.0F, 3.0F};
    rbm.hidden_biases = {0.25F};
    const float h[] = {1.0F};
    float v[2], back[1];
    rbm.visible_means(cpu, h, 1, v);
    EXPECT_FLOAT_EQ(v[0], 2.5F);
    EXPECT_FLOAT_EQ(v[1], 2.0F);
    rbm.hidden_means(cpu, v, 1, back);
    EXPECT_NEAR(static_cast<double>(back[0]), sigma(0.25 + 2.5 * 0.5 - 2.0), 1e-6);
}

TEST(ParametricRbm, NoiseOfGaussianUnitsHasTheVarianceOne) {
    device::Cpu cpu(2);
    const std::vector<float> means(20000, 3.0F);
    std::vector<float> states(means.size());
    cpu.each(std::ssize(means), AddNoise{means.data(), 5, 7, states.data()});
    double sum = 0, squares = 0;
    for (const float state : states) sum += static_cast<double>(state) - 3, squares += std::pow(state - 3.0, 2);
    EXPECT_NEAR(sum / 20000, 0, 5 / std::sqrt(20000.0));
    EXPECT_NEAR(squares / 20000, 1, 5 * std::sqrt(2 / 20000.0));
}

TEST(ParametricRbm, TrainingRaisesTheLikelihood) {
    device::Cpu cpu(2);
    const std::vector<float> rows = rows_of_data(200);
    CpuRbm rbm(cpu, visible, hidden, Unit::logistic, Unit::logistic, 6);
    const auto likelihood = [&] {
        Parameters w(rbm.weights.begin(), rbm.weights.end());
        w.insert(w.end(), rbm.visible_biases.begin(), rbm.visible_biases.end());
        w.insert(w.end(), rbm.hidden_biases.begin(), rbm.hidden_biases.end());
        return Enumerated{w}.log_likelihood(data());
    };
    const double before = likelihood();
    RbmTraining training(cpu, {rows.data(), 1000, visible}, {.epochs = 40}, 7);
    for (int batch = 0; batch < 400; ++batch) training.step(cpu, rbm, batch);
    EXPECT_NEAR(before, -visible * std::log(2.0), 0.2);
    EXPECT_GT(likelihood(), -2.0);  // the entropy of the data is 1.33
}

}  // namespace
}  // namespace dunlin::parametric
