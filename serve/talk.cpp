// SPDX-License-Identifier: Apache-2.0
#include "talk.hpp"

#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <optional>
#include <vector>

#include "answers.hpp"

namespace dunlin::serve {

namespace {

namespace beast = boost::beast;
namespace websocket = beast::websocket;

/// The talk with one page, on the thread that calls run(): the facts and frames of a sample, if there is one, are
/// written first, then those of the map, answers, newer maps and newer contents as they come. At most two maps are on
/// their way to a page.
class Talk {
public:
    Talk(LiveMap& live, std::mutex& searching, boost::asio::io_context& context, PageStream& stream,
         std::chrono::milliseconds patience)
        : live_(live),
          searching_(searching),
          context_(context),
          stream_(stream),
          patience_(patience),
          writing_timer_(context),
          silence_timer_(context) {}

    void run() {
        const Presence presence(*this);
        stream_.control_callback([this](websocket::frame_type, beast::string_view) { is_silent_ = false; });
        watch_silence();
        read_next();
        write_next();
        context_.run();
    }

private:
    /// The page among those of the map, also where the talk ends by an exception.
    class Presence {
    public:
        explicit Presence(Talk& talk)
            : talk_(talk),
              page_(talk.live_.join([&talk] { boost::asio::post(talk.context_, [&talk] { talk.write_next(); }); })) {}
        ~Presence() {
            talk_.live_.leave(page_);
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
        writing_timer_.cancel();
        silence_timer_.cancel();
        ::shutdown(stream_.next_layer().native_handle(), SHUT_RDWR);
    }

    /// A page may say nothing for hours, but a browser answers a ping. While a message is written, the page has the
    /// time that writing has.
    void watch_silence() {
        silence_timer_.expires_after(patience_ / 2);
        silence_timer_.async_wait([this](boost::system::error_code cancelled) {
            if (cancelled || ended_) return;
            if (is_writing_) {
                is_silent_ = false;
            } else if (is_silent_) {
                return end();
            } else {
                is_silent_ = true;
                stream_.async_ping({}, [](boost::system::error_code) {});
            }
            watch_silence();
        });
    }

    void read_next() {
        if (ended_) return;
        stream_.async_read(buffer_, [this](boost::system::error_code failed, std::size_t) {
            if (failed || ended_) return end();
            take({static_cast<const char*>(buffer_.data().data()), buffer_.size()});
            buffer_.consume(buffer_.size());
            is_silent_ = false;
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
        writing_timer_.expires_after(patience_);
        writing_timer_.async_wait([this](boost::system::error_code cancelled) {
            if (!cancelled) end();
        });
        stream_.text(queue_.front().is_text);
        stream_.async_write(boost::asio::buffer(*queue_.front().bytes),
                            [this](boost::system::error_code failed, std::size_t) {
                                is_writing_ = false;
                                writing_timer_.cancel();
                                queue_.pop_front();
                                failed ? end() : write_next();
                            });
    }

    /// What is new, if anything.
    void refill() {
        const LiveMap::State now = live_.state();
        if (now.sample && !has_sample_) {
            has_sample_ = true;
            push_text(Answers::hello_of_sample(*now.sample));
            push_frames(now.sample);
        } else if (now.content != content_) {
            content_ = now.content;
            viewed_ = now.viewed;
            map_ = 0;
            in_flight_.clear();
            answers_.emplace(*viewed_, searching_, now.content, now.runs, live_);
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
        const LiveMap::State now = live_.state();
        return !now.moved || now.moved->number <= map_;
    }

    /// Whether this page counts among those that a map is to be made for.
    void set_waiting(bool is_waiting) {
        if (is_waiting != is_waiting_) live_.waiting += is_waiting ? 1 : -1;
        is_waiting_ = is_waiting;
    }

    static constexpr std::size_t most_in_flight = 2;

    LiveMap& live_;
    std::mutex& searching_;
    boost::asio::io_context& context_;
    PageStream& stream_;
    std::chrono::milliseconds patience_;
    boost::asio::steady_timer writing_timer_, silence_timer_;
    beast::flat_buffer buffer_;
    std::deque<Message> queue_;
    std::shared_ptr<const Viewed> viewed_;
    std::optional<Answers> answers_;
    std::uint32_t content_ = 0, map_ = 0, said_ = 0;
    std::vector<std::uint32_t> in_flight_;  ///< numbers of maps that are not drawn yet
    bool is_writing_ = false, ended_ = false, is_waiting_ = false, has_sample_ = false;
    bool is_silent_ = false;  ///< since the last ping
};

}  // namespace

void talk(LiveMap& live, std::mutex& searching, boost::asio::io_context& context, PageStream& stream,
          std::chrono::milliseconds patience) {
    Talk(live, searching, context, stream, patience).run();
}

}  // namespace dunlin::serve
