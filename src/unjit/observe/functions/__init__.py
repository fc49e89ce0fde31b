"""Functions as a person knows them: their names, their source, which function a wrapper or resume function stands for.

Begin with `names`. It is read from code objects and files, and of resume functions from what Dynamo keeps of them.
"""

from __future__ import annotations
