#include "io/fail.hpp"
#include "io/npy.hpp"

namespace dunlin::io {

bool is_idx(const Bytes& bytes) {
    const std::string_view head = bytes.view().substr(0, 4);
    return head.size() == 4 && head[0] == 0 && head[1] == 0 && head[2] >= 8 && head[2] <= 14 && head[3] > 0 &&
           head[3] < 9;
}

Array parse_idx(const Bytes& bytes) {
    if (!is_idx(bytes))
        bad_file("'{}' is not an IDX file: it does not begin with 0, 0, type, axes; convert it again", bytes.name());
    Array array;
    array.swapped = true;
    switch (bytes.begin()[2]) {
        case 0x08:
            array.kind = 'u', array.item = 1;
            break;
        case 0x09:
            array.kind = 'i', array.item = 1;
            break;
        case 0x0b:
            array.kind = 'i', array.item = 2;
            break;
        case 0x0c:
            array.kind = 'i', array.item = 4;
            break;
        case 0x0d:
            array.kind = 'f', array.item = 4;
            break;
        case 0x0e:
            array.kind = 'f', array.item = 8;
            break;
        default:
            bad_file("'{}' is IDX of the type 0x{:02x}, which is not known; convert it again", bytes.name(),
                     bytes.begin()[2]);
    }
    const auto axes = static_cast<std::size_t>(static_cast<unsigned char>(bytes.begin()[3]));
    if (bytes.size() < 4 + 4 * axes) bad_file("'{}' is truncated: its header ends early; copy it again", bytes.name());
    const auto* p = reinterpret_cast<const unsigned char*>(bytes.begin()) + 4;
    for (std::size_t axis = 0; axis < axes; ++axis, p += 4) {
        array.shape.push_back(std::uint64_t{p[0]} << 24 | std::uint64_t{p[1]} << 16 | std::uint64_t{p[2]} << 8 | p[3]);
    }
    array.data = bytes.begin() + 4 + 4 * axes;
    check_size(array, bytes);
    return array;
}

}  // namespace dunlin::io
