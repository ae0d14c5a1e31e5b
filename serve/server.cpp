// SPDX-License-Identifier: Apache-2.0
// The only file that includes Boost: it takes most of the time to compile
#include "server.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

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
    explicit Shared(LiveMap& map) : live(map), token(random_token()) {}

    LiveMap& live;
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
            std::string(shared.files.body) +
            "<script src=\"/relief.js\"></script>\n<script src=\"/run.js\"></script>\n<script "
            "src=\"/webgpu.js\"></script>\n<script src=\"/page.js\"></script>\n</body>\n</html>\n";
        return text_response(request, http::status::ok, "text/html; charset=utf-8", page);
    }
    if (target == "/page.css")
        return text_response(request, http::status::ok, "text/css; charset=utf-8", std::string(shared.files.style));
    if (target == "/page.js")
        return text_response(request, http::status::ok, "text/javascript; charset=utf-8",
                             std::string(shared.files.script));
    if (target == "/relief.js")
        return text_response(request, http::status::ok, "text/javascript; charset=utf-8",
                             std::string(shared.files.relief_script));
    if (target == "/run.js")
        return text_response(request, http::status::ok, "text/javascript; charset=utf-8",
                             std::string(shared.files.run_script));
    if (target == "/webgpu.js")
        return text_response(request, http::status::ok, "text/javascript; charset=utf-8",
                             std::string(shared.files.webgpu_script));
    return refusal(request, http::status::not_found, "there is no such page");
}

/// The talk with one page, on the thread that calls run(): the facts and frames of a sample, if there is one, are
/// written first, then those of the map, answers, newer maps and newer contents as they come. At most two maps are on
/// their way to a page.
class Talk {
    using Stream = websocket::stream<tcp::socket&>;

public:
    Talk(Shared& shared, tcp::socket& socket, boost::asio::io_context& context, Stream& stream)
        : shared_(shared), socket_(socket), context_(context), stream_(stream), timer_(context) {}

    void run() {
        const Presence presence(*this);
        read_next();
        write_next();
        context_.run();
    }

private:
    /// The page among those of the map, also where the talk ends by an exception.
    class Presence {
    public:
        explicit Presence(Talk& talk)
            : talk_(talk), page_(talk.shared_.live.join([&talk] {
                  boost::asio::post(talk.context_, [&talk] { talk.write_next(); });
              })) {}
        ~Presence() {
            talk_.shared_.live.leave(page_);
            talk_.set_waiting(false);
        }
        Presence(const Presence&) = delete;
        Presence& operator=(const Presence&) = delete;

    private:
        Talk& talk_;
        int page_;
    };

    struct Message {
        std::shared_ptr<const std::string> bytes;
        bool is_text;
    };

    void push_text(std::string text) { queue_.push_back({std::make_shared<const std::string>(std::move(text)), true}); }

    void push_frames(const std::shared_ptr<const Viewed>& viewed) {
        for (const std::string& frame : viewed->content.frames) queue_.push_back({{viewed, &frame}, false});
    }

    /// Ends run().
    void end() {
        ended_ = true;
        timer_.cancel();
        ::shutdown(socket_.native_handle(), SHUT_RDWR);
    }

    void read_next() {
        if (ended_) return;
        stream_.async_read(buffer_, [this](boost::system::error_code failed, std::size_t) {
            if (failed || ended_) return end();
            take({static_cast<const char*>(buffer_.data().data()), buffer_.size()});
            buffer_.consume(buffer_.size());
            write_next();
            read_next();
        });
    }

    void take(std::string_view message) {
        std::string answer = !answers_            ? Answers::too_early(message)
                             : stream_.got_text() ? answers_->answer(message)
                                                  : answers_->select(message);
        if (!answer.empty()) push_text(std::move(answer));
        if (answers_) std::erase_if(in_flight_, [&](std::uint32_t number) { return number <= answers_->drawn(); });
    }

    void write_next() {
        if (ended_) return;
        if (!is_writing_ && queue_.empty()) refill();
        set_waiting(lacks_map());
        if (is_writing_ || queue_.empty()) return;
        is_writing_ = true;
        // A page may be silent for hours, but not stop reading
        timer_.expires_after(std::chrono::seconds(patience.tv_sec));
        timer_.async_wait([this](boost::system::error_code cancelled) {
            if (!cancelled) end();
        });
        stream_.text(queue_.front().is_text);
        stream_.async_write(boost::asio::buffer(*queue_.front().bytes),
                            [this](boost::system::error_code failed, std::size_t) {
                                is_writing_ = false;
                                timer_.cancel();
                                queue_.pop_front();
                                failed ? end() : write_next();
                            });
    }

    /// What is new, if anything.
    void refill() {
        const LiveMap::State now = shared_.live.state();
        if (now.sample && !has_sample_) {
            has_sample_ = true;
            push_text(Answers::hello_of_sample(*now.sample));
            push_frames(now.sample);
        } else if (now.content != content_) {
            content_ = now.content;
            viewed_ = now.viewed;
            map_ = 0;
            in_flight_.clear();
            answers_.emplace(*viewed_, shared_.searching, now.content, now.runs, shared_.live);
            push_text(answers_->hello());
            push_frames(viewed_);
        } else if (now.said != said_) {
            said_ = now.said;
            queue_.push_back({now.status, true});
        } else if (now.moved && now.moved->number > map_ && in_flight_.size() < most_in_flight) {
            map_ = now.moved->number;
            in_flight_.push_back(map_);
            for (const std::string& frame : now.moved->frames) queue_.push_back({{now.moved, &frame}, false});
        }
    }

    /// Whether a map is to be made for this page. While one is sent the next one can be made, but only one.
    [[nodiscard]] bool lacks_map() const {
        const bool is_sending_others = !queue_.empty() && in_flight_.empty();
        if (!answers_ || is_sending_others || in_flight_.size() >= most_in_flight) return false;
        const LiveMap::State now = shared_.live.state();
        return !now.moved || now.moved->number <= map_;
    }

    /// Whether this page counts among those that a map is to be made for.
    void set_waiting(bool is_waiting) {
        if (is_waiting != is_waiting_) shared_.live.waiting += is_waiting ? 1 : -1;
        is_waiting_ = is_waiting;
    }

    static constexpr std::size_t most_in_flight = 2;

    Shared& shared_;
    tcp::socket& socket_;
    boost::asio::io_context& context_;
    Stream& stream_;
    boost::asio::steady_timer timer_;
    beast::flat_buffer buffer_;
    std::deque<Message> queue_;
    std::shared_ptr<const Viewed> viewed_;
    std::optional<Answers> answers_;
    std::uint32_t content_ = 0, map_ = 0, said_ = 0;
    std::vector<std::uint32_t> in_flight_;  ///< numbers of maps that are not drawn yet
    bool is_writing_ = false, ended_ = false, is_waiting_ = false, has_sample_ = false;
};

/// A page that is connected.
class Session {
public:
    Session(Shared& shared, tcp::socket& socket, boost::asio::io_context& context)
        : shared_(shared), socket_(socket), context_(context) {}

    void run(const Request& request) {
        const std::string host(view_of(request[http::field::host]));
        if (!is_own_origin(view_of(request[http::field::origin]), host))
            return refuse(request, "the socket is for pages of this server only");
        if (!has_token(view_of(request[http::field::sec_websocket_protocol]), shared_.token))
            return refuse(request, "the token is wrong; open the address that dunlin has printed");
        const PageCount counted(shared_.live.pages);
        shared_.live.had_pages = true;
        if (counted.now > most_pages) return refuse(request, "too many pages are open");
        websocket::stream<tcp::socket&> stream(socket_);
        stream.read_message_max(longest_message);
        stream.auto_fragment(false);
        stream.set_option(websocket::stream_base::decorator(
            [](websocket::response_type& response) { response.set(http::field::sec_websocket_protocol, "dunlin.1"); }));
        stream.accept(request);
        Talk(shared_, socket_, context_, stream).run();
    }

private:
    struct PageCount {
        explicit PageCount(std::atomic<int>& pages) : of(pages), now(++pages) {}
        ~PageCount() { --of; }
        PageCount(const PageCount&) = delete;
        PageCount& operator=(const PageCount&) = delete;
        std::atomic<int>& of;
        int now;
    };

    void refuse(const Request& request, const std::string& sentence) {
        http::write(socket_, refusal(request, http::status::forbidden, sentence));
    }

    Shared& shared_;
    tcp::socket& socket_;
    boost::asio::io_context& context_;
};

/// One request, or one page. Errors of the other side end the connection, nothing else.
void serve_connection(Shared& shared, tcp::socket& socket, boost::asio::io_context& context) {
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
            Session(shared, socket, context).run(request);
        } else {
            http::write(socket, file_response(shared, request));
        }
        ::shutdown(socket.native_handle(), SHUT_WR);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the other side has left, or broke the protocol
    }
}

/// A connection and its thread.
struct Connection {
    boost::asio::io_context context;
    tcp::socket socket{context};
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

struct Server::State {
    State(LiveMap& live, int port) : acceptor(acceptor_on(context, port)), shared(live) {}

    /// Takes a connection that waits, and serves it on a thread of its own. Throws if it has gone, or if no file
    /// descriptor, thread or memory is left for it.
    void take_one(std::list<Connection>& connections) {
        std::list<Connection> one(1);
        Connection& connection = one.front();
        acceptor.accept(connection.socket);
        if (connections.size() >= most_connections) return;
        connection.thread = std::jthread([this, &connection] {
            serve_connection(shared, connection.socket, connection.context);
            connection.ended = true;
        });
        connections.splice(connections.end(), one);
    }

    boost::asio::io_context context;
    tcp::acceptor acceptor;
    Shared shared;
};

Server::Server(LiveMap& live, int port) : state_(std::make_unique<State>(live, port)) {}
Server::~Server() = default;

std::string Server::address() const {
    return fmt::format("http://127.0.0.1:{}/#{}", state_->acceptor.local_endpoint().port(), state_->shared.token);
}

void Server::run(const std::stop_token& stop) {
    std::list<Connection> connections;
    while (!stop.stop_requested()) {
        connections.remove_if([](const Connection& connection) { return connection.ended.load(); });
        pollfd waiting{state_->acceptor.native_handle(), POLLIN, 0};
        if (poll(&waiting, 1, 100) <= 0) continue;
        try {
            state_->take_one(connections);
        } catch (const std::exception&) {
            // This connection is lost, or still waits: others may end meanwhile
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
    }
    close_all(connections);
}

}  // namespace dunlin::serve
