"""Functions as a person knows them: their names, their source, which function a wrapper or resume function stands for.

Begin with `names`. All of it is read from code objects and files; Dynamo is not asked.
"""

from __future__ import annotations
