// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/markup.hpp"
#include "io/memory.hpp"
#include "io/network/xml_file.hpp"
#include "io/sequences.hpp"

namespace dunlin::io {

namespace {

class GpxReader {
public:
    explicit GpxReader(const Bytes& bytes) : bytes_(bytes) {
        file_.kind = "gpx";
        file_.items.geographic = true;
        file_.columns = {"lat", "lon"};
    }

    TrackFile read() && {
        require_memory(6 * bytes_.size(), "the tree of '" + bytes_.name() + "'");
        pugi::xml_document document;
        const pugi::xml_parse_result result = document.load_buffer(bytes_.begin(), bytes_.size());
        if (!result) bad_file("{}: {}; correct the XML", place_in_xml(bytes_, result.offset), result.description());
        const pugi::xml_node root = document.document_element();
        if (!is_called(root, "gpx")) bad_file("'{}' holds no <gpx>; it is no GPX", bytes_.name());
        for (const pugi::xml_node part : root.children()) {
            if (is_called(part, "trk")) add_track(part);
            if (is_called(part, "rte")) add_route(part);
            if (is_called(part, "wpt")) ++waypoints_;
        }
        if (file_.items.size() == 0) {
            waypoints_ = 0;
            add_waypoints(root);
        }
        if (file_.items.size() == 0)
            bad_file("'{}' has no track, route or waypoint with a position; record one", bytes_.name());
        if (empty_ > 0)
            file_.notes.push_back({fmt::format("read without {} tracks that have no position", empty_), ""});
        if (elevations_ > 0)
            file_.notes.push_back({"read without elevations (ele); positions are latitudes and longitudes", ""});
        if (waypoints_ > 0)
            file_.notes.push_back({fmt::format("read without {} waypoints beside tracks", waypoints_), ""});
        return std::move(file_);
    }

private:
    void add_position(pugi::xml_node point) {
        const double latitude = number_in(point.attribute("lat").value()),
                     longitude = number_in(point.attribute("lon").value());
        if (!std::isfinite(latitude) || !std::isfinite(longitude)) {
            bad_file("{}: a position needs the numbers lat and lon; correct or remove it",
                     place_in_xml(bytes_, point.offset_debug()));
        }
        if (std::abs(latitude) > 90) {
            bad_file("{}: the latitude is {}; it must be from -90 to 90", place_in_xml(bytes_, point.offset_debug()),
                     latitude);
        }
        if (std::abs(longitude) > 360) {
            bad_file("{}: the longitude is {}; it must be from -360 to 360", place_in_xml(bytes_, point.offset_debug()),
                     longitude);
        }
        for (const pugi::xml_node child : point.children()) elevations_ += is_called(child, "ele") ? 1 : 0;
        file_.items.positions.insert(file_.items.positions.end(), {latitude, longitude});
    }

    void end_item(pugi::xml_node item, const char* what) {
        const auto end = static_cast<Offset>(file_.items.positions.size() / 2);
        if (end == file_.items.offsets.back()) {
            ++empty_;
            return;
        }
        std::string name;
        for (const pugi::xml_node child : item.children()) {
            if (is_called(child, "name")) name = clean_text(child.child_value());
        }
        file_.items.offsets.push_back(end);
        if (file_.items.size() > most_items)
            bad_file("'{}' has more than {} tracks; split it", bytes_.name(), most_items);
        file_.ids.push_back(name.empty() ? fmt::format("{} {}", what, file_.items.size()) : name);
    }

    void add_track(pugi::xml_node track) {
        for (const pugi::xml_node segment : track.children()) {
            if (!is_called(segment, "trkseg")) continue;
            for (const pugi::xml_node point : segment.children()) {
                if (is_called(point, "trkpt")) add_position(point);
            }
        }
        end_item(track, "track");
    }

    void add_route(pugi::xml_node route) {
        for (const pugi::xml_node point : route.children()) {
            if (is_called(point, "rtept")) add_position(point);
        }
        end_item(route, "route");
    }

    void add_waypoints(pugi::xml_node root) {
        for (const pugi::xml_node point : root.children()) {
            if (!is_called(point, "wpt")) continue;
            add_position(point);
            end_item(point, "waypoint");
        }
    }

    const Bytes& bytes_;
    TrackFile file_;
    Offset empty_ = 0, elevations_ = 0, waypoints_ = 0;
};

}  // namespace

TrackFile read_gpx(const Bytes& bytes) { return GpxReader(bytes).read(); }

}  // namespace dunlin::io
