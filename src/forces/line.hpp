// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "math/hd.hpp"

/// Maps on a line. Their forces are computed in the plane, at y = 0: the y component of every force is a sum of
/// multiples of 0, so it is exactly 0 and the points stay on the line. The grid is no such engine, since it
/// interpolates.
namespace dunlin::forces {

struct CopyToPlane {
    const float* line;
    float* plane;
    DUNLIN_HD void operator()(Offset i) const {
        plane[2 * i] = line[i];
        plane[2 * i + 1] = 0;
    }
};

/// Points on a line as points of the plane, in the memory of the executor.
template <class Exec>
auto in_plane(Exec& exec, const typename Exec::template Buffer<float>& line) {
    typename Exec::template Buffer<float> plane;
    exec.resize(plane, 2 * line.size());
    exec.each(static_cast<Offset>(line.size()), CopyToPlane{line.data(), plane.data()});
    return plane;
}

/// The x coordinates of points in the plane.
inline std::vector<float> on_line(std::span<const float> plane) {
    std::vector<float> line(plane.size() / 2);
    for (std::size_t i = 0; i < line.size(); ++i) line[i] = plane[2 * i];
    return line;
}

}  // namespace dunlin::forces
