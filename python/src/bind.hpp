// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace dunlin::python {

void bind_device_points(nanobind::module_& module);  ///< points in GPU memory
void bind_points(nanobind::module_& module);         ///< neighbors, k-means, mixtures
void bind_clusters(nanobind::module_& module);       ///< density clusters
void bind_names(nanobind::module_& module);          ///< names of groups
void bind_transform(nanobind::module_& module);      ///< places of new points
void bind_parametric(nanobind::module_& module);     ///< parametric maps
void bind_embeddings(nanobind::module_& module);     ///< t-SNE, UMAP, PaCMAP
void bind_reliability(nanobind::module_& module);    ///< reliability of the points of a map
void bind_shards(nanobind::module_& module);         ///< k-means over shards
void bind_graphs(nanobind::module_& module);         ///< layout, edge lists, components
void bind_distances(nanobind::module_& module);      ///< multidimensional scaling and its stresses
void bind_scores(nanobind::module_& module);         ///< scores and pictures
void bind_density(nanobind::module_& module);        ///< density of a map, contours, peaks
void bind_surface(nanobind::module_& module);        ///< level surfaces, hulls, meshes
void bind_waves(nanobind::module_& module);          ///< waves of reaction and diffusion
void bind_pages(nanobind::module_& module);          ///< pages of maps, copies of maps that form
void bind_files(nanobind::module_& module);          ///< readers and writers
void bind_machine(nanobind::module_& module);        ///< threads, GPUs, intake of arrays, lists of options
void translate_errors(nanobind::module_& module);

}  // namespace dunlin::python
