// SPDX-License-Identifier: Apache-2.0
#include "sound.hpp"

#include <algorithm>
#include <array>

#include "io/fail.hpp"
#include "io/memory.hpp"

namespace dunlin::hdf5 {

using io::bad_file;

namespace {

constexpr std::uint64_t most_packed = 1040;  ///< times that deflate makes zeros smaller, at most; LZF less

[[noreturn]] void damaged(const std::string& title, const std::string& what) {
    bad_file("{} is damaged: {}; save the file again", title, what);
}

/// The product, or 2^64 - 1 if it is larger.
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    std::uint64_t value = 0;
    return __builtin_mul_overflow(a, b, &value) ? ~std::uint64_t{0} : value;
}

/// Of integers, floating-point numbers and the values of enumerations.
bool is_sound_number(hid_t type) {
    constexpr std::size_t most_bytes = 16;
    const std::size_t bytes = H5Tget_size(type), bits = H5Tget_precision(type);
    const int offset = H5Tget_offset(type);
    if (bytes == 0 || bytes > most_bytes || bits == 0 || offset < 0) return false;
    if (static_cast<std::size_t>(offset) + bits > 8 * bytes) return false;
    if (H5Tget_class(type) != H5T_FLOAT) return true;
    std::size_t sign = 0, exponent = 0, exponent_bits = 0, fraction = 0, fraction_bits = 0;
    if (H5Tget_fields(type, &sign, &exponent, &exponent_bits, &fraction, &fraction_bits) < 0) return false;
    const auto fits = [bits](std::size_t first, std::size_t count) {
        return count > 0 && first < bits && count <= bits - first;
    };
    return fits(sign, 1) && fits(exponent, exponent_bits) && fits(fraction, fraction_bits) && exponent_bits < 32;
}

/// Of the types that a type is made of.
std::vector<Handle> parts_of(hid_t type, const std::string& title) {
    std::vector<Handle> parts;
    const H5T_class_t kind = H5Tget_class(type);
    if (kind == H5T_ARRAY || kind == H5T_ENUM || kind == H5T_VLEN) parts.emplace_back(H5Tget_super(type), H5Tclose);
    const int members = kind == H5T_COMPOUND ? H5Tget_nmembers(type) : 0;
    for (int m = 0; m < members; ++m) {
        parts.emplace_back(H5Tget_member_type(type, static_cast<unsigned>(m)), H5Tclose);
        const std::size_t begin = H5Tget_member_offset(type, static_cast<unsigned>(m)), all = H5Tget_size(type);
        if (begin > all || H5Tget_size(parts.back().id()) > all - begin)
            damaged(title, "a field is outside its record");
    }
    return parts;
}

/// What the filters of a dataset are, and whether their values are those that HDF5 sets for it. Some filters of HDF5
/// follow values of others without a look.
class Filters {
public:
    Filters(const Dataset& dataset, hid_t how, std::uint64_t item, std::uint64_t elements)
        : title_(dataset.title), item_(item), elements_(elements) {
        const int count = std::max(0, H5Pget_nfilters(how));
        for (int f = 0; f < count; ++f) look_at(how, static_cast<unsigned>(f));
    }

    [[nodiscard]] bool any() const { return any_; }
    /// Whether it is known by how much they can make zeros smaller.
    [[nodiscard]] bool are_bounded() const { return bounded_; }

private:
    void look_at(hid_t how, unsigned number) {
        std::array<unsigned, 32> given{};
        std::size_t count = given.size();
        unsigned flags = 0, info = 0;
        const H5Z_filter_t filter = H5Pget_filter2(how, number, &flags, &count, given.data(), 0, nullptr, &info);
        any_ = true;
        constexpr H5Z_filter_t lzf = 32000;
        const bool usual = filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SHUFFLE ||
                           filter == H5Z_FILTER_FLETCHER32 || filter == lzf;
        bounded_ = bounded_ && usual;
        // Their values are the size and the number of the elements of a chunk
        if (filter == H5Z_FILTER_SHUFFLE && (count != 1 || given[0] != item_)) wrong("shuffle");
        if (filter == H5Z_FILTER_SCALEOFFSET && (count < 5 || given[2] != elements_ || given[4] != item_))
            wrong("scale-offset");
        if (filter == H5Z_FILTER_NBIT && (count < 5 || given[2] != elements_ || given[4] != item_)) wrong("N-bit");
        if (filter == lzf && count > 2 && given[2] != product(item_, elements_)) wrong("lzf");
    }
    [[noreturn]] void wrong(const char* filter) const {
        damaged(title_, fmt::format("its filter {} is not that of its values", filter));
    }

    const std::string& title_;
    std::uint64_t item_, elements_;
    bool any_ = false, bounded_ = true;
};

/// item: bytes of an element in the file. stored: bytes of all that is there of it.
void require_sound_chunks(const Dataset& dataset, hid_t how, int axes, std::uint64_t item, std::uint64_t stored) {
    constexpr std::uint64_t most_bytes = 0xffffffff, usual = std::uint64_t{64} << 20;
    std::array<hsize_t, H5S_MAX_RANK> chunk{};
    if (H5Pget_chunk(how, H5S_MAX_RANK, chunk.data()) != axes) damaged(dataset.title, "its chunks have other axes");
    std::uint64_t elements = 1;
    for (int axis = 0; axis < axes; ++axis) elements = product(elements, chunk[static_cast<std::size_t>(axis)]);
    const std::uint64_t bytes = product(elements, item);
    if (bytes == 0 || bytes > most_bytes) damaged(dataset.title, fmt::format("a chunk of it has {} bytes", bytes));
    const Filters filters(dataset, how, item, elements);
    if (stored == 0) return;
    // Chunks that were never written have no values in the file, which is usual for few of them
    const std::uint64_t most =
        filters.are_bounded() ? product(stored, filters.any() ? most_packed : 1) : ~std::uint64_t{0};
    if (bytes > most)
        damaged(dataset.title, fmt::format("a chunk of it has {} bytes, and {} are stored", bytes, stored));
    const std::uint64_t all = product(dataset.count(), item);
    if (all > usual && all > most)
        damaged(dataset.title, fmt::format("its values take {} bytes, and {} are stored", all, stored));
    if (filters.any()) io::require_memory(bytes, "a chunk of " + dataset.title);
}

}  // namespace

void require_sound_type(hid_t type, const std::string& title) {
    constexpr std::size_t most_types = 100'000;
    std::vector<Handle> left = {};
    left.emplace_back(H5Tcopy(type), H5Tclose);
    for (std::size_t seen = 0; !left.empty(); ++seen) {
        const Handle one = std::move(left.back());
        left.pop_back();
        const H5T_class_t kind = one ? H5Tget_class(one.id()) : H5T_NO_CLASS;
        if (kind == H5T_NO_CLASS || seen > most_types) damaged(title, "its type is unknown");
        const bool is_number = kind == H5T_INTEGER || kind == H5T_FLOAT || kind == H5T_BITFIELD;
        if (is_number && !is_sound_number(one.id())) damaged(title, "its numbers have more bits than bytes");
        for (Handle& part : parts_of(one.id(), title)) left.push_back(std::move(part));
    }
}

void require_sound(const File& file, const Dataset& dataset) {
    const Handle type(H5Dget_type(dataset.handle.id()), H5Tclose), space(H5Dget_space(dataset.handle.id()), H5Sclose);
    const Handle how(H5Dget_create_plist(dataset.handle.id()), H5Pclose);
    if (!type || !space || !how) damaged(dataset.title, "its header cannot be read");
    require_sound_type(type.id(), dataset.title);
    if (H5Pget_external_count(how.id()) > 0)
        bad_file("{} has its values in another file, which is not read; save it with its values", dataset.title);
    const H5D_layout_t layout = H5Pget_layout(how.id());
    if (layout == H5D_VIRTUAL)
        bad_file(
            "{} is a virtual dataset, whose values are in other files, which are not read; save it with its values",
            dataset.title);
    // What it takes of the file
    hsize_t size = 0;
    if (H5Fget_filesize(file.handle.id(), &size) < 0) damaged(dataset.title, "the file has no size");
    const std::uint64_t stored = H5Dget_storage_size(dataset.handle.id()), item = H5Tget_size(type.id());
    if (stored > size) damaged(dataset.title, fmt::format("it takes {} bytes of a file of {}", stored, size));
    if (layout == H5D_CHUNKED) {
        require_sound_chunks(dataset, how.id(), H5Sget_simple_extent_ndims(space.id()), item, stored);
        return;
    }
    const haddr_t begin = H5Dget_offset(dataset.handle.id());
    if (layout == H5D_CONTIGUOUS && begin != HADDR_UNDEF && stored > 0 && begin > size - stored)
        damaged(dataset.title, "its values begin behind the end of the file");
    const auto elements = static_cast<std::uint64_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space.id())));
    if (stored > 0 && product(elements, item) > stored)
        damaged(dataset.title,
                fmt::format("its values take {} bytes, and {} are stored", product(elements, item), stored));
}

}  // namespace dunlin::hdf5
