# SPDX-License-Identifier: Apache-2.0
"""same_code.py OLD NEW: compares the machine code of two builds (x86-64 ELF) without names and addresses, to prove that a change has only
moved or renamed code. OLD and NEW are folders of builds, or two files with symbols. Exit code 0: both have the same functions, as often.

A function is the text of its instructions. In place of an address stands what is there: of a branch within the function its offset; of a
function of this build the hash of its text, so that calls of another function are found; of a constant, a table, a text or a table of
virtual functions its content; of what another library has its name, unless it is Dunlin's. Zeroed data have no content. Code for GPUs is
not looked at."""

import bisect
import collections
import hashlib
import os
import pathlib
import re
import struct
import subprocess
import sys

LIBRARIES = ("libdunlin.so", "libdunlin_hdf5.so", "libdunlin_cuda.so", "dunlin")  # each before those that call it
MOST_SHOWN = 40
ROUNDS = 4  # a hash tells functions apart that differ only in the functions at the end of a chain of this many calls
HEADER = re.compile(r"^([0-9a-f]+) <(.+)>:$")
LINE = re.compile(r"^\s*([0-9a-f]+):\t(\S.*?)\s*$")
BRANCH = re.compile(r"^((?:data16 |rex\.W )*(?:notrack |bnd )?(?:call|j\w+|loop\w*|xbegin)\s+)([0-9a-f]+)(?: <([^>]*)>)?$")
BESIDE = re.compile(r"-?0x[0-9a-f]+\(%rip\)(.*?)\s+# (?:0x)?([0-9a-f]+)(?: <.*>)?$")
NOTHING = re.compile(r"^(?:data16 |cs )*(?:nop[wl]?|xchg\s+%ax,%ax)\b")
INTERFACE = re.compile(r"\d+\.\d+\.\d+-[0-9a-f]{12}")  # version and hash of the headers that the CUDA backend is compiled with
NUMBER = re.compile(r"\$0x[0-9a-f]{7,16}\b")
NAMED = re.compile(r"<[^>]*>")


def lines_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, errors="replace").stdout.splitlines()


def hash_of(*parts):
    return hashlib.sha1("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:20]


class Sections:
    """What a file has in memory."""

    def __init__(self, path):
        self.content, self.spans = path.read_bytes(), []
        for line in lines_of("readelf", "-SW", path):
            found = re.match(r"\s*\[\s*\d+\] (\S+)\s+(\S+)\s+([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+)", line)
            if found and int(found[3], 16) and ".tbss" not in found[1]:
                self.spans.append((int(found[3], 16), int(found[5], 16), int(found[4], 16), found[1], found[2]))
        self.spans.sort()
        self.begins = [span[0] for span in self.spans]

    def name(self, address):
        begin, size, _, name, _ = self.spans[max(0, bisect.bisect_right(self.begins, address) - 1)]
        return name if begin <= address < begin + size else ""

    def bytes(self, address, end):
        """Up to `end`, within the section; nothing of zeroed data."""
        begin, size, place, _, kind = self.spans[max(0, bisect.bisect_right(self.begins, address) - 1)]
        if kind == "NOBITS" or not begin <= address < begin + size:
            return b""
        return self.content[place + address - begin : place + min(end, begin + size) - begin]


class Function:
    def __init__(self, address, name):
        self.address, self.end, self.name = address, address, name
        self.text, self.references = [], []  # instructions; (kind, address) for each {} in them

    def family(self):
        return self.name.removesuffix(".cold")


class Image:
    """The functions of a file, and their hashes."""

    def __init__(self, path, known):
        self.path, self.known = path, known  # known: hashes of functions of libraries that were read before, by name
        self.sections = Sections(path)
        self.read_relocations()
        self.functions, self.plt, bounds = [], {}, set()
        found = re.search(INTERFACE.pattern.encode() + b"\0", self.sections.content)
        text = found[0][:-1] if found else b""
        self.of_interface = {f"$0x{int.from_bytes(text[i : i + n], 'little'):x}" for n in (2, 4, 8) for i in range(len(text) - n + 1)}
        self.read_code(bounds)
        self.starts = [function.address for function in self.functions]
        self.by_address = {function.address: function for function in self.functions}
        self.by_name = {function.name: function.address for function in self.functions}
        self.bounds = sorted(bounds | self.objects())
        self.hashes, self.contents = {}, {}  # in the first round, all calls of Dunlin's functions are alike
        self.first = self.hashes_now()
        for _ in range(ROUNDS):
            self.hashes, self.contents = self.hashes_now(), {}

    def read_relocations(self):
        """Addresses and names that the loader writes, by place."""
        self.pointers = {}
        for line in lines_of("readelf", "-rW", self.path):
            found = re.match(r"([0-9a-f]+)\s+[0-9a-f]+ R_X86_64_(\S+)\s+(.*)$", line)
            if not found:
                continue
            place, kind, rest = int(found[1], 16), found[2], found[3].split()
            if kind in ("RELATIVE", "IRELATIVE"):
                self.pointers[place] = int(rest[0], 16)
            elif rest and kind in ("GLOB_DAT", "JUMP_SLO", "JUMP_SLOT", "64"):
                address = int(rest[0], 16) if re.fullmatch("[0-9a-f]+", rest[0]) else 0
                name = rest[0] if rest[0][0] in "_." or not address and len(rest) < 2 else rest[1]
                self.pointers[place] = address or re.split(r"[@(]", name)[0]
            else:
                self.pointers[place] = kind

    def objects(self):
        """Where data with a name begin."""
        found = set()
        self.type_names = set()
        for line in lines_of("readelf", "-sW", self.path):
            words = line.split()
            if len(words) > 6 and words[3] == "OBJECT" and words[6] != "UND":
                found.add(int(words[1], 16))
                if words[-1].startswith("_ZTS"):
                    self.type_names.add(int(words[1], 16))
        return found

    def read_code(self, bounds):
        function = None
        for line in lines_of("objdump", "-d", "--no-show-raw-insn", "--wide", self.path):
            header = HEADER.match(line)
            if header:
                address, name = int(header[1], 16), header[2]
                function = None
                if name.endswith("@plt"):
                    resolver = re.match(r"\*ABS\*\+0x([0-9a-f]+)@", name)  # of a function that the processor chooses
                    self.plt[address] = int(resolver[1], 16) if resolver else name.split("@")[0]
                elif not self.sections.name(address).startswith(".plt"):
                    function = Function(address, name.split("@")[0])
                    self.functions.append(function)
                continue
            found = LINE.match(line)
            if not found or function is None:
                continue
            function.end = int(found[1], 16)
            self.add(function, found[2], bounds)
        for function in self.functions:
            if any("$interface" in line for line in function.text):  # and its last bytes
                function.text = [re.sub(r"\$0x[0-9a-f]{3,4}\b", lambda found: "$interface" if found[0] in self.of_interface else found[0], line)
                                 for line in function.text]
            while function.text and NOTHING.match(function.text[-1]):
                function.text.pop()  # between functions

    def add(self, function, text, bounds):
        branch = BRANCH.match(text)
        if branch:
            function.references.append(("code", int(branch[2], 16)))
            function.text.append(f"{branch[1].split()[-1]} {{}}")
            return
        beside = BESIDE.search(text)
        if beside:
            address = int(beside[2], 16)
            bounds.add(address)
            kind = "address" if text.startswith("lea") else width_of(text)
            function.references.append((kind, address))
            text = text[: beside.start()].replace("{", "{{").replace("}", "}}") + "{}" + beside[1].replace("{", "{{").replace("}", "}}")
            function.text.append(" ".join(text.split()))
            return
        if self.of_interface and "$0x" in text:
            text = NUMBER.sub(lambda found: "$interface" if found[0] in self.of_interface else found[0], text)
        function.text.append(" ".join(NAMED.sub("", text).replace("{", "{{").replace("}", "}}").split()))

    def hashes_now(self):
        """Hashes by address, in which the functions that are called have their last hashes."""
        return {function.address: hash_of(self.text_of(function)) for function in self.functions}

    def text_of(self, function):
        return "\n".join(function.text).format(*[self.meaning(function, *reference) for reference in function.references])

    def meaning(self, function, kind, address):
        if function.address <= address <= function.end:
            return f"+{address - function.address}"
        address = self.plt.get(address, address)
        if isinstance(address, str):
            return self.of_name(address)
        if address in self.by_address:
            return self.hashes.get(address, "function")
        if self.sections.name(address).startswith(".text"):
            other = self.functions[bisect.bisect_right(self.starts, address) - 1]
            return f"{self.hashes.get(other.address, 'function')}+{address - other.address}"
        if kind == "code":
            return "code"
        if kind == "address":
            table = self.jumps(function, address)
            if table:
                return table
        key = (kind, address)
        if key not in self.contents:
            self.contents[key] = self.content(kind, address)
        return self.contents[key]

    def of_name(self, name):
        if name in self.by_name:
            return self.hashes.get(self.by_name[name], "function")
        if name in self.known:
            return self.known[name] if self.hashes else "function"
        return "another library's" if "6dunlin" in name else name

    def jumps(self, function, table):
        """A table of branches within the function, which has their distances from the table."""
        content, family, targets = self.sections.bytes(table, self.end_of(table)), function.family(), []
        if not self.sections.name(table).startswith(".rodata"):
            return ""
        for (distance,) in struct.iter_unpack("<i", content[: len(content) // 4 * 4]):
            place = bisect.bisect_right(self.starts, table + distance) - 1
            if distance >= 0 or place < 0 or self.functions[place].family() != family:
                break
            targets.append(f"{self.functions[place].name.endswith('.cold')}+{table + distance - self.functions[place].address}")
        return "jumps " + " ".join(targets) if len(targets) > 1 else ""

    def end_of(self, address):
        place = bisect.bisect_right(self.bounds, address)
        return self.bounds[place] if place < len(self.bounds) else address + 64

    def content(self, kind, address):
        """What is at an address of data: bytes without the zeros at their end, which may be padding."""
        section = self.sections.name(address)
        if section.startswith((".got", ".data.rel.ro", ".init_array")) or address in self.pointers:
            in_table = section.startswith(".got")
            return self.pointed(address, 8 if in_table else self.end_of(address) - address, follows=in_table)
        if kind != "address":
            return self.sections.bytes(address, address + kind).rstrip(b"\0").hex() or f"zeros of {section}"
        text = self.sections.bytes(address, address + 4096).split(b"\0")[0]
        if text and all(byte >= 32 or byte in b"\t\n\r\x1b" for byte in text):
            return INTERFACE.sub("interface", text.decode("latin-1"))
        return self.sections.bytes(address, self.end_of(address)).rstrip(b"\0").hex() or f"zeros of {section}"

    def pointed(self, address, size, follows):
        """Pointers, as those of a table of virtual functions, and the numbers between them. Names of types are left out."""
        found = []
        for place in range(address, address + min(size, 8192) - 7, 8):
            target = self.pointers.get(place)
            if target is None:
                found.append(self.sections.bytes(place, place + 8).hex())
            elif isinstance(target, str):
                found.append(self.of_name(target))
            elif target in self.by_address:
                found.append(self.hashes.get(target, "function"))
            elif follows or self.sections.name(target).startswith(".rodata") and target not in self.type_names:
                found.append(self.content("address", target))
            else:
                found.append(f"data of {self.sections.name(target)}")
        while found and not found[-1].strip("0"):
            found.pop()
        return " ".join(found)


def width_of(text):
    """How many bytes an instruction reads: of a broadcast one number, else those of its widest register."""
    mnemonic = text.split()[0]
    if re.match(r"mov[zs][bw]", mnemonic):
        return 1 if mnemonic[4] == "b" else 2
    if re.search(r"\{1to\d+\}", text):
        return 8 if mnemonic.endswith(("pd", "q")) or "pd" in mnemonic else 4
    if re.search(r"broadcast(ss|d)$", mnemonic) or re.search(r"ss$|ss2|^(v)?cvtss|^(v)?movd$", mnemonic):
        return 4
    if re.search(r"broadcast(sd|q)$", mnemonic) or re.search(r"sd$|sd2|^(v)?cvtsd|movq|mov[lh]p[sd]|movddup", mnemonic):
        return 8
    for register, width in (("%zmm", 64), ("%ymm", 32), ("%xmm", 16)):
        if register in text:
            return width
    if re.search(r"%r(?!\d+[dwb])|q$", text.replace("(%rip)", "")):
        return 8
    return 4 if re.search(r"%e|%r\d+d|l$", text) else 2 if mnemonic.endswith("w") else 1


def files_of(path):
    path = pathlib.Path(path)
    if path.is_file():
        return {"": path.resolve()}
    found = {name: (path / name).resolve() for name in LIBRARIES if (path / name).is_file()}
    if not found:
        sys.exit(f"same-code: {path} is neither a file nor a folder with {', '.join(LIBRARIES)}")
    return found


def images_of(path):
    known, found = {}, {}
    for name, file in files_of(path).items():
        found[name] = Image(file, known)
        known = {**known, **{function.name: found[name].hashes[function.address] for function in found[name].functions}}
    return found


def plain(names):
    return dict(zip(names, lines_of("c++filt", *names), strict=True)) if names else {}


def surplus(one, other, hashes_of):
    """The functions of one image that the other lacks, or has less often."""
    left = collections.Counter(hashes_of(other).values())
    found = []
    for function in one.functions:
        value = hashes_of(one)[function.address]
        left[value] -= 1
        if left[value] < 0:
            found.append(function)
    return found


def compare(name, old, new):
    """Prints what differs; returns whether something does."""
    title = name or new.path.name
    sides = [surplus(old, new, lambda image: image.hashes), surplus(new, old, lambda image: image.hashes)]
    if not any(sides):
        print(f"{title}: {len(new.functions)} functions, the same")
        return False
    print(f"{title}: {len(sides[0])} of {len(old.functions)} functions of OLD and {len(sides[1])} of {len(new.functions)} of NEW differ")
    own = [surplus(old, new, lambda image: image.first), surplus(new, old, lambda image: image.first)]
    if any(own):
        print("  in their own instructions (the others differ only in functions that they call):")
    else:
        print("  only in functions that they call:")
        own = sides
    show(old, new, *own)
    return True


def show(old, new, olds, news):
    """Names, with the first line that differs where both have a function of a name."""
    names = plain([function.name for function in olds + news])
    in_new = {function.name: function for function in news}
    both = {function.name for function in olds} & in_new.keys()
    old.hashes, old.contents, new.hashes, new.contents = {}, {}, {}, {}
    for function in olds[:MOST_SHOWN]:
        print(f"  {'*' if function.name in both else '-'} {len(function.text)} instructions: {names[function.name]}")
        if function.name in both:
            lines = [image.text_of(each).split("\n") for image, each in ((old, function), (new, in_new[function.name]))]
            for number, (a, b) in enumerate(zip(*lines, strict=False)):
                if a != b:
                    print(f"      {number}: {a[:100]}    now    {b[:100]}")
                    break
    for function in [function for function in news if function.name not in both][:MOST_SHOWN]:
        print(f"  + {len(function.text)} instructions: {names[function.name]}")
    if len(olds) > MOST_SHOWN:
        print(f"  and {len(olds) - MOST_SHOWN} more")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: ./dev same-code OLD NEW: two folders of builds, or two files")
    old, new = images_of(sys.argv[1]), images_of(sys.argv[2])
    differs = False
    for name in old.keys() ^ new.keys():
        print(f"{name} is in one of both only")
        differs = True
    for name in [name for name in old if name in new]:
        differs = compare(name, old[name], new[name]) or differs
    sys.exit(1 if differs else 0)


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C"
    main()
