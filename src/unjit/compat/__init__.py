"""Interfaces of other tools, offered by unjit: depyf."""

from __future__ import annotations
