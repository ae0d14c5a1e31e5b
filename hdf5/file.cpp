// SPDX-License-Identifier: Apache-2.0
#include "file.hpp"

#include <algorithm>
#include <cstring>

#include "io/dense.hpp"
#include "io/memory.hpp"

namespace dunlin::hdf5 {

using io::bad_file;

namespace {

std::mutex& all_of_hdf5() {
    static std::mutex mutex;
    return mutex;
}

void require(const Dataset& dataset, bool sound, const char* what) {
    if (!sound) bad_file("{} {}; save the file again", dataset.title, what);
}

/// Memory of `item` bytes a value, and that there are values at all: a dataset without any takes no space in the file.
void require_memory(const Dataset& dataset, std::uint64_t item) {
    const std::uint64_t count = dataset.count();
    require(dataset, count == 0 || H5Dget_storage_size(dataset.handle.id()) > 0, "has no values");
    if (count > std::uint64_t{1} << 60)
        bad_file("{} has more values than there can be; save the file again", dataset.title);
    io::require_memory(count * item, "the values of " + dataset.title);
}

Handle type_of(const Dataset& dataset) { return {H5Dget_type(dataset.handle.id()), H5Tclose}; }

template <class T>
std::vector<T> numbers_of(const Dataset& dataset, hid_t native) {
    const bool number = dataset.kind == H5T_INTEGER || dataset.kind == H5T_FLOAT || dataset.kind == H5T_ENUM;
    require(dataset, number, "holds no numbers");
    require_memory(dataset, sizeof(T));
    std::vector<T> values(dataset.count());
    if (values.empty()) return values;
    // Booleans are an enumeration of HDF5
    const hid_t memory = dataset.kind == H5T_ENUM ? H5T_NATIVE_INT8 : native;
    if (dataset.kind == H5T_ENUM) {
        const Handle type = type_of(dataset);
        require(dataset, H5Tget_size(type.id()) == 1, "is an enumeration of more than a byte");
        std::vector<std::int8_t> bytes(values.size());
        require(dataset, H5Dread(dataset.handle.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) >= 0,
                "cannot be read");
        std::copy(bytes.begin(), bytes.end(), values.begin());
        return values;
    }
    require(dataset, H5Dread(dataset.handle.id(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0,
            "cannot be read");
    return values;
}

}  // namespace

Locked::Locked() : held_(all_of_hdf5()) { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

File open_file(const std::string& path, bool writes) {
    File file{{H5Fopen(path.c_str(), writes ? H5F_ACC_RDWR : H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose}, path};
    if (!file.handle)
        bad_file("'{}' cannot be opened as HDF5: it is missing, damaged, or open for writing elsewhere; copy it again",
                 path);
    return file;
}

bool has(hid_t group, const std::string& path) {
    // Every part of the path must be there
    for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
        const std::string part = path.substr(0, slash);
        if (part != "/" && H5Lexists(group, part.c_str(), H5P_DEFAULT) <= 0) return false;
        if (slash == std::string::npos) return H5Oexists_by_name(group, path.c_str(), H5P_DEFAULT) > 0;
    }
}

bool is_group(const File& file, const std::string& path) {
    const Handle object(H5Oopen(file.handle.id(), path.c_str(), H5P_DEFAULT), H5Oclose);
    return object && H5Iget_type(object.id()) == H5I_GROUP;
}

std::uint64_t Dataset::count() const {
    std::uint64_t values = 1;
    for (const std::uint64_t extent : shape) {
        if (__builtin_mul_overflow(values, extent, &values)) return ~std::uint64_t{0};
    }
    return values;
}

Dataset open_dataset(const File& file, const std::string& path) {
    Dataset dataset{{H5Dopen2(file.handle.id(), path.c_str(), H5P_DEFAULT), H5Dclose},
                    fmt::format("'{}': {}", file.name, path),
                    {},
                    H5T_NO_CLASS};
    require(dataset, static_cast<bool>(dataset.handle), "is no dataset");
    const Handle space(H5Dget_space(dataset.handle.id()), H5Sclose);
    const int axes = space ? H5Sget_simple_extent_ndims(space.id()) : -1;
    require(dataset, axes >= 0 && axes <= H5S_MAX_RANK, "has no extents");
    std::vector<hsize_t> extents(static_cast<std::size_t>(axes));
    if (axes > 0) H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr);
    dataset.shape.assign(extents.begin(), extents.end());
    dataset.kind = H5Tget_class(type_of(dataset).id());
    return dataset;
}

std::vector<double> doubles_of(const Dataset& dataset) { return numbers_of<double>(dataset, H5T_NATIVE_DOUBLE); }

std::vector<std::int64_t> integers_of(const Dataset& dataset) {
    require(dataset, dataset.kind != H5T_FLOAT, "holds no whole numbers");
    return numbers_of<std::int64_t>(dataset, H5T_NATIVE_INT64);
}

std::vector<std::string> texts_of(const Dataset& dataset) {
    require(dataset, dataset.kind == H5T_STRING, "holds no texts");
    require_memory(dataset, 2 * sizeof(std::string));
    const std::uint64_t count = dataset.count();
    std::vector<std::string> texts(count);
    if (count == 0) return texts;
    const Handle type = type_of(dataset);
    if (H5Tis_variable_str(type.id()) > 0) {
        std::vector<char*> words(count, nullptr);
        const Handle space(H5Dget_space(dataset.handle.id()), H5Sclose);
        require(dataset, H5Dread(dataset.handle.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, words.data()) >= 0,
                "cannot be read");
        for (std::uint64_t i = 0; i < count; ++i) texts[i] = words[i] == nullptr ? "" : words[i];
        H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, words.data());
        return texts;
    }
    const std::size_t item = H5Tget_size(type.id());
    require(dataset, item > 0, "has texts without a size");
    io::require_memory(count * item, "the texts of " + dataset.title);
    std::vector<char> all(count * item);
    require(dataset, H5Dread(dataset.handle.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) >= 0,
            "cannot be read");
    for (std::uint64_t i = 0; i < count; ++i) {
        const char* const text = all.data() + i * item;
        texts[i].assign(text, ::strnlen(text, item));
        while (H5Tget_strpad(type.id()) == H5T_STR_SPACEPAD && texts[i].ends_with(' ')) texts[i].pop_back();
    }
    return texts;
}

void read_rows(const Dataset& dataset, std::uint64_t first, std::uint64_t count, double* out) {
    const Handle space(H5Dget_space(dataset.handle.id()), H5Sclose);
    const hsize_t columns = dataset.shape.size() > 1 ? dataset.shape[1] : 1;
    const hsize_t start[2] = {first, 0}, extent[2] = {count, columns}, values = count * columns;
    H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start, nullptr, extent, nullptr);
    const Handle memory(H5Screate_simple(1, &values, nullptr), H5Sclose);
    require(dataset, H5Dread(dataset.handle.id(), H5T_NATIVE_DOUBLE, memory.id(), space.id(), H5P_DEFAULT, out) >= 0,
            "cannot be read");
}

std::optional<std::string> text_attribute(const File& file, const std::string& path, const char* name) {
    const Handle attribute(H5Aopen_by_name(file.handle.id(), path.c_str(), name, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    if (!attribute) return {};
    const Handle type(H5Aget_type(attribute.id()), H5Tclose), space(H5Aget_space(attribute.id()), H5Sclose);
    if (H5Tget_class(type.id()) != H5T_STRING || H5Sget_simple_extent_npoints(space.id()) != 1) return {};
    if (H5Tis_variable_str(type.id()) > 0) {
        char* word = nullptr;
        if (H5Aread(attribute.id(), type.id(), &word) < 0 || word == nullptr) return {};
        std::string text = word;
        H5free_memory(word);
        return text;
    }
    std::string text(H5Tget_size(type.id()), '\0');
    if (text.empty() || H5Aread(attribute.id(), type.id(), text.data()) < 0) return {};
    text.resize(std::min(text.size(), text.find('\0')));
    return text;
}

std::vector<std::int64_t> integer_attribute(const File& file, const std::string& path, const char* name) {
    const Handle attribute(H5Aopen_by_name(file.handle.id(), path.c_str(), name, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    if (!attribute) return {};
    const Handle type(H5Aget_type(attribute.id()), H5Tclose), space(H5Aget_space(attribute.id()), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space.id());
    if (H5Tget_class(type.id()) != H5T_INTEGER || count < 1 || count > 32) return {};
    std::vector<std::int64_t> values(static_cast<std::size_t>(count));
    if (H5Aread(attribute.id(), H5T_NATIVE_INT64, values.data()) < 0) return {};
    return values;
}

std::vector<std::string> members_of(const File& file, const std::string& path) {
    const Handle group(H5Gopen2(file.handle.id(), path.c_str(), H5P_DEFAULT), H5Gclose);
    std::vector<std::string> names;
    if (!group) return names;
    const auto add = [](hid_t, const char* name, const H5L_info_t*, void* all) -> herr_t {
        static_cast<std::vector<std::string>*>(all)->emplace_back(name);
        return 0;
    };
    H5Literate(group.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names);
    return names;
}

}  // namespace dunlin::hdf5
