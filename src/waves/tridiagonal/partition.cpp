// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "math/at.hpp"
#include "waves/tridiagonal/study.hpp"
#include "waves/tridiagonal/system.hpp"

namespace dunlin::waves {

namespace {

/// An unknown in terms of two others: known + before x[before] + after x[after].
struct Affine {
    double known = 0, before = 0, after = 0;
};

double lower_of(const Tridiagonal& system, Offset i) { return i > 0 ? system.lower[at(i)] : 0; }
double upper_of(const Tridiagonal& system, Offset i) { return i + 1 < system.size() ? system.upper[at(i)] : 0; }

}  // namespace

void require_dominant(const Tridiagonal& system, std::span<const double> right) {
    for (Offset i = 0; i < system.size(); ++i) {
        const double others = std::abs(lower_of(system, i)) + std::abs(upper_of(system, i));
        if (others < std::abs(system.diagonal[at(i)]) && std::isfinite(right[at(i)])) continue;
        throw Error(Fault::bad_input,
                    fmt::format("row {} has the diagonal {}, other entries of {} in all and the right side {}; the "
                                "diagonal must be larger and all of them numbers",
                                i, system.diagonal[at(i)], others, right[at(i)]),
                    {.row = i});
    }
}

void Partition::solve(device::Cpu& cpu, const Tridiagonal& system, std::span<const double> right, std::span<double> x) {
    const Offset n = system.size(), parts = (n + rows_of_part - 1) / rows_of_part;
    for (auto* rows : {&before_, &after_, &known_}) rows->resize(at(n));
    for (auto* rows : {&lower_, &diagonal_, &upper_, &right_, &scratch_, &last_}) rows->resize(at(parts));
    std::vector<Affine> first(at(parts)), next_to_last(at(parts));

    // x[i] = known[i] + before[i] x[begin - 1] + after[i] x[i + 1] for all rows of a part but the last
    cpu.blocks(n, rows_of_part, [&](Offset begin, Offset end, int) {
        Affine row{0, 1, 0};
        for (Offset i = begin; i + 1 < end; ++i) {
            const double lower = lower_of(system, i), scale = 1 / (system.diagonal[at(i)] + lower * row.after);
            row = {(right[at(i)] - lower * row.known) * scale, -lower * row.before * scale,
                   -upper_of(system, i) * scale};
            known_[at(i)] = row.known, before_[at(i)] = row.before, after_[at(i)] = row.after;
        }
        next_to_last[at(begin / rows_of_part)] = row;
        Affine unknown{0, 0, 1};
        for (Offset i = end - 2; i >= begin; --i) {
            unknown = {known_[at(i)] + after_[at(i)] * unknown.known, before_[at(i)] + after_[at(i)] * unknown.before,
                       after_[at(i)] * unknown.after};
        }
        first[at(begin / rows_of_part)] = unknown;
    });

    // The system of the last rows
    for (Offset p = 0; p < parts; ++p) {
        const Offset i = std::min(n, (p + 1) * rows_of_part) - 1;
        const Affine& above = next_to_last[at(p)];
        const Affine below = p + 1 < parts ? first[at(p + 1)] : Affine{};
        const double lower = lower_of(system, i), upper = upper_of(system, i);
        lower_[at(p)] = lower * above.before;
        diagonal_[at(p)] = system.diagonal[at(i)] + lower * above.after + upper * below.before;
        upper_[at(p)] = upper * below.after;
        right_[at(p)] = right[at(i)] - lower * above.known - upper * below.known;
    }
    solve_thomas({lower_, diagonal_, upper_}, right_, last_, scratch_);

    cpu.blocks(n, rows_of_part, [&](Offset begin, Offset end, int) {
        const Offset p = begin / rows_of_part;
        const double before = p > 0 ? last_[at(p - 1)] : 0;
        double after = last_[at(p)];
        x[at(end - 1)] = after;
        for (Offset i = end - 2; i >= begin; --i) {
            after = known_[at(i)] + before_[at(i)] * before + after_[at(i)] * after;
            x[at(i)] = after;
        }
    });
}

void solve_abreast(Offset n, const double* lower, double* diagonal, const double* upper, double* right) {
    for (Offset i = 1; i < n; ++i) {
        for (int j = 0; j < lines_abreast; ++j) {
            const Offset k = i * lines_abreast + j, above = k - lines_abreast;
            const double factor = lower[k] / diagonal[above];
            diagonal[k] -= factor * upper[above];
            right[k] -= factor * right[above];
        }
    }
    for (Offset i = n - 1; i >= 0; --i) {
        for (int j = 0; j < lines_abreast; ++j) {
            const Offset k = i * lines_abreast + j;
            const double after = i + 1 < n ? upper[k] * right[k + lines_abreast] : 0;
            right[k] = (right[k] - after) / diagonal[k];
        }
    }
}

}  // namespace dunlin::waves
