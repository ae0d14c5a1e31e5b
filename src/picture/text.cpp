// SPDX-License-Identifier: Apache-2.0
#include "picture/text.hpp"

#include <cairo-ft.h>
#include <cairo.h>
#include <fontconfig/fontconfig.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <vector>

#include "device/own_folder.hpp"

namespace dunlin::picture {

namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// A context to measure text; one per thread.
cairo_t* measuring_context() {
    thread_local const std::unique_ptr<cairo_t, void (*)(cairo_t*)> context = [] {
        cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
        std::unique_ptr<cairo_t, void (*)(cairo_t*)> made(cairo_create(surface), cairo_destroy);
        cairo_surface_destroy(surface);
        return made;
    }();
    return context.get();
}

using Face = std::unique_ptr<cairo_font_face_t, void (*)(cairo_font_face_t*)>;

/// The font of a package that carries one, as the Python wheel does: DejaVuSans.ttf in libdunlin's folder. Null: none.
Face own_face() {
    const std::filesystem::path file = device::own_folder() / "DejaVuSans.ttf";
    std::error_code none;
    if (!std::filesystem::exists(file, none)) return {nullptr, cairo_font_face_destroy};
    FcPattern* const pattern = FcPatternCreate();
    FcPatternAddString(pattern, FC_FILE, reinterpret_cast<const FcChar8*>(file.c_str()));
    FcPatternAddInteger(pattern, FC_INDEX, 0);
    Face face(cairo_ft_font_face_create_for_pattern(pattern), cairo_font_face_destroy);
    FcPatternDestroy(pattern);
    return face;
}

}  // namespace

void select_font(cairo_t* context) {
    static const Face own = own_face();
    if (own != nullptr) {
        cairo_set_font_face(context, own.get());
    } else {
        cairo_select_font_face(context, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    }
}

float text_width(std::string_view text, float size) {
    cairo_t* context = measuring_context();
    select_font(context);
    cairo_set_font_size(context, static_cast<double>(size));
    cairo_text_extents_t extents;
    cairo_text_extents(context, std::string(text).c_str(), &extents);
    return static_cast<float>(extents.x_advance);
}

std::string shortened(const std::string& text, float size, float width) {
    if (text_width(text, size) <= width) return text;
    std::vector<std::size_t> cuts;  // between characters
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (!continues(text[i])) cuts.push_back(i);
    }
    const auto cut_at = [&text](std::size_t cut) {
        return text.substr(0, cut == 0 ? 0 : text.find_last_not_of(' ', cut - 1) + 1) + "\xE2\x80\xA6";
    };
    const auto fits = [&](std::size_t cut) { return text_width(cut_at(cut), size) <= width; };
    const auto too_wide = std::partition_point(cuts.begin(), cuts.end(), fits);
    return cut_at(too_wide == cuts.begin() ? 0 : *(too_wide - 1));
}

std::vector<std::string> broken(const std::string& text, int lines, float size) {
    std::vector<std::string> best{text};
    if (lines < 2) return best;
    float least = text_width(text, size);
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
        if (std::string_view(" /_-").find(text[i]) == std::string_view::npos) continue;
        const std::string head = text.substr(0, text[i] == ' ' ? i : i + 1);
        std::vector<std::string> tail = broken(text.substr(i + 1), lines - 1, size);
        float widest = text_width(head, size);
        if (widest >= least) break;  // later ones are wider
        for (const std::string& line : tail) widest = std::max(widest, text_width(line, size));
        if (head.empty() || widest >= least) continue;
        least = widest;
        best = std::move(tail);
        best.insert(best.begin(), head);
    }
    return best;
}

std::string with_commas(Offset count) {
    std::string digits = std::to_string(count);
    for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > 0; place -= 3) {
        digits.insert(static_cast<std::size_t>(place), 1, ',');
    }
    return digits;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view digit = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const auto byte = [&](std::size_t i) {
            return at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U;
        };
        const std::uint32_t three = byte(0) << 16 | byte(1) << 8 | byte(2);
        out += digit[three >> 18 & 63];
        out += digit[three >> 12 & 63];
        out += at + 1 < bytes.size() ? digit[three >> 6 & 63] : '=';
        out += at + 2 < bytes.size() ? digit[three & 63] : '=';
    }
    return out;
}

}  // namespace dunlin::picture
