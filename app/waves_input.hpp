// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <dunlin/network.hpp>
#include <dunlin/waves.hpp>

#include "common.hpp"

/// Domain, start and stimuli of dunlin waves, from its flags.
namespace dunlin::app {

struct WavesInput {
    std::string graph, grid;
    std::optional<Index> line, ring;
    double spacing = 1;
    bool periodic = false;
    io::NetworkOptions network;
    std::string start = "rest";
    std::vector<std::string> stimulate, hold;
    double duration = 10, value = 1, every = 0, from = 0;
};

/// A domain and what names its vertices. The graph, if any, is `network.graph`.
struct WavesDomain {
    io::Network network;
    waves::Domain domain;

    [[nodiscard]] bool is_graph() const { return domain.graph != nullptr; }
    [[nodiscard]] int axes() const { return domain.nodes[2] > 1 ? 3 : domain.nodes[1] > 1 ? 2 : 1; }
};

/// Exactly one of graph, line, ring and grid is given. Throws Error otherwise.
void read_domain(const WavesInput& input, const CommonOptions& common, WavesDomain& domain);

/// The vertex with this id, as in the file; of a grid the number of a node or x,y[,z].
Index vertex_of(const WavesDomain& domain, const std::string& id);

/// Start, stimuli and held vertices; `v` and `w` hold the values of the start.
waves::Given given_of(const WavesInput& input, const WavesDomain& domain, std::vector<double>& v,
                      std::vector<double>& w);

/// Numbers separated by a character.
std::vector<double> numbers_of(const std::string& text, char separator, const std::string& flag);

}  // namespace dunlin::app
