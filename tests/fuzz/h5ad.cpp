// SPDX-License-Identifier: Apache-2.0
#include "../../hdf5/annotated.hpp"
#include "fuzz.hpp"

using namespace dunlin;

namespace {

/// Numbers of an input, one after the other; 0 at its end.
struct Numbers {
    const std::uint8_t* at;
    std::size_t left;

    int next() {
        if (left == 0) return 0;
        --left;
        return *at++;
    }
    std::vector<std::int32_t> list() {
        std::vector<std::int32_t> values;
        for (int count = next() % 12; count > 0; --count) values.push_back(next() - 3);
        return values;
    }
};

void put(hid_t group, const char* name, const std::vector<std::int32_t>& values, int axes) {
    hsize_t extents[3] = {values.size(), 1, 1};
    if (axes == 2 && values.size() % 2 == 0) extents[0] = values.size() / 2, extents[1] = 2;
    const hid_t space = H5Screate_simple(axes, extents, nullptr);
    const hid_t set = H5Dcreate2(group, name, H5T_NATIVE_INT32, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (!values.empty()) H5Dwrite(set, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(set);
    H5Sclose(space);
}

void text(hid_t object, const char* name, const char* value) {
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, H5T_VARIABLE);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, &value);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

hid_t new_group(hid_t file, const char* name) { return H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT); }

/// X and obs with the structure and the numbers of an input. HDF5 itself is not what is fuzzed.
void fill(hid_t file, Numbers& numbers) {
    const int how = numbers.next();
    if (how % 3 == 0) {
        put(file, "X", numbers.list(), 1 + how / 3 % 3);
    } else {
        const hid_t group = new_group(file, "X");
        text(group, "encoding-type", how % 3 == 1 ? "csr_matrix" : "csc_matrix");
        const std::int64_t shape[2] = {numbers.next() - 1, numbers.next() - 1};
        const hsize_t two = 2;
        const hid_t space = H5Screate_simple(1, &two, nullptr);
        const hid_t attribute = H5Acreate2(group, "shape", H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attribute, H5T_NATIVE_INT64, shape);
        H5Aclose(attribute);
        H5Sclose(space);
        for (const char* part : {"indptr", "indices", "data"}) {
            if (numbers.next() != 255) put(group, part, numbers.list(), 1);
        }
        H5Gclose(group);
    }
    const hid_t obs = new_group(file, "obs");
    if (numbers.next() % 2 == 0) text(obs, "_index", "cell");
    put(obs, "cell", numbers.list(), 1);
    const hid_t kind = new_group(obs, "kind");
    put(kind, "codes", numbers.list(), 1);
    put(kind, "categories", numbers.list(), 1);
    H5Gclose(kind);
    H5Gclose(obs);
}

}  // namespace

/// Annotated matrices.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::Choice choice(data, size);
    const hdf5::Locked locked;
    const hid_t how = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(how, 1 << 16, false);
    const hdf5::File file{{H5Fcreate("fuzzed.h5ad", H5F_ACC_TRUNC, H5P_DEFAULT, how), H5Fclose}, "fuzzed.h5ad"};
    H5Pclose(how);
    Numbers numbers{data, size};
    fill(file.handle.id(), numbers);
    io::ReadOptions options;
    if (choice.bit(0)) options.labels = choice.bit(1) ? "kind" : "cell";
    if (choice.bit(2)) options.array = "obs/cell";
    fuzz::run([&] { return hdf5::read_points(file, options); });
    for (const char* column : {"obs:kind", "cell", "gene:1", "2"}) {
        fuzz::run([&] { return hdf5::read_label_column(file, column).labels; });
        fuzz::run([&] {
            (void)hdf5::read_column(file, column);
            return Labels();
        });
    }
    for (const char* name : {"", "X", "obs/cell"}) {
        fuzz::run([&] { return hdf5::read_map(file, {.array = name, .origin = {}, .partial = false}); });
        // Points may lack a place
        fuzz::run([&] {
            (void)hdf5::read_map(file, {.array = name, .origin = {}, .partial = true});
            return Labels();
        });
    }
    return fuzz::run([&] {
        const Map map{2, std::vector<float>(8)};
        hdf5::write_obsm(file, {"X_tsne", map, "X"});
        return hdf5::read_points(file, {});
    });
}
