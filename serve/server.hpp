// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "live_map.hpp"

namespace dunlin::serve {

/// Serves the page of a map on 127.0.0.1, to up to eight pages at a time.
class Server {
public:
    /// port 0: any free one. Throws Error{bad_input} if the port is taken, bad_file if no socket can be opened.
    /// patience: a request must have come, its answer must have been read, and a page must show that it is there,
    /// within this time each.
    Server(LiveMap& live, int port, std::chrono::milliseconds patience = std::chrono::seconds(30));
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    Server(Server&&) = delete;
    Server& operator=(Server&&) = delete;

    /// The page's address, which has the token.
    [[nodiscard]] std::string address() const;

    /// Until a stop is requested.
    void run(const std::stop_token& stop);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace dunlin::serve
