#!/usr/bin/env bash
#
# Draws rates of several methods in several places: plot.sh DATA PICTURE TITLE
# DATA has a line of names of places, then a line for each method: its name, and its rate in each place.

set -eu
data=$1 picture=$2 title=$3
places=$(awk -F '\t' '{ print NF; exit }' "$data")
gnuplot << PLOT
set terminal svg size 900,460 background "white"
set output "$picture"
set datafile separator "\t"
set style data histograms
set style fill solid 0.8 border -1
set title "$title"
set ylabel "MiB/s"
set yrange [0:*]
set rmargin 12
set key top right
set xtics rotate by -30
colour(i) = word("#7b3294 #2e7d5b #1b6ca8", i)
plot for [i=2:$places] "$data" using i:xtic(1) linecolor rgb colour(i - 1) title columnheader(i)
PLOT
