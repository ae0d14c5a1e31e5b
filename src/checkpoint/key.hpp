// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dunlin/options.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

#include "checkpoint/checksum.hpp"

namespace dunlin::checkpoint {

/// All inputs of a run as names and values: version, method, device, seed, options, and hashes of the data. Only a run
/// with an equal key can resume a checkpoint.
class Key {
public:
    explicit Key(device::Cpu& cpu) : cpu_(cpu) {}

    void add(std::string name, std::string value) { entries_.emplace_back(std::move(name), std::move(value)); }
    /// The options as the run resolved them.
    template <class Options>
    void add_options(Options options) {
        fields([&](const auto& field) { add(std::string(field.name), text_of(field.value)); }, options);
    }
    /// The hash of an input of this name: a vector or a span.
    template <class Values>
    void add_input(std::string_view name, const Values& values) {
        const std::uint64_t hash = checksum_of(cpu_, std::as_bytes(std::span(values)));
        add(fmt::format("hash of {}", name), fmt::format("{:016x}", hash));
    }
    void add_input(std::string_view name, const Graph& graph) {
        add_input(fmt::format("{}' offsets", name), graph.offsets);
        add_input(fmt::format("{}' edges", name), graph.targets);
        add_input(fmt::format("{}' weights", name), graph.weights);
    }
    void add_input(std::string_view name, MatrixView<const float> matrix) {
        add_input(name, std::span(matrix.data, static_cast<std::size_t>(matrix.size())));
    }

    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }

private:
    device::Cpu& cpu_;
    std::vector<std::pair<std::string, std::string>> entries_;
};

}  // namespace dunlin::checkpoint
