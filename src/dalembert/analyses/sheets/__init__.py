"""Loads and how they are written: tables and pictures."""
