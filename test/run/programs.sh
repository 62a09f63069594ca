# Programs of all kinds print the same with the library and without, leave the same files, and leave them in the tree.
. "$srcdir/test/run/lib.sh"
sources=$(cd "$srcdir/test/run" && pwd)
top=$(realpath "$scratch")

# What is in m: modes, links and bytes.
cat >"$top/names" <<'SCRIPT'
find m -printf '%p %y %m %l\n' | sort
find m -type f | sort | xargs -r cksum
SCRIPT

# same_program NAME COMMAND...: in a new folder without the library, and in another one with it
same_program()
{
    name=$1
    shift
    for way in plain run; do
        mkdir -p "$top/$name/$way/w/m" || return 1
        echo before >"$top/$name/$way/w/m/before"
        session "$name.$way" "$top/$name/$way/w" 'f:m/**'
        cd "$top/$name/$way/w" || return 1
        case $way in plain) as=env ;; *) as=redirected ;; esac
        { $as "$@" && $as sh "$top/names" >../names; } >../log 2>&1 </dev/null || {
            cat ../log
            return 1
        }
        cd "$top" || return 1
    done
    same "$name/plain/log" "$name/run/log" && same "$name/plain/names" "$name/run/names" &&
        test "$(wc -l <"$name/plain/names")" -gt 2 &&
        test "$(find "$name/run/w" ! -type d | wc -l)" -le 1
}
check 'tools of a shell' same_program tools sh "$sources/tools.sh"

if "${FC:-gfortran}" -o "$top/units" "$sources/units.f90" >"$top/log" 2>&1; then
    check 'Fortran' same_program fortran "$top/units"
else
    skip 'Fortran' 'no compiler'
fi
if "${CXX:-c++}" -std=c++17 -o "$top/streams" "$sources/streams.cc" >"$top/log" 2>&1; then
    check 'C++' same_program cxx "$top/streams"
else
    skip 'C++' 'no compiler for C++17'
fi
if test -n "$PYTHON"; then
    check 'Python' same_program python "$PYTHON" "$sources/files.py"
else
    skip 'Python' 'no Python'
fi

# Other libraries of this kind: they see the calls, wherever they are.
$CC -shared -fPIC -o "$top/wrapper.so" "$sources/wrapper.c" -ldl >"$top/log" 2>&1
result $? 'another library is compiled'
printf '%s\n' '#include <fcntl.h>' '#include <sys/stat.h>' '#include <unistd.h>' \
    'int main(void) { struct stat s; int fd = open("m/seen", O_RDWR | O_CREAT, 0600);' \
    'return write(fd, "x", 1) != 1 || stat("m/seen", &s) != 0 || s.st_size != 1; }' >"$top/seen.c"
$CC -o "$top/seen" "$top/seen.c"
# with LIBRARIES: the program writes to the tree, and the other library has seen it
with()
{
    rm -rf "$top/o" && mkdir -p "$top/o/m" && cd "$top/o" || return 1
    session "others.$1" "$top/o" 'f:m/**'
    WRAPPER=1 SION_RUN_SESSION=$session LD_PRELOAD=$2 "$top/seen" 2>"$top/said" &&
        grep -q 'wrapper 1 1' "$top/said" && test -s "$session/tree.$(basename "$session")/m/seen" && test ! -e m/seen
}
check 'another library before it' with before "$top/wrapper.so:$library"
check 'and behind it' with behind "$library:$top/wrapper.so"
finish
