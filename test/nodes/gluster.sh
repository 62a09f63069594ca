# Tests of MPI on a distributed file system: GlusterFS, served by node1 and mounted by all nodes.
. "$srcdir/test/nodes/lib.sh"
for tool in glusterd gluster mount.glusterfs; do
    command -v $tool >/dev/null || skip_all "no $tool (Debian: glusterfs-server)"
done
[ "$(id -u)" -eq 0 ] && [ -c /dev/fuse ] || skip_all 'GlusterFS needs root and /dev/fuse'
mkdir "$NODES/gluster"

# What glusterd stores, and its logs, are the node's own.
cat >"$NODES/shared/serve" <<'END'
for folder in /var/lib/glusterd /var/log/glusterfs /run/gluster; do
    own=$1/local/${folder##*/}
    mkdir -p "$folder" "$own" && cp -a "$folder/." "$own/" && mount --bind "$own" "$folder" || exit 1
done
mkdir "$1/local/brick"
[ "$2" = node1 ] || exec mount -t glusterfs node1:/shared "$1/gluster"
nohup glusterd -N >/dev/null 2>&1 &
tries=0
until gluster --mode=script peer status >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] && kill -0 $! || exit 1
    sleep 0.1
done
gluster --mode=script volume create shared "node1:$1/local/brick" force &&
    gluster --mode=script volume start shared && mount -t glusterfs node1:/shared "$1/gluster"
END
on_each_node serve
run_suites_in "$NODES/gluster" GlusterFS
finish
