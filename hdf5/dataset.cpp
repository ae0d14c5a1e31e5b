// SPDX-License-Identifier: Apache-2.0
#include "dataset.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "io/fail.hpp"
#include "io/memory.hpp"
#include "sound.hpp"

namespace dunlin::hdf5 {

using io::bad_file;

namespace {

void require(const Dataset& dataset, bool sound, const char* what) {
    if (!sound) bad_file("{} {}; save the file again", dataset.title, what);
}

/// Requires the memory for all values, `item` bytes each, and that the file stores any.
void require_memory(const Dataset& dataset, std::uint64_t item) {
    const std::uint64_t count = dataset.count();
    require(dataset, count == 0 || H5Dget_storage_size(dataset.handle.id()) > 0, "has no values");
    if (count > std::uint64_t{1} << 60)
        bad_file("{} has more values than there can be; save the file again", dataset.title);
    io::require_memory(count * item, "the values of " + dataset.title);
}

/// Filters of HDF5 that are plug-ins, by their registered numbers; the name in the file may be empty.
std::string filter_name(H5Z_filter_t filter, const char* written) {
    constexpr std::array<std::pair<H5Z_filter_t, const char*>, 7> known{{{H5Z_FILTER_SZIP, "szip"},
                                                                         {32000, "lzf"},
                                                                         {32001, "blosc"},
                                                                         {32004, "lz4"},
                                                                         {32008, "bitshuffle"},
                                                                         {32015, "zstd"},
                                                                         {32026, "blosc2"}}};
    for (const auto& [number, name] : known) {
        if (number == filter) return name;
    }
    return *written == '\0' ? "a filter" : written;
}

/// Throws: values could not be read, perhaps because this HDF5 does not have their compression.
[[noreturn]] void refuse_values(const Dataset& dataset) {
    const Handle how(H5Dget_create_plist(dataset.handle.id()), H5Pclose);
    const int filters = how ? H5Pget_nfilters(how.id()) : 0;
    for (int f = 0; f < filters; ++f) {
        unsigned flags = 0, info = 0;
        std::size_t values = 0;
        std::array<char, 64> name{};
        const H5Z_filter_t filter = H5Pget_filter2(how.id(), static_cast<unsigned>(f), &flags, &values, nullptr,
                                                   name.size() - 1, name.data(), &info);
        if (filter < 0 || H5Zfilter_avail(filter) > 0) continue;
        bad_file("{} is compressed by {} (HDF5's filter {}), which cannot be read here; save the file with gzip",
                 dataset.title, filter_name(filter, name.data()), filter);
    }
    bad_file("{} cannot be read; save the file again", dataset.title);
}

/// The type in memory of one element of a dataset whose values are `native`: for a field, a record of it alone.
Handle in_memory(const Dataset& dataset, hid_t native) {
    if (dataset.field.empty()) return {H5Tcopy(native), H5Tclose};
    const Handle record(H5Dget_type(dataset.handle.id()), H5Tclose);
    const int place = H5Tget_member_index(record.id(), dataset.field.c_str());
    const Handle member(H5Tget_member_type(record.id(), static_cast<unsigned>(place)), H5Tclose);
    Handle value(H5Tcopy(native), H5Tclose);
    if (H5Tget_class(member.id()) == H5T_ARRAY) {
        std::array<hsize_t, H5S_MAX_RANK> extents{};
        const int axes = H5Tget_array_dims2(member.id(), extents.data());
        value = Handle(H5Tarray_create2(native, static_cast<unsigned>(axes), extents.data()), H5Tclose);
    }
    Handle alone(H5Tcreate(H5T_COMPOUND, H5Tget_size(value.id())), H5Tclose);
    H5Tinsert(alone.id(), dataset.field.c_str(), 0, value.id());
    return alone;
}

/// Reads the selected elements, or all, as values of a type.
void read(const Dataset& dataset, hid_t native, hid_t selected, void* out) {
    const Handle type = in_memory(dataset, native);
    const auto elements = selected == H5S_ALL ? hsize_t{0} : static_cast<hsize_t>(H5Sget_select_npoints(selected));
    const Handle memory = selected == H5S_ALL ? Handle() : Handle(H5Screate_simple(1, &elements, nullptr), H5Sclose);
    const hid_t space = memory ? memory.id() : H5S_ALL;
    if (H5Dread(dataset.handle.id(), type.id(), space, selected, H5P_DEFAULT, out) < 0) refuse_values(dataset);
}

/// The elements [first, first + count) along the first axis, of all of the second, or one of it.
Handle selection(const Dataset& dataset, std::uint64_t first, std::uint64_t count, std::optional<hsize_t> column = {}) {
    Handle space(H5Dget_space(dataset.handle.id()), H5Sclose);
    const hsize_t across = dataset.shape.size() > 1 ? dataset.shape[1] : 1;
    const hsize_t start[2] = {first, column.value_or(0)}, extent[2] = {count, column ? 1 : across};
    H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start, nullptr, extent, nullptr);
    return space;
}

/// Lets a dataset keep the chunks that a row crosses, so that rows in turn, or parts of a list, unpack each once. A
/// single chunk takes no more than it does while it is unpacked; of several, those are kept that leave memory.
void keep_chunks(const File& file, const std::string& path, Dataset& dataset) {
    constexpr std::uint64_t usual = 1 << 20;  // bytes; HDF5 keeps 1 MiB
    const Handle how(H5Dget_create_plist(dataset.handle.id()), H5Pclose);
    const std::size_t axes = dataset.shape.size();
    if (axes < 1 || axes > 2 || H5Pget_layout(how.id()) != H5D_CHUNKED) return;
    std::array<hsize_t, H5S_MAX_RANK> chunk{};
    if (H5Pget_chunk(how.id(), H5S_MAX_RANK, chunk.data()) != static_cast<int>(axes)) return;
    if (axes == 1) chunk[1] = 1;
    if (chunk[0] == 0 || chunk[1] == 0) return;
    const std::uint64_t across = axes == 1 ? 1 : (dataset.shape[1] + chunk[1] - 1) / chunk[1];
    std::uint64_t bytes = H5Tget_size(dataset.type.id());
    for (const std::uint64_t factor : {std::uint64_t{chunk[0]}, std::uint64_t{chunk[1]}, across})
        if (__builtin_mul_overflow(bytes, factor, &bytes)) return;
    const bool is_held_anyway = across == 1 && H5Pget_nfilters(how.id()) > 0;
    if (bytes <= usual || !(is_held_anyway || io::leaves_most_memory(bytes))) return;
    const Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    H5Pset_chunk_cache(access.id(), across * 100 + 1, bytes, H5D_CHUNK_CACHE_W0_DEFAULT);
    dataset.handle = Handle();  // the settings are those of the first who opens it
    dataset.handle = Handle(H5Dopen2(file.handle.id(), path.c_str(), access.id()), H5Dclose);
    require(dataset, static_cast<bool>(dataset.handle), "cannot be opened");
}

template <class T>
std::vector<T> numbers_of(const Dataset& dataset, hid_t native) {
    require(dataset, dataset.numeric(), "holds no numbers");
    require_memory(dataset, sizeof(T));
    std::vector<T> values(dataset.count());
    if (!values.empty()) read(dataset, native, H5S_ALL, values.data());
    return values;
}

template <class T>
std::vector<T> read_values(const Dataset& dataset, hid_t native, std::uint64_t first, std::uint64_t count) {
    require(dataset, dataset.numeric() && dataset.shape.size() == 1, "is no list of numbers");
    std::vector<T> values(count);
    if (count > 0) read(dataset, native, selection(dataset, first, count).id(), values.data());
    return values;
}

template <class T>
std::vector<std::string> written(const std::vector<T>& numbers) {
    std::vector<std::string> texts;
    texts.reserve(numbers.size());
    for (const T number : numbers) {
        const bool missing = std::is_floating_point_v<T> && std::isnan(static_cast<double>(number));
        texts.push_back(missing ? std::string() : fmt::format("{}", number));
    }
    return texts;
}

/// The names of the values of an enumeration; of a boolean, as Python has them.
std::vector<std::string> names_of(const Dataset& dataset) {
    const std::vector<std::int64_t> codes = numbers_of<std::int64_t>(dataset, H5T_NATIVE_INT64);
    std::vector<std::pair<std::int64_t, std::string>> names;
    const Handle whole(H5Tget_super(dataset.type.id()), H5Tclose);
    for (int m = 0; m < H5Tget_nmembers(dataset.type.id()); ++m) {
        std::array<std::int64_t, 4> value{};  // the type of an enumeration has at most 16 bytes
        H5Tget_member_value(dataset.type.id(), static_cast<unsigned>(m), value.data());
        H5Tconvert(whole.id(), H5T_NATIVE_INT64, 1, value.data(), nullptr, H5P_DEFAULT);
        char* const name = H5Tget_member_name(dataset.type.id(), static_cast<unsigned>(m));
        names.emplace_back(value[0], name);
        H5free_memory(name);
        if (dataset.boolean()) names.back().second = value[0] == 0 ? "False" : "True";
    }
    std::vector<std::string> texts;
    for (const std::int64_t code : codes) {
        const auto named = std::find_if(names.begin(), names.end(), [code](const auto& n) { return n.first == code; });
        require(dataset, named != names.end(), "has a value that its enumeration lacks");
        texts.push_back(named->second);
    }
    return texts;
}

std::vector<std::string> variable_texts(const Dataset& dataset) {
    std::vector<std::string> texts(dataset.count());
    std::vector<char*> words(texts.size(), nullptr);
    read(dataset, dataset.type.id(), H5S_ALL, words.data());
    for (std::size_t i = 0; i < words.size(); ++i) texts[i] = words[i] == nullptr ? "" : words[i];
    for (char* const word : words) H5free_memory(word);
    return texts;
}

std::vector<std::string> fixed_texts(const Dataset& dataset) {
    const std::size_t item = H5Tget_size(dataset.type.id());
    require(dataset, item > 0, "has texts without a size");
    std::vector<std::string> texts(dataset.count());
    io::require_memory(texts.size() * item, "the texts of " + dataset.title);
    std::vector<char> all(texts.size() * item);
    read(dataset, dataset.type.id(), H5S_ALL, all.data());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const char* const text = all.data() + i * item;
        texts[i].assign(text, ::strnlen(text, item));
        while (H5Tget_strpad(dataset.type.id()) == H5T_STR_SPACEPAD && texts[i].ends_with(' ')) texts[i].pop_back();
    }
    return texts;
}

}  // namespace

std::uint64_t Dataset::count() const {
    std::uint64_t values = 1;
    for (const std::uint64_t extent : shape) {
        if (__builtin_mul_overflow(values, extent, &values)) return ~std::uint64_t{0};
    }
    return values;
}

bool Dataset::boolean() const {
    if (kind != H5T_ENUM || H5Tget_nmembers(type.id()) != 2) return false;
    return H5Tget_member_index(type.id(), "TRUE") >= 0 && H5Tget_member_index(type.id(), "FALSE") >= 0;
}

bool Dataset::numeric() const { return kind == H5T_INTEGER || kind == H5T_FLOAT || boolean(); }

Dataset open_dataset(const File& file, const std::string& path, const std::string& field) {
    const std::string title = fmt::format("'{}': {}{}{}", file.name, path, field.empty() ? "" : "/", field);
    const std::string place = path_within(file, path);
    Handle handle = place.empty() ? Handle() : Handle(H5Dopen2(file.handle.id(), place.c_str(), H5P_DEFAULT), H5Dclose);
    if (!handle) bad_file("{} is no dataset; save the file again", title);
    const Handle space(H5Dget_space(handle.id()), H5Sclose);
    const int axes = space ? H5Sget_simple_extent_ndims(space.id()) : -1;
    if (axes < 0 || axes > H5S_MAX_RANK) bad_file("{} has no extents; save the file again", title);
    std::vector<hsize_t> extents(static_cast<std::size_t>(axes));
    if (axes > 0) H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr);
    Handle type(H5Dget_type(handle.id()), H5Tclose);
    if (!field.empty()) {
        const bool has_fields = H5Tget_class(type.id()) == H5T_COMPOUND;
        const int index = has_fields ? H5Tget_member_index(type.id(), field.c_str()) : -1;
        if (index < 0) bad_file("{} is not there; save the file again", title);
        Handle member(H5Tget_member_type(type.id(), static_cast<unsigned>(index)), H5Tclose);
        if (H5Tget_class(member.id()) == H5T_ARRAY) {
            std::array<hsize_t, H5S_MAX_RANK> more{};
            const int count = H5Tget_array_dims2(member.id(), more.data());
            extents.insert(extents.end(), more.begin(), more.begin() + std::max(count, 0));
            member = Handle(H5Tget_super(member.id()), H5Tclose);
        }
        type = std::move(member);
    }
    const H5T_class_t kind = H5Tget_class(type.id());
    Dataset dataset{std::move(handle), std::move(type), title, field, {extents.begin(), extents.end()}, kind};
    require_sound(file, dataset);
    if (field.empty()) keep_chunks(file, place, dataset);
    return dataset;
}

std::vector<std::string> fields_of(const File& file, const std::string& path) {
    const std::string place = way_to(file.handle.id(), path).path;
    const Handle handle(place.empty() ? -1 : H5Dopen2(file.handle.id(), place.c_str(), H5P_DEFAULT), H5Dclose);
    const Handle type = handle ? Handle(H5Dget_type(handle.id()), H5Tclose) : Handle();
    std::vector<std::string> names;
    if (!type || H5Tget_class(type.id()) != H5T_COMPOUND) return names;
    for (int m = 0; m < H5Tget_nmembers(type.id()); ++m) {
        char* const name = H5Tget_member_name(type.id(), static_cast<unsigned>(m));
        names.emplace_back(name);
        H5free_memory(name);
    }
    return names;
}

std::vector<double> doubles_of(const Dataset& dataset) { return numbers_of<double>(dataset, H5T_NATIVE_DOUBLE); }

std::vector<std::int64_t> integers_of(const Dataset& dataset) {
    require(dataset, dataset.kind != H5T_FLOAT, "holds no whole numbers");
    return numbers_of<std::int64_t>(dataset, H5T_NATIVE_INT64);
}

std::vector<std::string> texts_of(const Dataset& dataset) {
    if (dataset.kind == H5T_ENUM) return names_of(dataset);
    if (dataset.kind == H5T_FLOAT) {  // as short as their own precision allows
        if (H5Tget_size(dataset.type.id()) > sizeof(float)) return written(doubles_of(dataset));
        return written(numbers_of<float>(dataset, H5T_NATIVE_FLOAT));
    }
    if (dataset.kind == H5T_INTEGER) {
        if (H5Tget_sign(dataset.type.id()) == H5T_SGN_2) return written(integers_of(dataset));
        return written(numbers_of<std::uint64_t>(dataset, H5T_NATIVE_UINT64));
    }
    require(dataset, dataset.kind == H5T_STRING, "holds neither texts nor numbers");
    require_memory(dataset, 2 * sizeof(std::string));
    if (dataset.count() == 0) return {};
    return H5Tis_variable_str(dataset.type.id()) > 0 ? variable_texts(dataset) : fixed_texts(dataset);
}

void read_rows(const Dataset& dataset, std::uint64_t first, std::uint64_t count, double* out) {
    read(dataset, H5T_NATIVE_DOUBLE, selection(dataset, first, count).id(), out);
}

std::vector<double> read_column(const Dataset& dataset, std::uint64_t column) {
    const std::uint64_t rows = dataset.shape[0], width = dataset.shape.size() > 1 ? dataset.shape[1] : 1;
    if (!dataset.field.empty()) {  // records are read whole
        const std::vector<double> all = doubles_of(dataset);
        std::vector<double> values(rows);
        for (std::uint64_t row = 0; row < rows; ++row) values[row] = all[row * width + column];
        return values;
    }
    io::require_memory(rows * sizeof(double), "a column of " + dataset.title);
    std::vector<double> values(rows);
    read(dataset, H5T_NATIVE_DOUBLE, selection(dataset, 0, rows, column).id(), values.data());
    return values;
}

std::vector<std::int64_t> read_integers(const Dataset& dataset, std::uint64_t first, std::uint64_t count) {
    return read_values<std::int64_t>(dataset, H5T_NATIVE_INT64, first, count);
}

std::vector<double> read_doubles(const Dataset& dataset, std::uint64_t first, std::uint64_t count) {
    return read_values<double>(dataset, H5T_NATIVE_DOUBLE, first, count);
}

}  // namespace dunlin::hdf5
