// SPDX-License-Identifier: Apache-2.0
#include "io/distance_protocol.hpp"

#include <array>

#include "fuzz.hpp"

using namespace dunlin;

/// A response in two pieces. Afterwards exactly count() values are set.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Choice choice(data, size);
    const auto format = choice.bit(0) ? io::FeedFormat::binary : io::FeedFormat::lines;
    const std::size_t cut = size * (choice.bits >> 1) / 128;
    std::array<float, 64> out;
    out.fill(-7);
    io::DistanceParser parser(format, out, "it");
    try {
        const std::string_view bytes(reinterpret_cast<const char*>(data), size);
        parser.parse(bytes.substr(0, cut));
        parser.parse(bytes.substr(cut));
    } catch (const Error&) {
    }
    fuzz::require(parser.count() <= out.size());
    for (std::size_t k = parser.count(); k < out.size(); ++k) fuzz::require(out[k] == -7);
    return 0;
}
