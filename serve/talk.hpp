// SPDX-License-Identifier: Apache-2.0
// Includes Boost, which takes most of the time to compile
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <mutex>

#include "live_map.hpp"

namespace dunlin::serve {

using PageStream = boost::beast::websocket::stream<boost::asio::ip::tcp::socket&>;

/// Talks with a page until it leaves. searching: neighbors are searched for by one page at a time. patience: a page
/// that does not read a message, or does not answer a ping, within this time has left.
void talk(LiveMap& live, std::mutex& searching, boost::asio::io_context& context, PageStream& stream,
          std::chrono::milliseconds patience);

}  // namespace dunlin::serve
