// SPDX-License-Identifier: Apache-2.0
#ifdef DUNLIN_VIEWER
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "serve/server.hpp"

namespace dunlin {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto patience = 300ms;
/// Where an answer must come: a busy machine may let a test wait as long as `patience`.
constexpr auto long_patience = 1500ms;
/// The server looks at its connections each 100 ms; the rest is for a busy machine.
constexpr auto latest = 3s;

/// A server of a map that does not come, so that nothing but the talk itself is seen.
class Running {
public:
    explicit Running(std::chrono::milliseconds waits = patience)
        : server_(live_, 0, waits), listener_([this](const std::stop_token& stop) { server_.run(stop); }) {}

    [[nodiscard]] int port() const {
        return std::atoi(server_.address().c_str() + std::string("http://127.0.0.1:").size());
    }
    [[nodiscard]] std::string token() const { return server_.address().substr(server_.address().find('#') + 1); }

private:
    serve::LiveMap live_;
    serve::Server server_;
    std::jthread listener_;
};

class Client {
public:
    explicit Client(const Running& server, int receive_buffer = 0)
        : port_(server.port()), socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        if (receive_buffer > 0) ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port_));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
        const timeval most{10, 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    }
    ~Client() { ::close(socket_); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    [[nodiscard]] bool is_connected() const { return connected_; }
    [[nodiscard]] bool send(const std::string& bytes) const {
        return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == std::ssize(bytes);
    }
    /// What comes until the other side closes.
    [[nodiscard]] std::string rest() const {
        std::string all;
        char part[4096];
        for (ssize_t got = 0; (got = ::recv(socket_, part, sizeof part, 0)) > 0;)
            all.append(part, static_cast<std::size_t>(got));
        return all;
    }
    [[nodiscard]] std::string answer_to(const std::string& request) const {
        EXPECT_TRUE(send(request));
        return rest();
    }
    [[nodiscard]] std::string host() const { return "127.0.0.1:" + std::to_string(port_); }

private:
    int port_;
    int socket_;
    bool connected_ = false;
};

struct Upgrade {
    std::string path = "/socket", version = "13", key = "AAAAAAAAAAAAAAAAAAAAAA==", origin = {}, more = {};

    [[nodiscard]] std::string text(const Client& client, const std::string& token) const {
        return "GET " + path + " HTTP/1.1\r\nHost: " + client.host() +
               "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" + "Sec-WebSocket-Version: " + version +
               "\r\nSec-WebSocket-Key: " + key + "\r\nSec-WebSocket-Protocol: dunlin.1, t." + token +
               "\r\nOrigin: " + (origin.empty() ? "http://" + client.host() : origin) + "\r\n" + more + "\r\n";
    }
};

/// Seconds until the server closes a connection on which `bytes` were sent.
double seconds_open(const Client& client, const std::string& bytes) {
    const Clock::time_point begin = Clock::now();
    EXPECT_TRUE(client.send(bytes));
    static_cast<void>(client.rest());
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

TEST(Serve, ClosesARequestThatDoesNotEnd) {
    const Running server;
    for (const std::string& begin :
         {std::string(), std::string("GET / HTT"), std::string("GET / HTTP/1.1\r\nHost: a\r\n")}) {
        const double seconds = seconds_open(Client(server), begin);
        EXPECT_GT(seconds, 0.25) << begin;
        EXPECT_LT(seconds, 3) << begin;
    }
}

TEST(Serve, BytesDoNotExtendTheTimeOfARequest) {
    const Running server;
    const Client client(server);
    const Clock::time_point begin = Clock::now();
    while (client.send("a") && Clock::now() < begin + 2 * latest) std::this_thread::sleep_for(50ms);
    EXPECT_LT(Clock::now() - begin, latest);
}

TEST(Serve, HalfOpenConnectionsLockNobodyOut) {
    const Running server;
    std::vector<std::unique_ptr<Client>> waiting;
    for (int i = 0; i < 100; ++i) {
        waiting.push_back(std::make_unique<Client>(server));
        ASSERT_TRUE(waiting.back()->is_connected());
        ASSERT_TRUE(waiting.back()->send("G") || i > 0);
    }
    const Client page(server);
    EXPECT_TRUE(page.answer_to("GET / HTTP/1.1\r\nHost: " + page.host() + "\r\n\r\n").starts_with("HTTP/1.1 200"));
}

TEST(Serve, ClosesAPageThatDoesNotAnswer) {
    const Running server;
    const Client page(server);
    const double seconds = seconds_open(page, Upgrade().text(page, server.token()));
    EXPECT_GT(seconds, 0.25);
    EXPECT_LT(seconds, 3);
}

TEST(Serve, KeepsAPageThatAnswers) {
    const Running server(long_patience);
    const Client page(server);
    ASSERT_TRUE(page.send(Upgrade().text(page, server.token())));
    const std::string pong{'\x8a', '\x80', 0, 0, 0, 0};
    for (int i = 0; i < 12; ++i) {
        std::this_thread::sleep_for(300ms);
        ASSERT_TRUE(page.send(pong)) << i;
    }
}

TEST(Serve, RefusesTwoHosts) {
    const Running server(long_patience);
    const auto status = [&](const std::string& hosts) {
        const Client client(server);
        return client.answer_to("GET / HTTP/1.1\r\n" + hosts + "\r\n").substr(9, 3);
    };
    EXPECT_EQ(status("Host: localhost\r\n"), "200");
    EXPECT_EQ(status("Host: localhost\r\nHost: localhost\r\n"), "400");
    EXPECT_EQ(status("Host: localhost\r\nhOST: elsewhere\r\n"), "400");
    EXPECT_EQ(status(""), "400");
    EXPECT_EQ(status("Host: elsewhere\r\n"), "421");
    EXPECT_EQ(status("no header\r\n"), "400");
}

TEST(Serve, BoundsRequests) {
    const Running server(long_patience);
    const auto status = [&](const std::string& request) {
        const Client client(server);
        return client.answer_to(request).substr(9, 3);
    };
    const std::string head = "GET / HTTP/1.1\r\nHost: localhost\r\n";
    EXPECT_EQ(status("GET /" + std::string(100'000, 'a') + " HTTP/1.1\r\n\r\n"), "431");
    EXPECT_EQ(status(head + "A: " + std::string(100'000, 'a') + "\r\n\r\n"), "431");
    EXPECT_EQ(status(head + "Content-Length: 100000\r\n\r\n"), "413");
    EXPECT_EQ(status(head + "Transfer-Encoding: chunked\r\n\r\n20000\r\n" + std::string(0x20000, 'a')), "413");
    EXPECT_EQ(status(head + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFFFF\r\n"), "400");
    EXPECT_EQ(status(head + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), "400");
}

TEST(Serve, RefusesSocketsThatBreakTheProtocol) {
    const Running server(long_patience);
    const auto answer = [&](const Upgrade& upgrade) {
        const Client client(server);
        return client.answer_to(upgrade.text(client, server.token()));
    };
    const std::string other_version = answer({.version = "8"});
    EXPECT_TRUE(other_version.starts_with("HTTP/1.1 426")) << other_version;
    EXPECT_NE(other_version.find("Sec-WebSocket-Version: 13\r\n"), std::string::npos) << other_version;
    EXPECT_EQ(answer({.path = "/"}).substr(9, 3), "404");
    EXPECT_EQ(answer({.path = "/socket/"}).substr(9, 3), "404");
    EXPECT_EQ(answer({.key = "short"}).substr(9, 3), "400");
    EXPECT_EQ(answer({.key = "AAAAAAAAAAAAAAAAAAAAAAAA"}).substr(9, 3), "400");
    EXPECT_EQ(answer({.origin = "http://elsewhere"}).substr(9, 3), "403");
    EXPECT_EQ(answer({.more = "Origin: http://elsewhere\r\n"}).substr(9, 3), "400");
    EXPECT_EQ(answer({}).substr(9, 3), "101");
}

}  // namespace

}  // namespace dunlin
#endif
