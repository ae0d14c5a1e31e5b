// SPDX-License-Identifier: Apache-2.0
// docs/options.md is written from the lists of options: with DUNLIN_UPDATE_DOCS=1 in the environment this test writes
// it, else it compares.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <dunlin/clusters.hpp>
#include <dunlin/communities.hpp>
#include <dunlin/density.hpp>
#include <dunlin/feed.hpp>
#include <dunlin/inverse.hpp>
#include <dunlin/io.hpp>
#include <dunlin/kmeans.hpp>
#include <dunlin/kmedoids.hpp>
#include <dunlin/landscape.hpp>
#include <dunlin/layout.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/mixture.hpp>
#include <dunlin/names.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/network.hpp>
#include <dunlin/normalize.hpp>
#include <dunlin/pacmap.hpp>
#include <dunlin/parametric.hpp>
#include <dunlin/picture.hpp>
#include <dunlin/reliability.hpp>
#include <dunlin/run.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/separation.hpp>
#include <dunlin/sequence_files.hpp>
#include <dunlin/surface.hpp>
#include <dunlin/transform.hpp>
#include <dunlin/tsne.hpp>
#include <dunlin/umap.hpp>
#include <dunlin/waves.hpp>

namespace dunlin {
namespace {

/// Escapes bars, which would end a table cell.
std::string cell(std::string text) {
    for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
        text.replace(at, 1, "\\|");
    return text;
}

template <class Options>
std::string table(std::string_view title) {
    std::string text = "\n## " + std::string(title) +
                       "\n\n| option | values | default | read with | meaning |\n|---|---|---|---|---|\n";
    for (const FieldText& field : described_fields<Options>()) {
        text += "| `--" + field.name + "` | " + cell(field.values) + " | " + cell(field.fallback) + " | " +
                cell(field.readers) + " | " + cell(field.help) + " |\n";
    }
    return text;
}

std::string page() {
    std::string text =
        "# Options\n\n"
        "Every option of every method, from the lists in the public headers (`fields`), from which the flags of the\n"
        "command, their help, their checks and the report follow too. An empty default means that nothing is done\n"
        "unless the option is given; \"read with\" names the choices that read an option: given with another choice "
        "it\n"
        "is an error. The inputs and outputs of a command, and flags that are not options of the method (presets, maps "
        "to\n"
        "continue, columns to write), are in `dunlin COMMAND --help`.\n\n"
        "Do not edit this page: `DUNLIN_UPDATE_DOCS=1 build/cpu/test_unit --gtest_filter='OptionsPage*'`\n"
        "writes it.\n";
    text += table<Run>("How to run: all commands");
    text += table<CheckpointOptions>("Checkpoints: methods that write them");
    text += table<tsne::Options>("dunlin tsne");
    text += table<tsne::PlaceOptions>("dunlin transform");
    text += table<umap::InverseOptions>("dunlin inverse");
    text += table<parametric::Options>("dunlin train");
    text += table<umap::Options>("dunlin umap");
    text += table<pacmap::Options>("dunlin pacmap");
    text += table<layout::Options>("dunlin layout");
    text += table<mds::Options>("dunlin mds");
    text += table<mds::PointOptions>("dunlin mds, dunlin kmedoids: of points");
    text += table<sequences::Options>("dunlin mds, dunlin kmedoids: of strings and tracks");
    text += table<io::StringOptions>("dunlin mds, dunlin kmedoids: of strings");
    text += table<mds::StressOptions>("dunlin mds: stress");
    text += table<io::FeedOptions>("dunlin mds: distances from a process");
    text += table<neighbors::Options>("dunlin neighbors");
    text += table<kmeans::Options>("dunlin kmeans");
    text += table<kmedoids::Options>("dunlin kmedoids");
    text += table<mixture::Options>("dunlin mixture");
    text += table<clusters::Options>("dunlin clusters");
    text += table<clusters::SeparationOptions>("dunlin clusters: --of");
    text += table<communities::Options>("dunlin communities");
    text += table<naming::Options>("dunlin clusters, dunlin communities: names of groups");
    text += table<waves::Options>("dunlin waves");
    text += table<surface::Options>("dunlin surface: of a field");
    text += table<surface::HullOptions>("dunlin surface: of a map");
    text += table<scores::Options>("dunlin score: of points");
    text += table<reliability::Options>("dunlin score --per-point");
    text += table<scores::LayoutOptions>("dunlin score: of a graph");
    text += table<density::Options>("dunlin density");
    text += table<picture::Options>("Pictures");
    text += table<picture::LandscapeOptions>("dunlin draw: landscapes");
    text += table<io::ReadOptions>("Reading points");
    text += table<NormalizeOptions>("Scaling points");
    text += table<io::NetworkOptions>("Reading graphs");
    return text;
}

TEST(OptionsPage, IsThatOfTheLists) {
    const std::filesystem::path path = std::filesystem::path(DUNLIN_EXAMPLES) / ".." / "docs" / "options.md";
    if (!std::filesystem::exists(path.parent_path())) GTEST_SKIP() << "no docs here: " << path;
    if (std::getenv("DUNLIN_UPDATE_DOCS") != nullptr) std::ofstream(path) << page();
    std::stringstream written;
    written << std::ifstream(path).rdbuf();
    EXPECT_EQ(written.str(), page()) << "docs/options.md is not that of the lists; see its head";
}

}  // namespace
}  // namespace dunlin
