// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu.hpp"
#include "waves/edges.hpp"
#include "waves/rows.hpp"
#include "waves/values.hpp"

namespace dunlin::waves {

/// The right-hand side on a whole domain.
class FieldRates {
public:
    explicit FieldRates(const Problem& problem);
    void find(device::Cpu& cpu, const Values& values, Values& rates) const;

private:
    void find_row(const Values& values, Values& rates, Index y, Index z) const;

    const Problem& problem_;
    RowKernel row_ = nullptr;
    VertexKernel vertices_ = nullptr;
};

/// The largest magnitude in both species of these nodes.
double largest_magnitude(device::Cpu& cpu, const Values& values, const device::Slice& nodes);

/// The largest rate of a value that is not held at time t; `rates`: scratch memory, allocated in the first call.
double largest_rate(device::Cpu& cpu, const Problem& problem, const FieldRates& field_rates, const Values& values,
                    double t, Values& rates);

}  // namespace dunlin::waves
