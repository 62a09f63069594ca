# The tests of sets of files again, with only two and three descriptors for each set.
. "$srcdir/test/harness.sh"
programs='src/parallel/sets src/parallel/mapped src/parallel/buddy src/file/file src/array/many api/serial
    api/export api/stream_tasks api/atomic'
for number in 2 3; do
    for program in $programs; do
        check "$program with $number descriptors" \
            env SION_DESCRIPTORS=$number "$builddir/test/$program"
    done
done
check 'src/parallel/atomic with 2 descriptors' env SION_DESCRIPTORS=2 "$builddir/test/src/parallel/atomic"
finish
