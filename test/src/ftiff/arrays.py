"""The contents of arrays in the sample files. arrays.py <LIST writes, for each line FOLDER NAME of the list,
the arrays of the sample NAME to FOLDER/var_<id>.bin."""
import os
import re
import struct
import sys

# Elements of the arrays 1 to 5 at the seven checkpoints, in thousands; 0: not yet protected.
SIZES = [(1, 2, 3, 0, 0), (1, 2, 3, 4, 0), (1, 6, 7, 4, 0), (1, 6, 7, 4, 5), (1, 5, 6, 4, 5), (1, 8, 9, 4, 5),
         (1, 1, 2, 4, 5)]

for line in sys.stdin:
    folder, name = line.split()
    ckptid, kind, rank = re.fullmatch(r'Ckpt(\d)-(Rank|Pcof)(\d).fti', name).groups()
    rank = int(rank) if kind == 'Rank' else (int(rank) - 1) % 4  # a partner's copy: the neighbour in a ring
    os.makedirs(folder)
    for var, thousands in enumerate(SIZES[int(ckptid) - 1], 1):
        if thousands:
            first = var * 100000000 + rank * 1000000000
            values = [(first + k) % 2**32 for k in range(1000 * thousands)]
            with open('%s/var_%d.bin' % (folder, var), 'wb') as file:
                file.write(struct.pack('<%dI' % len(values), *values))
