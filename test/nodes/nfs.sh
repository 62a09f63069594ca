# Tests of MPI on NFS: NFS-Ganesha on node1 serves version 3, and all nodes mount it through FUSE by
# nfs_mount.c, because not every kernel has a client.
. "$srcdir/test/nodes/lib.sh"
for tool in ganesha.nfsd rpcbind pkg-config; do
    command -v $tool >/dev/null || skip_all "no $tool (Debian: nfs-ganesha-vfs, rpcbind, pkg-config)"
done
[ "$(id -u)" -eq 0 ] && [ -c /dev/fuse ] || skip_all 'NFS needs root and /dev/fuse'
pkg-config --exists libnfs fuse3 || skip_all 'no libnfs or libfuse (Debian: libnfs-dev, libfuse3-dev)'
mkdir "$NODES/nfs"
# shellcheck disable=SC2046
$CC -std=gnu11 -O1 "$srcdir/test/nodes/nfs_mount.c" -o "$NODES/shared/nfs_mount" \
    $(pkg-config --cflags --libs libnfs fuse3) 2>"$scratch/log" || skip_all "$(head -n 1 "$scratch/log")"

# The server's sockets, notes and data are the node's own.
cat >"$NODES/shared/serve" <<'END'
mount -t tmpfs tmpfs /run && mkdir /run/rpcbind "$1/local/export" || exit 1
nohup rpcbind -f >/dev/null 2>&1 &
cat >"$1/local/ganesha.conf" <<CONF
NFS_CORE_PARAM { Protocols = 3; NFS_Port = 2049; MNT_Port = 20048; Enable_NLM = false;
    Enable_RQUOTA = false; Enable_UDP = false; }
EXPORT { Export_Id = 1; Path = $1/local/export; Pseudo = /export; Access_Type = RW;
    Squash = No_Root_Squash; Protocols = 3; Transports = TCP; SecType = sys; FSAL { Name = VFS; } }
CONF
until test -S /run/rpcbind.sock; do sleep 0.1; done
nohup ganesha.nfsd -F -f "$1/local/ganesha.conf" -L "$1/local/log" -p "$1/local/pid" -N EVENT >/dev/null 2>&1 &
tries=0
until grep -q 'NFS SERVER INITIALIZED' "$1/local/log" 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] && kill -0 $! || { tail -n 1 "$1/local/log"; exit 1; }
    sleep 0.1
done
END
cat >"$NODES/shared/mount" <<'END'
nohup "$1/shared/nfs_mount" "nfs://node1$1/local/export?version=3&nfsport=2049&mountport=20048" "$1/nfs" \
    >"$1/local/mount.log" 2>&1 &
tries=0
until mountpoint -q "$1/nfs"; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] && kill -0 $! || { cat "$1/local/mount.log"; exit 1; }
    sleep 0.1
done
END
on_nodes on node1 sh "$NODES/shared/serve" "$NODES" >"$scratch/log" 2>&1 ||
    skip_all "node1: $(grep . "$scratch/log" | head -n 1)"
on_each_node mount
run_suites_in "$NODES/nfs" NFS
finish
