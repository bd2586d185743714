#!/bin/sh
# Copies the state folder of a running process, each database as of one moment.
# Usage: sh backup.sh STATE_FOLDER BACKUP_FOLDER    The backup contains secrets.
set -eu
umask 077
from=$1
to=$2
mkdir "$to"
(cd "$from" && find worlds snapshots requests -type d 2> /dev/null) | while read -r folder; do
  mkdir -p "$to/$folder"
done
(cd "$from" && find . -name '*.db') | while read -r file; do
  # The open transaction makes it a copy of one moment, however much is written meanwhile.
  sqlite3 -readonly -cmd '.timeout 5000' "$from/$file" 'BEGIN' 'SELECT count(*) FROM sqlite_schema' ".backup '$to/$file'" > /dev/null
done
# After the worlds: which IDs were issued until then.
for file in worlds/id-series requests/id-series; do
  [ ! -f "$from/$file" ] || cp "$from/$file" "$to/$file"
done
