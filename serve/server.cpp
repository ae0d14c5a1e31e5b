// SPDX-License-Identifier: Apache-2.0
#include "server.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/beast/http.hpp>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

#include <dunlin/error.hpp>

#include "door.hpp"
#include "files.hpp"
#include "talk.hpp"

namespace dunlin::serve {

namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = boost::asio::ip::tcp;
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_connections = 32;
constexpr int most_pages = 8;
constexpr std::size_t longest_message = 65536;

std::string_view view_of(beast::string_view text) { return {text.data(), text.size()}; }

/// What all connections share.
struct Shared {
    Shared(LiveMap& map, std::chrono::milliseconds time) : live(map), patience(time), token(random_token()) {}

    LiveMap& live;
    std::chrono::milliseconds patience;
    std::string token;
    picture::PageFiles files = picture::page_files();
    std::mutex searching;
};

/// No script and style but the page's own, no address but this server.
void set_headers(Response& response) {
    response.set(
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob: data:; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
    response.set("X-Content-Type-Options", "nosniff");
    response.set("Referrer-Policy", "no-referrer");
    response.set(http::field::cache_control, "no-store");
    response.set("Cross-Origin-Resource-Policy", "same-origin");
    response.set("Cross-Origin-Opener-Policy", "same-origin");
}

Response text_response(unsigned version, http::status status, const std::string& type, std::string body) {
    Response response(status, version);
    set_headers(response);
    response.set(http::field::content_type, type);
    response.body() = std::move(body);
    response.keep_alive(false);
    response.prepare_payload();
    return response;
}

Response refusal(http::status status, std::string sentence) {
    return text_response(11, status, "text/plain; charset=utf-8", std::move(sentence) + "\n");
}

Response file_response(const Shared& shared, const Request& request) {
    if (request.method() != http::verb::get) return refusal(http::status::method_not_allowed, "only GET is answered");
    const std::optional<ServedFile> file = served_file(shared.files, view_of(request.target()));
    if (!file) return refusal(http::status::not_found, "there is no such page");
    return text_response(request.version(), http::status::ok, file->type, file->content);
}

/// The answer to a request that breaks HTTP or is too long; none if the other side has left.
std::optional<Response> refusal_of(const boost::system::error_code& fault) {
    if (fault == http::error::header_limit)
        return refusal(http::status::request_header_fields_too_large, "the header of the request is too long");
    if (fault == http::error::body_limit || fault == http::error::buffer_overflow)
        return refusal(http::status::payload_too_large, "the request is too long");
    const bool breaks_http = fault.category() == http::make_error_code(http::error::bad_method).category();
    if (!breaks_http || fault == http::error::end_of_stream || fault == http::error::partial_message)
        return std::nullopt;
    return refusal(http::status::bad_request, "the request is no HTTP: " + fault.message());
}

/// Refuses a request that does not name this server, or that names two.
std::optional<Response> refusal_of(const Request& request) {
    if (request.count(http::field::host) != 1)
        return refusal(http::status::bad_request, "a request has one Host header");
    if (!is_own_host(view_of(request[http::field::host])))
        return refusal(http::status::misdirected_request, "this server has another name");
    return std::nullopt;
}

bool wants_socket(const Request& request) {
    return request.count(http::field::upgrade) > 0 || request.count(http::field::sec_websocket_key) > 0;
}

/// Refuses a WebSocket that breaks RFC 6455, or that no page of this server opens.
std::optional<Response> refusal_of_socket(const Request& request, const std::string& token) {
    if (view_of(request.target()) != "/socket") return refusal(http::status::not_found, "there is no such socket");
    for (const http::field once :
         {http::field::origin, http::field::sec_websocket_key, http::field::sec_websocket_version}) {
        if (request.count(once) > 1) return refusal(http::status::bad_request, "a header is there twice");
    }
    if (!is_own_origin(view_of(request[http::field::origin]), view_of(request[http::field::host])))
        return refusal(http::status::forbidden, "the socket is for pages of this server only");
    if (!has_token(view_of(request[http::field::sec_websocket_protocol]), token))
        return refusal(http::status::forbidden, "the token is wrong; open the address that dunlin has printed");
    if (view_of(request[http::field::sec_websocket_version]) != "13") {
        Response response = refusal(http::status::upgrade_required, "sockets have version 13");
        response.set(http::field::sec_websocket_version, "13");
        return response;
    }
    if (!websocket::is_upgrade(request) || !is_socket_key(view_of(request[http::field::sec_websocket_key])))
        return refusal(http::status::bad_request, "this is no WebSocket of RFC 6455");
    return std::nullopt;
}

/// A connection and its thread. The server closes it after `until`.
struct Connection {
    boost::asio::io_context context;
    tcp::socket socket{context};
    std::atomic<Clock::time_point> until = Clock::time_point::max();
    std::atomic<bool> is_page = false, ended = false;
    std::jthread thread;

    /// Wakes the thread, whatever it waits for.
    void shut() { ::shutdown(socket.native_handle(), SHUT_RDWR); }
};

struct PageCount {
    explicit PageCount(std::atomic<int>& pages) : of(pages), now(++pages) {}
    ~PageCount() { --of; }
    PageCount(const PageCount&) = delete;
    PageCount& operator=(const PageCount&) = delete;
    std::atomic<int>& of;
    int now;
};

void serve_page(Shared& shared, Connection& connection, const Request& request) {
    const PageCount counted(shared.live.pages);
    shared.live.had_pages = true;
    if (counted.now > most_pages) {
        http::write(connection.socket, refusal(http::status::forbidden, "too many pages are open"));
        return;
    }
    PageStream stream(connection.socket);
    stream.read_message_max(longest_message);
    stream.auto_fragment(false);
    stream.set_option(websocket::stream_base::decorator(
        [](websocket::response_type& response) { response.set(http::field::sec_websocket_protocol, "dunlin.1"); }));
    stream.accept(request);
    connection.is_page = true;
    connection.until = Clock::time_point::max();
    talk(shared.live, shared.searching, connection.context, stream, shared.patience);
}

void answer(Shared& shared, Connection& connection, const Request& request) {
    std::optional<Response> refused = refusal_of(request);
    if (!refused && wants_socket(request)) {
        refused = refusal_of_socket(request, shared.token);
        if (!refused) return serve_page(shared, connection, request);
    }
    http::write(connection.socket, refused ? *refused : file_response(shared, request));
}

/// Closes without a reset, which could overtake the answer: reads what still comes.
void close_kindly(tcp::socket& socket) {
    ::shutdown(socket.native_handle(), SHUT_WR);
    std::array<char, 4096> rest{};
    boost::system::error_code ended;
    for (std::size_t passed = 0; !ended && passed < 16 * longest_message;)
        passed += socket.read_some(boost::asio::buffer(rest), ended);
}

/// One request, or one page. Errors of the other side end the connection, nothing else.
void serve_connection(Shared& shared, Connection& connection) {
    try {
        beast::flat_buffer buffer(longest_message);
        http::request_parser<http::string_body> parser;
        parser.body_limit(longest_message);
        parser.header_limit(static_cast<std::uint32_t>(longest_message / 4));
        boost::system::error_code fault;
        http::read(connection.socket, buffer, parser, fault);
        connection.until = Clock::now() + shared.patience;
        if (!fault) {
            answer(shared, connection, parser.get());
            ::shutdown(connection.socket.native_handle(), SHUT_WR);
        } else if (const std::optional<Response> refused = refusal_of(fault)) {
            http::write(connection.socket, *refused);
            close_kindly(connection.socket);
        }
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the other side has left, or broke the protocol
    }
}

using Connections = std::list<Connection>;

/// Closes those whose time is over, and forgets those that have ended.
void tend(Connections& connections) {
    const Clock::time_point now = Clock::now();
    connections.remove_if([](const Connection& connection) { return connection.ended.load(); });
    for (Connection& connection : connections) {
        if (connection.until.load() < now) connection.shut();
    }
}

/// Makes room: whoever opens connections and asks for nothing must not lock pages out.
void close_oldest_request(Connections& connections) {
    const auto oldest = std::find_if(connections.begin(), connections.end(),
                                     [](const Connection& connection) { return !connection.is_page; });
    if (oldest == connections.end()) return;
    oldest->shut();
    connections.erase(oldest);  // waits for the thread
}

void close_all(Connections& connections) {
    for (Connection& connection : connections) connection.shut();
    connections.clear();  // waits for the threads
}

bool lacks_descriptors(const boost::system::error_code& code) {
    return code == boost::system::errc::too_many_files_open ||
           code == boost::system::errc::too_many_files_open_in_system;
}

/// Throws what kept the server from listening.
[[noreturn]] void refuse_to_listen(const boost::system::error_code& code, int port) {
    namespace errc = boost::system::errc;
    if (code == errc::address_in_use || code == errc::permission_denied || code == errc::address_not_available)
        throw Error(Fault::bad_input,
                    fmt::format("port is {}: {}; use another one, or 0 for any", port, code.message()),
                    {.option = "port"});
    throw Error(Fault::bad_file,
                fmt::format("the page cannot be served, as no socket can be opened: {}{}", code.message(),
                            lacks_descriptors(code) ? "; allow more open files (ulimit -n)" : ""));
}

}  // namespace

struct Server::State {
    State(LiveMap& live, int port, std::chrono::milliseconds patience)
        : acceptor(context, {boost::asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)}),
          shared(live, patience) {}

    /// Takes a connection that waits, and serves it on a thread of its own. Throws if it has gone, or if no file
    /// descriptor, thread or memory is left for it.
    void take_one(Connections& connections) {
        if (connections.size() >= most_connections) close_oldest_request(connections);
        Connections one(1);
        Connection& connection = one.front();
        acceptor.accept(connection.socket);
        connection.until = Clock::now() + shared.patience;
        connection.thread = std::jthread([this, &connection] {
            serve_connection(shared, connection);
            connection.ended = true;
        });
        connections.splice(connections.end(), one);
    }

    boost::asio::io_context context;
    tcp::acceptor acceptor;
    Shared shared;
};

Server::Server(LiveMap& live, int port, std::chrono::milliseconds patience) {
    try {
        state_ = std::make_unique<State>(live, port, patience);
    } catch (const boost::system::system_error& error) {
        refuse_to_listen(error.code(), port);
    }
}
Server::~Server() = default;

std::string Server::address() const {
    return fmt::format("http://127.0.0.1:{}/#{}", state_->acceptor.local_endpoint().port(), state_->shared.token);
}

void Server::run(const std::stop_token& stop) {
    Connections connections;
    while (!stop.stop_requested()) {
        tend(connections);
        pollfd waiting{state_->acceptor.native_handle(), POLLIN, 0};
        if (poll(&waiting, 1, 100) <= 0) continue;
        try {
            state_->take_one(connections);
        } catch (const std::exception& error) {
            // This connection is lost, or still waits: others may end meanwhile
            const auto* const fault = dynamic_cast<const boost::system::system_error*>(&error);
            if (fault != nullptr && lacks_descriptors(fault->code())) close_oldest_request(connections);
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
    }
    close_all(connections);
}

}  // namespace dunlin::serve
