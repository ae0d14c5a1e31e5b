// SPDX-License-Identifier: Apache-2.0
// A procedurally generated scene on Dunlin's public interface: writes scene.glb, scene.html and scene.png
#include <cstdio>
#include <exception>

#include <dunlin/io.hpp>

#include "files.hpp"
#include "still.hpp"

int main(int count, char** arguments) {
    try {
        const std::vector<std::string> words(arguments + 1, arguments + count);
        const auto word = [&](std::size_t i, const char* otherwise) { return i < words.size() ? words[i] : otherwise; };
        const bool small = word(3, "full") == "small";
        dunlin::Run run;
        run.seed = std::stoull(word(0, "4"));
        run.threads = std::stoi(word(2, "0"));
        const scene::World world = scene::make_world(small, run);
        const dunlin::Mesh mesh = scene::mesh_of(world);
        dunlin::io::write_mesh("scene.glb", mesh);
        dunlin::io::write_text("scene.html", scene::Page().write(world));
        dunlin::io::write_text("scene.png", scene::still(world, word(1, "shore"), small ? 320 : 1280, run.threads));
        std::printf("wrote scene.glb (%lld triangles), scene.html and scene.png; smoke: %lld of %lld cells visited\n",
                    static_cast<long long>(mesh.faces()), static_cast<long long>(world.smoke.visited),
                    static_cast<long long>(world.smoke.cells));
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "scene: %s\nscene [SEED [shore|mountain|cabin|trees [THREADS [small]]]]\n", error.what());
        return 1;
    }
}
