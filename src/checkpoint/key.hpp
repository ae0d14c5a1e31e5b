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

    void add(std::string name, std::string value) { add(std::move(name), std::move(value), false); }
    /// The options as the run resolved them.
    template <class Options>
    void add_options(Options options) {
        std::vector<std::string> unchanged;
        Options fresh;
        fields([&](const auto& field) { unchanged.push_back(text_of(field.value)); }, fresh);
        std::size_t i = 0;
        fields(
            [&](const auto& field) {
                const std::string value = text_of(field.value);
                add(std::string(field.name), value, value == unchanged[i++] || value == default_now(field));
            },
            options);
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
    /// Whether an entry is an option at its default: a checkpoint of a release without this option is of the same run.
    [[nodiscard]] bool is_default(std::size_t entry) const { return is_default_[entry]; }

private:
    void add(std::string name, std::string value, bool is_default) {
        entries_.emplace_back(std::move(name), std::move(value));
        is_default_.push_back(is_default);
    }
    /// The default that an absent value takes with these options; empty: none, or one that follows from the data.
    template <class T>
    static std::string default_now(const Field<T>& field) {
        std::string text;
        for (const auto& [value, condition] : field.defaults) {
            if (condition.holds) text = text_of(value);
        }
        return text;
    }

    device::Cpu& cpu_;
    std::vector<std::pair<std::string, std::string>> entries_;
    std::vector<bool> is_default_;
};

}  // namespace dunlin::checkpoint
