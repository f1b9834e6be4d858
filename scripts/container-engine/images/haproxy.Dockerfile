# Replaces docker.io/library/haproxy: same user, path of the configuration, stop signal and command.
FROM docker.io/library/debian:trixie-slim
RUN apt-get update && apt-get install -y --no-install-recommends haproxy && rm -rf /var/lib/apt/lists/* \
  && groupmod --gid 99 haproxy && usermod --uid 99 --gid 99 haproxy && chown -R haproxy:haproxy /var/lib/haproxy \
  && mkdir -p /usr/local/etc/haproxy && ln -s /usr/sbin/haproxy /usr/local/sbin/haproxy
USER haproxy
STOPSIGNAL SIGUSR1
ENTRYPOINT ["haproxy", "-W", "-db"]
CMD ["-f", "/usr/local/etc/haproxy/haproxy.cfg"]
