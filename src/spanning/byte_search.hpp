// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "neighbors/transform.hpp"
#include "spanning/point_tree.hpp"
#include "spanning/rounds.hpp"

namespace dunlin::spanning {

/// Keys of an item and others, in the order of keys.hpp.
class KeysOfItem {
public:
    KeysOfItem(const PointSource& source, const neighbors::DistinctRows& groups, Index item)
        : source_(source), groups_(groups), rows_(2 * at(source.cols)) {
        source_.write(groups_.first(item), rows_.data());
    }
    double to(Index other) {
        double* const row = rows_.data() + source_.cols;
        source_.write(groups_.first(other), row);
        return row_key(source_.norm, rows_.data(), row, source_.cols);
    }

private:
    const PointSource& source_;
    const neighbors::DistinctRows& groups_;
    std::vector<double> rows_;
};

/// A search of exits for Rounds::run over items with many columns: leaves of rows in bytes are scanned, nearest first,
/// but for those that lie in the item's component or beyond the least known exit; what passes is compared exactly.
std::function<void()> byte_search(device::Cpu& cpu, const neighbors::ItemTransform& transform,
                                  const neighbors::ValueStatistics& statistics, const PointSource& source,
                                  const neighbors::DistinctRows& groups, Rounds& rounds);

}  // namespace dunlin::spanning
