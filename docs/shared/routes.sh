#!/bin/sh
# Writes keys.map and worlds.map, the processes of key IDs and worlds, and puts them into a running HAProxy.
# Run it when a credential or world was created or deleted.
# Usage: sh routes.sh [WORLD]    Requests of WORLD are held off (429) while it is moved.
set -eu
umask 077
held=${1:-}

# Prints the values of a field in a list: values PROCESS PORT PATH FIELD. No process list shows the token.
values() {
  cursor=
  while :; do
    page=$(printf 'header = "Authorization: Bearer %s"\n' "$(cat "$1.token")" |
      curl -fsS -K - "http://127.0.0.1:$2/_sandbox/$3limit=100${cursor:+&cursor=$cursor}") || return 1
    echo "$page" | tr ',{' '\n\n' | sed -n "s/^\"$4\":\"\([^\"]*\)\".*/\1/p"
    cursor=$(echo "$page" | sed -n 's/.*"next_cursor":"\([^"]*\)".*/\1/p')
    [ -n "$cursor" ] || return 0
  done
}

# Prints a line for each world and key ID of a process. Each process has a world named default.
routes() {
  worlds=$(values "$1" "$2" 'worlds?' name) || return 1
  for world in $worlds; do
    process=$1
    [ "$world" != "$held" ] || process=moving
    [ "$world" = default ] || echo "worlds $world $process"
    keys=$(values "$1" "$2" "credentials?world=$world&" key_id) || return 1
    for key in $keys; do echo "keys $key $process"; done
  done
}

while read -r name port; do
  if routes "$name" "$port" > "$name.routes.new"; then
    mv "$name.routes.new" "$name.routes"
  else
    echo "routes.sh: $name does not respond; its routes stay as they are" >&2
  fi
done < processes
for map in keys worlds; do
  cat ./*.routes | sed -n "s/^$map //p" > "$map.map.new"
  mv "$map.map.new" "$map.map"
  [ -S haproxy.sock ] || continue
  # All routes at once: no request finds half of them, and connections stay open.
  version=$(echo "prepare map $map.map" | socat - UNIX-CONNECT:haproxy.sock | sed -n 's/.*: //p')
  { echo prompt; sed "s/^/add map @$version $map.map /" "$map.map"; echo "commit map @$version $map.map"; echo quit; } |
    socat -t 5 - UNIX-CONNECT:haproxy.sock | sed '/^[> ]*$/d' >&2
done
