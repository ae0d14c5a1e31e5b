// SPDX-License-Identifier: Apache-2.0
#include "io/distance_protocol.hpp"

#include <array>

#include "fuzz.hpp"

using namespace dunlin;

/// What a process that feeds distances may say, in pieces. Afterwards as many answers are there as were counted.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Choice choice(data, size);
    const auto format = choice.bit(0) ? io::FeedFormat::binary : io::FeedFormat::lines;
    const std::size_t cut = size * (choice.bits >> 1) / 128;
    std::array<float, 64> out;
    out.fill(-7);
    io::DistanceParser answers(format, out, "it");
    try {
        const std::string_view said(reinterpret_cast<const char*>(data), size);
        answers.take(said.substr(0, cut));
        answers.take(said.substr(cut));
    } catch (const Error&) {
    }
    fuzz::require(answers.count() <= out.size());
    for (std::size_t k = answers.count(); k < out.size(); ++k) fuzz::require(out[k] == -7);
    return 0;
}
