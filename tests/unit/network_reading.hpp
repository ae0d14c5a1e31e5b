// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/error.hpp>
#include <dunlin/io.hpp>

#include "folder.hpp"
#include "io/network/parsed_network.hpp"
#include "refusal.hpp"

/// What the tests of formats of graphs share.
namespace dunlin::io {

namespace fs = std::filesystem;
using StringInterner = std::vector<std::string>;
using Offsets = std::vector<Offset>;
using Targets = std::vector<Index>;
using Weights = std::vector<float>;

inline Network read(const std::string& text, const char* name, const NetworkOptions& options = {}) {
    return read_network(Bytes::copy(text, name), options);
}

inline std::string error_of(const std::string& text, const char* name, const NetworkOptions& options = {}) {
    return refusal([&] { read(text, name, options); });
}

/// Whether a warning of the reader has these words.
inline bool warns(const Network& network, std::string_view words) {
    return std::any_of(network.warnings.begin(), network.warnings.end(),
                       [&](const std::string& warning) { return warning.find(words) != std::string::npos; });
}

inline void expect_path(const Network& network, const StringInterner& ids) {
    EXPECT_EQ(network.graph.offsets, (Offsets{0, 1, 3, 4}));
    EXPECT_EQ(network.graph.targets, (Targets{1, 0, 2, 1}));
    EXPECT_EQ(network.ids, ids);
}

class NetworkWriting : public InFolder {
protected:
    /// Vertex v has the position (v, -v, ...).
    std::string written(const Network& network, const char* name, int dim = 2) const {
        Map map{dim, {}};
        for (Index v = 0; v < network.graph.size(); ++v) {
            for (int d = 0; d < dim; ++d) map.coordinates.push_back(static_cast<float>(d % 2 == 0 ? v : -v));
        }
        write_network(folder_ / name, network, map);
        return bytes(path(name));
    }
};

}  // namespace dunlin::io
