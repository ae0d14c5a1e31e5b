// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "math/at.hpp"

namespace dunlin::scores {

/// Rows with labels by class: those of class c are rows[offsets[c]] to before rows[offsets[c + 1]], ascending. Classes
/// are numbered by label, without labels that no row has.
struct ClassRows {
    std::vector<Index> rows;
    std::vector<Offset> offsets;

    explicit ClassRows(const Labels& labels);

    [[nodiscard]] Index count() const { return static_cast<Index>(offsets.size()) - 1; }
    [[nodiscard]] Offset size(Index c) const { return offsets[at(c) + 1] - offsets[at(c)]; }
};

/// Center of a class, column by column. The median of an even number of values is the mean of the two in the middle.
enum class Center { mean, median };

/// Centers of the classes: classes x cols. A column's values are added in double, in the order of rows.
std::vector<double> class_centers(device::Cpu& cpu, MatrixView<const float> values, const ClassRows& classes,
                                  Center center);

}  // namespace dunlin::scores
