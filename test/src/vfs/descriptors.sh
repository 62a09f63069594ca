# The tests of sets of files again, with only two and three descriptors for each set.
. "$srcdir/test/harness.sh"
for number in 2 3; do
    for program in src/parallel/sets src/parallel/mapped src/parallel/atomic src/parallel/buddy \
        src/file/file src/array/many api/serial api/export api/stream_tasks api/atomic; do
        check "$program with $number descriptors" \
            env SION_DESCRIPTORS=$number "$builddir/test/$program"
    done
done
finish
