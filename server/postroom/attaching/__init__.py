"""Images that come with a message: found, read, converted, put into the body.

`collect` is the way in. Nothing is imported here: the worker, which lives in this
package, must start quickly, and a message without images needs none of it.
"""
