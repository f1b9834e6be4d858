# Replaces gcr.io/etcd-development/etcd: same paths of the programs, user and command.
FROM docker.io/library/debian:trixie-slim
RUN apt-get update && apt-get install -y --no-install-recommends etcd-server etcd-client \
  && rm -rf /var/lib/apt/lists/* && ln -s /usr/bin/etcd /usr/bin/etcdctl /usr/bin/etcdutl /usr/local/bin/
EXPOSE 2379 2380
CMD ["/usr/local/bin/etcd"]
