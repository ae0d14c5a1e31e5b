// SPDX-License-Identifier: Apache-2.0
#include "waves/implicit/line.hpp"

#include <algorithm>
#include <cmath>

#include "math/at.hpp"

namespace dunlin::waves {

namespace {

constexpr Offset grain = 4096;

/// A maximum that keeps NaN.
double larger(double a, double b) { return a >= b ? a : (std::isnan(a) ? a : b); }

}  // namespace

CrankNicolson::CrankNicolson(device::Cpu& cpu, const ImplicitConstants& constants, Offset n, bool periodic,
                             Solver solver)
    : cpu_(cpu), constants_(constants), n_(n), periodic_(periodic && n > 2), solver_(solver) {
    if (n == 1) {  // no neighbors
        constants_.coupling = 0;
        constants_.diagonal = constants_.linear;
    }
    for (auto* rows : {&lower_, &diagonal_, &upper_, &right_, &change_, &half_, &known_}) rows->resize(at(n));
    if (periodic_) ring_.resize(at(n));
}

double CrankNicolson::laplacian(std::span<const double> v, Offset i) const {
    const auto n = static_cast<Index>(n_);
    const auto node = static_cast<Index>(i);
    return laplacian_1d(v[at(i)], v[at(node_before(node, n, periodic_))], v[at(node_after(node, n, periodic_))]);
}

void CrankNicolson::find_known(std::span<const double> v, std::span<const double> w, std::span<const double> current) {
    cpu_.each(
        n_,
        [&](Offset i) {
            const double recovery = w.empty() ? 0 : w[at(i)];
            const double half = half_recovery(constants_, v[at(i)], recovery);
            half_[at(i)] = half;
            known_[at(i)] =
                known_of(constants_, v[at(i)], recovery, half, laplacian(v, i), current.empty() ? 0 : current[at(i)]);
        },
        grain);
}

int CrankNicolson::step(std::span<const double> v, std::span<const double> w, std::span<const double> current,
                        std::span<const Offset> held, std::span<double> v_next, std::span<double> w_next) {
    norms_.clear();
    find_known(v, w, current);
    // Newton's method starts at v
    std::vector<double> values;
    for (const Offset i : held) values.push_back(v_next[at(i)]);
    std::copy(v.begin(), v.end(), v_next.begin());
    for (std::size_t k = 0; k < held.size(); ++k) v_next[at(held[k])] = values[k];
    while (std::ssize(norms_) < max_newton) {
        norms_.push_back(iterate(held, v_next));
        if (!std::isfinite(norms_.back())) return 0;
        if (norms_.back() <= newton_tolerance) break;
    }
    if (norms_.back() > newton_tolerance) return 0;
    if (!w.empty()) {
        cpu_.each(n_, [&](Offset i) { w_next[at(i)] = fused(constants_.gained, v_next[at(i)], half_[at(i)]); }, grain);
    }
    return static_cast<int>(norms_.size());
}

/// v += J^-1 g. Returns max |J^-1 g|.
double CrankNicolson::iterate(std::span<const Offset> held, std::span<double> v) {
    const double off = -constants_.coupling;
    cpu_.each(
        n_,
        [&](Offset i) {
            lower_[at(i)] = i == n_ - 1 && !periodic_ ? 2 * off : off;
            upper_[at(i)] = i == 0 && !periodic_ ? 2 * off : off;
            diagonal_[at(i)] = diagonal_of(constants_, v[at(i)]);
            right_[at(i)] = residual_of(constants_, known_[at(i)], v[at(i)], laplacian(v, i));
        },
        grain);
    for (const Offset i : held) {
        lower_[at(i)] = upper_[at(i)] = right_[at(i)] = 0;
        diagonal_[at(i)] = 1;
    }
    periodic_ ? solve_ring() : solve_system({lower_, diagonal_, upper_}, right_, change_);
    std::vector<double> norms(at((n_ + grain - 1) / grain));
    cpu_.blocks(n_, grain, [&](Offset begin, Offset end, int) {
        double norm = 0;
        for (Offset i = begin; i < end; ++i) {
            v[at(i)] += change_[at(i)];
            norm = larger(norm, std::abs(change_[at(i)]));
        }
        norms[at(begin / grain)] = norm;
    });
    double norm = 0;
    for (const double part : norms) norm = larger(norm, part);
    return norm;
}

void CrankNicolson::solve_system(const Tridiagonal& system, std::span<const double> right, std::span<double> x) {
    if (solver_ == Solver::automatic || solver_ == Solver::partition) {
        partition_.solve(cpu_, system, right, x);  // keeps its memory
    } else {
        solve(solver_, cpu_, system, right, x);
    }
}

/// The last unknown is eliminated: the others are y + x[n-1] z, of which y and z solve tridiagonal systems.
void CrankNicolson::solve_ring() {
    const auto first = at(n_ - 1);
    const auto part = [&](std::vector<double>& values) { return std::span<double>(values).first(first); };
    const Tridiagonal system{part(lower_), part(diagonal_), part(upper_)};
    solve_system(system, part(right_), part(change_));
    std::vector<double> coupled(first, 0.0);
    coupled.front() = -lower_.front();
    coupled.back() -= upper_[first - 1];
    solve_system(system, coupled, part(ring_));
    const double known = right_.back() - lower_.back() * change_[first - 1] - upper_.back() * change_.front();
    const double last = known / (diagonal_.back() + lower_.back() * ring_[first - 1] + upper_.back() * ring_.front());
    cpu_.each(n_ - 1, [&](Offset i) { change_[at(i)] += last * ring_[at(i)]; }, grain);
    change_.back() = last;
}

}  // namespace dunlin::waves
