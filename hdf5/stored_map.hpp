// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <vector>

#include <dunlin/types.hpp>

#include "io/map_origin.hpp"

namespace dunlin::hdf5 {

/// The coordinates of a map as a file holds them: float32, or float64 of a map with an origin.
class StoredMap {
public:
    explicit StoredMap(const Map& map)
        : map_(map), far_(map.origin.empty() ? std::vector<double>{} : io::coordinates_of(map)) {}

    [[nodiscard]] hid_t type() const { return map_.origin.empty() ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE; }
    [[nodiscard]] const char* data() const {
        return map_.origin.empty() ? reinterpret_cast<const char*>(map_.coordinates.data())
                                   : reinterpret_cast<const char*>(far_.data());
    }

private:
    const Map& map_;
    std::vector<double> far_;
};

}  // namespace dunlin::hdf5
