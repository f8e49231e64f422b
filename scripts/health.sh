#!/usr/bin/env bash
# The image's health check: asks the service where it listens, and ends with 0 if it is well. Bash alone, because a Node
# started every ten seconds takes more memory and time than what it asks after.
#   bash scripts/health.sh liveness|readiness
set -euo pipefail

group=${1:?liveness or readiness}
host=${HOST:-0.0.0.0}
case $host in
  0.0.0.0) host=127.0.0.1 ;;
  ::) host=::1 ;;
esac
exec 3<> "/dev/tcp/$host/${PORT:-8080}"
printf 'GET /actuator/health/%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$group" >&3
read -r -t 2 _ status _ <&3
[[ $status == 200 ]]
