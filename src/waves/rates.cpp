// SPDX-License-Identifier: Apache-2.0
#include "waves/rates.hpp"

#include <algorithm>
#include <cmath>

namespace dunlin::waves {

namespace {

/// The values of a node and its two neighbors along x, as a row of one node; the node is read at index 1.
struct EndNode {
    double around[3];

    EndNode(const double* row, Index x, Index n, bool periodic)
        : around{row[node_before(x, n, periodic)], row[x], row[node_after(x, n, periodic)]} {}
};

/// The rows beside row (y, z) of a species whose values begin at `values`.
RowOfSpecies row_of(const Domain& domain, const double* values, double* out, Index y, Index z) {
    const auto [nx, ny, nz] = domain.nodes;
    const auto begin = [nx = nx, ny = ny](Index row, Index plane) { return Offset{nx} * (row + Offset{ny} * plane); };
    const bool wraps_y = domain.periodic[1], wraps_z = domain.periodic[2];
    return {.here = values + begin(y, z),
            .below = values + begin(node_before(y, ny, wraps_y), z),
            .above = values + begin(node_after(y, ny, wraps_y), z),
            .front = values + begin(y, node_before(z, nz, wraps_z)),
            .back = values + begin(y, node_after(z, nz, wraps_z)),
            .out = out + begin(y, z)};
}

/// NaN is the largest of all.
struct Largest {
    double value = 0;
    Largest& operator+=(const Largest& other) {
        if (!std::isnan(value) && !(other.value <= value)) value = other.value;
        return *this;
    }
};

}  // namespace

FieldRates::FieldRates(const Problem& problem) : problem_(problem) {
    if (problem.domain.graph != nullptr) {
        vertices_ = rates_of_vertices(problem);
    } else {
        row_ = rates_row(problem);
    }
}

void FieldRates::find_row(const Values& values, Values& rates, Index y, Index z) const {
    const Domain& domain = problem_.domain;
    const Index n = domain.nodes[0];
    Row row{.v = row_of(domain, values.v.data(), rates.v.data(), y, z)};
    if (problem_.recovers()) row.w = row_of(domain, values.w.data(), rates.w.data(), y, z);
    if (!problem_.current.empty()) row.current = problem_.current.data() + (row.v.here - values.v.data());
    const auto from = [&](Index x) {
        Row part{.v = row.v.from(x), .current = row.current == nullptr ? nullptr : row.current + x};
        if (problem_.recovers()) part.w = row.w.from(x);
        return part;
    };
    if (n > 2) row_(problem_.coefficients, 0, n - 2, from(1));
    for (Index x = 0; x < n; x += std::max(n - 1, 1)) {
        Row end = from(x);
        const EndNode v(row.v.here, x, n, domain.periodic[0]);
        end.v.here = v.around + 1;
        const EndNode w(problem_.recovers() ? row.w.here : row.v.here, x, n, domain.periodic[0]);
        if (problem_.recovers()) end.w.here = w.around + 1;
        row_(problem_.coefficients, 0, 1, end);
    }
}

void FieldRates::find(device::Cpu& cpu, const Values& values, Values& rates) const {
    if (vertices_ != nullptr) {
        Vertices all{.v = values.v.data(), .rate_v = rates.v.data()};
        if (problem_.recovers()) all.w = values.w.data(), all.rate_w = rates.w.data();
        const device::Slice own = problem_.own();
        cpu.blocks(own.size(), 1024, [&](Offset begin, Offset end, int) {
            vertices_(problem_, all, own.begin + begin, own.begin + end);
        });
        return;
    }
    const Offset rows = problem_.size() == 0 ? 0 : Offset{problem_.domain.nodes[1]} * problem_.domain.nodes[2];
    const Offset grain = std::max<Offset>(1, 8192 / std::max(problem_.domain.nodes[0], 1));
    cpu.blocks(rows, grain, [&](Offset begin, Offset end, int) {
        for (Offset r = begin; r < end; ++r) {
            find_row(values, rates, static_cast<Index>(r % problem_.domain.nodes[1]),
                     static_cast<Index>(r / problem_.domain.nodes[1]));
        }
    });
}

double largest_magnitude(device::Cpu& cpu, const Values& values, const device::Slice& nodes) {
    device::Cell<Largest> largest;
    cpu.sum(
        nodes.size(),
        [&](Offset i) {
            Largest both{std::abs(values.v[at(nodes.begin + i)])};
            if (!values.w.empty()) both += Largest{std::abs(values.w[at(nodes.begin + i)])};
            return both;
        },
        largest);
    return largest.value.value;
}

double largest_rate(device::Cpu& cpu, const Problem& problem, const FieldRates& field_rates, const Values& values,
                    double t, Values& rates) {
    if (rates.v.empty()) rates = Values(problem);
    field_rates.find(cpu, values, rates);
    hold(problem, t, rates.watched(problem), 0);
    return largest_magnitude(cpu, rates, problem.own());
}

}  // namespace dunlin::waves
