# Prints the layers for Graphviz, as the linker sees them: layers.sh SOURCES BUILD
# A folder calls another one if one of its objects needs a symbol that only the other one defines.
set -e
sources=$(cd "$1" && pwd)
cd "$2"

# What stands in a folder, in the order of the picture
labels='programs|programs in\nC, Fortran, C++
tools|tools\nutils/
python|Python\npython/
fortran|Fortran\nfortran/
cxx|C++\ncxx/
array|arrays\narray/
scr|files of SCR\nscr/
ftiff|files of FTI\nftiff/
api|public functions\napi/
recover|recovery\nrecover/
stage|parts on the nodes\nstage/
pack|packed files\npack/
parallel|all tasks together\nparallel/
file|containers and files\nfile/
comm|communicators\ncomm/
keyval|records with keys\nkeyval/
stream|the bytes of one task\nstream/
format|bytes of the metadata\nformat/
geometry|offsets of chunks\ngeometry/
vfs|system calls\nvfs/
run|sessions of sionrun\nrun/
crc|CRCs by zlib or ISA-L\ncrc/
device|memory of devices\ndevice/
base|errors, messages, sids\nbase/'

for folder in "$sources"/src/*/; do
    folder=$(basename "$folder")
    printf '%s\n' "$labels" | grep -q "^$folder|" || test "$folder" = abi || {
        echo "layers.sh: src/$folder has no label" >&2
        exit 1
    }
done

# base/beside.c is left out: it stands for base/error.c in the libraries that are linked with libsion.
calls()
{
    {
        nm -A src/*/*.o src/scr/*/*.o utils/*.o utils/*/*.o
        grep -oE '\bsion_[a-z0-9_]+\(' "$sources/python/sion/_declarations.py" |
            sed 's|\(.*\)(|python/python/declarations: U \1|'
    } | awk '
        /^src\/base\/[^:]*beside\.o:/ { next }
        { split($1, path, "/"); folder = path[1] == "utils" ? "tools" : path[2] }
        $(NF - 1) == "U" { uses[folder " " $NF]; next }
        $(NF - 1) ~ /^[TDBRVWCSG]$/ { home[$NF] = home[$NF] && home[$NF] != folder ? "several" : folder }
        END {
            for (use in uses) {
                split(use, part, " ")
                callee = home[part[2]]
                if (callee && callee != "several" && callee != part[1])
                    print "    " part[1] " -> " callee
            }
        }' | LC_ALL=C sort -u
}

cat <<DOT
// The layers of the library: a layer calls those below it. Made by layers.sh from the objects.
digraph layers {
    graph [rankdir=TB, nodesep=0.2, ranksep=0.4, fontname="sans-serif", bgcolor="white"]
    node [shape=box, style="rounded,filled", fillcolor="#eef3fa", color="#5b7db1",
          fontname="sans-serif", fontsize=12, margin="0.12,0.07"]
    edge [color="#5b7db1", arrowsize=0.7]
DOT
printf '%s\n' "$labels" | sed 's/\(.*\)|\(.*\)/    \1 [label="\2"]/'
calls
cat <<DOT
    programs -> {api array fortran cxx scr ftiff} // by their own symbols
    base -> crc [style=dashed] // loaded at run time
}
DOT
