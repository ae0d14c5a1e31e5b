// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include <dunlin/descent.hpp>

#include "common.hpp"
#include "flags.hpp"

/// A matrix of dissimilarities as the input of a neighbor embedding (--holds dissimilarities).
namespace dunlin::app {

/// Items whose neighbors are searched in a matrix.
struct MatrixPoints {
    Matrix dissimilarities;
    io::Points points;  ///< ids and labels; the values are places of the items for the start, or zeros
    std::string start;  ///< what the start of the map is then; empty: as the options say
};

/// Whether --holds says that the input is a matrix.
inline bool holds_matrix(const CommonOptions& common) { return common.read.holds == io::Holds::dissimilarities; }

/// Options that decide how the map of a matrix is computed.
struct MatrixUse {
    int dim = 2;
    descent::Start start = descent::Start::pca;
    neighbors::Method search = neighbors::Method::automatic;
};

/// Reads the matrix and, for a start by principal coordinates or spectral, scales it classically. Throws for flags and
/// files that need points.
MatrixPoints read_matrix_points(const fs::path& path, CommonOptions& common, const CLI::App& flags, const Files& files,
                                const MatrixUse& use);

/// Throws for flags that need points, where the input holds something else.
void refuse_flags_of_points(const fs::path& path, const CLI::App& flags, std::initializer_list<const char*> names,
                            std::string_view holds = "dissimilarities");

/// Replaces what a report says of points.
void put_matrix(const MatrixPoints& matrix, nlohmann::ordered_json& input, nlohmann::ordered_json& options);

}  // namespace dunlin::app
