// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>

#include <dunlin/arrays.hpp>

#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/memory.hpp"
#include "io/npy.hpp"
#include "io/run_reader.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

namespace {

/// The values as they lie in the file, or null if they need conversion.
template <class Real>
std::shared_ptr<const Real> in_place(const Array& array, const Bytes& bytes) {
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(array.data) % alignof(Real) == 0;
    const bool is_same = array.kind == 'f' && array.item == sizeof(Real) && !array.swapped && !array.fortran;
    if (!is_same || !is_aligned) return nullptr;
    return {bytes.owner(), reinterpret_cast<const Real*>(array.data)};
}

/// The values in C order. Those in Fortran order are taken in blocks, so that both sides stay in the cache.
template <class Real>
std::shared_ptr<const Real> converted(const Array& array, const std::string& name) {
    const std::uint64_t n0 = array.shape[0], n1 = array.shape[1], n2 = array.shape[2];
    require_memory(array.count() * sizeof(Real), "the values of '" + name + "'");
    const std::shared_ptr<Real[]> values(new Real[array.count()]);
    Real* const out = values.get();
    constexpr std::uint64_t block = 32;
    for (std::uint64_t i0 = 0; i0 < n0; i0 += block) {
        for (std::uint64_t j = 0; j < n1; ++j) {
            progress::cancellation_point();
            for (std::uint64_t k0 = 0; k0 < n2; k0 += block) {
                for (std::uint64_t i = i0; i < std::min(i0 + block, n0); ++i) {
                    for (std::uint64_t k = k0; k < std::min(k0 + block, n2); ++k) {
                        const std::uint64_t place = (i * n1 + j) * n2 + k;
                        out[place] = static_cast<Real>(array.number(array.fortran ? (k * n1 + j) * n0 + i : place));
                    }
                }
            }
        }
    }
    return {values, out};
}

FieldFile field_of(const Bytes& bytes) {
    const std::string& name = bytes.name();
    if (!is_npy(bytes)) bad_file("'{}' is not a .npy file; write the field with numpy.save", name);
    const Array array = parse_npy(bytes);
    if (array.is_text()) bad_file("'{}' holds text; save numbers", name);
    const std::string shape = fmt::format("({})", fmt::join(array.shape, ", "));
    if (array.shape.size() != 3)
        bad_file("'{}' has the shape {}; a field has three axes, save an array of that shape", name, shape);
    FieldFile field;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (array.shape[axis] > static_cast<std::uint64_t>(most_items))
            bad_file("'{}' has the shape {}; an axis has at most {} nodes", name, shape, most_items);
        field.nodes[axis] = static_cast<Index>(array.shape[axis]);
    }
    field.floats = in_place<float>(array, bytes);
    field.doubles = in_place<double>(array, bytes);
    if (field.floats || field.doubles) return field;
    const bool is_short = array.item <= 2 || (array.kind == 'f' && array.item == 4);
    if (is_short) {
        field.floats = converted<float>(array, name);
    } else {
        field.doubles = converted<double>(array, name);
    }
    return field;
}

}  // namespace

bool is_field(const std::filesystem::path& path) {
    const Bytes bytes = load(path);
    return is_npy(bytes) && parse_npy(bytes).shape.size() != 2;
}

FieldFile read_field(const std::filesystem::path& path, const Run& run) {
    return run_reader(path, run, [&] { return field_of(load(path)); });
}

}  // namespace dunlin::io
