#!/bin/sh
# Damaged numbers and seven programs that read them: a part of the product; damaged_all.sh reads all.
. "$srcdir/test/tools/lib.sh"

length=${DAMAGED:-short}
if ! command -v python3 >/dev/null 2>&1; then
    skip 'damaged numbers' 'no python3'
    finish
    exit
fi

# reads NAME [checksum]: the programs deliver what is right, or notice. Prints what they do not.
reads()
{
    name=$1
    shift
    python3 "$srcdir/test/tools/damaged.py" "$builddir" "$GOLDEN" "$scratch" "$length" "$@"
    result $? "$name"
}

reads 'damaged numbers are noticed, or only those that no program can notice'
if "$builddir/test/tools/tasks" write "$scratch/probe.sion" wb,checksum 2>/dev/null; then
    reads 'with checksums, every damaged number and byte is noticed' checksum
else
    skip 'with checksums' 'neither ISA-L nor zlib'
fi
finish
