// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

/// The formats of files. The table of docs/formats.md, the helps of the command and the errors come from these lists.
namespace dunlin::formats {

constexpr std::array<std::string_view, 3> tables{".csv", ".tsv", ".npy"};             ///< points, clusters
constexpr std::array<std::string_view, 4> maps{".csv", ".tsv", ".npy", ".json"};      ///< io::write_map
constexpr std::array<std::string_view, 1> annotated{".h5ad"};                         ///< io::write_obsm
constexpr std::array<std::string_view, 4> neighbors{".npz", ".mtx", ".csv", ".tsv"};  ///< io::write_graph
/// io::write_network
constexpr std::array<std::string_view, 5> drawings{".dot", ".gv", ".graphml", ".gexf", ".json"};
constexpr std::array<std::string_view, 4> pictures{".png", ".svg", ".pdf", ".html"};     ///< picture::draw
constexpr std::array<std::string_view, 4> group_trees{".json", ".csv", ".tsv", ".nwk"};  ///< io::write_group_tree
constexpr std::array<std::string_view, 3> meshes{".glb", ".ply", ".stl"};                ///< io::write_mesh

/// Kinds of data that a file may be read as: bits of a set.
enum Content : unsigned {
    points = 1U << 0,
    dissimilarities = 1U << 1,
    graph = 1U << 2,
    documents = 1U << 3,
    map = 1U << 4,
    labels = 1U << 5,
    strings = 1U << 6,
    tracks = 1U << 7,
};

/// Kinds of data that a table of text may hold.
constexpr unsigned tabular = points | dissimilarities | graph | map | labels | strings;

/// Means by which a format is recognized.
enum class Told {
    by_content,
    by_name,  ///< the extension
    by_both,  ///< either of them
    last,     ///< whatever is in no other format
};

struct Format {
    std::string_view name;
    std::string_view extensions;  ///< usual ones, parted by blanks
    Told told;
    unsigned reads;         ///< of Content; 0: not read
    std::string_view note;  ///< what is lost or refused, in Markdown
};

constexpr auto known = std::to_array<Format>({
    {"text table", ".csv .tsv .txt .dat", Told::last, tabular,
     "further columns of words; digits beyond float32; [rules](#text-tables)"},
    {"lists of edges", ".edges .edgelist .ncol .wedgelist", Told::by_name, graph,
     "as the text table, by [other rules](#lists-of-edges)"},
    {"JSON lines", ".jsonl .ndjson", Told::by_name, tabular,
     "a record a line, objects or arrays; an array of numbers in a member v becomes columns v.0, v.1, ..; deeper "
     "members are refused"},
    {"points in GeoJSON", ".geojson", Told::by_name, tabular,
     "columns x, y (z) and the properties; other geometries are refused"},
    {"Excel workbook", ".xlsx", Told::by_content, tabular,
     "the first sheet; a line names the others; formulas are their last values, dates text"},
    {"archive of one file", ".zip", Told::by_content, tabular, "several files are refused"},
    {"text in UTF-16 or UTF-32", "", Told::by_content, tabular, ""},
    {"NumPy array", ".npy", Told::by_content, points | dissimilarities | map | labels,
     "integers, floats and bool, both byte orders and axis orders; axes after the first are flattened; complex "
     "numbers, objects and records are refused"},
    {"NumPy archive", ".npz", Told::by_content, points | dissimilarities | graph | documents,
     "one array (--array), or SciPy's CSR matrix; [models](#models)"},
    {"IDX (MNIST)", "", Told::by_content, points | labels, "images are flattened"},
    {"vectors of Faiss", ".fvecs .ivecs .bvecs", Told::by_name, points, ""},
    {"vectors of DiskANN and cuVS", ".fbin .f16bin .u8bin .i8bin .ibin", Told::by_name, points, ""},
    {"safetensors", ".safetensors", Told::by_name, points,
     "one tensor of two axes (--array); floats of 8 bits are refused"},
    {"Matrix Market", ".mtx", Told::by_both, points | dissimilarities | graph | documents,
     "coordinate and array; duplicate entries add up; complex numbers are refused"},
    {"svmlight", ".svm .svmlight .libsvm", Told::by_name, points | labels, "qid"},
    {"LDA-C", ".ldac .lda-c", Told::by_both, documents, ""},
    {"word2vec, fastText, node2vec, GloVe", ".vec .emb .bin", Told::by_content, points,
     "[rules](#word-vectors); fastText's models"},
    {"a folder of texts", "", Told::by_content, documents, "the order of words; [rules](#texts)"},
    {"AnnData", ".h5ad", Told::by_name, points | map | labels, "[rules](#annotated-matrices)"},
    {"HDF5 of 10x Genomics, ann-benchmarks", ".h5 .hdf5", Told::by_name, points, "other matrices of the file"},
    {"PHYLIP", ".phy .phylip .dist .dst", Told::by_content, dissimilarities, ""},
    {"triangle of numbers", "", Told::by_content, dissimilarities, ""},
    {"printed dist of R", "", Told::by_content, dissimilarities, "digits that R did not print"},
    {"clustering of the BBC documents", "", Told::by_content, labels, ""},
    {"FASTA", ".fasta .fa", Told::by_content, strings, ""},
    {"GPX", ".gpx", Told::by_name, tracks, "elevation, waypoints, routes"},
    {"map in JSON", ".json", Told::by_name, map, ""},
    {"node-link JSON (NetworkX, D3, vis.js, graphology)", ".json", Told::by_content, graph,
     "attributes other than ids, names, places, weights and classes"},
    {"JSON of Cytoscape", ".cyjs", Told::by_both, graph, "as node-link JSON"},
    {"METIS", ".graph .metis", Told::by_name, graph, "weights of vertices"},
    {"GML", ".gml", Told::by_name, graph, "attributes other than ids, names, places, weights and classes"},
    {"GraphML", ".graphml", Told::by_name, graph, "as GML; hyperedges are refused"},
    {"DOT", ".dot .gv", Told::by_name, graph, "as GML"},
    {"GEXF", ".gexf", Told::by_both, graph, "as GML; times"},
    {"Pajek", ".net .paj", Told::by_both, graph, "partitions and vectors; shapes"},
    {"GDF (GUESS)", ".gdf", Told::by_both, graph, "as GML"},
    {"SIF (Cytoscape)", ".sif", Told::by_name, graph, "kinds of relations"},
    {"DIMACS", ".col .gr", Told::by_content, graph, "the problem"},
    {"KONECT", "", Told::by_content, graph, "times"},
    {"TGF", ".tgf", Told::by_both, graph, "labels of edges"},
    {"LGL", ".lgl", Told::by_both, graph, ""},
    {"adjacency lists", ".adjlist", Told::by_both, graph, ""},
    {"picture", ".png .svg .pdf .html", Told::by_name, 0, "written only"},
    {"mesh", ".glb .ply .stl", Told::by_name, 0, "written only"},
    {"Newick", ".nwk", Told::by_name, 0, "written only: trees of groups"},
});

/// A format that is recognized by its content, and refused with a way to convert it.
struct Refused {
    std::string_view name;
    std::string_view extensions;             ///< usual ones, parted by blanks
    std::array<std::string_view, 7> begins;  ///< its first bytes; none: its reader tells it by its words or parts
    std::string_view pandas;                 ///< its reader there, read_..; empty: none
    std::string_view remedy;                 ///< where there is none
};

using namespace std::string_view_literals;

constexpr auto refused = std::to_array<Refused>({
    {"Parquet", ".parquet", {"PAR1"sv}, "parquet", ""},
    {"Feather", ".feather .arrow", {"ARROW1\0\0"sv, "FEA1"sv}, "feather", ""},
    {"ORC", ".orc", {"ORC"sv}, "orc", ""},
    {"a Stata file",
     ".dta",
     {"<stata_dta>"sv, "\x71\1\1"sv, "\x71\2\1"sv, "\x72\1\1"sv, "\x72\2\1"sv, "\x73\1\1"sv, "\x73\2\1"sv},
     "stata",
     ""},
    {"an SPSS file", ".sav .zsav", {"$FL2"sv, "$FL3"sv}, "spss", ""},
    {"an Excel workbook before 2007", ".xls", {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv}, "excel", ""},
    {"a document of an office program", ".ods .odt .docx", {}, "", "save its table as .xlsx or .csv"},
    {"a pickle of Python",
     ".pkl .pickle .joblib",
     {"\x80\2"sv, "\x80\3"sv, "\x80\4\x95"sv, "\x80\5\x95"sv},
     "",
     "load it in Python, and save its array by numpy.save as .npy, or its table by to_csv"},
    {"an SQLite database",
     ".sqlite .db",
     {"SQLite format 3\0"sv},
     "",
     "write a table of it: sqlite3 -header -csv FILE \"select * from TABLE\" > TABLE.csv"},
    {"a MATLAB file",
     ".mat",
     {"MATLAB 5.0 MAT-file"sv, "MATLAB 7.3 MAT-file"sv},
     "",
     "write a matrix of it: writematrix(X, 'X.csv')"},
    {"R's data",
     ".rds .rda .RData",
     {"RDX2\n"sv, "RDX3\n"sv, "X\n\0\0\0"sv},
     "",
     "write it in R: write.csv(x, \"x.csv\")"},
    {"an ARFF file",
     ".arff",
     {},
     "",
     "keep the rows below its line @data, below a header of the names of its attributes"},
    {"a PDF", ".pdf", {"%PDF-"sv}, "", "give the numbers behind it"},
    {"a picture of pixels",
     ".png .jpg .gif",
     {"\x89PNG"sv, "\xff\xd8\xff"sv, "GIF8"sv},
     "",
     "give its numbers as .npy or .csv"},
    {"a pointer of Git LFS, not the file itself",
     "",
     {"version https://git-lfs.github.com/spec/"sv},
     "",
     "fetch it: git lfs pull"},
    {"compressed by bzip2", ".bz2", {"BZh"sv}, "", "unpack it: bunzip2 FILE"},
    {"compressed by Zstandard", ".zst", {"\x28\xb5\x2f\xfd"sv}, "", "unpack it: unzstd FILE"},
    {"an archive of 7-Zip", ".7z", {"7z\xbc\xaf\x27\x1c"sv}, "", "unpack it: 7z x FILE"},
    {"an archive of RAR", ".rar", {"Rar!\x1a\x07"sv}, "", "unpack it: unrar x FILE"},
    {"XGMML", ".xgmml", {}, "", "convert it: open it in Cytoscape and export GraphML"},
    {"XML other than GraphML and GEXF", "", {}, "", "convert it to GraphML"},
    {"LEDA", ".lgr .gw", {}, "", "convert it: networkx.write_graphml(networkx.read_leda(FILE), NEW)"},
    {"graph6, sparse6",
     ".g6 .s6",
     {},
     "",
     "convert it: networkx.write_graphml(networkx.read_graph6(FILE), NEW), or read_sparse6"},
    {"DL (UCINET)",
     ".dl",
     {},
     "",
     "keep the rows below its line DATA: as a .txt and read that as a graph (--holds graph): the matrix of a "
     "fullmatrix, or the edges of an edgelist1"},
    {"multiline adjacency lists (NetworkX)",
     "",
     {},
     "",
     "write the graph by networkx.write_weighted_edgelist, or networkx.write_edgelist(GRAPH, FILE, data=False)"},
    {"VNA (NetDraw)", ".vna", {}, "", "keep the rows below its line *Tie data, with their header"},
    {"LGF (LEMON)", ".lgf", {}, "", "keep the rows below its line @arcs or @edges"},
});

/// The entry of a list with this name. Throws std::out_of_range if there is none.
template <class List>
constexpr const auto& named(const List& list, std::string_view name) {
    std::size_t f = 0;
    while (list.at(f).name != name) ++f;
    return list[f];
}

/// Whether an extension, with its dot, always denotes a graph.
bool is_graph_extension(std::string_view extension);

/// The formats that are read as one of these contents, for a help: ".npy .npz IDX (MNIST)".
std::string help_of(unsigned contents);

}  // namespace dunlin::formats
