// SPDX-License-Identifier: Apache-2.0
#include "io/safetensors.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include <dunlin/json_depth.hpp>

#include "io/fail.hpp"
#include "io/memory.hpp"
#include "io/remedy.hpp"

namespace dunlin::io {

namespace {

using nlohmann::json;

struct TensorType {
    std::string_view name;
    char kind;
    std::size_t bytes;
};

constexpr std::array<TensorType, 13> types = {{{"F64", 'f', 8},
                                               {"F32", 'f', 4},
                                               {"F16", 'f', 2},
                                               {"BF16", 'g', 2},
                                               {"I64", 'i', 8},
                                               {"I32", 'i', 4},
                                               {"I16", 'i', 2},
                                               {"I8", 'i', 1},
                                               {"U64", 'u', 8},
                                               {"U32", 'u', 4},
                                               {"U16", 'u', 2},
                                               {"U8", 'u', 1},
                                               {"BOOL", 'b', 1}}};

constexpr std::size_t length_bytes = 8;

[[noreturn]] void damaged(const Bytes& bytes, const std::string& what) {
    bad_file("'{}' has a damaged .safetensors header: {}; save or copy it again", bytes.name(), what);
}

/// The header, and where the values begin.
struct Header {
    json tensors;
    const char* values = nullptr;
};

Header header_of(const Bytes& bytes) {
    if (bytes.size() < length_bytes) damaged(bytes, "the file ends before it");
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.begin(), length_bytes);
    if (length > bytes.size() - length_bytes)
        damaged(bytes, fmt::format("it has {} bytes and the file {}", length, bytes.size()));
    require_memory(16 * length, "the header of '" + bytes.name() + "'");
    const char *const begin = bytes.begin() + length_bytes, *const end = begin + length;
    if (nests_too_deeply({begin, end})) damaged(bytes, "it nests too deeply");
    Header header{json::parse(begin, end, nullptr, false), end};
    if (!header.tensors.is_object()) damaged(bytes, "it is no JSON object");
    header.tensors.erase("__metadata__");
    return header;
}

/// A member that is a list of numbers of at least 0.
std::vector<std::uint64_t> numbers_of(const Bytes& bytes, const std::string& name, const json& tensor,
                                      const char* member) {
    const auto found = tensor.find(member);
    if (found == tensor.end() || !found->is_array() || found->size() > 32)
        damaged(bytes, fmt::format("tensor '{}' has no list {}", shown(name), member));
    std::vector<std::uint64_t> numbers;
    for (const json& number : *found) {
        if (!number.is_number_unsigned())
            damaged(bytes, fmt::format("{} of tensor '{}' are not numbers of at least 0", member, shown(name)));
        numbers.push_back(number.get<std::uint64_t>());
    }
    return numbers;
}

Array array_of(const Bytes& bytes, const Header& header, const std::string& name, const json& tensor) {
    if (!tensor.is_object()) damaged(bytes, fmt::format("tensor '{}' is no object", shown(name)));
    const std::string type =
        tensor.contains("dtype") && tensor["dtype"].is_string() ? tensor["dtype"].get<std::string>() : "";
    const auto* const known =
        std::find_if(types.begin(), types.end(), [&](const TensorType& t) { return t.name == type; });
    if (known == types.end()) {
        bad_file("'{}': tensor '{}' has values of the type '{}'; save it as F32, F16, BF16 or an integer type",
                 bytes.name(), shown(name), shown(type));
    }
    Array array;
    array.kind = known->kind;
    array.item = known->bytes;
    array.shape = numbers_of(bytes, name, tensor, "shape");
    const std::vector<std::uint64_t> offsets = numbers_of(bytes, name, tensor, "data_offsets");
    const auto there = static_cast<std::uint64_t>(bytes.end() - header.values);
    if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > there) {
        bad_file(
            "'{}' is truncated or damaged: tensor '{}' is not within its {} bytes of values; save or copy it again",
            bytes.name(), shown(name), there);
    }
    const Bytes of_tensor(bytes.owner(), static_cast<std::size_t>(header.values - bytes.begin()) + offsets[1],
                          fmt::format("{}' tensor '{}", bytes.name(), shown(name)));
    array.data = header.values + offsets[0];
    check_size(array, of_tensor);
    return array;
}

bool is_matrix(const json& tensor) {
    return tensor.is_object() && tensor.contains("shape") && tensor["shape"].is_array() && tensor["shape"].size() == 2;
}

}  // namespace

Array parse_safetensors(const Bytes& bytes, const std::string& name) {
    const Header header = header_of(bytes);
    if (header.tensors.empty()) bad_file("'{}' holds no tensor; save one of rows x columns", bytes.name());
    if (!name.empty()) {
        const auto found = header.tensors.find(name);
        if (found != header.tensors.end()) return array_of(bytes, header, name, *found);
    }
    std::vector<std::string> matrices, all;
    for (const auto& [each, tensor] : header.tensors.items()) {
        all.push_back(shown(each));
        if (is_matrix(tensor)) matrices.push_back(each);
    }
    constexpr std::size_t most_listed = 20;
    if (all.size() > most_listed) all.resize(most_listed), all.emplace_back("...");
    if (!name.empty())
        bad_option("array", "'{}' is none of the tensors of '{}': {}", name, bytes.name(), fmt::join(all, ", "));
    if (matrices.size() == 1) return array_of(bytes, header, matrices[0], header.tensors[matrices[0]]);
    if (header.tensors.size() == 1)
        return array_of(bytes, header, header.tensors.begin().key(), header.tensors.begin().value());
    const std::string first = matrices.empty() ? "NAME" : shown(matrices[0]);
    refuse_unless({"array", first}, Fault::bad_file, "'{}' has {} tensors of two axes: {}; name one", bytes.name(),
                  matrices.size(), fmt::join(all, ", "));
}

}  // namespace dunlin::io
