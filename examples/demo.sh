#!/bin/sh
# What `make demo` shows. $1: the folder of the Python that has unjit and torch.
set -eu
bin=$1
backend=inductor
why=$("$bin/python" - <<'PY'
import pathlib, shutil, sysconfig
if not (shutil.which("g++") or shutil.which("clang++")):
    print("there is no C++ compiler (g++)")
elif not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists():
    print("the Python headers (Python.h) are not installed")
PY
)
if [ -n "$why" ]; then
    backend=aot_eager
    echo "demo: with the backend aot_eager instead of inductor, because $why"
fi
echo "$ unjit run examples/train.py $backend"
"$bin/unjit" run examples/train.py "$backend"
cat <<TEXT

The program is examples/train.py; unjit is in $bin; it wrote no file. Next, try:
  $bin/unjit run --only loss_of examples/train.py $backend     # one function in full: guards, code, graphs
  $bin/unjit run --json report.json examples/train.py              # everything, as data
  $bin/unjit run your_program.py --with --its --arguments
  $bin/unjit decompile json.decoder:JSONDecoder.decode        # a function from its bytecode
TEXT
