// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <dunlin/scores.hpp>

#include "common.hpp"

/// One function per subcommand: adds it with its flags, and sets `action` if it is selected.
namespace dunlin::app {

/// dunlin map for graphs: draws the graph by the default method. Returns the exit code.
int draw_graph(const fs::path& input, const CommonOptions& common, const picture::Options& picture, int dim,
               scores::Extent scores);

/// dunlin map for dissimilarities: scales the matrix by the default method. Returns the exit code.
int scale_matrix(const fs::path& input, const CommonOptions& common, const picture::Options& picture, int dim,
                 scores::Extent scores);

void add_map(CLI::App& app, Action& action);
void add_tsne(CLI::App& app, Action& action);
void add_umap(CLI::App& app, Action& action);
void add_transform(CLI::App& app, Action& action);
void add_inverse(CLI::App& app, Action& action);
void add_train(CLI::App& app, Action& action);
void add_pacmap(CLI::App& app, Action& action);
void add_layout(CLI::App& app, Action& action);
void add_neighbors(CLI::App& app, Action& action);
void add_kmeans(CLI::App& app, Action& action);
void add_kmedoids(CLI::App& app, Action& action);
void add_mixture(CLI::App& app, Action& action);
void add_clusters(CLI::App& app, Action& action);
void add_communities(CLI::App& app, Action& action);
void add_score(CLI::App& app, Action& action);
void add_draw(CLI::App& app, Action& action);
void add_density(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_mds(CLI::App& app, Action& action);
void add_waves(CLI::App& app, Action& action);
void add_surface(CLI::App& app, Action& action);
void add_view(CLI::App& app, Action& action);

}  // namespace dunlin::app
