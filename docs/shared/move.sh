#!/bin/sh
# Moves a world to another process. Its requests are held off meanwhile (429); other worlds do not notice.
# Usage: sh move.sh WORLD FROM TO
set -eu
umask 077
world=$1
sandlot() { # PROCESS COMMAND...
  process=$1
  shift
  port=$(sed -n "s/^$process //p" processes)
  ${SANDLOT:-npx sandlot} "$@" --url "http://127.0.0.1:$port" --control-token-file "$process.token"
}

trap 'sh routes.sh' EXIT
sh routes.sh "$world"
# Until then, requests that came before are finished, slow ones too.
sleep "${GRACE_SECONDS:-5}"
sandlot "$2" idle --world "$world"
sandlot "$2" worlds export "$world" "$world.db"
sandlot "$3" worlds import "$world.db"
sandlot "$2" worlds delete "$world"
rm "$world.db"
