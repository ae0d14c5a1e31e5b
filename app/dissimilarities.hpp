// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>

#include <dunlin/feed.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/network.hpp>

#include "common.hpp"

/// What dunlin mds is given, in whatever form.
namespace dunlin::app {

struct InputOptions {
    mds::PointOptions points;
    io::NetworkOptions network;
    std::string feed;  ///< a command; empty: none
    io::FeedOptions feeding;
    std::optional<Offset> distances;
};

/// What the file held, beside the dissimilarities themselves.
struct Input {
    mds::Dissimilarities items;
    io::Points about;  ///< ids, labels, kind, and the shape in `values`
    std::optional<io::Network> network;
};

void add_input_flags(CLI::App& app, InputOptions& options);

Input read_dissimilarities(const fs::path& path, const InputOptions& options, CommonOptions& common);

}  // namespace dunlin::app
