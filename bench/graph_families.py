# SPDX-License-Identifier: Apache-2.0
"""Families of generated graphs, each a function of a size (about so many vertices) and a seed that gives its edges.

    bench/graph_families.py FAMILY SIZE SEED > graph.edges

TUNING: those by which defaults were chosen. HELD_OUT: those by which they are judged only.
"""

import collections
import math
import random
import sys


def tree(arity):
    return lambda n, random: ((v, (v - 1) // arity) for v in range(1, n))


def caterpillar(n, random):
    """A path of n / 4 vertices, with all other vertices attached to it."""
    spine = max(2, n // 4)
    yield from path(spine)
    yield from ((v, random.randrange(spine)) for v in range(spine, n))


def random_tree(n, random):
    return ((v, random.randrange(v)) for v in range(1, n))


def path(n):
    return ((v, v + 1) for v in range(n - 1))


def box(sides, wraps=()):
    """A lattice of any dimension; `wraps`: periodic axes."""
    steps = [math.prod(sides[:axis]) for axis in range(len(sides))]
    for v in range(math.prod(sides)):
        for axis, (side, step) in enumerate(zip(sides, steps)):
            here = v // step % side
            if here + 1 < side:
                yield v, v + step
            elif axis in wraps:
                yield v, v - here * step


def grid(n, random):
    side = round(math.sqrt(n))
    return box((side, side))


def torus(n, random):
    side = round(math.sqrt(n / 2))
    return box((2 * side, side), (0, 1))


def cylinder(n, random):
    side = round(math.sqrt(n / 2))
    return box((2 * side, side), (0,))


def hexagons(n, random):
    side = round(math.sqrt(n))
    return ((a, b) for a, b in box((side, side)) if b == a + 1 or (a // side + a % side) % 2 == 0)


def triangles(n, random):
    side = round(math.sqrt(n))
    yield from box((side, side))
    yield from ((y * side + x, (y + 1) * side + x + 1) for y in range(side - 1) for x in range(side - 1))


def holes(n, random):
    """A lattice without nine discs."""
    side = round(math.sqrt(n * 1.4))

    def inside(v):
        x, y = v % side / side, v // side / side
        return all(math.hypot(x - (i + 0.5) / 3, y - (j + 0.5) / 3) > 0.11 for i in range(3) for j in range(3))

    return ((a, b) for a, b in box((side, side)) if inside(a) and inside(b))


def mesh3d(n, random):
    side = round(n ** (1 / 3))
    return box((side, side, side))


def stiffness(n, random):
    """A 3-D beam of 8 x 1 x 1; every vertex is joined to its 26 neighbors."""
    side = max(2, round((n / 8) ** (1 / 3)))
    sides = (8 * side, side, side)
    number = lambda x, y, z: (z * sides[1] + y) * sides[0] + x
    ahead = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, -1, 0), (1, 0, 1), (1, 0, -1), (0, 1, 1), (0, 1, -1),
             (1, 1, 1), (1, 1, -1), (1, -1, 1), (1, -1, -1)]
    for x in range(sides[0]):
        for y in range(sides[1]):
            for z in range(sides[2]):
                for dx, dy, dz in ahead:
                    if 0 <= x + dx < sides[0] and 0 <= y + dy < sides[1] and 0 <= z + dz < sides[2]:
                        yield number(x, y, z), number(x + dx, y + dy, z + dz)


def nearby(points, cell):
    """Pairs of points of the plane in the same or adjacent cells."""
    cells = collections.defaultdict(list)
    for v, (x, y) in enumerate(points):
        cells[int(x / cell), int(y / cell)].append(v)
    for (x, y), members in cells.items():
        for a in members:
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    for b in cells.get((x + dx, y + dy), ()):
                        if a != b:
                            yield a, b


def plane(n, random):
    return [(random.random(), random.random()) for _ in range(n)]


def random_geometric(n, random):
    points, radius = plane(n, random), math.sqrt(8 / (math.pi * n))
    return ((a, b) for a, b in nearby(points, radius) if a < b and math.dist(points[a], points[b]) < radius)


def nearest_neighbors(n, random):
    """Every point joined to its six nearest."""
    points = plane(n, random)
    near = collections.defaultdict(list)
    for a, b in nearby(points, math.sqrt(8 / n)):
        near[a].append((math.dist(points[a], points[b]), b))
    return ((a, b) for a, others in near.items() for _, b in sorted(others)[:6])


def small_world(n, random):
    for v in range(n):
        for step in (1, 2, 3):
            yield v, random.randrange(n) if random.random() < 0.05 else (v + step) % n


def ring_with_chords(n, random):
    yield from ((v, (v + 1) % n) for v in range(n))
    yield from ((random.randrange(n), random.randrange(n)) for _ in range(n // 10))


def attachment(m):
    """Barabasi and Albert's model: each new vertex joins m others with probability proportional to degree."""
    def edges(n, random):
        ends = list(range(m))
        for v in range(m, n):
            chosen = {random.choice(ends) for _ in range(m)}
            for u in sorted(chosen):
                yield v, u
                ends += (u, v)
    return edges


def core_with_tails(n, random):
    """Barabasi and Albert's model (m = 10) on half of the vertices; the others are paths attached to it."""
    core, v = n // 2, n // 2
    yield from attachment(10)(core, random)
    while v < n:
        last = random.randrange(core)
        for v in range(v, min(n, v + random.randint(1, 12))):
            yield last, v
            last = v
        v += 1


def communities(inside, between):
    """Planted communities of 50 vertices, with a given mean degree."""
    def edges(n, random):
        for _ in range(int(n * inside / 2)):
            a = random.randrange(n)
            yield a, min(n - 1, a // 50 * 50 + random.randrange(50))
        yield from ((random.randrange(n), random.randrange(n)) for _ in range(int(n * between / 2)))
    return edges


def coauthors(papers, newcomers=0.25):
    """Cliques of authors, drawn in proportion to their number of papers; `papers` per author."""
    def edges(n, random):
        wrote, authors = [], 0
        for _ in range(int(papers * n)):
            team = set()
            for _ in range(min(12, 1 + int(random.expovariate(0.4)))):
                if authors < n and (not wrote or random.random() < newcomers / papers):
                    team.add(authors)
                    authors += 1
                else:
                    team.add(random.choice(wrote))
            team = sorted(team)
            wrote += team
            yield from ((a, b) for i, a in enumerate(team) for b in team[:i])
    return edges


def field_coauthors(n, random):
    """Cliques of authors of a field of about 40, sometimes with one of another field."""
    for _ in range(int(0.8 * n)):
        field = random.randrange((n + 39) // 40)
        team = {min(n - 1, 40 * field + int(40 * random.random() ** 2)) for _ in range(random.randint(2, 6))}
        if random.random() < 0.2:
            team.add(random.randrange(n))
        team = sorted(team)
        yield from ((a, b) for i, a in enumerate(team) for b in team[:i])


def star_of_stars(n, random):
    arms = round(math.sqrt(n))
    yield from ((0, arm) for arm in range(1, arms + 1))
    yield from ((v, 1 + (v - arms - 1) % arms) for v in range(arms + 1, n))


def erdos_renyi(degree):
    return lambda n, random: ((random.randrange(n), random.randrange(n)) for _ in range(int(n * degree / 2)))


def power_law(n, random):
    """Configuration model with a power law of exponent -2.3."""
    stubs = [v for v in range(n) for _ in range(min(n // 10, int((1 - random.random()) ** (-1 / 1.3))))]
    random.shuffle(stubs)
    return zip(stubs[::2], stubs[1::2])


def grids_on_a_tree(n, random):
    """Lattices of 5 x 5, joined as a random tree."""
    for block in range(n // 25):
        yield from ((25 * block + a, 25 * block + b) for a, b in box((5, 5)))
        if block > 0:
            yield 25 * block + random.randrange(25), random.randrange(25 * block)


def plate(n, random):
    """Two coupled lattices."""
    side = round(math.sqrt(n / 2))
    return box((side, side, 2))


def long_tree(n, random):
    """A random tree; each vertex joins one of the 30 vertices before it."""
    return ((v, random.randrange(max(0, v - 30), v)) for v in range(1, n))


def hub_communities(n, random):
    """Stars of about 30 vertices; each center is joined to four random centers."""
    hubs = max(2, n // 30)
    yield from ((v, random.randrange(hubs)) for v in range(hubs, n))
    yield from ((h, random.randrange(hubs)) for h in range(hubs) for _ in range(2))


TUNING = {
    "quaternary-tree": tree(4),
    "long-tree": long_tree,
    "triangles": triangles,
    "plate": plate,
    "grids-on-a-tree": grids_on_a_tree,
    "attachment-3": attachment(3),
    "power-law": power_law,
    "communities-16": communities(12, 4),
    "field-coauthors": field_coauthors,
    "hub-communities": hub_communities,
    "erdos-renyi-10": erdos_renyi(10),
}
HELD_OUT = {
    "binary-tree": tree(2),
    "ternary-tree": tree(3),
    "caterpillar": caterpillar,
    "random-tree": random_tree,
    "grid": grid,
    "torus": torus,
    "cylinder": cylinder,
    "hexagons": hexagons,
    "holes": holes,
    "mesh3d": mesh3d,
    "stiffness": stiffness,
    "random-geometric": random_geometric,
    "nearest-neighbors": nearest_neighbors,
    "small-world": small_world,
    "ring-with-chords": ring_with_chords,
    "attachment-1": attachment(1),
    "attachment-2": attachment(2),
    "attachment-5": attachment(5),
    "core-with-tails": core_with_tails,
    "communities-10": communities(9, 1),
    "coauthors": coauthors(1),
    "coauthors-dense": coauthors(2.5),
    "star-of-stars": star_of_stars,
    "erdos-renyi-5": erdos_renyi(5),
}


def edges_of(family, n, seed):
    """Removes loops and duplicates."""
    edges = (TUNING | HELD_OUT)[family](n, random.Random(seed))
    return sorted({(min(a, b), max(a, b)) for a, b in edges if a != b})


def main():
    family, n, seed = sys.argv[1:]
    sys.stdout.writelines(f"{a} {b}\n" for a, b in edges_of(family, int(n), int(seed)))


if __name__ == "__main__":
    main()
