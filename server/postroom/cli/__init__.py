"""The command line: every method of the contract, and short forms of the common ones.

Commands speak the JSON routes of a running server. None takes an answer from the
database, so what is shown is never older than what the server knows.
"""
