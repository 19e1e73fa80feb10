"""The program that runs inside a sandbox: standard library only, importable without the rest of awp_core.

The folder is mounted on its own, so its modules import each other by relative names and nothing else of ours.
"""
