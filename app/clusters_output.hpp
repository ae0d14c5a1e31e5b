// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <dunlin/clusters.hpp>
#include <dunlin/io.hpp>
#include <dunlin/separation.hpp>

#include "common.hpp"
#include "group_names.hpp"
#include "report.hpp"

/// dunlin clusters: what the command has, and its outputs.
namespace dunlin::app {

struct ClustersCommand {
    fs::path input, predict, of;
    CommonOptions common;
    clusters::Options options;
    clusters::SeparationOptions separation;
    NameFlags names;
    std::string tree, linkage, predicted;
    bool stability = false;
    const CLI::App* flags = nullptr;
};

/// What is measured of the clusters, besides; empty: not measured.
struct Measured {
    std::vector<double> stabilities;
    clusters::Separations separations;

    [[nodiscard]] bool has_separations() const { return !separations.conductances.empty(); }
};

/// Points or a matrix, or a graph whose weights are distances.
struct ClusteredItems {
    io::Points points;  ///< of a graph only ids, kind and notes
    io::Points queries = {};
    std::optional<Graph> lists = {};
    bool of_matrix = false;

    [[nodiscard]] Index size() const { return lists ? lists->size() : points.values.rows(); }
};

/// The clusters as groups that get names.
ShownGroups shown_of(const clusters::Result& result);

/// Writes all outputs; returns those that were written.
std::vector<fs::path> write_all(const ClustersCommand& command, const std::vector<std::string>& outputs,
                                const ClusteredItems& items, const clusters::Result& result, const Measured& measured,
                                const clusters::Predicted& predicted);

Json report_on(const ClustersCommand& command, const ClusteredItems& items, const clusters::Result& result,
               const GroupsNamed& named, const Measured& measured, const StageSeconds& spent);

void print_summary(const ClusteredItems& items, const clusters::Result& result, const Measured& measured);

}  // namespace dunlin::app
