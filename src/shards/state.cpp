// SPDX-License-Identifier: Apache-2.0
#include "shards/state.hpp"

#include <fmt/format.h>

#include <dunlin/error.hpp>

namespace dunlin::kmeans {

std::vector<char> question_of(Options options, const Shape& shape, std::uint64_t seed, const std::string& more) {
    std::string text = more;
    fields([&](const auto& field) { text += fmt::format("{} {}, ", field.name, text_of(field.value)); }, options);
    text += fmt::format("{} x {} rows{} in chunks of {}, seed {}", shape.rows, shape.cols,
                        shape.weighted ? " with weights" : "", shape.chunk_rows, seed);
    return {text.begin(), text.end()};
}

DriverState resumed_state(std::span<const std::byte> bytes, const std::vector<char>& question) {
    auto state = decoded<DriverState>(bytes);
    if (state.header.kind != MessageKind::state) fail_for_message("it is not the state of a driver");
    if (state.question != question) {
        throw Error(Fault::bad_input,
                    fmt::format("the state to resume from is of another run ({}), and this one is ({}); give the same "
                                "options, or start anew",
                                std::string(state.question.begin(), state.question.end()),
                                std::string(question.begin(), question.end())));
    }
    return state;
}

void require_same_rows(const DriverState& state, const Scales& scales) {
    if (state.scales.columns == scales.columns && state.scales.weights == scales.weights &&
        state.scales.means == scales.means && state.scales.most == scales.most) {
        return;
    }
    throw Error(Fault::bad_input, "the rows are not those of the state to resume from; start anew");
}

}  // namespace dunlin::kmeans
