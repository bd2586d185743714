#!/bin/sh
# Writes keys.map and worlds.map, the processes of key IDs and worlds, and puts them into a running HAProxy.
# Run it when a credential or world was created or deleted. Exits 1 if HAProxy has not taken them over.
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

# Prints a line for each world and key ID of a process, with its world. Each process has a world named default.
claims() {
  values "$1" "$2" 'worlds?' name > "$1.worlds" || return 1
  while read -r world; do
    [ "$world" = default ] || echo "worlds $world $world"
    values "$1" "$2" "credentials?world=$world&" key_id > "$1.keys" || return 1
    sed "s/^/keys $world /" "$1.keys"
  done < "$1.worlds"
}

while read -r name port; do
  if claims "$name" "$port" > "$name.claims.new"; then
    mv "$name.claims.new" "$name.claims"
  else
    echo "routes.sh: $name does not respond; its routes stay as they are" >&2
  fi
  rm -f "$name.worlds" "$name.keys"
done < processes

# The token of a process allows any name in it, so the process that had a name first keeps its route.
touch owners
while read -r name port; do
  [ ! -f "$name.claims" ] || sed "s/^/$name /" "$name.claims"
done < processes | awk '
  function report(what) { print "routes.sh: " what | "cat >&2" }
  FILENAME == "owners" { earlier[$1, $2] = $3; next }
  $4 !~ /^[A-Za-z0-9_-]+$/ || NF != 4 { report("a name in " $1 " has other characters than letters, digits, _ and -; it has no route"); next }
  {
    at = $2 SUBSEP $4
    if (!(at in first)) { first[at] = $1; order[++count] = at }
    if (claimants[at] !~ ("(^| )" $1 "( |$)")) claimants[at] = claimants[at] (claimants[at] == "" ? "" : " ") $1
    worlds[at, $1] = $3
  }
  END {
    for (n = 1; n <= count; n += 1) {
      at = order[n]
      split(at, part, SUBSEP)
      owner = first[at]
      if (claimants[at] ~ / /) {
        what = (part[1] == "keys" ? "key ID " : "world ") part[2] " is in " claimants[at]
        owner = ""
        if ((at in earlier) && ((at SUBSEP earlier[at]) in worlds)) owner = earlier[at]
        report(what (owner == "" ? "; it has no route until only one has it" : "; it stays with " owner))
      }
      if (owner != "") print part[1], part[2], owner, worlds[at, owner]
    }
  }' owners - > owners.new
mv owners.new owners

status=0
for map in keys worlds; do
  awk -v map="$map" -v held="$held" '$1 == map { print $2, ($4 == held ? "moving" : $3) }' owners > "$map.map.new"
  mv "$map.map.new" "$map.map"
  [ -S haproxy.sock ] || continue
  # All routes at once: no request finds half of them, and connections stay open.
  version=$(echo "prepare map $map.map" | socat - UNIX-CONNECT:haproxy.sock | sed -n 's/.*version created: *\([0-9][0-9]*\).*/\1/p')
  errors="no version of the map"
  [ -z "$version" ] || errors=$({ echo prompt; sed "s/^/add map @$version $map.map /" "$map.map"; echo "commit map @$version $map.map"; echo quit; } |
    socat -t 5 - UNIX-CONNECT:haproxy.sock | sed '/^[> ]*$/d') || errors="no connection"
  [ -z "$errors" ] && continue
  echo "routes.sh: HAProxy has not taken over $map.map: $errors" >&2
  status=1
done
exit "$status"
