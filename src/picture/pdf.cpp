// SPDX-License-Identifier: Apache-2.0
#include <cairo-pdf.h>

#include "picture/canvas.hpp"
#include "picture/paper.hpp"
#include "progress/cancel.hpp"

namespace dunlin::picture {

namespace {

/// A PDF of one page in memory, drawn on in pixels of the picture.
class PdfFile {
public:
    PdfFile(const Options& options, const Paper& paper)
        : paper_(paper),
          surface_(cairo_pdf_surface_create_for_stream(append, &bytes_, paper_.points(paper_.width),
                                                       paper_.points(paper_.height)),
                   cairo_surface_destroy),
          context_(cairo_create(surface_.get()), cairo_destroy) {
        cairo_pdf_surface_restrict_to_version(surface_.get(), CAIRO_PDF_VERSION_1_4);  // which all publishers read
        // Without a date, cairo takes that of the day, and no two files are the same
        cairo_pdf_surface_set_metadata(surface_.get(), CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
        cairo_pdf_surface_set_metadata(surface_.get(), CAIRO_PDF_METADATA_CREATOR, "Dunlin");
        if (const std::string title = title_of(options); !title.empty())
            cairo_pdf_surface_set_metadata(surface_.get(), CAIRO_PDF_METADATA_TITLE, title.c_str());
        if (options.dark) {
            set_color(context_.get(), look_of(true).paper);
            cairo_paint(context_.get());
        }
        cairo_scale(context_.get(), paper_.points(1), paper_.points(1));
    }

    [[nodiscard]] cairo_t* context() const { return context_.get(); }

    std::string finish() {
        check(cairo_status(context_.get()), "cannot draw a PDF");
        cairo_surface_finish(surface_.get());
        check(cairo_surface_status(surface_.get()), "cannot write a PDF");
        return std::move(bytes_);
    }

private:
    static cairo_status_t append(void* out, const unsigned char* data, unsigned int length) {
        static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(data), length);
        return CAIRO_STATUS_SUCCESS;
    }

    Paper paper_;
    std::string bytes_;  // before the surface, which appends to them until its end
    Surface surface_;
    Context context_;
};

void draw_image(cairo_t* context, const Image& image, const PixelRect& box) {
    const Surface surface = surface_of(image);
    cairo_save(context);
    cairo_translate(context, static_cast<double>(box.left), static_cast<double>(box.top));
    cairo_scale(context, static_cast<double>(box.width) / image.width, static_cast<double>(box.height) / image.height);
    cairo_set_source_surface(context, surface.get(), 0, 0);
    cairo_paint(context);
    cairo_restore(context);
}

void draw_lines(cairo_t* context, const Drawing& drawing) {
    cairo_set_line_width(context, static_cast<double>(drawing.edge_style.width));
    cairo_set_line_cap(context, CAIRO_LINE_CAP_BUTT);
    for_edges(drawing, [&](Index v, Index u) {
        const PixelPoint from = disc_of(drawing, v).center, to = disc_of(drawing, u).center;
        set_color(context, edge_color(drawing.groups, v, u), drawing.edge_style.alpha);
        cairo_move_to(context, static_cast<double>(from.x), static_cast<double>(from.y));
        cairo_line_to(context, static_cast<double>(to.x), static_cast<double>(to.y));
        cairo_stroke(context);
    });
}

/// A stroke of length 0 with a round cap is a disc in a third of the bytes of a circle.
void draw_discs(cairo_t* context, const Drawing& drawing) {
    cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND);
    for (const Index point : drawing_order(drawing)) {
        if (point % 1024 == 0) progress::cancellation_point();
        const Disc disc = disc_of(drawing, point);
        set_color(context, disc.color, disc.alpha);
        cairo_set_line_width(context, static_cast<double>(disc.diameter));
        cairo_move_to(context, static_cast<double>(disc.center.x), static_cast<double>(disc.center.y));
        cairo_close_path(context);
        cairo_stroke(context);
        draw_rim(context, disc);
    }
    cairo_set_line_cap(context, CAIRO_LINE_CAP_BUTT);
}

}  // namespace

std::string pdf_of(device::Cpu& cpu, const Sheet& sheet) {
    PdfFile file(sheet.options, sheet.paper);
    for (const SheetPart& part : sheet.parts) {
        const Drawing& drawing = part.drawing;
        cairo_save(file.context());
        cairo_translate(file.context(), static_cast<double>(part.left), static_cast<double>(part.top));
        const VectorParts vectors = vectors_of(drawing);
        if (const auto placed = image_of(cpu, drawing)) draw_image(file.context(), placed->image, placed->box);
        if (vectors.edges) draw_lines(file.context(), drawing);
        if (vectors.points) draw_discs(file.context(), drawing);
        draw_page(file.context(), drawing.page, sheet.options.svg_text);
        cairo_restore(file.context());
    }
    if (sheet.parts.size() > 1) draw_page(file.context(), sheet.page, sheet.options.svg_text);
    return file.finish();
}

std::string pdf_of(const LandscapePlan& plan, const Options& options) {
    PdfFile file(options, paper_of(options));
    draw_plan(file.context(), plan, options.svg_text);
    return file.finish();
}

std::string pdf_of(const Image& image, const PixelRect& box, const Page& page, const Options& options) {
    PdfFile file(options, paper_of(options));
    draw_image(file.context(), image, box);
    draw_page(file.context(), page, options.svg_text);
    return file.finish();
}

}  // namespace dunlin::picture
