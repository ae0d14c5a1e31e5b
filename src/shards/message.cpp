// SPDX-License-Identifier: Apache-2.0
#include "shards/message.hpp"

#include <fmt/format.h>

#include <cstddef>

#include <dunlin/error.hpp>

#include "math/hash.hpp"

namespace dunlin::kmeans {

namespace {

constexpr std::size_t checksum_at = offsetof(MessageHeader, checksum);

std::uint64_t checksum_of(std::span<const std::byte> message) {
    return math::hash_of(math::hash_of(message.size(), message.first(checksum_at)),
                         message.subspan(sizeof(MessageHeader)));
}

}  // namespace

void fail_for_message(const std::string& why) {
    throw Error(Fault::bad_input, fmt::format("a message between a driver and a shard cannot be used: {}", why));
}

void seal(Message& message) {
    const std::uint64_t checksum = checksum_of(message);
    std::memcpy(message.data() + checksum_at, &checksum, sizeof checksum);
}

MessageHeader header_of(std::span<const std::byte> message) {
    MessageHeader header;
    if (message.size() < sizeof header) fail_for_message(fmt::format("it has only {} bytes", message.size()));
    std::memcpy(&header, message.data(), sizeof header);
    if (header.magic != message_magic) fail_for_message("it does not begin like one");
    if (header.version != message_version) {
        fail_for_message(fmt::format("its version is {}, and this program reads version {}; use one version everywhere",
                                     header.version, message_version));
    }
    if (header.checksum != checksum_of(message)) {
        fail_for_message("its checksum is wrong: it was truncated or changed on its way");
    }
    if (static_cast<std::size_t>(header.kind) >= names(MessageKind{}).size()) fail_for_message("its kind is unknown");
    return header;
}

MessageInfo describe(std::span<const std::byte> message) {
    const MessageHeader header = header_of(message);
    return {name_of(header.kind), header.epoch, header.step,
            header.iteration,     header.chunk, static_cast<Index>(header.rows)};
}

}  // namespace dunlin::kmeans
