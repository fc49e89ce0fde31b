"""Docstring."""
from __future__ import generator_stop
global declared
import sys
from os import *
from . import sibling
from ..package import name as other

for name in sys.argv:
    if name:
        break
else:
    name = None
with open(name) as file:
    text = file.read()
try:
    import json
except ImportError:
    json = None
declared = 1
x: int
y: list[int] = []
while x:
    x -= 1
if name == 'a':
    main()
elif name == 'b':
    sys.exit()
else:
    other()
if name:
    try:
        main()
    except OSError as error:
        sys.exit(error.errno)
