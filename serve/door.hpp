// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// Who may open the page: checks of a request's headers.
namespace dunlin::serve {

/// 128 random bits in hexadecimal, from the operating system.
std::string random_token();

/// Whether a Host header is 127.0.0.1, localhost or [::1], with any port: of other names, a server elsewhere could have
/// made the browser believe that they are this machine (DNS rebinding).
bool is_own_host(std::string_view host);

/// Whether a socket was opened by a page of this server: its Origin is http://HOST.
bool is_own_origin(std::string_view origin, std::string_view host);

/// Whether a Sec-WebSocket-Protocol header offers `dunlin.1` and `t.TOKEN`. The time does not depend on the token.
bool has_token(std::string_view protocols, std::string_view token);

/// Whether a Sec-WebSocket-Key is 16 bytes in base64.
bool is_socket_key(std::string_view key);

}  // namespace dunlin::serve
