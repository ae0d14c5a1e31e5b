# SPDX-License-Identifier: Apache-2.0
"""The technologies that run.py compares: how each is prepared and called, and how its result is checked."""

import json
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from processes import Failed, output_of

HERE = Path(__file__).resolve().parent
ALL = ("kmeans", "waves", "solve")
OPENBLAS = ["-I/usr/include/x86_64-linux-gnu/openblas-pthread", "-llapacke", "-lopenblas"]
NVCC = "/usr/local/cuda/bin/nvcc"


def first_line(command):
    return output_of(command).splitlines()[0]


def need(program, package):
    """The path of a program."""
    found = shutil.which(program)
    if not found:
        raise Failed(f"{program} is not there (Debian: {package})")
    return found


@dataclass
class Technology:
    """prepare(bench) makes it ready and returns its version; Failed says what it lacks."""

    name: str
    about: str
    source: str
    kinds: tuple = ALL
    environment: dict = field(default_factory=dict)
    smaller: dict = field(default_factory=dict)  # by workload: how many times smaller the input is
    labels: str = "last"  # for check.py
    facts = None

    def check(self, bench, workload, folder, facts):
        return checked(bench, workload, folder, self.labels)


def checked(bench, workload, folder, labels):
    found = json.loads(output_of([bench.python, HERE / "check.py", workload.kind, folder, labels]))
    found.pop("move", None)
    return found


class Compiled(Technology):
    """C++, one executable for each set of flags. Products and sums are not contracted, for equal bytes."""

    def __init__(self, name, about, source, *flags, **more):
        super().__init__(name, about, source, **more)
        self.flags = flags

    def program(self, bench):
        return bench.work / self.name.replace(" ", "-").lower()

    def libraries(self):
        """After the source, where the linker reads them"""
        return [flag for flag in self.flags if flag.startswith("-l")]

    def compile(self, program, command):
        """Unless the program is newer than all that it is made of"""
        needed = (HERE / self.source, HERE / "workloads.hpp", Path(__file__))
        if not program.exists() or program.stat().st_mtime < max(file.stat().st_mtime for file in needed):
            output_of(command)

    def prepare(self, bench):
        common = ["g++", "-std=c++20", "-Wall", "-Wextra", "-ffp-contract=off", HERE / self.source]
        self.compile(self.program(bench), [*common, *self.flags, "-o", self.program(bench), *self.libraries()])
        return first_line(["g++", "--version"]).split(")")[-1].strip()

    def command(self, bench, workload, folder, runs, seconds):
        return [self.program(bench), workload.kind, folder, runs, seconds]


class Cuda(Compiled):
    def prepare(self, bench):
        nvcc = shutil.which("nvcc") or (NVCC if Path(NVCC).exists() else "")
        if not nvcc:
            raise Failed("nvcc is not there")
        flags = ["-std=c++20", "-O3", "--fmad=false", "-arch=sm_80"]
        self.compile(self.program(bench), [nvcc, *flags, HERE / self.source, "-o", self.program(bench)])
        return output_of([nvcc, "--version"]).splitlines()[-2].split(",")[-1].strip()


class OpenCl(Compiled):
    def prepare(self, bench):
        if not Path("/usr/include/CL/cl.h").exists():
            raise Failed("the headers of OpenCL are not there (Debian: ocl-icd-opencl-dev)")
        super().prepare(bench)
        return "1.2"


class CSharp(Compiled):
    def prepare(self, bench):
        compiler, mono = need("mcs", "mono-mcs"), need("mono", "mono-runtime")
        program = Path(f"{self.program(bench)}.exe")
        self.compile(program, [compiler, "-optimize+", f"-out:{program}", HERE / self.source])
        return "Mono " + first_line([mono, "--version"]).split("version ")[-1].split()[0]

    def command(self, bench, *words):
        program, *rest = super().command(bench, *words)
        return ["mono", f"{program}.exe", *rest]


class Script(Technology):
    """A program of Python in the venv; `module` has its version."""

    def __init__(self, name, about, source, module, **more):
        super().__init__(name, about, source, **more)
        self.module = module

    def prepare(self, bench):
        try:
            return output_of([bench.python, "-c", f"import {self.module} as m; print(m.__version__)"])
        except Failed:
            raise Failed(f"the module {self.module} is not in the venv") from None

    def command(self, bench, workload, folder, runs, seconds):
        os.environ["NUMBA_CACHE_DIR"] = os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(bench.work / "cache")
        return [bench.python, HERE / self.source, workload.kind, folder, runs, seconds]


class R(Technology):
    def prepare(self, bench):
        return output_of([need("Rscript", "r-base-core"), "-e", "cat(as.character(getRversion()))"])

    def command(self, bench, workload, folder, runs, seconds):
        return ["Rscript", "--vanilla", HERE / self.source, workload.kind, folder, runs, seconds]


class HartiganWong(R):
    """Another algorithm, which moves points one by one: no labels to compare, but a sum of squares that is to be no worse"""

    def check(self, bench, workload, folder, facts):
        ours, wanted = float(facts["inertia"][0].strip()), self.inertia(bench, folder)
        return {"agreement": "no worse" if ours <= wanted * (1 + 1e-9) else "wrong", "differ": "", "error": ours / wanted - 1}

    @staticmethod
    def inertia(bench, folder):
        text = ("import sys, numpy as np; f = sys.argv[1]; p = np.fromfile(f + '/points.f32', np.float32).reshape(-1, 2);"
                "c = np.fromfile(f + '/next-centroids.f64').reshape(-1, 2); l = np.fromfile(f + '/next-labels.i32', np.int32);"
                "print(float(((p - c[l]) ** 2).sum()))")  # fmt: skip
        return float(output_of([bench.python, "-c", text, folder]))


class Dunlin(Technology):
    """Dunlin's command, through a script that reads its report and converts its files"""

    def prepare(self, bench):
        program = bench.options.build / "dunlin"
        if not program.exists():
            raise Failed(f"{program.name} is not built (./dev build)")
        return output_of([program, "--version"]).split()[-1]

    def command(self, bench, workload, folder, runs, seconds):
        script = [bench.python, HERE / "py_dunlin.py", workload.kind, folder, runs, seconds]
        return [*script, bench.options.build / "dunlin"]


def technologies():
    """By name, in the order of the table."""
    simd = ["-O3", "-march=native", "-fopenmp-simd"]
    tenth, tenths = {"kmeans-128": 10}, {"kmeans-4": 10, "kmeans-128": 10}
    every = [
        Compiled("C++ scalar", "plain loops, -O2 without vectors", "plain.cpp", "-O2", "-fno-tree-vectorize"),
        Compiled("C++ -O3", "plain loops, vectors of 16 bytes by the compiler", "plain.cpp", "-O3"),
        Compiled("C++ target_clones", "plain loops, vectors by processor", "plain.cpp", "-O3", "-DCLONES"),
        Compiled("C++ AVX-512", "intrinsics", "avx512.cpp", "-O3"),
        Compiled("C++ jthread", "a pool of threads, -march=native", "jthread.cpp", "-O3", "-march=native", "-pthread"),
        Compiled("OpenMP simd", "vectors only", "openmp.cpp", *simd),
        Compiled("OpenMP threads", "threads and vectors", "openmp.cpp", "-O3", "-march=native", "-fopenmp"),
        Compiled("OpenBLAS", "products of matrices, LAPACK", "openblas.cpp", "-O3", "-march=native", *OPENBLAS),
        OpenCl("OpenCL", "a processor by PoCL, or a GPU with a driver", "opencl.cpp", "-O3", "-lOpenCL"),
        Cuda("CUDA", "the first form of each kernel", "cuda.cu"),
        CSharp("C#", "Mono", "csharp.cs", smaller=tenth),
        R("R", "kmeans(\"Lloyd\"), whole vectors, a loop", "r.R", smaller={"waves": 16}),
        HartiganWong("R Hartigan-Wong", "kmeans(\"Hartigan-Wong\")", "r.R", kinds=("kmeans",),
                     environment={"R_KMEANS": "Hartigan-Wong"}, smaller={"kmeans-4": 10, "kmeans-128": 100}),
        Script("NumPy", "whole arrays; SciPy for systems", "py_numpy.py", "numpy", smaller=tenth),
        Script("Numba", "compiled loops", "py_numba.py", "numba"),
        Script("scikit-learn", "KMeans", "py_sklearn.py", "sklearn", kinds=("kmeans",), labels="next"),
        Script("py-pde", "equations as text", "py_pde.py", "pde", kinds=("waves",), labels="inner"),
        Script("torch", "tensors", "py_torch.py", "torch", smaller=tenths),
        Script("torch.compile", "fused loops", "py_torch.py", "torch", kinds=("kmeans", "waves"),
               environment={"TORCH_COMPILE": "1"}, smaller=tenths),
        Dunlin("Dunlin", "its command", "", kinds=("kmeans", "waves"), labels="next"),
    ]  # fmt: skip
    return {technology.name: technology for technology in every}
