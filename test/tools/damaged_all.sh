#!/bin/sh
# All damaged numbers; see damaged.sh. Takes some minutes.
DAMAGED=full
. "$srcdir/test/tools/damaged.sh"
