// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/network.hpp>

/// The names under which every format of graphs finds the weights of edges.
namespace dunlin::io {

inline constexpr std::size_t no_weights = ~std::size_t{0};

/// Rank of a name of a column or attribute as that of the weights, 0 for the best; no_weights if it is none. The same
/// name in another spelling has the next rank.
/// options.weights_from: as it is spelled, else in any case; "none" has no name. Without it the usual names: weight,
/// weights, w, value; where weights are lengths then length, len, distance, dist, cost.
std::size_t weight_rank(std::string_view name, const NetworkOptions& options);

/// Whether names of two ranks may stand for each other, edge by edge: weights for weights, lengths for lengths.
bool are_of_one_kind(std::size_t rank, std::size_t other);

/// Whether two ranks are those of one name in two spellings.
inline bool are_spellings(std::size_t rank, std::size_t other) { return rank / 2 == other / 2; }

/// The positions of the names that are of one kind with the best one, the best first.
std::vector<std::size_t> find_all_weights(const std::vector<std::string>& names, const NetworkOptions& options);

/// The ranks of the names under which edges have weights, where each edge may have its own.
class UsedNames {
public:
    void add(std::size_t rank) { used_ |= std::uint64_t{1} << rank / 2; }
    /// Says them if they are several.
    void say(Network& network) const;

private:
    std::uint64_t used_ = 0;  ///< a bit per name
};

/// The position of the name of the best rank; names.size() if there is none.
std::size_t find_weights(const std::vector<std::string>& names, const NetworkOptions& options);

/// Whether a column of this name has something else than weights: a time, a key, a class; a length, unless
/// options.lengths.
bool is_no_weight(std::string_view name, const NetworkOptions& options);

/// Whether a column of this name has strengths that are no usual weights: similarities, scores, counts.
bool is_strength(std::string_view name);

/// Says which attributes with numbers are not used, of edges without weights.
std::string unused_numbers(const std::vector<std::string>& names);

/// Says how many edges of a network with weights have none, and weigh 1.
void say_without_weight(Offset edges, Network& network);

}  // namespace dunlin::io
