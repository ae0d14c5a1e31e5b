// SPDX-License-Identifier: Apache-2.0
#include "file.hpp"

#include <algorithm>
#include <array>

#include "driver.hpp"
#include "io/fail.hpp"
#include "lzf.hpp"

namespace dunlin::hdf5 {

using io::bad_file;

namespace {

std::mutex& all_of_hdf5() {
    static std::mutex mutex;
    return mutex;
}

/// Of an object within the file; an invalid one if there is none.
Handle open_attribute(const File& file, const std::string& path, const char* name) {
    const std::string place = way_to(file.handle.id(), path).path;
    if (place.empty()) return {};
    return {H5Aopen_by_name(file.handle.id(), place.c_str(), name, H5P_DEFAULT, H5P_DEFAULT), H5Aclose};
}

}  // namespace

Locked::Locked() : held_(all_of_hdf5()) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    register_lzf();
}

File open_file(const std::string& path, bool writes) {
    FaultScope::name(path.c_str());
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_driver(access.id(), checked_driver(), nullptr);
    File file{{H5Fopen(path.c_str(), writes ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access.id()), H5Fclose}, path};
    if (!file.handle)
        bad_file("'{}' cannot be opened as HDF5: it is missing, damaged, or open for writing elsewhere; copy it again",
                 path);
    return file;
}

bool is_group(const File& file, const std::string& path) {
    const std::string place = way_to(file.handle.id(), path).path;
    if (place.empty()) return false;
    const Handle object(H5Oopen(file.handle.id(), place.c_str(), H5P_DEFAULT), H5Oclose);
    return object && H5Iget_type(object.id()) == H5I_GROUP;
}

std::optional<std::string> text_attribute(const File& file, const std::string& path, const char* name) {
    const Handle attribute = open_attribute(file, path, name);
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
    constexpr std::size_t longest = 1 << 20;
    std::string text(std::min(H5Tget_size(type.id()), longest + 1), '\0');
    if (text.empty() || text.size() > longest || H5Aread(attribute.id(), type.id(), text.data()) < 0) return {};
    text.resize(std::min(text.size(), text.find('\0')));
    return text;
}

std::vector<std::string> texts_attribute(const File& file, const std::string& path, const char* name) {
    const Handle attribute = open_attribute(file, path, name);
    if (!attribute) return {};
    const Handle type(H5Aget_type(attribute.id()), H5Tclose), space(H5Aget_space(attribute.id()), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space.id());
    if (H5Tis_variable_str(type.id()) <= 0 || count < 1 || count > 1 << 20) return {};
    std::vector<char*> words(static_cast<std::size_t>(count), nullptr);
    if (H5Aread(attribute.id(), type.id(), words.data()) < 0) return {};
    std::vector<std::string> texts;
    for (char* const word : words) {
        texts.emplace_back(word == nullptr ? "" : word);
        H5free_memory(word);
    }
    return texts;
}

std::vector<std::int64_t> integer_attribute(const File& file, const std::string& path, const char* name) {
    const Handle attribute = open_attribute(file, path, name);
    if (!attribute) return {};
    const Handle type(H5Aget_type(attribute.id()), H5Tclose), space(H5Aget_space(attribute.id()), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space.id());
    if (H5Tget_class(type.id()) != H5T_INTEGER || count < 1 || count > 32) return {};
    std::vector<std::int64_t> values(static_cast<std::size_t>(count));
    if (H5Aread(attribute.id(), H5T_NATIVE_INT64, values.data()) < 0) return {};
    return values;
}

std::optional<std::string> reference_attribute(const File& file, const std::string& path, const char* name) {
    const Handle attribute = open_attribute(file, path, name);
    if (!attribute) return {};
    const Handle type(H5Aget_type(attribute.id()), H5Tclose), space(H5Aget_space(attribute.id()), H5Sclose);
    hobj_ref_t reference = 0;
    if (H5Tequal(type.id(), H5T_STD_REF_OBJ) <= 0 || H5Sget_simple_extent_npoints(space.id()) != 1 ||
        H5Aread(attribute.id(), type.id(), &reference) < 0)
        return {};
    const Handle object(H5Rdereference2(file.handle.id(), H5P_DEFAULT, H5R_OBJECT, &reference), H5Oclose);
    std::array<char, 4096> target{};
    if (!object || H5Iget_name(object.id(), target.data(), target.size()) <= 0) return {};
    return target.data();
}

std::vector<std::string> members_of(const File& file, const std::string& path) {
    std::vector<std::string> names;
    const std::string place = way_to(file.handle.id(), path).path;
    const Handle group(place.empty() ? -1 : H5Gopen2(file.handle.id(), place.c_str(), H5P_DEFAULT), H5Gclose);
    if (!group) return names;
    const auto add = [](hid_t, const char* name, const H5L_info_t*, void* all) -> herr_t {
        static_cast<std::vector<std::string>*>(all)->emplace_back(name);
        return 0;
    };
    H5Literate(group.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names);
    return names;
}

}  // namespace dunlin::hdf5
