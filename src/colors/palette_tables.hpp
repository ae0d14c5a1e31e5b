// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "colors/color.hpp"

/// The tables of palettes other than the defaults: colors of labels, and places at equal distances of scales.
namespace dunlin::picture::tables {

/// Okabe and Ito 2008, black last.
constexpr std::array<Color, 8> okabe_ito = {hex(0xe69f00), hex(0x56b4e9), hex(0x009e73), hex(0xf0e442),
                                            hex(0x0072b2), hex(0xd55e00), hex(0xcc79a7), hex(0x000000)};
/// Tol 2021, technical note SRON/EPS/TN/09-002: bright.
constexpr std::array<Color, 7> tol_bright = {hex(0x4477aa), hex(0xee6677), hex(0x228833), hex(0xccbb44),
                                             hex(0x66ccee), hex(0xaa3377), hex(0xbbbbbb)};
/// Tol 2021: muted.
constexpr std::array<Color, 9> tol_muted = {hex(0xcc6677), hex(0x332288), hex(0xddcc77), hex(0x117733), hex(0x88ccee),
                                            hex(0x882255), hex(0x44aa99), hex(0x999933), hex(0xaa4499)};
/// Tol 2021: light.
constexpr std::array<Color, 9> tol_light = {hex(0x77aadd), hex(0xee8866), hex(0xeedd88), hex(0xffaabb), hex(0x99ddff),
                                            hex(0x44bb99), hex(0xbbcc33), hex(0xaaaa00), hex(0xdddddd)};
/// Tableau 10 (Stone 2016).
constexpr std::array<Color, 10> tableau10 = {hex(0x4e79a7), hex(0xf28e2b), hex(0xe15759), hex(0x76b7b2), hex(0x59a14f),
                                             hex(0xedc948), hex(0xb07aa1), hex(0xff9da7), hex(0x9c755f), hex(0xbab0ac)};
/// After Glasbey et al. 2007: each color is the one of a grid that is farthest, by CIEDE2000, from all before and from
/// white, gray and the color of texts.
constexpr std::array<Color, 64> glasbey = {
    hex(0x9c18fc), hex(0xd80c00), hex(0x008400), hex(0x007884), hex(0x846000), hex(0xb4d800), hex(0xfc4890),
    hex(0xfca800), hex(0x5490fc), hex(0x900048), hex(0x00e4b4), hex(0x0c4890), hex(0xe4a8fc), hex(0x00d8fc),
    hex(0xf09078), hex(0x846c90), hex(0x004830), hex(0x603018), hex(0x909060), hex(0x542478), hex(0x489c84),
    hex(0xcc6c0c), hex(0x9c6c60), hex(0x00c030), hex(0xfc30fc), hex(0x48540c), hex(0xe4b4c0), hex(0xb4ccfc),
    hex(0xb4cc9c), hex(0x9c78f0), hex(0xe4c09c), hex(0xcc009c), hex(0x0c4854), hex(0x309cc0), hex(0xc0a800),
    hex(0xd80048), hex(0x000ce4), hex(0x2460fc), hex(0x9c4800), hex(0x007854), hex(0x543048), hex(0x9c9cc0),
    hex(0x900018), hex(0xc084a8), hex(0xfc4848), hex(0x9c546c), hex(0x0078b4), hex(0x789c00), hex(0x543c00),
    hex(0x90ccc0), hex(0x6c54a8), hex(0x787800), hex(0xb49078), hex(0x786048), hex(0xa88430), hex(0x607848),
    hex(0x6c78b4), hex(0x48486c), hex(0x006018), hex(0x6cc0fc), hex(0x78a86c), hex(0xfc540c), hex(0x843c78),
    hex(0xd8cc78)};
/// Nunez, Anderton and Renslow 2018.
constexpr std::array<Color, 17> cividis = {hex(0x00224e), hex(0x002e6a), hex(0x1a386f), hex(0x32436d), hex(0x434e6c),
                                           hex(0x535a6d), hex(0x61656f), hex(0x6f7073), hex(0x7d7c78), hex(0x8c8878),
                                           hex(0x9b9476), hex(0xaba072), hex(0xbcae6c), hex(0xcdbb63), hex(0xdec958),
                                           hex(0xf0d846), hex(0xfee838)};
/// van der Walt and Smith 2015, as viridis.
constexpr std::array<Color, 17> magma = {hex(0x000004), hex(0x0a0822), hex(0x1d1147), hex(0x36106b), hex(0x51127c),
                                         hex(0x6a1c81), hex(0x832681), hex(0x9c2e7f), hex(0xb73779), hex(0xd0416f),
                                         hex(0xe75263), hex(0xf56b5c), hex(0xfc8961), hex(0xfea772), hex(0xfec488),
                                         hex(0xfde2a3), hex(0xfcfdbf)};
/// van der Walt and Smith 2015.
constexpr std::array<Color, 17> inferno = {hex(0x000004), hex(0x0b0724), hex(0x210c4a), hex(0x3d0965), hex(0x57106e),
                                           hex(0x71196e), hex(0x8a226a), hex(0xa32c61), hex(0xbc3754), hex(0xd24644),
                                           hex(0xe45a31), hex(0xf1731d), hex(0xf98e09), hex(0xfcac11), hex(0xf9cb35),
                                           hex(0xf2ea69), hex(0xfcffa4)};
/// van der Walt and Smith 2015.
constexpr std::array<Color, 17> plasma = {hex(0x0d0887), hex(0x310597), hex(0x4c02a1), hex(0x6600a7), hex(0x7e03a8),
                                          hex(0x9511a1), hex(0xaa2395), hex(0xbc3587), hex(0xcc4778), hex(0xda5a6a),
                                          hex(0xe66c5c), hex(0xf0804e), hex(0xf89540), hex(0xfdac33), hex(0xfdc527),
                                          hex(0xf8df25), hex(0xf0f921)};
/// Crameri 2018 (Scientific colour maps, MIT License).
constexpr std::array<Color, 17> batlow = {hex(0x011959), hex(0x0d315d), hex(0x114360), hex(0x175262), hex(0x226061),
                                          hex(0x356a59), hex(0x4d734d), hex(0x677b3e), hex(0x828231), hex(0x9f892b),
                                          hex(0xbe9035), hex(0xdb954b), hex(0xf19d6b), hex(0xfca890), hex(0xfdb4b4),
                                          hex(0xfcbfd6), hex(0xfaccfa)};
/// ColorBrewer (Apache License 2.0) without its two palest, which a white page hides.
constexpr std::array<Color, 7> greys = {hex(0xd9d9d9), hex(0xbdbdbd), hex(0x969696), hex(0x737373),
                                        hex(0x525252), hex(0x252525), hex(0x000000)};
/// ColorBrewer without its palest.
constexpr std::array<Color, 8> blues = {hex(0xdeebf7), hex(0xc6dbef), hex(0x9ecae1), hex(0x6baed6),
                                        hex(0x4292c6), hex(0x2171b5), hex(0x08519c), hex(0x08306b)};
/// ColorBrewer RdBu.
constexpr std::array<Color, 11> rdbu = {hex(0x67001f), hex(0xb2182b), hex(0xd6604d), hex(0xf4a582),
                                        hex(0xfddbc7), hex(0xf7f7f7), hex(0xd1e5f0), hex(0x92c5de),
                                        hex(0x4393c3), hex(0x2166ac), hex(0x053061)};
/// Crameri 2018.
constexpr std::array<Color, 17> vik = {hex(0x001261), hex(0x022b71), hex(0x034481), hex(0x0c5e92), hex(0x307da6),
                                       hex(0x619ebd), hex(0x94bed2), hex(0xc6dbe6), hex(0xece5e0), hex(0xe9ccba),
                                       hex(0xdcac90), hex(0xcf8e68), hex(0xc37243), hex(0xb3531f), hex(0x942f06),
                                       hex(0x741506), hex(0x590008)};
/// ColorBrewer PRGn.
constexpr std::array<Color, 11> purple_green = {hex(0x40004b), hex(0x762a83), hex(0x9970ab), hex(0xc2a5cf),
                                                hex(0xe7d4e8), hex(0xf7f7f7), hex(0xd9f0d3), hex(0xa6dba0),
                                                hex(0x5aae61), hex(0x1b7837), hex(0x00441b)};
/// Bowman 2018 (matplotlib, CC0).
constexpr std::array<Color, 25> twilight = {hex(0xe2d9e2), hex(0xd1d5da), hex(0xb3c6ce), hex(0x95b5c7), hex(0x7ba1c2),
                                            hex(0x6b8cbf), hex(0x6276ba), hex(0x5f5eb3), hex(0x5e43a5), hex(0x592a8f),
                                            hex(0x4e186f), hex(0x3d114d), hex(0x2f1436), hex(0x3f123d), hex(0x581647),
                                            hex(0x741e4f), hex(0x8e2c50), hex(0xa24050), hex(0xb25652), hex(0xbe6f5b),
                                            hex(0xc68a6d), hex(0xcca389), hex(0xd4bcac), hex(0xddd0ce), hex(0xe2d9e2)};
/// Crameri 2018.
constexpr std::array<Color, 25> roma_o = {hex(0x733957), hex(0x7b3848), hex(0x823c3d), hex(0x8b4433), hex(0x94502e),
                                          hex(0x9e602b), hex(0xaa752f), hex(0xb68a39), hex(0xc3a34b), hex(0xcfbc66),
                                          hex(0xd5ce81), hex(0xd4dc9c), hex(0xcbe1b3), hex(0xbbe0c2), hex(0xa4d8cb),
                                          hex(0x8dcccf), hex(0x74bbcd), hex(0x60a8c8), hex(0x5495c0), hex(0x4e80b4),
                                          hex(0x516da6), hex(0x585993), hex(0x62497d), hex(0x6a3f6b), hex(0x723959)};

}  // namespace dunlin::picture::tables
