// SPDX-License-Identifier: Apache-2.0
// The table of docs/formats.md is written from the list of formats: with DUNLIN_UPDATE_DOCS=1 in the environment this
// test writes it, else it compares.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <dunlin/formats.hpp>

#include "io/foreign.hpp"
#include "refusal.hpp"

namespace dunlin {
namespace {

std::vector<std::string> words_of(std::string_view text) {
    std::istringstream words{std::string(text)};
    return {std::istream_iterator<std::string>(words), {}};
}

std::string in_code(std::string_view extensions) {
    std::string text;
    for (const std::string& word : words_of(extensions)) text += (text.empty() ? "`" : " `") + word + "`";
    return text;
}

struct Output {
    std::string_view what;
    std::span<const std::string_view> extensions;
};

const std::vector<Output> outputs = {
    {"tables", formats::tables},       {"maps", formats::maps},         {"maps in the input", formats::annotated},
    {"neighbors", formats::neighbors}, {"drawings", formats::drawings}, {"pictures", formats::pictures},
    {"meshes", formats::meshes},
};

std::string told_by(formats::Told told) {
    switch (told) {
        case formats::Told::by_content:
            return "content";
        case formats::Told::by_name:
            return "extension";
        case formats::Told::by_both:
            return "either";
        case formats::Told::last:
            return "the rest";
    }
    return "";
}

std::string read_as(unsigned contents) {
    constexpr std::array<std::string_view, 8> names = {"points", "dissimilarities", "graph",   "documents",
                                                       "map",    "labels",          "strings", "tracks"};
    std::string text;
    for (std::size_t n = 0; n < names.size(); ++n) {
        if ((contents >> n & 1U) != 0) text += (text.empty() ? "" : ", ") + std::string(names[n]);
    }
    return text;
}

/// What is written with an extension stands with the first format that has it.
std::string written_as(const formats::Format& format, std::set<std::string>& seen) {
    std::string text;
    for (const std::string& extension : words_of(format.extensions)) {
        if (!seen.insert(extension).second) continue;
        for (const Output& output : outputs) {
            const bool is_written =
                std::find(output.extensions.begin(), output.extensions.end(), extension) != output.extensions.end();
            const bool is_new = text.find(output.what) == std::string::npos;
            if (is_written && is_new) text += (text.empty() ? "" : ", ") + std::string(output.what);
        }
    }
    return text;
}

std::string table() {
    std::string text =
        "| format | extensions | told by | read as | written as | lost or refused |\n|---|---|---|---|---|---|\n";
    std::set<std::string> seen;
    for (const formats::Format& format : formats::known) {
        text += "| " + std::string(format.name) + " | " + in_code(format.extensions) + " | " + told_by(format.told) +
                " | " + read_as(format.reads) + " | " + written_as(format, seen) + " | " + std::string(format.note) +
                " |\n";
    }
    text += "\nRecognized and refused, with a way to convert them: ";
    for (std::size_t f = 0; f < formats::refused.size(); ++f)
        text += (f == 0 ? "" : "; ") + std::string(formats::refused[f].name);
    return text + ".\n";
}

TEST(FormatsPage, SaysWhatTheListSays) {
    const auto path = std::filesystem::path(DUNLIN_EXAMPLES) / ".." / "docs" / "formats.md";
    std::stringstream read;
    read << std::ifstream(path).rdbuf();
    std::string page = read.str();
    const std::size_t start = page.find('\n', page.find("<!-- formats:")) + 1, end = page.find("<!-- /formats -->");
    ASSERT_LE(start, end);
    if (std::getenv("DUNLIN_UPDATE_DOCS") != nullptr) {
        page.replace(start, end - start, table());
        std::ofstream(path) << page;
    } else {
        EXPECT_EQ(page.substr(start, end - start), table())
            << "write it: DUNLIN_UPDATE_DOCS=1 build/cpu/test_unit --gtest_filter='FormatsPage*'";
    }
}

TEST(FormatsPage, ListsEveryOutput) {
    std::set<std::string> listed;
    for (const formats::Format& format : formats::known) {
        for (const std::string& extension : words_of(format.extensions)) listed.insert(extension);
    }
    for (const Output& output : outputs) {
        for (const std::string_view extension : output.extensions)
            EXPECT_TRUE(listed.contains(std::string(extension))) << extension;
    }
}

TEST(Formats, GraphsAreToldByTheirExtensionWhereNothingElseHasIt) {
    for (const char* extension : {".dot", ".gml", ".graphml", ".gexf", ".net", ".paj", ".edges", ".adjlist", ".metis"})
        EXPECT_TRUE(formats::is_graph_extension(extension)) << extension;
    for (const char* extension : {"", ".", ".csv", ".mtx", ".json", ".gr", ".npz", "dot"})
        EXPECT_FALSE(formats::is_graph_extension(extension)) << extension;
}

TEST(Formats, HelpsNameWhatIsRead) {
    EXPECT_EQ(
        formats::help_of(formats::map),
        ".csv .tsv .txt .dat, .jsonl .ndjson, .geojson, .xlsx, .zip, text in UTF-16 or UTF-32, .npy, .h5ad, .json");
    EXPECT_EQ(formats::help_of(0), "");
}

TEST(Formats, FilesOfOtherProgramsAreRefusedByTheirFirstBytes) {
    for (const formats::Refused& format : formats::refused) {
        EXPECT_NE(format.pandas.empty(), format.remedy.empty()) << format.name;
        for (const std::string_view begin : format.begins) {
            if (begin.empty()) continue;
            const io::Bytes bytes = io::Bytes::copy(std::string(begin) + std::string(100, 'x'), "a.csv");
            const std::string error = refusal(Fault::bad_file, [&] { io::refuse_foreign(bytes); });
            EXPECT_NE(error.find(format.name), std::string::npos) << format.name << ": " << error;
        }
    }
}

}  // namespace
}  // namespace dunlin
