// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include <dunlin/error.hpp>

#include "io/memory.hpp"
#include "io/network/parsed_network.hpp"
#include "io/readers.hpp"
#include "io/sequences.hpp"

/// Common code of the fuzzers: a reader returns a valid result or throws dunlin::Error.
namespace dunlin::fuzz {

inline void require(bool sound) {
    if (!sound) std::abort();
}

inline void check(const Labels& labels) {
    for (const Index label : labels.of)
        require(label == no_label || (label >= 0 && static_cast<std::size_t>(label) < labels.names.size()));
}

inline void check(const io::Points& points) {
    const auto view = points.values.view();
    const auto rows = static_cast<std::size_t>(view.rows), cols = static_cast<std::size_t>(view.cols);
    require(rows > 0 && cols > 0);
    for (Offset i = 0; i < view.size(); ++i) require(std::isfinite(view.data[i]));
    require(points.ids.empty() || points.ids.size() == rows);
    require(points.columns.empty() || points.columns.size() == cols);
    require(points.shift.empty() || points.shift.size() == cols);
    require(points.labels.empty() || points.labels.of.size() == rows);
    check(points.labels);
}

inline void check(const io::MapFile& file) {
    const auto points = static_cast<std::size_t>(file.map.size());
    require(file.map.dim > 0);
    require(points > 0 && points * static_cast<std::size_t>(file.map.dim) == file.map.coordinates.size());
    for (const float value : file.map.coordinates) require(std::isfinite(value));
    require(file.ids.empty() || file.ids.size() == points);
    require(file.labels.empty() || file.labels.of.size() == points);
    check(file.labels);
}

inline void check(const Graph& graph) {
    require(!graph.offsets.empty() && graph.offsets.front() == 0);
    require(graph.targets.size() == static_cast<std::size_t>(graph.edges()) &&
            graph.weights.size() == graph.targets.size());
    for (std::size_t v = 1; v < graph.offsets.size(); ++v) require(graph.offsets[v - 1] <= graph.offsets[v]);
    for (const Index target : graph.targets) require(target >= 0 && target < graph.size());
}

/// Checks that the graph is undirected and simple, and that attributes have one value per vertex.
inline void check(const io::Network& network) {
    const Graph& graph = network.graph;
    check(graph);
    const auto n = static_cast<std::size_t>(graph.size());
    for (std::size_t v = 0; v < n; ++v) {
        for (auto e = static_cast<std::size_t>(graph.offsets[v]); e < static_cast<std::size_t>(graph.offsets[v + 1]);
             ++e) {
            require(static_cast<std::size_t>(graph.targets[e]) != v);
            require(e == static_cast<std::size_t>(graph.offsets[v]) || graph.targets[e - 1] < graph.targets[e]);
            require(graph.weights[e] > 0 && std::isfinite(graph.weights[e]));
            // Without weights an edge weighs the number of its copies
            const float weight = graph.weights[e];
            require(network.weighted || weight == 1 || (network.multi_edges > 0 && weight == std::floor(weight)));
        }
    }
    require(graph.edges() % 2 == 0 && network.self_loops >= 0 && network.multi_edges >= 0);
    require(network.ids.empty() || network.ids.size() == n);
    require(network.names.empty() || network.names.size() == n);
    require(network.labels.empty() || network.labels.of.size() == n);
    check(network.labels);
    require(network.start.coordinates.empty() ||
            network.start.coordinates.size() == n * static_cast<std::size_t>(network.start.dim));
    require(network.pinned.empty() || network.pinned.size() == n);
    require(network.sizes.empty() || network.sizes.size() == n);
}

inline void check_offsets(const std::vector<Offset>& offsets, Offset end, Offset least) {
    require(offsets.size() > 1 && offsets.front() == 0 && offsets.back() == end);
    for (std::size_t i = 1; i < offsets.size(); ++i) require(offsets[i] - offsets[i - 1] >= least);
}

inline void check(const io::StringFile& file) {
    check_offsets(file.items.offsets, static_cast<Offset>(file.items.symbols.size()), 0);
    require(file.ids.empty() || file.ids.size() == static_cast<std::size_t>(file.items.size()));
}

inline void check(const io::TrackFile& file) {
    const auto dim = static_cast<std::size_t>(file.items.dim);
    require(dim > 0 && file.items.positions.size() % dim == 0);
    check_offsets(file.items.offsets, static_cast<Offset>(file.items.positions.size() / dim), 1);
    for (const double value : file.items.positions) require(std::isfinite(value));
    require(!file.items.geographic || dim == 2);
    const auto items = static_cast<std::size_t>(file.items.size());
    require(file.ids.empty() || file.ids.size() == items);
    require(file.labels.empty() || file.labels.of.size() == items);
    check(file.labels);
}

inline void check(const io::Bytes& bytes) {
    for (std::size_t i = 0; i < io::Bytes::padding; ++i) require(bytes.end()[i] == 0);
}

/// Reads one input; a false header can request at most 32 MiB.
template <class Read>
int run(const Read& read) {
    io::set_memory_limit(std::uint64_t{32} << 20);
    try {
        check(read());
    } catch (const Error&) {
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {
    }
    return 0;
}

inline io::Bytes input(const std::uint8_t* data, std::size_t size, const char* name) {
    return io::Bytes::copy({reinterpret_cast<const char*>(data), size}, name);
}

/// The first byte of an input chooses options.
struct Choice {
    std::uint8_t bits = 0;
    Choice(const std::uint8_t*& data, std::size_t& size) {
        if (size == 0) return;
        bits = *data++;
        --size;
    }
    [[nodiscard]] bool bit(int i) const { return (bits >> i & 1) != 0; }
};

/// Reads an input as a network; its first byte chooses options.
inline int run_network(const std::uint8_t* data, std::size_t size, const char* name) {
    const Choice choice(data, size);
    io::NetworkOptions options;
    if (choice.bit(0)) options.weights_from = choice.bit(1) ? "none" : choice.bit(2) ? "3" : "w";
    if (choice.bit(3)) options.labels = "c";
    if (choice.bit(4)) options.graph = 2;
    return run([&] { return io::read_network(input(data, size, name), options); });
}

}  // namespace dunlin::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
