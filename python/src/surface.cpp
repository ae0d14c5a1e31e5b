// SPDX-License-Identifier: Apache-2.0
#include <dunlin/surface.hpp>

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "bind.hpp"
#include "device_points.hpp"
#include "run.hpp"

namespace dunlin::python {

namespace {

using Three = std::array<double, 3>;
using Color = std::array<int, 4>;
/// Name, color, vertices, triangles of a part.
using Part = std::tuple<std::string, Color, Offset, Offset>;

void put(nb::dict& all, const surface::Measures& measures) {
    all["area"] = measures.area;
    all["cap_area"] = measures.cap;
    all["volume"] = measures.volume;
    all["euler_characteristic"] = measures.euler();
}

std::vector<Part> parts_of(const Mesh& mesh) {
    std::vector<Part> parts;
    for (const MeshPart& part : mesh.parts) {
        parts.emplace_back(part.name, Color{part.color[0], part.color[1], part.color[2], part.color[3]}, part.vertices,
                           part.triangles);
    }
    return parts;
}

void put(nb::dict& all, Mesh&& mesh) {
    const auto vertices = static_cast<std::size_t>(mesh.vertices()), faces = static_cast<std::size_t>(mesh.faces());
    all["parts"] = nb::cast(parts_of(mesh));
    all["vertices"] = array_of(std::move(mesh.positions), {vertices, 3});
    all["normals"] = array_of(std::move(mesh.normals), {vertices, 3});
    all["faces"] = array_of(std::move(mesh.triangles), {faces, 3});
}

template <class Real>
nb::tuple extract(const ArrayOf<Real, 3>& values, const Three& spacing, const Three& origin, const nb::dict& options,
                  std::vector<Offset> seeds, const nb::dict& run, nb::object callback) {
    auto chosen = options_from<surface::Options>(options);
    chosen.seeds = std::move(seeds);
    surface::FieldView<Real> grid{{index_of(values.shape(0)), index_of(values.shape(1)), index_of(values.shape(2))},
                                  {values.data(), values.size()},
                                  spacing,
                                  origin};
    Watched watched(run, std::move(callback), 0);
    surface::Result result = watched([&](const Run& r) { return surface::extract(grid, chosen, r); });
    nb::dict all = outcome_of(result);
    put(all, result.measures);
    put(all, std::move(result.mesh));
    all["visited"] = result.visited;
    return nb::make_tuple(all, watched.raised());
}

/// float32 values on a GPU, which the array's package has made the legacy default stream wait for.
using FieldOnDevice = nb::ndarray<const float, nb::ndim<3>, nb::device::cuda>;

nb::tuple extract_on_device(const FieldOnDevice& values, const Three& spacing, const Three& origin,
                            const nb::dict& options, const nb::dict& run, nb::object callback) {
    const auto chosen = options_from<surface::Options>(options);
    surface::DeviceFieldView grid{.values = values.data(), .spacing = spacing, .origin = origin};
    grid.gpu = values.device_id();
    for (std::size_t axis = 0; axis < 3; ++axis) {
        grid.nodes[axis] = index_of(values.shape(axis));
        grid.strides[axis] = values.stride(axis);
    }
    Watched watched(run, std::move(callback), 0);
    const surface::DeviceResult result = watched([&](const Run& r) { return surface::extract(grid, chosen, r); });
    nb::dict all = outcome_of(result);
    put(all, result.measures);
    all["parts"] = nb::list();
    all["vertices"] = device_array_of(result.positions);
    all["normals"] = device_array_of(result.normals);
    all["faces"] = device_array_of(result.triangles);
    return nb::make_tuple(all, watched.raised());
}

nb::tuple hulls(const FloatMatrix& map, const std::optional<Indices>& labels, const std::vector<std::string>& names,
                const nb::dict& options, const nb::dict& run, nb::object callback) {
    const auto chosen = options_from<surface::HullOptions>(options);
    const Map placed = map_of(map);
    const Labels of = labels_from(labels, names);
    Watched watched(run, std::move(callback), 0);
    surface::HullResult result = watched([&](const Run& r) { return surface::hulls(placed, of, chosen, r); });
    nb::dict all = outcome_of(result);
    nb::list each;
    for (const surface::Hull& hull : result.hulls) {
        nb::dict one;
        one["name"] = hull.name;
        one["points"] = hull.points;
        one["radius"] = hull.radius;
        one["level"] = hull.level;
        one["inside"] = hull.inside;
        one["cells_in_radius"] = hull.cells_in_radius;
        put(one, hull.measures);
        each.append(one);
    }
    all["hulls"] = each;
    put(all, std::move(result.mesh));
    return nb::make_tuple(all, watched.raised());
}

void write_mesh(const std::string& path, const FloatMatrix& vertices, const FloatMatrix& normals,
                const ArrayOf<Index, 2>& faces, const std::vector<Part>& parts) {
    Mesh mesh;
    mesh.positions.assign(vertices.data(), vertices.data() + vertices.size());
    mesh.normals.assign(normals.data(), normals.data() + normals.size());
    mesh.triangles.assign(faces.data(), faces.data() + faces.size());
    for (const auto& [name, color, count, triangles] : parts) {
        MeshPart part{name, {}, count, triangles};
        for (std::size_t c = 0; c < 4; ++c) part.color[c] = static_cast<std::uint8_t>(color[c]);
        mesh.parts.push_back(part);
    }
    io::write_mesh(path, mesh);
}

}  // namespace

void bind_surface(nb::module_& module) {
    const auto none = nb::arg().none();
    module.def("surface", extract<float>, nb::arg().noconvert(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
               none);
    module.def("surface", extract<double>, nb::arg().noconvert(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
               none);
    module.def("surface", extract_on_device, nb::arg().noconvert(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), none);
    module.def("hulls", hulls, nb::arg(), none, nb::arg(), nb::arg(), nb::arg(), none);
    module.def("write_mesh", write_mesh);
}

}  // namespace dunlin::python
