#!/bin/sh
# sionmerge puts files into a container, and sionsplit extracts them again.
. "$(dirname "$0")/lib.sh"

cd "$scratch" || exit 99
mkdir in parts
head -c 1000 /dev/urandom >in/a
: >in/b
head -c 3000000 /dev/urandom >in/c
printf x >'in/d with blank'

run sionmerge all.sion in/*
check 'files become tasks' succeeded
check 'nothing is printed' printed /dev/null
run sionsplit all.sion parts/
check 'tasks become files again' succeeded
check 'the first file' same parts/00000 in/a
check 'an empty file' same parts/00001 in/b
check 'a file larger than the buffer' same parts/00002 in/c
check 'the last file' same parts/00003 'in/d with blank'
run siondump -al all.sion
check 'global ranks count from 0' grep -q '^Task 03: size=         1 B glblrnk=   3 #blks= 1 ' \
    "$scratch/out"

printf '%s\n' in/a '' in/b in/c 'in/d with blank' >list
cp all.sion kept
run sionmerge -T list all.sion
check '-T: names in a list' same all.sion kept
printf '%s\n' in/a in/b in/c 'in/d with blank' | run sionmerge --files-from=- all.sion
check '-T -: names from standard input' same all.sion kept
run sionmerge -q 1 -v all.sion in/a in/b
check '-v' grep -qx 'sionmerge: task     0:         1000 bytes of in/a' "$scratch/out"
run siondump all.sion
check '-q' grep -qx 'siondump: filesystem blocksize:      1 bytes (  0.00 MB)' "$scratch/out"
run sionmerge -Q 1 all.sion in/a in/b
run siondump all.sion
check '-Q' grep -qx 'siondump: filesystem blocksize:      1048576 bytes (  1.00 MB)' "$scratch/out"

# A split and a merge make the same container as siondefrag, except for the stored global ranks.
for sample in s01_single s02_unequal4 s04_multichunk s09_many1000 s11_fsblk1 s12_allzero; do
    run siondefrag -q 512 "$GOLDEN/serial/$sample.sion" same.sion
    mv same.sion wanted
    rm -rf parts
    mkdir parts
    run sionsplit "$GOLDEN/serial/$sample.sion" parts/
    run sionmerge -q 512 same.sion parts/*
    check "$sample: the inverse of sionsplit" same same.sion wanted
done

# ---- errors, which leave no container behind ----

rm -f all.sion
run sionmerge all.sion in/a in/missing
check 'a missing file' failed_with 2 'cannot read in/missing: No such file'
run sionmerge all.sion in/a in
check 'a folder' failed_with 2 'cannot read in: not a regular file'
run sionmerge all.sion in/a /dev/null
check 'a device' failed_with 2 'cannot read /dev/null: not a regular file'
run sionmerge -T missing all.sion
check 'a missing list' failed_with 2 'names in missing: No such file'
: >empty
run sionmerge -T empty all.sion
check 'an empty list' failed_with 1 'no files'
check 'no container is made' test ! -e all.sion
cp in/a in/self
run sionmerge in/self in/a in/self
check 'an input as output' failed_with 2 'outfile in/self is one of the files'
check 'the input does not change' same in/self in/a
cp list in/list
run sionmerge -T in/list in/list
check 'the list as output' failed_with 2 'outfile in/list is the list of names'
check 'the list does not change' same in/list list
run sionmerge missing/all.sion in/a
check 'an output in a missing folder' failed_with 2 'missing/all.sion'
status=0
(
    trap '' XFSZ
    ulimit -f 100
    "$builddir/sionmerge" all.sion in/c
) >"$scratch/out" 2>"$scratch/err" || status=$?
check 'a full disk' failed_with 2 'all.sion'
check 'an unfinished output is removed' test ! -e all.sion
run sionmerge -T list all.sion in/a
check 'a list and operands' ended 1

finish
