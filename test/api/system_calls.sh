# Only vfs makes system calls for files: no other object of the libraries and tools refers to one of
# these calls, so a test that makes the calls of vfs fail reaches all of them. src/run is no part of
# the libraries: it is in programs that know nothing of them, in the place of these calls.
. "$srcdir/test/harness.sh"

NM=${NM:-nm}
command -v "$NM" >/dev/null || skip_all 'no nm'
has_sanitizers && skip_all 'sanitizers refer to calls of their own'

forbidden='(open|openat|creat|fopen|fdopen|freopen|tmpfile|mkstemp|mkdtemp|opendir|fdopendir|readdir|scandir|glob|nftw|ftw|x?stat|l?stat|lx?stat|fx?stat|fstatat|statx|statfs|statvfs|access|faccessat|euidaccess|realpath|canonicalize_file_name|readlink|rename|renameat|link|symlink|unlink|unlinkat|remove|mkdir|mkdirat|rmdir|chmod|fchmod|chown|utimes|utimensat|futimens|read|readv|pread|preadv|write|writev|pwrite|pwritev|lseek|fsync|fdatasync|sync|truncate|ftruncate|fallocate|posix_fallocate|copy_file_range|sendfile|mmap|close|dup|dup2|dup3|fcntl|ioctl)'

# calls LIST: lines "OBJECT CALL" of the forbidden calls that these objects refer to, without the
# decorations of the C library
calls()
{
    xargs "$NM" -A -u <"$1" | sed -E 's/: *[Uw] (__)?/ /; s/@.*//; s/(_chk|_2)$//; s/64$//' |
        grep -E " $forbidden\$" | sort -u
}

# Calls that other objects may make, because they are not for data files.
allowed()
{
    case $1 in
    */base/*trace.o) printf '%s\n' close fdopen open ;;    # the trace: base is below vfs
    */sionarray/plot.o | */sionls.o) echo ioctl ;;         # the terminal's size
    */sionrun-child.o | */sionrun-workers.o) printf '%s\n' close open read write ;; # pipes to processes
    */sionrun-namespace.o) printf '%s\n' close dup2 open read write ;; # the same, and what the system has of namespaces
    */fortran/*convert.o) printf '%s\n' close read write ;; # a pipe tests if memory is writable
    esac
}

find "$builddir/src" "$builddir/utils" -name '*.o' ! -path '*/vfs/*' ! -path '*/src/run/*' | sort >"$scratch/objects"
calls "$scratch/objects" | while read -r object call; do
    allowed "$object" | grep -qx "$call" || echo "${object#"$builddir"/}: $call"
done >"$scratch/found"

check 'there are objects to check' test "$(wc -l <"$scratch/objects")" -gt 50
: >"$scratch/none"
check 'only vfs makes system calls for files' same "$scratch/none" "$scratch/found"

# Some variables name files to write, which programs that run with other users' rights must ignore.
# (Those of SCR only name a job.)
find "$builddir/src" -name '*.o' ! -path '*/scr/*dataset*' | xargs "$NM" -A -u | grep ' U getenv$' >"$scratch/found"
check 'only secure_getenv reads the environment' same "$scratch/none" "$scratch/found"

# The search works if it finds the calls of vfs itself.
find "$builddir/src/vfs" -name '*system.o' | head -n 1 >"$scratch/objects"
calls "$scratch/objects" >"$scratch/calls"
for call in open stat rename mkdir unlink realpath; do
    check "the search finds that vfs calls $call" grep -q " $call\$" "$scratch/calls"
done
finish
