// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include <dunlin/feed.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/network.hpp>
#include <dunlin/sequence_files.hpp>

#include "common.hpp"

/// The inputs of dunlin mds and kmedoids.
namespace dunlin::app {

struct InputOptions {
    mds::PointOptions points;
    sequences::Options sequences;
    io::StringOptions strings;
    io::NetworkOptions network;
    std::string feed;  ///< command of the distance server; empty: none
    io::FeedOptions feeding;
    std::optional<Offset> distances;
};

/// The dissimilarities, and the attributes of their file.
struct Input {
    mds::Dissimilarities items;
    io::Points about;  ///< ids, labels and kind; `values` has only the shape
    std::optional<io::Network> network;
    bool of_sequences = false;  ///< strings or tracks
};

/// INPUT's description in the help.
std::string dissimilarities_help();

void add_input_flags(CLI::App& app, InputOptions& options);

/// Adds what chose the dissimilarities to the options of a report.
void put_input_options(nlohmann::ordered_json& options, const InputOptions& reading, const Input& input);

/// Adds what computed the distances of strings and tracks to a report.
void put_device_of_distances(nlohmann::ordered_json& report, const Input& input);

/// Throws the error of reading points, with what else the file may be if it looks like a matrix of dissimilarities.
[[noreturn]] void throw_of_points(const CommonOptions& common, const fs::path& path, const Error& error);

/// Prints a note on points, and adds it to theirs, that look like a matrix of dissimilarities, unless --holds says what
/// they are. Throws if the command refuses these.
void note_dissimilarities(const CommonOptions& common, const fs::path& path, io::Points& points);

Input read_dissimilarities(const fs::path& path, const InputOptions& options, CommonOptions& common);

}  // namespace dunlin::app
