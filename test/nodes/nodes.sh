#!/bin/sh
# Nodes on one machine: namespaces with a host name, a network address, processes and local memory of
# their own, which a bridge joins. All other folders are the same on each node. Needs util-linux, iproute2
# and MPICH; works without root where users may make namespaces.
#
#   nodes.sh up FOLDER [N]              makes the nodes node1 to nodeN (2), and "front", where jobs start
#   nodes.sh run FOLDER NP COMMAND...   runs an MPI program with NP ranks on the nodes that are alive, one
#                                       node after the other, or with $IN_TURN, one rank after the other
#   nodes.sh on FOLDER NODE COMMAND...  runs a command on a node
#   nodes.sh kill FOLDER NODE           the node dies: all its processes are killed at once
#   nodes.sh cut FOLDER NODE            the link of the node goes down; join: it goes up again
#   nodes.sh down FOLDER                ends all nodes, and removes the folder
#
# FOLDER is a new folder for the state. FOLDER/local is a file system in memory that only the node sees, and so is
# /dev/shm. FOLDER/shared is seen by all nodes.
set -u
fail()
{
    echo "nodes.sh: $*" >&2
    exit 1
}
[ $# -ge 2 ] || {
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
action=$1
[ "$action" != up ] || mkdir "$2" || exit 1
state=$(cd "$2" && pwd) || exit 1
shift 2
[ "$action" = up ] || [ -x "$state/launch" ] || fail "$state is no folder of nodes"
user=
[ "$(id -u)" -eq 0 ] || user=1
enter="nsenter -m -u -i -n -p -t"

# The first process of a node waits until it is killed, and all others die with it. It prints its number,
# which is that on the front; that of the front's is the one outside.
# shellcheck disable=SC2016
first_process='
    read -r pid rest </proc/self/stat
    mount --make-rprivate / && mount -t proc proc /proc && mount --bind "$1" /mnt &&
        mount -t tmpfs shm /dev/shm && mkdir -p "$1" && mount -n --move /mnt "$1" &&
        mount -t tmpfs local "$1/local" && mount --bind "$1/hosts" /etc/hosts &&
        hostname "$2" && ip link set lo up && eval "$3" && echo "$pid" && exec sleep infinity >/dev/null 2>&1'

# inside NODE COMMAND...: in the same working folder
# shellcheck disable=SC2086
inside()
{
    node=$1
    shift
    [ -s "$state/$node" ] || fail "$node is not alive"
    set -- sh -c 'cd "$1" && shift && exec "$@"' sh "$PWD" "$@"
    [ "$node" = front ] || set -- $enter "$(cat "$state/$node")" -- "$@"
    nsenter ${user:+--preserve-credentials -U} -m -u -i -n -p -t "$(cat "$state/front")" -- "$@"
}

# begin NODE SETUP: makes the namespaces of a node
begin()
{
    name=$1
    where=
    users=${user:+--user --map-root-user}
    [ "$name" = front ] || { where="inside front"; users=; }
    # shellcheck disable=SC2086
    $where nohup unshare $users --mount --uts --ipc --net --pid --fork --kill-child \
        sh -c "$first_process" sh "$state" "$name" "$2" 2>"$state/$name.log" </dev/null >"$state/$name.pipe" &
    read -r pid <"$state/$name.pipe" || fail "cannot make $name: $(cat "$state/$name.log")"
    echo "$pid" >"$state/$name"
}

up()
{
    number=${1:-2}
    mkdir -p "$state/local" "$state/shared"
    {
        echo '127.0.0.1 localhost'
        echo '10.99.0.254 front'
        for i in $(seq "$number"); do echo "10.99.0.$i node$i"; done
    } >"$state/hosts"
    # What hydra takes for ssh: -x NODE COMMAND
    cat >"$state/launch" <<END
#!/bin/sh
[ "\$1" != -x ] || shift
node=\$1
shift
exec $enter "\$(cat "$state/\$node")" -- sh -c "\$*"
END
    chmod +x "$state/launch"
    for name in front $(seq -f node%g "$number"); do mkfifo "$state/$name.pipe"; done
    begin front 'ip link add br0 type bridge && ip addr add 10.99.0.254/24 dev br0 && ip link set br0 up'
    for i in $(seq "$number"); do
        begin "node$i" :
        inside front ip link add "node$i" type veth peer name eth0 netns "$(cat "$state/node$i")" &&
            inside front ip link set "node$i" master br0 up &&
            inside "node$i" ip addr add "10.99.0.$i/24" dev eth0 && inside "node$i" ip link set eth0 up ||
            fail "node$i has no network"
    done
}

alive()
{
    for name in "$state"/node*[0-9]; do [ ! -s "$name" ] || basename "$name"; done
}

# After a job that has failed, as a batch system does it: kill what is left of it, and wait until it is gone.
# shellcheck disable=SC2016
clear_nodes()
{
    for name in $(alive); do
        inside "$name" sh -c 'kill -9 -1
            for process in /proc/[0-9]*; do
                [ $process != /proc/1 ] && [ $process != /proc/$$ ] || continue
                while grep -qs "^State:.[^XZ]" $process/status; do sleep 0.02; done
            done'
    done
}

run()
{
    np=$1
    shift
    n=$(alive | wc -l)
    [ -z "${IN_TURN-}" ] || n=$np
    inside front "${MPIEXEC:-mpiexec.hydra}" -launcher ssh -launcher-exec "$state/launch" -iface br0 \
        -hosts "$(alive | paste -sd,)" -ppn $(((np + n - 1) / n)) -n "$np" "$@" && return
    status=$?
    clear_nodes
    return $status
}

down()
{
    if [ -s "$state/front" ]; then
        pid=$(cat "$state/front")
        kill -9 "$pid" && tail --pid "$pid" -f /dev/null
    fi
    rm -rf "$state"
}

case $action in
up) (up "$@") || { down; exit 1; } ;;
run) run "$@" ;;
on) inside "$@" ;;
kill)
    [ -s "$state/$1" ] || fail "$1 is not alive"
    # It ends when all others have ended.
    inside front sh -c 'kill -9 "$1" && tail -s 0.02 --pid "$1" -f /dev/null' sh "$(cat "$state/$1")" && rm "$state/$1"
    ;;
cut) inside front ip link set "$1" down ;;
join) inside front ip link set "$1" up ;;
down) down ;;
*) fail "unknown action: $action" ;;
esac
