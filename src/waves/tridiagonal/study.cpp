// SPDX-License-Identifier: Apache-2.0
#include "waves/tridiagonal/study.hpp"

#include <utility>

#include "math/at.hpp"
#include "progress/cancel.hpp"

namespace dunlin::waves {

namespace {

/// Own rows of a system, which reductions overwrite.
struct Rows {
    std::vector<double> lower, diagonal, upper, right;

    explicit Rows(Offset n) : lower(at(n)), diagonal(at(n)), upper(at(n)), right(at(n)) {}
    Rows(const Tridiagonal& system, std::span<const double> values)
        : lower(system.lower.begin(), system.lower.end()),
          diagonal(system.diagonal.begin(), system.diagonal.end()),
          upper(system.upper.begin(), system.upper.end()),
          right(values.begin(), values.end()) {
        if (lower.empty()) return;
        lower.front() = 0;
        upper.back() = 0;
    }
    [[nodiscard]] Offset size() const { return static_cast<Offset>(diagonal.size()); }
};

struct Row {
    double lower, diagonal, upper, right;
};

/// Row i of `rows` without the unknowns i - distance and i + distance, to which it is coupled.
Row reduce(const Rows& rows, Offset i, Offset distance) {
    Row row{0, rows.diagonal[at(i)], 0, rows.right[at(i)]};
    if (const Offset j = i - distance; j >= 0) {
        const double factor = rows.lower[at(i)] / rows.diagonal[at(j)];
        row.lower = -factor * rows.lower[at(j)];
        row.diagonal -= factor * rows.upper[at(j)];
        row.right -= factor * rows.right[at(j)];
    }
    if (const Offset j = i + distance; j < rows.size()) {
        const double factor = rows.upper[at(i)] / rows.diagonal[at(j)];
        row.upper = -factor * rows.upper[at(j)];
        row.diagonal -= factor * rows.lower[at(j)];
        row.right -= factor * rows.right[at(j)];
    }
    return row;
}

void put(Rows& rows, Offset i, const Row& row) {
    rows.lower[at(i)] = row.lower;
    rows.diagonal[at(i)] = row.diagonal;
    rows.upper[at(i)] = row.upper;
    rows.right[at(i)] = row.right;
}

constexpr Offset grain = 4096;

/// Every row is reduced at once until none is coupled.
void reduce_all(device::Cpu& cpu, Rows rows, std::span<double> x) {
    Rows next(rows.size());
    for (Offset distance = 1; distance < rows.size(); distance *= 2) {
        cpu.each(rows.size(), [&](Offset i) { put(next, i, reduce(rows, i, distance)); }, grain);
        std::swap(rows, next);
    }
    cpu.each(rows.size(), [&](Offset i) { x[at(i)] = rows.right[at(i)] / rows.diagonal[at(i)]; }, grain);
}

/// Rows distance - 1, 2 distance - 1, ...: a system of its own.
void reduce_rest(device::Cpu& cpu, const Rows& rows, Offset distance, std::span<double> x) {
    const Offset n = rows.size() / distance;
    Rows rest(n);
    for (Offset k = 0; k < n; ++k) {
        const auto i = at((k + 1) * distance - 1);
        put(rest, k, {rows.lower[i], rows.diagonal[i], rows.upper[i], rows.right[i]});
    }
    std::vector<double> solution(at(n));
    reduce_all(cpu, std::move(rest), solution);
    for (Offset k = 0; k < n; ++k) x[at((k + 1) * distance - 1)] = solution[at(k)];
}

/// Every second row is reduced until at most `rest` are coupled; then backwards.
void reduce_cyclic(device::Cpu& cpu, Rows rows, Offset rest, std::span<double> x) {
    const Offset n = rows.size();
    if (n == 0) return;
    Offset distance = 1;
    for (; n / distance > rest; distance *= 2) {
        const Offset twice = 2 * distance;
        cpu.each(
            n / twice,
            [&](Offset k) {
                const Offset i = (k + 1) * twice - 1;
                put(rows, i, reduce(rows, i, distance));
            },
            grain);
    }
    reduce_rest(cpu, rows, distance, x);
    for (distance /= 2; distance >= 1; distance /= 2) {
        cpu.each((n / distance + 1) / 2,
                 [&](Offset k) {
                     const Offset i = (2 * k + 1) * distance - 1;
                     const double before = i >= distance ? x[at(i - distance)] : 0;
                     const double after = i + distance < n ? x[at(i + distance)] : 0;
                     const double known = rows.right[at(i)] - rows.lower[at(i)] * before - rows.upper[at(i)] * after;
                     x[at(i)] = known / rows.diagonal[at(i)];
                 },
                 grain);
    }
}

}  // namespace

/// A long line is eliminated in one go, which a stop need not wait for.
constexpr Offset rows_between_stops = 1 << 20;

void solve_thomas(const Tridiagonal& system, std::span<const double> right, std::span<double> x,
                  std::span<double> scratch) {
    const Offset n = system.size();
    double after = 0, known = 0;
    for (Offset i = 0; i < n; ++i) {
        if (i % rows_between_stops == 0) progress::cancellation_point();
        const double lower = i > 0 ? system.lower[at(i)] : 0;
        const double pivot = system.diagonal[at(i)] - lower * after;
        known = (right[at(i)] - lower * known) / pivot;
        after = i + 1 < n ? system.upper[at(i)] / pivot : 0;
        scratch[at(i)] = after;
        x[at(i)] = known;
    }
    for (Offset i = n - 2; i >= 0; --i) x[at(i)] -= scratch[at(i)] * x[at(i + 1)];
}

void solve(Solver solver, device::Cpu& cpu, const Tridiagonal& system, std::span<const double> right,
           std::span<double> x) {
    constexpr Offset hybrid_rest = 64;
    std::vector<double> scratch;
    switch (solver) {
        case Solver::thomas:
            scratch.resize(at(system.size()));
            return solve_thomas(system, right, x, scratch);
        case Solver::cyclic_reduction:
            return reduce_cyclic(cpu, Rows(system, right), 1, x);
        case Solver::parallel_reduction:
            return reduce_all(cpu, Rows(system, right), x);
        case Solver::hybrid:
            return reduce_cyclic(cpu, Rows(system, right), hybrid_rest, x);
        case Solver::automatic:
        case Solver::partition: {
            Partition partition;
            return partition.solve(cpu, system, right, x);
        }
        case Solver::tiles:
            solve_in_tiles(cpu, system, right, x);
            return;
    }
}

}  // namespace dunlin::waves
