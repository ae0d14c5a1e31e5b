// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "mixture/expectation.hpp"
#include "shards/message.hpp"

/// Components and sums of a mixture as numbers of a message. A full covariance matrix, its factor and second moments
/// are stored as their lower triangle.
namespace dunlin::kmeans {

/// All parameters of the components. covariance: also the covariance matrix, which a chunk does not need.
std::vector<double> numbers_of(const std::vector<mixture::Component>& components, bool covariance);
std::vector<mixture::Component> components_from(const std::vector<double>& numbers, Index count, Index cols,
                                                mixture::Covariance form, bool covariance);

/// The components of a request of kind expect, and the number of numbers that they take.
std::vector<mixture::Component> components_of(const ShardRequest& request);
std::size_t numbers_of_components(const ShardRequest& request);

/// Components whose means are the centroids. All other members are 0 or empty.
std::vector<mixture::Component> components_at(const std::vector<float>& centroids, Index cols);

/// Sums of nodes: the log likelihood, then weight, first and second moment of each component, if there are moments.
void append_sums(std::vector<mixture::Expectation> nodes, std::vector<double>& numbers);
/// Pairwise sum of the nodes of all responses.
mixture::Expectation sum_of(const std::vector<ShardResponse>& responses, const mixture::Expectation& zero);

}  // namespace dunlin::kmeans
