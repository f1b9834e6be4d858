#!/bin/sh
# Issues every certificate of the fleet in docker-compose.yml, and writes the client configurations of its controller
# managers and its operator, in the given folder. Existing certificates are kept.
set -eu
directory=$1
issue() { node scripts/certificates.mjs "$directory" "$@"; }
# etcd has a separate certificate authority: it grants full access to every client with a certificate from it.
issue_for_etcd() { node scripts/certificates.mjs "$directory/etcd" "$@"; }

issue_for_etcd member --host localhost --host 127.0.0.1 --host etcd-1 --host etcd-2 --host etcd-3
issue apiserver --host localhost --host 127.0.0.1 --host loadbalancer --host apiserver-1 --host apiserver-2 \
  --host controller-manager-1 --host controller-manager-2
issue_for_etcd apiserver
issue_for_etcd prometheus
issue apiserver-agent-client --o system:agent-clients --agent-client
issue admin --o system:masters
issue prometheus --o system:monitoring
issue service-account
issue controller-manager --cn system:orch-controller-manager

for name in controller-manager admin; do
  cat > "$directory/$name.kubeconfig" <<END
apiVersion: v1
kind: Config
clusters: [{ name: orch, cluster: { server: "https://loadbalancer:8443", certificate-authority: ca.crt } }]
users: [{ name: $name, user: { client-certificate: $name.crt, client-key: $name.key } }]
contexts: [{ name: orch, context: { cluster: orch, user: $name } }]
current-context: orch
END
done
# The programs in the containers run as different users.
chmod 755 "$directory" "$directory"/etcd
chmod 644 "$directory"/*.crt "$directory"/*.key "$directory"/etcd/*.crt "$directory"/etcd/*.key "$directory"/*.kubeconfig
chmod 600 "$directory"/etcd/ca.key
# The controller managers, which run as the user node, sign certificates with this key.
chown node "$directory"/ca.key
chmod 600 "$directory"/ca.key
