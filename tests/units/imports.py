import a
import a.b
import a.b as c
import a.b.c.d as e
from . import f
from .. import g as h, i
from .j.k import l
from m import n as o, p
