// SPDX-License-Identifier: Apache-2.0
#include "driver.hpp"

#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

namespace dunlin::hdf5 {

namespace {

using Read = decltype(H5FD_class_t::read);
Read read_of_sec2 = nullptr;

constexpr std::size_t head = 16;  ///< bytes before the first object, and before the content of each
constexpr char signature[] = {'G', 'C', 'O', 'L', 1, 0, 0, 0};

std::uint64_t number_at(const unsigned char* place, int bytes) {
    std::uint64_t value = 0;
    for (int b = bytes; b-- > 0;) value = value << 8 | place[b];
    return value;
}

/// A heap: the signature, its size, then objects: index (2 bytes), references (2), nothing (4), size (8), and the
/// content, padded to 8 bytes. Index 0 is what is free, and its size has the head, too.
bool is_sound_heap(const std::vector<unsigned char>& heap) {
    for (std::size_t at = head; at < heap.size();) {
        const std::size_t left = heap.size() - at;
        if (left < head) return true;  // too little for an object
        const std::uint64_t index = number_at(heap.data() + at, 2), size = number_at(heap.data() + at + 8, 8);
        if (size > left) return false;
        const std::uint64_t whole = index == 0 ? size : head + (size + 7) / 8 * 8;
        if (whole < head || whole > left) return false;
        at += whole;
    }
    return true;
}

herr_t read(H5FD_t* file, H5FD_mem_t type, hid_t settings, haddr_t address, std::size_t size, void* buffer) {
    const herr_t done = read_of_sec2(file, type, settings, address, size, buffer);
    if (done < 0 || size < head || std::memcmp(buffer, signature, sizeof signature) != 0) return done;
    const std::uint64_t length = number_at(static_cast<const unsigned char*>(buffer) + sizeof signature, 8);
    constexpr std::uint64_t least = 4096;  // of a heap
    const haddr_t end = H5FDget_eof(file, H5FD_MEM_DEFAULT);
    if (length < least || address > end || length > end - address) return -1;
    try {
        std::vector<unsigned char> heap(length);
        if (read_of_sec2(file, type, settings, address, heap.size(), heap.data()) < 0) return -1;
        return is_sound_heap(heap) ? done : -1;
    } catch (const std::bad_alloc&) {  // C calls this
        return -1;
    }
}

hid_t make_driver() {
    // An open file tells its driver, which HDF5 does not give away by its identifier
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_sec2(access);
    H5FD_t* const any = H5FDopen("/dev/null", H5F_ACC_RDONLY, access, HADDR_UNDEF);
    H5Pclose(access);
    if (any == nullptr) return H5FD_SEC2;
    static H5FD_class_t checked = *any->cls;
    H5FDclose(any);
    read_of_sec2 = checked.read;
    checked.read = read;
    const hid_t driver = H5FDregister(&checked);
    return driver < 0 ? H5FD_SEC2 : driver;
}

}  // namespace

hid_t checked_driver() {
    static const hid_t driver = make_driver();
    return driver;
}

}  // namespace dunlin::hdf5
