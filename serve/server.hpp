// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "viewed.hpp"

namespace dunlin::serve {

/// Serves the page of a map on 127.0.0.1 until a stop is requested. port 0: any free one. `listening` is called with
/// the page's address, which has the token. Up to eight pages are connected at a time. Throws Error{bad_input} if the
/// port is taken.
void serve(const Viewed& viewed, int port, const std::stop_token& stop,
           const std::function<void(const std::string& address)>& listening);

}  // namespace dunlin::serve
