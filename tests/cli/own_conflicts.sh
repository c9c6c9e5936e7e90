#!/bin/bash
# SPDX-License-Identifier: MIT
# Options of gpusort alone: what does not go together or does not parse.
. "$GS_CLI/try.inc"
make_files
try_lines <<'X'
gpusort --count -u f
gpusort --count -c f
gpusort --top=1 -c f
gpusort --top=1 -C f
gpusort --output-compress=zstd -c f
gpusort --debug --count f
gpusort --debug --header f
gpusort -m --header f
gpusort --debug --output-compress=zstd f
gpusort --record-size=4 -k1 f
gpusort --record-size=4 -n f
gpusort --record-size=4 -fd f
gpusort --record-size=4 -t, f
gpusort --record-size=4 -z f
gpusort --record-size=4 --count f
gpusort --record-size=4 --header f
gpusort --record-size=4 --debug f
gpusort --record-size=4 --record-size=5 f
gpusort --record-size=0 f
gpusort --record-size=x f
gpusort --record-size f
gpusort --key-bytes=0:4 f
gpusort --record-size=4 --key-bytes=0:5 f
gpusort --record-size=4 --key-bytes=4:1 f
gpusort --record-size=4 --key-bytes=99999999999999999999999:1 f
gpusort --record-size=4 --key-bytes=0:0 f
gpusort --record-size=4 --key-bytes=0 f
gpusort --record-size=4 --key-bytes=:1 f
gpusort --record-size=4 --key-bytes=0: f
gpusort --record-size=4 --key-bytes=0:-1 f
gpusort --record-size=4 --key-bytes=0:1x f
gpusort --record-size=4 --key-bytes=0:1: f
gpusort --record-size=4 --key-bytes=0:1:x f
gpusort --record-size=4 --key-bytes=0:4:u f
gpusort --record-size=4 --key-bytes=0:3:ule f
gpusort --record-size=4 --key-bytes=0:2:fle f
gpusort --record-size=4 --key-bytes=0:4:ule: f
gpusort --record-size=4 --key-bytes=0:4:ulerx f
gpusort --top=x f
gpusort --top=-1 f
gpusort --top f
gpusort --header=x f
gpusort --output-compress=gzip f
gpusort --output-compress=zstd: f
gpusort --output-compress=zstd:0 f
gpusort --output-compress=zstd:23 f
gpusort --output-compress=zstdx f
gpusort --output-compress f
gpusort --progress=x f
gpusort --engine=nosuch f 2>&1 | head -1
gpusort --gpu=x f
gpusort --gpu=0, f
gpusort --gpu= f
gpusort --gpu-mem=x f
gpusort --gpu-mem=1Q f
gpusort --st f
gpusort --sy f
gpusort --hea f
gpusort --stats=no/such/file f
gpusort --trace=no/such/file f
gpusort --trac=
gpusort sort -k0
gpusort sort nofile
gpusort nofile
gpusort -v f
sort -v f
sort --verbose f
X
