// SPDX-License-Identifier: Apache-2.0
#include "lzf.hpp"

#include <hdf5.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <vector>

/// LZF as h5py writes it: a stream of literals and of references to what was unpacked before. A byte below 32 is the
/// length of a run of literals less 1. In others the upper 3 bits are the length of a reference less 2, 7 being
/// followed by a byte that is added; the lower 5 bits and the next byte are its distance less 1.
namespace dunlin::hdf5 {

namespace {

constexpr H5Z_filter_t lzf = 32000;  ///< registered at The HDF Group

/// The unpacked bytes; empty if they are damaged or more than `most`.
std::vector<unsigned char> unpack(std::span<const unsigned char> packed, std::size_t most) {
    std::vector<unsigned char> out;
    std::size_t at = 0;
    while (at < packed.size()) {
        const std::size_t control = packed[at++];
        if (control < 32) {
            const std::size_t count = control + 1;
            if (packed.size() - at < count || most - out.size() < count) return {};
            out.insert(out.end(), packed.begin() + static_cast<std::ptrdiff_t>(at),
                       packed.begin() + static_cast<std::ptrdiff_t>(at + count));
            at += count;
            continue;
        }
        std::size_t count = control >> 5;
        if (count == 7) {
            if (at == packed.size()) return {};
            count += packed[at++];
        }
        count += 2;
        if (at == packed.size()) return {};
        const std::size_t distance = ((control & 31) << 8) + packed[at++] + 1;
        if (distance > out.size() || most - out.size() < count) return {};
        for (std::size_t from = out.size() - distance; count > 0; --count) out.push_back(out[from++]);
    }
    return out;
}

/// H5Z_func_t: the third value of a dataset's filter is the size of a chunk.
std::size_t filter(unsigned flags, std::size_t values, const unsigned given[], std::size_t size, std::size_t* capacity,
                   void** buffer) {
    if ((flags & H5Z_FLAG_REVERSE) == 0) return 0;
    constexpr std::size_t most_unpacked = std::size_t{1} << 32;  // of a chunk of HDF5
    const std::size_t most = values > 2 && given[2] > 0 ? given[2] : most_unpacked;
    std::vector<unsigned char> out;
    try {
        out = unpack({static_cast<const unsigned char*>(*buffer), size}, most);
    } catch (const std::bad_alloc&) {
        return 0;  // C calls this
    }
    if (out.empty()) return 0;
    void* const fresh = H5allocate_memory(out.size(), 0);
    if (fresh == nullptr) return 0;
    std::copy(out.begin(), out.end(), static_cast<unsigned char*>(fresh));
    H5free_memory(*buffer);
    *buffer = fresh;
    *capacity = out.size();
    return out.size();
}

}  // namespace

void register_lzf() {
    if (H5Zfilter_avail(lzf) > 0) return;
    static const H5Z_class2_t known{H5Z_CLASS_T_VERS, lzf, 0, 1, "lzf", nullptr, nullptr, filter};
    H5Zregister(&known);
}

}  // namespace dunlin::hdf5
