// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>

#include <dunlin/feed.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/network.hpp>

#include "common.hpp"

/// The inputs of dunlin mds.
namespace dunlin::app {

struct InputOptions {
    mds::PointOptions points;
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
};

void add_input_flags(CLI::App& app, InputOptions& options);

Input read_dissimilarities(const fs::path& path, const InputOptions& options, CommonOptions& common);

}  // namespace dunlin::app
