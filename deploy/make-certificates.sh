#!/bin/sh
# Every certificate of the fleet in docker-compose.yml, in the folder given; those that exist stay.
set -eu
directory=$1
issue() { node scripts/certificates.mjs "$directory" "$@"; }

issue etcd --host localhost --host 127.0.0.1 --host etcd-1 --host etcd-2 --host etcd-3
issue apiserver --host localhost --host 127.0.0.1 --host loadbalancer --host apiserver-1 --host apiserver-2
issue apiserver-etcd-client
issue admin --o system:masters
issue prometheus --o system:monitoring
# The programs in the containers run as users of their own.
chmod 755 "$directory"
chmod 644 "$directory"/*.crt "$directory"/*.key
chmod 600 "$directory"/ca.key
