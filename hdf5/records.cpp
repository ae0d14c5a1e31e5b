// SPDX-License-Identifier: Apache-2.0
#include "records.hpp"

#include <cstring>

#include "dataset.hpp"
#include "io/fail.hpp"
#include "io/memory.hpp"
#include "stored_map.hpp"

namespace dunlin::hdf5 {

namespace {

void require(const File& file, bool done, const std::string& path) {
    if (!done) io::bad_file("'{}': {} cannot be written; see whether there is space", file.name, path);
}

}  // namespace

void put_field(const File& file, const std::string& path, const std::string& name, const Map& map) {
    const Dataset old = open_dataset(file, path);
    require(file,
            old.kind == H5T_COMPOUND && old.shape.size() == 1 && old.count() == static_cast<std::uint64_t>(map.size()),
            path);
    const StoredMap stored(map);
    const std::size_t before = H5Tget_size(old.type.id()), rows = old.count();
    const std::size_t added = static_cast<std::size_t>(map.dim) * H5Tget_size(stored.type()), after = before + added;
    io::require_memory(rows * (before + after), "the records of " + old.title);
    std::vector<char> records(rows * before), longer(rows * after);
    require(file, H5Dread(old.handle.id(), old.type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, records.data()) >= 0, path);
    // The old fields stay at their places, and the new one is behind them
    const Handle type(H5Tcreate(H5T_COMPOUND, after), H5Tclose);
    for (const std::string& field : fields_of(file, path)) {
        if (field == name) continue;
        const auto place = static_cast<unsigned>(H5Tget_member_index(old.type.id(), field.c_str()));
        const Handle member(H5Tget_member_type(old.type.id(), place), H5Tclose);
        H5Tinsert(type.id(), field.c_str(), H5Tget_member_offset(old.type.id(), place), member.id());
    }
    const auto dim = static_cast<hsize_t>(map.dim);
    const Handle array(H5Tarray_create2(stored.type(), 1, &dim), H5Tclose);
    H5Tinsert(type.id(), name.c_str(), before, array.id());
    for (std::size_t row = 0; row < rows; ++row) {
        std::memcpy(longer.data() + row * after, records.data() + row * before, before);
        std::memcpy(longer.data() + row * after + before, stored.data() + row * added, added);
    }
    const hid_t root = file.handle.id();
    require(file, H5Ldelete(root, path.c_str(), H5P_DEFAULT) >= 0, path);
    const hsize_t extent = rows;
    const Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
    const Handle packed(H5Tcopy(type.id()), H5Tclose);
    H5Tpack(packed.id());
    const Handle dataset(H5Dcreate2(root, path.c_str(), packed.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                         H5Dclose);
    require(file, dataset && H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, longer.data()) >= 0,
            path);
}

}  // namespace dunlin::hdf5
