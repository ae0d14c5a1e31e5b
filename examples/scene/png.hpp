// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// A PNG file of 8-bit RGB rows, in blocks that are stored, not compressed.
namespace scene {

inline std::string big_endian(std::size_t v) { return {char(v >> 24), char(v >> 16), char(v >> 8), char(v)}; }

inline std::string chunk(const std::string& kind, const std::string& data) {
    std::uint32_t crc = ~0U;
    for (const char c : kind + data) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc % 2 == 0 ? 0 : 0xEDB88320U);
    }
    return big_endian(data.size()) + kind + data + big_endian(~crc);
}

inline std::string png(std::size_t width, std::size_t high, const std::vector<std::uint8_t>& rgb) {
    std::string stream = "\x78\x01";
    std::uint32_t a = 1, b = 0;
    const std::size_t row = 3 * width, size = row + 1;
    for (std::size_t y = 0; y < high; ++y) {  // a block for each row: the number of its filter, then its pixels
        stream += {char(y + 1 == high), char(size), char(size >> 8), char(~size), char(~size >> 8), '\0'};
        stream.append(rgb.begin() + std::ptrdiff_t(y * row), rgb.begin() + std::ptrdiff_t((y + 1) * row));
        b = (b + a) % 65521;
        for (std::size_t i = 0; i < row; ++i) a = (a + rgb[y * row + i]) % 65521, b = (b + a) % 65521;
    }
    stream += big_endian(std::size_t{b} << 16 | a);
    const std::string header = big_endian(width) + big_endian(high) + std::string("\x08\x02\0\0\0", 5);
    return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", stream) + chunk("IEND", "");
}

}  // namespace scene
