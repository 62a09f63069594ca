# Draws the pictures of containers: draw.sh BUILD FOLDER
build=$1
folder=$2

# draw NAME BLOCK CHUNK:DATA...: layout.c tells what these are
draw()
{
    picture=$1
    shift
    (cd "$folder" && "$build/layout" "$picture.sion" "$@" &&
        "$build/siondump" --svg="$picture.svg" "$picture.sion") || exit 1
    rm -f "$folder/$picture.sion" "$folder/$picture.sion".0*
}

draw example 4 32:80 32:72 64:56 32:24 32:92 48:48 32:60 32:12
draw chunks-small 4 8:60 8:45 8:60 8:30
draw chunks-right 4 60:60 60:45 60:60 60:30
draw chunks-large 4 240:60 240:45 240:60 240:30
draw blocks-large 64 6:6 6:5 6:6 6:3
