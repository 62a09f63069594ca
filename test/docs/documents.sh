# Tries every code block of the guide, and the named ones of other documents, with an installed
# library: compiles and runs the programs, and compares their output with the document.
#
# After the fence comes the language, then a name, then what else the block needs:
#
#   ```c write.c                      a file of this name
#   ```c fill in mpi                  a part of a program: the rest is frames/mpi.c
#   ```sh run needs mpi f90           commands; builds without one of these parts skip them
#   ```text run                       the output of the commands with this name; "..." is any text
# shellcheck disable=SC2034
name=docs
. "$srcdir/test/api/installed.sh"
sources=$(cd "$srcdir" && pwd)

# ---- what the commands in documents are called here ----

# command_is NAME TEXT
command_is()
{
    printf '#!/bin/sh\n%s\n' "$2" >"$root/tools/$1" && chmod +x "$root/tools/$1"
}
# compiler_is NAME COMMAND [LIBRARIES]: the command may have the same name
compiler_is()
{
    command_is "$1" "PATH='$compilers' exec $2 \"\$@\" $3"
}
compilers=$PATH
mkdir -p "$root/tools" || exit 99
skip_bindings='-DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX'
compiler_is cc "${CC:-cc}"
compiler_is c++ "$(setting CXX)"
compiler_is gfortran "$(setting FC)"
compiler_is mpicc "${CC:-cc} $mpi_flags" "$mpi_libs"
compiler_is mpicxx "$(setting CXX) $skip_bindings $mpi_flags" "$mpi_libs"
compiler_is mpifort "$(setting FC) $(setting MPI_FCFLAGS)" "$(setting MPI_FCLIBS)"
command_is python3 "exec $(command -v "${PYTHON:-python3}") \"\$@\""
command_is mpiexec "shift; exec timeout -k 5 100 sh '$LAUNCH' \"\$@\""
command_is sionconfig "'$P/bin/sionconfig' \"\$@\""
PATH=$root/tools:$P/bin:$PATH
LD_LIBRARY_PATH=$libdir
PYTHONPATH=$P/$(setting pythondir | sed 's:^[^/]*/::')
PYTHONDONTWRITEBYTECODE=1
export LD_LIBRARY_PATH PYTHONPATH PYTHONDONTWRITEBYTECODE PATH

# ---- the parts of this build ----

has_python()
{
    [ -n "$PYTHON" ] && [ -d "$PYTHONPATH/sion" ] && "$PYTHON" -c 'import sion' 2>/dev/null
}
# It must use the same MPI.
has_mpi4py()
{
    . "$sources/test/bindings/python/lib.sh"
    [ -n "$has_mpi" ] && has_python && [ "$(mpi4py_flavour)" = "$MPI_FLAVOUR" ]
}
can_mount()
{
    [ -x "$P/bin/sionmount" ] && command -v fusermount3 && mkdir "$scratch/mount" &&
        "$P/bin/sionmount" "$GOLDEN/serial/s01_single.sion" "$scratch/mount" &&
        fusermount3 -u "$scratch/mount"
} >/dev/null 2>&1
parts()
{
    [ -z "$has_mpi" ] || echo mpi
    [ -z "$has_omp" ] || echo omp
    [ -z "$has_ompi" ] || echo ompi
    [ ! -f "$libdir/libsionser_cxx_64.a" ] || echo cxx
    [ ! -f "$libdir/libsionser_f90_64.a" ] || echo f90
    [ "$(setting have_mpi_fortran)" != yes ] || echo mpi_f90
    [ ! -f "$libdir/libsion_checksum.so" ] || echo checksum
    [ ! -f "$libdir/libsionfti_64.a" ] || echo fti
    ! has_python || echo python
    ! has_mpi4py || echo mpi4py
    ! can_mount || echo fuse
    [ ! -e "$libdir/scion/libsion_run.so" ] || echo shared
}
has=" $(parts | tr '\n' ' ')"

# missing_of WORD...: prints the first part that this build lacks
missing_of()
{
    for word; do
        case $has in
        *" $word "*) ;;
        *) echo "$word" && return ;;
        esac
    done
}

# ---- the blocks ----

# Prints the name of a test for a block.
at()
{
    echo "${document##*/}, line $line: $*"
}

# commands NUMBER NAME: runs them in the folder of the document, and keeps their output
commands()
{
    (cd "$work" && timeout -k 5 300 sh -e "$blocks/$1") >"$blocks/$2.out" 2>&1 </dev/null
    status=$?
    without_mpi_lines "$blocks/$2.out"
    [ $status -eq 0 ] || show "$blocks/$2.out"
    return $status
}

# file NUMBER NAME [in FRAME]
file()
{
    [ "$3" = in ] || {
        cp "$blocks/$1" "$work/$2"
        return
    }
    awk -v part="$blocks/$1" '!/@part@/ { print; next }
        { while ((getline line <part) > 0) print line }' "$sources/test/docs/frames/$4.c" >"$work/$2.c"
    # The first line tells how to build and run it.
    sed -n "1s:.*\$ \(.*\) \*/:\1:; 1s:NAME:$2:gp" "$work/$2.c" >"$blocks/$1.sh"
    (cd "$work" && sh -e "$blocks/$1.sh") </dev/null
}

# block NUMBER LANGUAGE NAME [in FRAME] [needs PART...]
# shellcheck disable=SC2086
block()
{
    number=$1 language=$2 block=$3
    frame='' needs=''
    shift 3
    [ "$1" != in ] || { frame="in $2" && shift 2; }
    [ "$1" != needs ] || { shift && needs=$*; }
    missing=$(missing_of $needs)
    if [ "$language" = text ]; then
        # Commands that were skipped have no output.
        [ -z "$needs" ] && [ ! -f "$blocks/$block.out" ] && return
        check "$(at "$block prints this")" awk -f "$sources/test/docs/matches.awk" \
            "$blocks/$number" "$blocks/$block.out"
    elif [ -n "$missing" ]; then
        skip "$(at "$block")" "this build has no $missing"
    elif [ "$language" = sh ]; then
        check "$(at "$block")" commands "$number" "$block"
    else
        check "$(at "$block")" file "$number" "$block" $frame
    fi
}

# blocks_of DOCUMENT FOLDER [all]: tries all blocks in order, in a folder that documents may share
blocks_of()
{
    document=$1
    work=$root/$2
    blocks=$root/${document##*/}.blocks
    mkdir -p "$work" && mkdir "$blocks" || exit 99
    awk -v folder="$blocks" -f "$sources/test/docs/blocks.awk" "$sources/$document" \
        >"$blocks/index" || exit 99
    while read -r number line info; do
        # shellcheck disable=SC2086
        case $info in
        *' '*) block "$number" $info ;;
        *) [ -z "$3" ] || result 1 "$(at "a block without a name: '$info'")" ;;
        esac
    done <"$blocks/index"
}

# Nothing would try a program that no command names.
every_file_is_used()
{
    awk '$3 != "sh" && $3 != "text" && $5 != "in" { print $4 }' "$blocks/index" | sort -u |
        while read -r used; do
            awk '$3 == "sh" { print $1 }' "$blocks/index" |
                (cd "$blocks" && xargs grep -qw -- "${used%.*}") || { echo "$used" && exit 1; }
        done
}
every_output_has_commands()
{
    awk '$3 == "sh" { there[$4] = 1 } $3 == "text" && !there[$4] { print $4; bad = 1 } END { exit bad }' \
        "$blocks/index"
}

blocks_of README.md readme
blocks_of doc/install.md install
blocks_of doc/fti-ff.md fti-ff
check 'the examples of these documents are run' test "$tests" -gt 6
for page in first fast safe data reading; do
    blocks_of doc/guide-$page.md guide all
    check "a command runs every program of guide-$page.md" every_file_is_used
    check "commands print every output of guide-$page.md" every_output_has_commands
done
finish
