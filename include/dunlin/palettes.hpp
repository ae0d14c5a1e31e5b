// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>

/// Colors of labels and numbers in pictures. docs/pictures.md has their sources and distances for color-blind readers.
namespace dunlin::picture {

/// automatic: dunlin for labels, viridis for numbers. The next seven are of labels, the others of numbers.
enum class Palette {
    automatic,
    dunlin,
    okabe_ito,
    tol_bright,
    tol_muted,
    tol_light,
    tableau10,
    glasbey,
    viridis,
    cividis,
    magma,
    inferno,
    plasma,
    batlow,
    greys,
    blues,
    rdbu,
    vik,
    purple_green,
    twilight,
    roma_o,
};
constexpr std::array<std::string_view, 21> names(Palette) {
    return {"auto",    "dunlin",  "okabe-ito", "tol-bright", "tol-muted",    "tol-light", "tableau10",
            "glasbey", "viridis", "cividis",   "magma",      "inferno",      "plasma",    "batlow",
            "greys",   "blues",   "rdbu",      "vik",        "purple-green", "twilight",  "romaO"};
}

/// How numbers become places on a scale of colors: evenly, by their logarithms, or by their ranks.
enum class ValueScale { linear, log, rank };
constexpr std::array<std::string_view, 3> names(ValueScale) { return {"linear", "log", "rank"}; }

/// The color of a label. Without a label it is the next color, of a label that has none, or of a scale.
struct LabelColor {
    std::string label;
    std::string color;  ///< "#1a2b3c"
};

/// Reads colors of labels: a table of a label and a color a row, or of an .h5ad what scanpy writes for a column of obs,
/// uns/COLUMN_colors. Throws Error{bad_file} for what is no color, and if the file has none.
DUNLIN_API std::vector<LabelColor> read_label_colors(const std::filesystem::path& path, const std::string& column = {});

}  // namespace dunlin::picture
