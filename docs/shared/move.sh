#!/bin/sh
# Moves a world to another process. Its requests get 429 meanwhile; other worlds are not affected.
# Usage: sh move.sh WORLD FROM TO
set -eu
umask 077
world=$1
command=${SANDLOT:-$(command -v sandlot || echo npx sandlot)}

# Runs a sandlot command on a process: on PROCESS COMMAND...
on() {
  process=$1
  shift
  port=$(sed -n "s/^$process //p" processes)
  $command "$@" --url "http://127.0.0.1:$port" --control-token-file "$process.token"
}

trap 'rm -f "$world.db"; sh routes.sh || exit 1' EXIT
sh routes.sh "$world"
# Requests that came before, slow ones too, are finished by then.
sleep "${GRACE_SECONDS:-5}"
on "$2" idle --world "$world"
on "$2" worlds export "$world" "$world.db"
on "$3" worlds import "$world.db"
on "$2" worlds delete "$world"
