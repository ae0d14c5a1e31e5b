#pragma once

#include <dunlin/tsne.hpp>

namespace dunlin::tsne {

/// Checks options that do not depend on the data. Throws Error{bad_input}.
void check(const Options& options);

/// The options with every rule of size settled for n points with at most `most_neighbours` neighbours each:
/// perplexity and k get values. Throws Error{bad_input} naming the largest legal value.
Options resolve(Options options, Index n, Index most_neighbours);

/// What is asked of the search for neighbours; `options` are resolved.
neighbors::Options search_options(const Options& options);

/// The learning rate of a phase with this exaggeration.
float learning_rate(const Options& options, Index n, float exaggeration);

}  // namespace dunlin::tsne
