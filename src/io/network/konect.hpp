// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "io/bytes.hpp"
#include "io/network/parsed_network.hpp"

namespace dunlin::io {

/// The comments at the beginning of a KONECT file: "% bip weighted", "% edges left right".
struct KonectHead {
    std::string form;  ///< bip, sym or asym; empty: no such file
    Offset edges = -1;
    Index left = -1, right = -1;  ///< vertices of both sides
};

KonectHead konect_head(const Bytes& bytes);

/// Says that a head counts other edges than there are.
void say_wrong_counts(const KonectHead& head, ParsedNetwork& parsed);

}  // namespace dunlin::io
