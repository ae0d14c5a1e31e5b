// SPDX-License-Identifier: Apache-2.0
// The only file that includes Boost: it takes most of the time to compile
#include "server.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <list>
#include <mutex>
#include <thread>

#include <dunlin/error.hpp>

#include "answers.hpp"
#include "door.hpp"

namespace dunlin::serve {

namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = boost::asio::ip::tcp;
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

constexpr int most_connections = 32, most_pages = 8;
constexpr std::size_t longest_message = 65536;
constexpr timeval patience{30, 0};  ///< a request must come, and a page must read, within this time

std::string_view view_of(beast::string_view text) { return {text.data(), text.size()}; }

/// What all connections share.
struct Shared {
    explicit Shared(const Viewed& shown) : viewed(shown), token(random_token()) {}

    const Viewed& viewed;
    std::string token;
    picture::PageFiles files = picture::page_files();
    std::mutex searching;
    std::atomic<int> pages = 0;
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

Response text_response(const Request& request, http::status status, const std::string& type, std::string body) {
    Response response(status, request.version());
    set_headers(response);
    response.set(http::field::content_type, type);
    response.body() = std::move(body);
    response.keep_alive(false);
    response.prepare_payload();
    return response;
}

Response refusal(const Request& request, http::status status, std::string sentence) {
    return text_response(request, status, "text/plain; charset=utf-8", std::move(sentence) + "\n");
}

/// The answer to a request for a file. The page has no data: these come through the socket, which wants the token.
Response file_response(const Shared& shared, const Request& request) {
    if (request.method() != http::verb::get)
        return refusal(request, http::status::method_not_allowed, "only GET is answered");
    const std::string_view target = view_of(request.target());
    if (target == "/") {
        const std::string page =
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
            "content=\"width=device-width, initial-scale=1\">\n<title>dunlin view</title>\n<link rel=\"icon\" "
            "href=\"data:,\">\n<link rel=\"stylesheet\" href=\"/page.css\">\n</head>\n<body>" +
            std::string(shared.files.body) + "<script src=\"/page.js\"></script>\n</body>\n</html>\n";
        return text_response(request, http::status::ok, "text/html; charset=utf-8", page);
    }
    if (target == "/page.css")
        return text_response(request, http::status::ok, "text/css; charset=utf-8", std::string(shared.files.style));
    if (target == "/page.js")
        return text_response(request, http::status::ok, "text/javascript; charset=utf-8",
                             std::string(shared.files.script));
    return refusal(request, http::status::not_found, "there is no such page");
}

/// A page that is connected: it is sent facts and frames, and then asks.
class Session {
public:
    Session(Shared& shared, tcp::socket& socket) : shared_(shared), socket_(socket) {}

    void run(const Request& request) {
        const std::string host(view_of(request[http::field::host]));
        if (!is_own_origin(view_of(request[http::field::origin]), host))
            return refuse(request, "the socket is for pages of this server only");
        if (!has_token(view_of(request[http::field::sec_websocket_protocol]), shared_.token))
            return refuse(request, "the token is wrong; open the address that dunlin view has printed");
        if (++shared_.pages <= most_pages)
            talk(request);
        else
            refuse(request, "too many pages are open");
        --shared_.pages;
    }

private:
    void refuse(const Request& request, const std::string& sentence) {
        http::write(socket_, refusal(request, http::status::forbidden, sentence));
    }

    void talk(const Request& request) {
        websocket::stream<tcp::socket&> stream(socket_);
        stream.read_message_max(longest_message);
        stream.auto_fragment(false);
        stream.set_option(websocket::stream_base::decorator(
            [](websocket::response_type& response) { response.set(http::field::sec_websocket_protocol, "dunlin.1"); }));
        stream.accept(request);
        // A page may be silent for hours, but not stop reading
        constexpr timeval forever{0, 0};
        setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof forever);
        Answers answers(shared_.viewed, shared_.searching);
        write(stream, answers.hello(), true);
        for (const std::string& frame : shared_.viewed.content.frames) write(stream, frame, false);
        for (;;) {
            beast::flat_buffer buffer;
            stream.read(buffer);
            const std::string_view message(static_cast<const char*>(buffer.data().data()), buffer.size());
            const std::string answer = stream.got_text() ? answers.answer(message) : answers.select(message);
            if (!answer.empty()) write(stream, answer, true);
        }
    }

    static void write(websocket::stream<tcp::socket&>& stream, const std::string& message, bool is_text) {
        stream.text(is_text);
        stream.write(boost::asio::buffer(message));
    }

    Shared& shared_;
    tcp::socket& socket_;
};

/// One request, or one page. Errors of the other side end the connection, nothing else.
void serve_connection(Shared& shared, tcp::socket& socket) {
    try {
        setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        setsockopt(socket.native_handle(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        beast::flat_buffer buffer(longest_message);
        http::request_parser<http::string_body> parser;
        parser.body_limit(longest_message);
        parser.header_limit(static_cast<std::uint32_t>(longest_message / 4));
        http::read(socket, buffer, parser);
        const Request& request = parser.get();
        if (!is_own_host(view_of(request[http::field::host]))) {
            http::write(socket, refusal(request, http::status::misdirected_request, "this server has another name"));
        } else if (websocket::is_upgrade(request) && view_of(request.target()) == "/socket") {
            Session(shared, socket).run(request);
        } else {
            http::write(socket, file_response(shared, request));
        }
        ::shutdown(socket.native_handle(), SHUT_WR);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the other side has left, or broke the protocol
    }
}

/// A connection and its thread.
struct Connection {
    explicit Connection(tcp::socket accepted) : socket(std::move(accepted)) {}
    tcp::socket socket;
    std::atomic<bool> ended = false;
    std::jthread thread;
};

void close_all(std::list<Connection>& connections) {
    for (Connection& connection : connections) ::shutdown(connection.socket.native_handle(), SHUT_RDWR);
    connections.clear();  // waits for the threads
}

tcp::acceptor acceptor_on(boost::asio::io_context& context, int port) {
    try {
        return {context, {boost::asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)}};
    } catch (const boost::system::system_error& error) {
        throw Error(Fault::bad_input,
                    fmt::format("port is {}: {}; use another one, or 0 for any", port, error.code().message()),
                    {.option = "port"});
    }
}

}  // namespace

void serve(const Viewed& viewed, int port, const std::stop_token& stop,
           const std::function<void(const std::string& address)>& listening) {
    boost::asio::io_context context;
    tcp::acceptor acceptor = acceptor_on(context, port);
    Shared shared(viewed);
    listening(fmt::format("http://127.0.0.1:{}/#{}", acceptor.local_endpoint().port(), shared.token));
    std::list<Connection> connections;
    while (!stop.stop_requested()) {
        connections.remove_if([](const Connection& connection) { return connection.ended.load(); });
        pollfd waiting{acceptor.native_handle(), POLLIN, 0};
        if (poll(&waiting, 1, 100) <= 0) continue;
        boost::system::error_code failed;
        tcp::socket socket(context);
        static_cast<void>(acceptor.accept(socket, failed));
        if (failed || connections.size() >= most_connections) continue;
        Connection& connection = connections.emplace_back(std::move(socket));
        connection.thread = std::jthread([&shared, &connection] {
            serve_connection(shared, connection.socket);
            connection.ended = true;
        });
    }
    close_all(connections);
}

}  // namespace dunlin::serve
