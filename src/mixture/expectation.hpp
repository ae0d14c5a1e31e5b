// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "device/cpu.hpp"
#include "mixture/component.hpp"

/// Sums of the expectation step that do not depend on how rows are divided among threads, processes or machines: rows
/// are added one after another within leaves of 256, leaves in pairs, pairs in pairs, and so on.
namespace dunlin::mixture {

constexpr Offset leaf_rows = 256;

/// Sums over some rows: the moments of every component, and the log likelihood.
struct Expectation {
    std::vector<ComponentMoments> moments;
    double log_likelihood = 0;
    Square pooled;  ///< tied_covariance(); only of a tied start

    Expectation() = default;
    /// Zero. Without components there are no moments, only the log likelihood. start: where rows have labels.
    Expectation(Index components, Index cols, Covariance covariance, bool start = false);
    void add(const Expectation& other);
};

/// Sum in pairs of a sequence of nodes, each the sum of 2^level leaves; the last may have fewer. A binary counter: its
/// memory is a node per level.
class PairwiseSum {
public:
    void add(Expectation node);
    /// The sum of all, which leaves none; there must be a node.
    [[nodiscard]] Expectation total();

private:
    std::vector<std::optional<Expectation>> levels_;
};

/// Rows of a node of the tree, the largest of which a chunk of so many rows consists of a whole number.
Offset node_rows(Offset chunk_rows);

/// What is wanted of an expectation step, beside the log likelihood.
struct ExpectedOutputs {
    Covariance covariance = Covariance::diagonal;
    bool moments = true;                ///< whether moments are wanted
    Index* labels = nullptr;            ///< where the likeliest component of each row goes; null: nowhere
    float* responsibilities = nullptr;  ///< where those go, rows x components; null: nowhere
};

/// The means of tied components as seen from the first, whitened: a column of each.
Square white_means_of(const std::vector<Component>& components);

/// The expectation step for these rows: a sum for each node of `node` rows, in order. A stop leaves labels half done.
std::vector<Expectation> expect(device::Cpu& cpu, MatrixView<const float> rows,
                                const std::vector<Component>& components, const ExpectedOutputs& wanted, Offset node);

/// expect() with responsibility 1 for the component of each row's label. Moments are about the means of the components.
std::vector<Expectation> expect_labels(device::Cpu& cpu, MatrixView<const float> rows,
                                       const std::vector<Component>& components, Covariance covariance,
                                       const std::vector<Index>& labels, Offset node);

/// Bytes of the sums of one node, and of all that one step keeps besides its result.
std::uint64_t bytes_of_expectation(Index components, Index cols, Covariance covariance);
std::uint64_t bytes_of_step(Index components, Index cols, Covariance covariance, Offset rows);

}  // namespace dunlin::mixture
