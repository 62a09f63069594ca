#!/bin/sh
# All damaged numbers; see damaged.sh. Takes about 20 seconds.
DAMAGED=full
. "$srcdir/test/tools/damaged.sh"
