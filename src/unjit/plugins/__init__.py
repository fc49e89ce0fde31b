"""unjit in programs that run other people's code: pytest and IPython.

`for_pytest` and `for_ipython` are what these load.
"""
