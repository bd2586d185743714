#!/bin/sh
# Writes the configuration and the control token of each process.
# Usage: sh setup.sh https://sandbox.example.com p1:4011 p2:4012 ...
set -eu
umask 077
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

url=$1
shift
: > processes
for each in "$@"; do
  name=${each%:*}
  port=${each#*:}
  random > "$name.token"
  cat > "$name.json" <<END
{
  "port": $port,
  "public_url": "$url",
  "data_dir": "$name",
  // Minted keys and IDs follow from it: secret, and different for each process.
  "seed": "$(random)",
  "default_credential": false
}
END
  echo "$name $port" >> processes
done
touch keys.map worlds.map
