// SPDX-License-Identifier: Apache-2.0
#include "device_points.hpp"

#include <nanobind/stl/string.h>

#include "bind.hpp"
#include "options.hpp"

namespace dunlin::python {

namespace {

/// The array's package has made the legacy default stream wait for the values: __dlpack__(stream=1).
constexpr void* stream = nullptr;

bool is_row_major(const DeviceArray& array) {
    const bool rows = array.shape(0) <= 1 || array.stride(0) == static_cast<std::int64_t>(array.shape(1));
    return rows && (array.shape(1) <= 1 || array.stride(1) == 1);
}

DevicePoints device_points(const DeviceArray& array, const std::string& offsets) {
    const NumberType type = number_type_of(array.dtype());
    const Index rows = index_of(array.shape(0)), cols = index_of(array.shape(1));
    DevicePoints points{array, {}, {}, {}};
    const auto item = static_cast<Offset>(array.itemsize());
    const ForeignMatrix matrix{array.data(), type, rows, cols, array.stride(0) * item, array.stride(1) * item};
    const auto how = value_of<ColumnOffsets>(nb::cast(offsets), "offsets");
    const nb::gil_scoped_release released;
    if (type == NumberType::float32 && is_row_major(array) && !has_offsets(matrix, array.device_id(), stream, how)) {
        points.view = {static_cast<const float*>(array.data()), rows, cols, array.device_id(), stream};
        return points;
    }
    DeviceNarrowed narrowed = narrow(matrix, array.device_id(), stream, how);
    points.narrowed = std::move(narrowed.values);
    points.view = points.narrowed.view();
    points.shift = std::move(narrowed.shift);
    return points;
}

}  // namespace

void bind_device_points(nb::module_& module) {
    nb::class_<DevicePoints>(module, "DevicePoints")
        .def_prop_ro("shape", [](const DevicePoints& p) { return nb::make_tuple(p.view.rows, p.view.cols); })
        .def_prop_ro("gpu", [](const DevicePoints& p) { return p.view.gpu; })
        .def_prop_ro(
            "shift",
            [](const DevicePoints& p) { return p.shift.empty() ? nb::none() : array_of(std::vector<double>(p.shift)); })
        .def("__len__", [](const DevicePoints& p) { return p.view.rows; });
    module.def("device_points", device_points);
}

}  // namespace dunlin::python
