// SPDX-License-Identifier: Apache-2.0
#include "door.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cctype>

#include <dunlin/error.hpp>

namespace dunlin::serve {

namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    unsigned different = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        different |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
    return different == 0;
}

}  // namespace

std::string random_token() {
    std::array<unsigned char, 16> bytes{};
    if (getrandom(bytes.data(), bytes.size(), 0) != std::ssize(bytes))
        throw Error(Fault::device_failure, "the operating system gives no random numbers");
    return fmt::format("{:02x}", fmt::join(bytes, ""));
}

bool is_own_host(std::string_view host) {
    for (const std::string_view name : {"127.0.0.1", "localhost", "[::1]"}) {
        if (host == name) return true;
        if (!host.starts_with(name)) continue;
        const std::string_view rest = host.substr(name.size());
        const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
        if (rest.size() >= 2 && rest.size() <= 6 && rest[0] == ':' &&
            std::all_of(rest.begin() + 1, rest.end(), is_digit))
            return true;
    }
    return false;
}

bool is_own_origin(std::string_view origin, std::string_view host) {
    constexpr std::string_view scheme = "http://";
    return origin.starts_with(scheme) && origin.substr(scheme.size()) == host;
}

bool has_token(std::string_view protocols, std::string_view token) {
    bool ours = false, known = false;
    while (!protocols.empty()) {
        const auto comma = protocols.find(',');
        const std::string_view one = trimmed(protocols.substr(0, comma));
        ours = ours || one == "dunlin.1";
        known = known || (one.starts_with("t.") && equal_in_constant_time(one.substr(2), token));
        protocols = comma == std::string_view::npos ? std::string_view() : protocols.substr(comma + 1);
    }
    return ours && known;
}

bool is_socket_key(std::string_view key) {
    constexpr std::size_t digits = 22;  // of base64, for 16 bytes; two = fill the last group
    const auto is_digit = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '/';
    };
    return key.size() == digits + 2 && key.ends_with("==") && std::all_of(key.begin(), key.begin() + digits, is_digit);
}

}  // namespace dunlin::serve
