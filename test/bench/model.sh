# bench/parts counts messages and calls of each rank; bench/model.py computes from them what many ranks would need.
. "$srcdir/test/harness.sh"
[ -x "$builddir/bench/parts" ] || skip_all 'no MPI, or --disable-parutils'
command -v python3 >/dev/null || skip_all 'no python3'
model=$(cd "$srcdir" && pwd)/bench/model.py
cd "$scratch" || exit 99

# ---- what is counted ----

counted() {
    mpi_run "$1" "$builddir/bench/parts" parts.sion >parts 2>err || { cat parts err && return 1; }
    [ ! -e parts.sion ] || return 1
    grep -E ',(bcast|gather|scatter|allreduce|split|gatherv|scatterv|exscan|message),' parts >all
    grep -vE ' (in files|by node)' all >messages
    cat >wanted <<'END'
open,first,gather,1,32
open,first,scatter,1,32
open,first,allreduce,1,88
open,other,gather,1,32
open,other,scatter,1,32
open,other,allreduce,1,88
close,first,gather,1,8
close,first,allreduce,2,16
close,other,gather,1,8
close,other,allreduce,2,16
open for reading,first,gather,1,32
open for reading,first,scatter,1,32
open for reading,first,allreduce,1,88
open for reading,other,gather,1,32
open for reading,other,scatter,1,32
open for reading,other,allreduce,1,88
open of many,first,bcast,1,56
open of many,first,allreduce,2,232
open of many,other,bcast,1,56
open of many,other,allreduce,2,232
close of many,first,allreduce,2,56
close of many,other,allreduce,2,56
open for reading of many,first,bcast,1,160
open for reading of many,first,allreduce,2,232
open for reading of many,first,exscan,1,8
open for reading of many,other,bcast,1,160
open for reading of many,other,allreduce,2,232
open for reading of many,other,exscan,1,8
END
    same messages wanted
}
check 'the collectives of 2 ranks, and their bytes' counted 2
check 'those of 4 ranks are the same' counted 4
collectives() { awk -F, -v step="$1" '$1 == step && $2 == "other" && $3 != "message" { n += $4 } END { print n + 0 }' all; }
sets_need() {
    for kind in 'in files' 'by node'; do
        for step in open close 'open for reading'; do
            echo "$step $kind: $(collectives "$step $kind"), of many: $(collectives "$step $kind of many")"
        done
    done >needed
    cat >wanted <<'END'
open in files: 6, of many: 5
close in files: 3, of many: 2
open for reading in files: 6, of many: 6
open by node: 10, of many: 7
close by node: 3, of many: 2
open for reading by node: 6, of many: 6
END
    same needed wanted
}
check 'sets, too' sets_need
opens_once() { [ "$(grep -c "^open[a-z ]*,other,open file,1,0$" parts)" -ge 12 ]; }
check 'each other rank opens the file once' opens_once
check 'the first rank writes META1: 1076 bytes, and 16 for each rank' grep -qx 'open,first,write,1,1140' parts
reads_its_own() { grep -qx 'open for reading of many,other,read,3,24' parts && ! grep '^open for reading,other,read' parts; }
check 'each of many ranks reads 3 numbers, of few none' reads_its_own
no_write() { ! grep 'other,write' parts && grep -q '^close,first,write,' parts; }
check 'the close writes on the first rank only' no_write
alone() { ! mpi_run 1 "$builddir/bench/parts" parts.sion >out 2>&1 && grep -q '^Usage' out; }
check 'a single rank is not enough' alone

# ---- what is computed: a machine of round numbers, 2^k ranks in so many steps ----

cat >machines <<'END'
#name latency message bandwidth call client create open examine
round 1000    1       1         1000 1      1000   10000 100000
END
cat >parts <<'END'
step,rank,part,count,bytes
open,first,gather,1,100
open,first,allreduce,2,0
open,other,open file,1,0
open,other,examine,2,0
close,first,gatherv,1,100
open of many,first,gather,1,100
open of many,first,allreduce,2,0
open of many,other,open file,1,0
open of many,other,examine,2,0
open for reading,other,create,1,0
open for reading of many,first,exscan,1,0
open for reading of many,other,create,1,0
open for reading of many,other,read,3,24
END
cat >growth <<'END'
tasks,files,operation,milliseconds,kibibytes,calls,bytes
1000,1,create,9,9,9,9
100000,1,first task: open,1000,1024,10,1000000000
1100000,1,first task: open,11000,11264,20,2000000000
100000,1,first task: close,0,1024,0,0
200000,1,first task: close,0,1024,0,0
100000,1,first task: open for reading,0,1024,0,0
200000,1,first task: open for reading,0,2048,0,0
100000,2,first task: open,99,99,99,99
END
# computed RANKS STEP CELLS: the columns from messages on
computed() {
    python3 "$model" parts growth machines >table || return 1
    grep -F "| round | $1 | $2 | " table >line
    cat line
    [ "$(sed 's/^| round | [^|]* | [^|]* | //' line)" = "$3 |" ]
}
# 17 steps: gather 0.017 + 1e5 * 100 B / 1 GB/s, allreduce 2 * 2 * 0.017; 1 s, 10 calls, 1 GB; 10 s and 2 s
check 'an open: messages, the first rank, all others; a file per task; memory' \
    computed 1e5 open '0.095 | 2.01 | 12 | 14.1 | 100 | 1'
check 'many ranks, between and beyond what was measured, in a line' computed 1e6 open '0.2 | 11.9 | 120 | 132 | 1e+03 | 10'
check 'a close: each message costs work where sizes differ' computed 1e5 close '0.127 | 0 | 0 | 0.127 | 0.001 | 1'
check 'more ranks than measured' computed 1e7 'open for reading' '0.024 | 0 | 1e+04 | 1e+04 | 1e+03 | 100'
check 'all machines, three steps, three numbers of ranks' eval 'test "$(wc -l <table)" -eq 11'

# Ten files of 1e5 ranks: the first rank does for one what 1e4 ranks cost, and 1.9 s, 10.9 calls and 1.9 MiB more.
cat >>growth <<'END'
10000,10,first task: open,2000,2048,20,0
1000000,10,first task: open,2000,2048,20,0
END
cat >>parts <<'END'
open in files,first,allreduce,1,0
open in files,other,open file,1,0
END
for step in 'open in files of many' 'close in files' 'open for reading in files'; do
    echo "$step,first,allreduce,1,0"
    echo "${step% of many} of many,first,allreduce,1,0"
done >>parts
sed -i 's/examine$/examine node/; s/ 100000$/ 100000 1000/' machines
set_computed() {
    files=$1
    shift
    python3 "$model" "--files=$files" parts growth machines >table 2>err
    cat err
    grep -F "| round | $1 | $2 | " table >line
    cat line
    [ "$(sed 's/^| round | [^|]* | [^|]* | //' line)" = "$3 |" ]
}
check 'a set' set_computed 10 1e5 open '0.034 | 2.93 | 10 | 13 | 100 | 2'
check 'as many files as the nodes have' eval 'python3 "$model" --files=node parts growth machines 2>&1 | grep -q "of \"open by node\""'
refused() {
    python3 "$model" "$@" >out 2>&1
    [ $? -eq 2 ] && [ "$(wc -l <out)" -eq 1 ] && grep '^model.py: ' out
}
check 'a file that is not there' refused nothing growth machines
head -n 4 growth >short
check 'too little that was measured' refused parts short machines
echo 'odd 1 2' >>machines
check 'a machine with too few numbers' refused parts growth machines
presets() { python3 "$model" parts growth >table && [ "$(wc -l <table)" -ge 20 ]; }
check 'the machines that come with it' presets
check 'help' eval 'python3 "$model" --help | grep -q "What is assumed"'
finish
