"""What the person who runs the server can see of it: the log, metrics, traces.

All of it is fed at one place, the door (door.py), whatever surface a call came through.
"""
