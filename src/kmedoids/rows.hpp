// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/mds.hpp>

#include "device/cpu.hpp"

namespace dunlin::kmedoids {

/// Dissimilarities of the items among which medoids are sought, as complete rows.
class SampleRows {
public:
    /// sample: ascending items. SampleRows of a matrix are not copied if the sample is all items. Throws
    /// Error{bad_input} for a missing entry, and a budget that does not suffice.
    SampleRows(device::Cpu& cpu, const mds::Dissimilarities& items, std::vector<Index> sample, const Run& run);

    ~SampleRows() = default;
    SampleRows(const SampleRows&) = delete;
    SampleRows& operator=(const SampleRows&) = delete;
    SampleRows(SampleRows&&) = delete;
    SampleRows& operator=(SampleRows&&) = delete;

    [[nodiscard]] Index size() const { return static_cast<Index>(sample_.size()); }
    [[nodiscard]] std::span<const Index> items() const { return sample_; }
    /// Dissimilarities of the i-th item of the sample to all of the sample.
    [[nodiscard]] const float* row(Index i) const { return rows_[static_cast<std::size_t>(i)]; }

    /// Bytes that the constructor takes.
    static std::uint64_t bytes(const mds::Dissimilarities& items, Index sample);

private:
    void copy_points(device::Cpu& cpu, const mds::Dissimilarities& items);
    void share(const mds::Dissimilarities& items);
    void require_complete(device::Cpu& cpu) const;

    std::vector<Index> sample_;
    std::vector<const float*> rows_;
    std::vector<float> copied_;
    mds::Dissimilarities items_;  ///< keeps rows that are not copied
};

/// Computes the rows of these items on demand, if they are that. Throws as the constructor of SampleRows.
void request_rows(device::Cpu& cpu, const mds::Dissimilarities& items, std::span<const Index> rows, const Run& run);

/// Dissimilarities of these items to all, as rows of n.
std::vector<float> rows_to_all(device::Cpu& cpu, const mds::Dissimilarities& items, std::span<const Index> from,
                               const Run& run);

}  // namespace dunlin::kmedoids
