// SPDX-License-Identifier: Apache-2.0
#include "io/network/weight_names.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "io/fail.hpp"
#include "io/table_schema.hpp"
#include "io/track_columns.hpp"

namespace dunlin::io {

namespace {

constexpr std::array<std::string_view, 4> weight_names{"weight", "weights", "w", "value"};
constexpr std::array<std::string_view, 6> length_names{"length", "lengths", "len", "distance", "dist", "cost"};
constexpr std::array<std::string_view, 22> other_names{
    "id",    "ids",  "edgeid", "key",   "index", "time", "times", "timestamp", "timestamps", "unixts",   "ts",
    "epoch", "date", "year",   "month", "day",   "type", "label", "class",     "group",      "category", "community"};

constexpr auto strength_names = std::to_array<std::string_view>(
    {"sim",    "corr",   "cor",   "r",         "rho",         "strength", "affinity", "confidence",
     "prob",   "n",      "count", "counts",    "number",      "freq",     "times",    "frequency",
     "kernel", "rating", "stars", "relevance", "probability", "pearson",  "jaccard",  "overlap"});

template <class Names>
std::size_t rank_in(const Names& names, std::string_view name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

std::size_t weight_rank(std::string_view name, const NetworkOptions& options) {
    if (options.weights_from == "none") return no_weights;
    if (!options.weights_from.empty()) {
        if (name == options.weights_from) return 0;
        return lower(name) == lower(options.weights_from) ? 1 : no_weights;
    }
    const std::string plain = plain_name(name);
    const auto ranked = [&](std::size_t rank) { return 2 * rank + (name == plain ? 0 : 1); };
    if (const std::size_t rank = rank_in(weight_names, plain); rank < weight_names.size()) return ranked(rank);
    const std::size_t rank = rank_in(length_names, plain);
    return options.lengths && rank < length_names.size() ? ranked(weight_names.size() + rank) : no_weights;
}

bool are_of_one_kind(std::size_t rank, std::size_t other) {
    constexpr std::size_t lengths = 2 * weight_names.size();
    return rank != no_weights && other != no_weights && (rank < lengths) == (other < lengths);
}

std::vector<std::size_t> find_all_weights(const std::vector<std::string>& names, const NetworkOptions& options) {
    std::vector<std::size_t> ranks, found;
    for (const std::string& name : names) ranks.push_back(weight_rank(name, options));
    const std::size_t best = ranks.empty() ? no_weights : *std::min_element(ranks.begin(), ranks.end());
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (are_of_one_kind(ranks[i], best)) found.push_back(i);
    }
    std::stable_sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) { return ranks[a] < ranks[b]; });
    return found;
}

void UsedNames::say(Network& network) const {
    if (std::popcount(used_) < 2) return;
    std::string list;
    for (std::size_t i = 0; i < weight_names.size() + length_names.size(); ++i) {
        if ((used_ >> i & 1) == 0) continue;
        const std::string_view name = i < weight_names.size() ? weight_names[i] : length_names[i - weight_names.size()];
        list += fmt::format("{}'{}'", list.empty() ? "" : ", ", name);
    }
    network.warnings.push_back(fmt::format(
        "weights of edges have several names, {}: of these, each edge has its first (weights-from takes one)", list));
}

std::size_t find_weights(const std::vector<std::string>& names, const NetworkOptions& options) {
    std::size_t best = names.size(), best_rank = no_weights;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::size_t rank = weight_rank(names[i], options);
        if (rank < best_rank) best = i, best_rank = rank;
    }
    return best;
}

bool is_no_weight(std::string_view name, const NetworkOptions& options) {
    const std::string plain = plain_name(name);
    return rank_in(other_names, plain) < other_names.size() ||
           (!options.lengths && rank_in(length_names, plain) < length_names.size());
}

bool is_strength(std::string_view name) {
    const std::string plain = plain_name(name);
    const auto holds = [&](std::string_view part) { return plain.find(part) != std::string::npos; };
    if (holds("dissimil")) return false;
    return holds("similar") || holds("correl") || holds("score") || holds("affinit") ||
           rank_in(strength_names, plain) < strength_names.size();
}

std::string unused_numbers(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += fmt::format("{}'{}'", list.empty() ? "" : ", ", shown(name));
    return fmt::format("numbers of edges that are not used: {} (weights-from takes one as the weights)", list);
}

void say_without_weight(Offset edges, Network& network) {
    if (edges > 0 && network.weighted)
        network.warnings.push_back(fmt::format("edges without a weight, which weigh 1: {}", edges));
}

}  // namespace dunlin::io
