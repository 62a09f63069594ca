"""A reader of containers in Python and numpy: without the compiled library, and over the network.

It has the interface, the results and the messages of the compiled reader. Layers, each of which
uses those before it: `failures`, `source` (bytes of files and of URLs), `header` (META1), `damage`,
`tables` (META2 as a whole), `columns` (single tasks of tables that are far away), `mapping` (sets),
`checksums`, `members` (merged streams), `frames` and `zipped` (compressed ones), `generations`,
`sound` (which of these is read), `contents` (which bytes of which file are whose), `container`, and
`arrays` with its `index` and `records`.
"""
