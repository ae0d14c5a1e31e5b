// SPDX-License-Identifier: Apache-2.0
// Annotated matrices (.h5ad), made here by HDF5 itself.
#ifdef DUNLIN_HAS_HDF5
#include <dunlin/h5ad.hpp>
#include <dunlin/io.hpp>
#include <dunlin/map_origin.hpp>
#include <dunlin/partial_map.hpp>

#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "folder.hpp"
#include "io/hdf5_module.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

namespace fs = std::filesystem;

class Maker {
public:
    explicit Maker(const fs::path& path) : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
    ~Maker() { H5Fclose(file_); }
    Maker(const Maker&) = delete;
    Maker& operator=(const Maker&) = delete;

    void group(const char* path) { H5Gclose(H5Gcreate2(file_, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)); }

    template <class T>
    void put(const char* path, hid_t type, const std::vector<hsize_t>& shape, const std::vector<T>& values,
             hsize_t chunk = 0) {
        const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
        const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
        if (chunk > 0) {
            std::vector<hsize_t> chunks(shape.size(), chunk);
            H5Pset_chunk(how, static_cast<int>(chunks.size()), chunks.data());
            H5Pset_deflate(how, 4);
        }
        const hid_t set = H5Dcreate2(file_, path, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
        if (!values.empty()) H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
        H5Dclose(set);
        H5Pclose(how);
        H5Sclose(space);
    }

    void texts(const char* path, const std::vector<const char*>& words) {
        const hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, H5T_VARIABLE);
        put(path, type, {words.size()}, words);
        H5Tclose(type);
    }

    void text_attribute(const char* path, const char* name, const char* text) {
        const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
        H5Tset_size(type, H5T_VARIABLE);
        const hid_t attribute =
            H5Acreate_by_name(file_, path, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attribute, type, &text);
        H5Aclose(attribute);
        H5Sclose(space);
        H5Tclose(type);
    }

    void rename_first_cell() {
        H5Ldelete(file_, "/obs/cell", H5P_DEFAULT);
        texts("/obs/cell", {"other", "c2", "c3"});
    }

    void numbers_attribute(const char* path, const char* name, const std::vector<std::int64_t>& values) {
        const hsize_t count = values.size();
        const hid_t space = H5Screate_simple(1, &count, nullptr);
        const hid_t attribute =
            H5Acreate_by_name(file_, path, name, H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attribute, H5T_NATIVE_INT64, values.data());
        H5Aclose(attribute);
        H5Sclose(space);
    }

    /// obs with an index, a categorical and a column of numbers.
    void annotate() {
        group("/obs");
        text_attribute("/obs", "_index", "cell");
        texts("/obs/cell", {"c1", "c2", "c3"});
        group("/obs/kind");
        put<std::int8_t>("/obs/kind/codes", H5T_NATIVE_INT8, {3}, {1, 0, 1});
        texts("/obs/kind/categories", {"T", "B"});
        put<std::int32_t>("/obs/batch", H5T_NATIVE_INT32, {3}, {7, 8, 7});
    }

    void sparse(const char* format, const std::vector<std::int64_t>& shape, const std::vector<std::int32_t>& starts,
                const std::vector<std::int32_t>& places, const std::vector<float>& values) {
        group("/X");
        text_attribute("/X", "encoding-type", format);
        numbers_attribute("/X", "shape", shape);
        put("/X/indptr", H5T_NATIVE_INT32, {starts.size()}, starts);
        put("/X/indices", H5T_NATIVE_INT32, {places.size()}, places);
        put("/X/data", H5T_NATIVE_FLOAT, {values.size()}, values);
    }

private:
    hid_t file_;
};

/// A text in a file; empty if it is not there.
std::string text_in(const fs::path& path, const char* name) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    std::string text;
    if (set >= 0) {
        const hid_t type = H5Dget_type(set);
        char* word = nullptr;
        H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &word);
        text = word;
        H5free_memory(word);
        H5Tclose(type);
        H5Dclose(set);
    }
    H5Fclose(file);
    return text;
}

std::vector<float> values_of(const Points& points) {
    const auto view = points.values.view();
    return {view.data, view.data + view.size()};
}

std::string refused(const fs::path& path, const ReadOptions& options = {}) {
    return refusal([&] { read_points(path, options); });
}

class H5ad : public InFolder {};

TEST_F(H5ad, DenseMatrixWithNamesAndLabels) {
    const fs::path file = path("cells.h5ad");
    {
        Maker make(file);
        make.put<double>("/X", H5T_NATIVE_DOUBLE, {3, 2}, {1, 2, 3, 4, 5, 6}, 2);
        make.annotate();
    }
    ReadOptions options;
    options.labels = "kind";
    const Points points = read_points(file, options);
    EXPECT_EQ(values_of(points), (std::vector<float>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(points.ids, (std::vector<std::string>{"c1", "c2", "c3"}));
    EXPECT_EQ(points.labels.of, (std::vector<Index>{0, 1, 0}));
    EXPECT_EQ(points.labels.names, (std::vector<std::string>{"B", "T"}));
    options.labels = "batch";
    EXPECT_EQ(read_points(file, options).labels.names, (std::vector<std::string>{"7", "8"}));
    EXPECT_EQ(guess(file).holds, Holds::points);
}

TEST_F(H5ad, SparseMatricesBecomeDense) {
    const std::vector<float> wanted{1, 0, 2, 0, 0, 3};
    const fs::path rows = path("rows.h5ad"), columns = path("columns.h5ad");
    Maker(rows).sparse("csr_matrix", {2, 3}, {0, 2, 3}, {0, 2, 2}, {1, 2, 3});
    Maker(columns).sparse("csc_matrix", {2, 3}, {0, 1, 1, 3}, {0, 0, 1}, {1, 2, 3});
    EXPECT_EQ(values_of(read_points(rows)), wanted);
    EXPECT_EQ(values_of(read_points(columns)), wanted);
}

TEST_F(H5ad, TheMatrixIsChosen) {
    const fs::path file = path("cells.h5ad");
    {
        Maker make(file);
        make.put<float>("/X", H5T_NATIVE_FLOAT, {3, 1}, {1, 2, 3});
        make.group("/obsm");
        make.put<float>("/obsm/X_pca", H5T_NATIVE_FLOAT, {3, 1}, {4, 5, 6});
        make.put<float>("/obsm/X_scvi", H5T_NATIVE_FLOAT, {3, 1}, {7, 8, 9});
    }
    EXPECT_EQ(values_of(read_points(file)), (std::vector<float>{4, 5, 6}));
    ReadOptions options;
    options.array = "X";
    EXPECT_EQ(values_of(read_points(file, options)), (std::vector<float>{1, 2, 3}));
    options.array = "X_scvi";
    EXPECT_EQ(values_of(read_points(file, options)), (std::vector<float>{7, 8, 9}));
    options.array = "X_umap";
    EXPECT_NE(refused(file, options).find("which has X, obsm/X_pca, obsm/X_scvi"), std::string::npos);
    const fs::path ann = path("sift.hdf5");
    {
        Maker make(ann);
        make.put<float>("/train", H5T_NATIVE_FLOAT, {2, 2}, {1, 2, 3, 4});
        make.put<float>("/test", H5T_NATIVE_FLOAT, {1, 2}, {5, 6});
    }
    EXPECT_EQ(values_of(read_points(ann)), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(H5ad, OneColumnIsReadWithItsIds) {
    const fs::path file = path("cells.h5ad");
    const std::vector<std::string> ids{"c1", "c2", "c3"};
    {
        Maker make(file);
        make.sparse("csr_matrix", {3, 2}, {0, 1, 1, 3}, {1, 0, 1}, {5, 6, 7});
        make.annotate();
        make.group("/var");
        make.texts("/var/_index", {"g1", "batch"});
        make.group("/obs/mask");
        make.put<std::int32_t>("/obs/mask/values", H5T_NATIVE_INT32, {3}, {1, 2, 3});
        make.put<std::int8_t>("/obs/mask/mask", H5T_NATIVE_INT8, {3}, {0, 1, 0});
        make.group("/uns");
        make.texts("/uns/kind_colors", {"#010203", "#0405FF"});
    }
    const Hdf5Module& module = hdf5_module(file.string());
    const auto numbers = [&](const std::string& column) { return module.read_column(file.string(), column); };
    EXPECT_EQ(numbers("obs:batch").values, (std::vector<double>{7, 8, 7}));
    EXPECT_EQ(numbers("obs:batch").ids, ids);
    EXPECT_EQ(numbers("gene:batch").values, (std::vector<double>{5, 0, 7}));
    EXPECT_EQ(numbers("g1").values, (std::vector<double>{0, 0, 6}));
    EXPECT_EQ(numbers("1").values, (std::vector<double>{0, 0, 6}));
    EXPECT_EQ(numbers("g1").ids, ids);
    EXPECT_TRUE(std::isnan(numbers("mask").values[1]));
    const LabelColumn kinds = module.read_label_column(file.string(), "kind");
    EXPECT_EQ(kinds.labels.names, (std::vector<std::string>{"B", "T"}));
    EXPECT_EQ(kinds.ids, ids);
    EXPECT_EQ(module.read_label_column(file.string(), "obs:mask").labels.of, (std::vector<Index>{0, no_label, 1}));
    for (const char* classes : {"kind", "obs:kind", "obs:batch"})
        EXPECT_TRUE(module.holds_classes(file.string(), classes)) << classes;
    for (const char* scale : {"mask", "gene:batch", "1"})
        EXPECT_FALSE(module.holds_classes(file.string(), scale)) << scale;
    const auto colors = module.read_colors(file.string(), "obs:kind");
    ASSERT_EQ(colors.size(), 2U);
    EXPECT_EQ(colors[0].first + colors[0].second, "T#010203");
    EXPECT_NE(refusal([&] { module.read_colors(file.string(), "batch"); }).find("it has those of kind"),
              std::string::npos);
    const auto refused_column = [&](const std::string& column) { return refusal([&] { numbers(column); }); };
    EXPECT_NE(refused_column("batch").find("obs:batch or gene:batch"), std::string::npos) << refused_column("batch");
    EXPECT_NE(refused_column("kind").find("words such as 'B' (row 1)"), std::string::npos) << refused_column("kind");
    EXPECT_NE(refused_column("gene:g2").find("2 genes, such as 'g1'"), std::string::npos) << refused_column("gene:g2");
    EXPECT_NE(refused_column("other").find("obs has "), std::string::npos) << refused_column("other");
}

TEST_F(H5ad, MapsOfAnOlderOutputAreKept) {
    const fs::path file = path("cells.h5ad"), out = path("out.h5ad"), others = path("others.h5ad");
    for (const fs::path& each : {file, others}) {
        Maker make(each);
        make.put<float>("/X", H5T_NATIVE_FLOAT, {3, 1}, {1, 2, 3});
        make.annotate();
        if (each == others) make.rename_first_cell();
    }
    const Map map{2, {1, 2, 3, 4, 5, 6}};
    EXPECT_EQ(write_obsm(out, file, {"X_tsne", map, "X"}), std::vector<std::string>());
    EXPECT_EQ(write_obsm(out, file, {"X_umap", map, "obsm/X_pca"}), std::vector<std::string>{"X_tsne"});
    ReadOptions options;
    options.array = "obsm/X_tsne";
    EXPECT_EQ(values_of(read_points(out, options)), map.coordinates);
    EXPECT_EQ(text_in(out, "/uns/X_tsne/params/use_rep"), "X");
    EXPECT_EQ(text_in(out, "/uns/X_umap/params/use_rep"), "X_pca");
    EXPECT_EQ(write_obsm(out, others, {"X_mds", map}), std::vector<std::string>());
    EXPECT_NE(refused(out, options), "");
    write_obsm(file, file, {"X_tsne", map, "X"});
    write_obsm(file, file, {"X_tsne", map});  // not known: the old record is not of this map
    EXPECT_EQ(text_in(file, "/uns/X_tsne/params/use_rep"), "");
}

TEST_F(H5ad, MapsAreReadFromObsm) {
    const fs::path file = path("cells.h5ad");
    {
        Maker make(file);
        make.put<float>("/X", H5T_NATIVE_FLOAT, {3, 2}, {9, 9, 9, 9, 9, 9});
        make.annotate();
        make.group("/obsm");
        make.put<float>("/obsm/X_pca", H5T_NATIVE_FLOAT, {3, 4}, std::vector<float>(12, 1));
        make.texts("/obsm/words", {"a", "b", "c"});
    }
    EXPECT_EQ(read_map(file).array, "X") << "the only matrix of two columns";
    write_obsm(file, file, {"X_umap", {2, {1, 2, 3, 4, 5, 6}}, "X"});
    const MapFile one = read_map(file);
    EXPECT_EQ(one.map.coordinates, (std::vector<float>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(one.ids, (std::vector<std::string>{"c1", "c2", "c3"}));
    EXPECT_EQ(one.array, "obsm/X_umap");
    EXPECT_TRUE(one.notes.empty());
    const Map far{3, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {1e6, 0, 0}};
    write_obsm(file, file, {"X_tsne", far, "X"});
    EXPECT_NE(refusal([&] { read_map(file); }).find("the maps obsm/X_tsne, obsm/X_umap"), std::string::npos);
    const MapFile first = read_map(file.string() + ":tsne");
    EXPECT_EQ(first.array, "obsm/X_tsne");
    EXPECT_EQ(coordinates_of(first.map), coordinates_of(far));
    EXPECT_EQ(read_map(file.string() + ":X_umap").map.coordinates, one.map.coordinates);
    EXPECT_EQ(read_map(file.string() + ":X_pca").map.dim, 4);
    EXPECT_NE(refusal([&] { read_map(file.string() + ":X_mds"); }).find("obsm/X_pca, obsm/X_tsne"), std::string::npos);
}

TEST_F(H5ad, OnlyPartsOfMapsMayBeMissing) {
    const fs::path file = path("cells.h5ad");
    {
        Maker make(file);
        make.put<float>("/X", H5T_NATIVE_FLOAT, {3, 5}, std::vector<float>(15, 1));
        make.annotate();
    }
    EXPECT_NE(refusal([&] { read_map(file); }).find("no map of 2 or 3 columns; it has X"), std::string::npos);
    write_obsm(file, file, {"X_tsne", {2, {1, 2, NAN, NAN, 5, 6}}, "X"});
    EXPECT_NE(refusal([&] { read_map(file); }).find("obsm/X_tsne, row 2, column 1 is nan"), std::string::npos);
    EXPECT_TRUE(std::isnan(read_partial_map(file).map.coordinates[2]));
}

TEST_F(H5ad, DamageIsRefused) {
    const fs::path file = path("bad.h5ad");
    const auto sparse = [&](std::vector<std::int64_t> shape, std::vector<std::int32_t> starts,
                            std::vector<std::int32_t> places, std::vector<float> values) {
        {
            Maker(file).sparse("csr_matrix", shape, starts, places, values);
        }
        return refused(file);
    };
    EXPECT_NE(sparse({2, 3}, {0, 2, 3}, {0, 2, 3}, {1, 2, 3}).find("index 2 is 3, and there are 3"), std::string::npos);
    EXPECT_NE(sparse({2, 3}, {0, 2, 3}, {0, -1, 2}, {1, 2, 3}), "");
    EXPECT_NE(sparse({2, 3}, {0, 3, 2}, {0, 1, 2}, {1, 2, 3}).find("do not fit"), std::string::npos);
    EXPECT_NE(sparse({3, 3}, {0, 2, 3}, {0, 1, 2}, {1, 2, 3}).find("do not fit"), std::string::npos);
    EXPECT_NE(sparse({-1, 3}, {0, 2, 3}, {0, 1, 2}, {1, 2, 3}), "");
    EXPECT_NE(sparse({2000000000, 2000000000}, {0, 2, 3}, {0, 1, 2}, {1, 2, 3}), "");
    {
        Maker(file).put<float>("/X", H5T_NATIVE_FLOAT, {2000000000, 2000000000}, {}, 64);
    }
    EXPECT_NE(refused(file).find("has no values"), std::string::npos);
    {
        Maker(file).texts("/X", {"a", "b"});
    }
    EXPECT_NE(refused(file).find("holds no numbers"), std::string::npos);
    std::ofstream(file) << "no HDF5";
    EXPECT_NE(refused(file).find("cannot be opened as HDF5"), std::string::npos);
    EXPECT_NE(refused(path("missing.h5ad")).find("cannot open"), std::string::npos);
}

TEST_F(H5ad, AMapIsAddedAndNothingIsLost) {
    const fs::path file = path("cells.h5ad"), other = path("other.h5ad");
    {
        Maker make(file);
        make.put<float>("/X", H5T_NATIVE_FLOAT, {3, 2}, {1, 2, 3, 4, 5, 6});
        make.annotate();
    }
    const Map map{2, {1, 2, 3, 4, 5, 6}};
    write_obsm(other, file, {"X_tsne", map});
    write_obsm(file, file, {"X_tsne", map});
    write_obsm(file, file, {"X_tsne", {2, {6, 5, 4, 3, 2, 1}}});  // replaced
    write_obsm(file, file, {"X_umap", map});
    ReadOptions options;
    options.array = "X_tsne";
    EXPECT_EQ(values_of(read_points(other, options)), map.coordinates);
    EXPECT_EQ(values_of(read_points(file, options)), (std::vector<float>{6, 5, 4, 3, 2, 1}));
    options.array = "X_umap";
    EXPECT_EQ(values_of(read_points(file, options)), map.coordinates);
    options.array = "X";
    options.labels = "kind";
    const Points kept = read_points(file, options);
    EXPECT_EQ(values_of(kept), (std::vector<float>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(kept.ids.size(), 3U);
    EXPECT_EQ(kept.labels.of, (std::vector<Index>{0, 1, 0}));
    EXPECT_NE(refusal([&] { write_obsm(file, file, {"X_tsne", {2, {1, 2}}}); }).find("has 3 rows and the map 1 points"),
              std::string::npos);
    EXPECT_EQ(values_of(read_points(file, options)), (std::vector<float>{1, 2, 3, 4, 5, 6}))
        << "unchanged by the error";
    EXPECT_FALSE(fs::exists(file.string() + ".tmp"));
}

}  // namespace
}  // namespace dunlin::io
#endif
