# comes back as written
import os, sys
import json
import re, string as s, os.path


def f():
    import random, bisect
    import heapq
    return random, bisect, heapq
