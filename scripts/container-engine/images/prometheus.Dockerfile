# Replaces docker.io/prom/prometheus: same user, paths, volume and command.
FROM docker.io/library/debian:trixie-slim
RUN apt-get update && apt-get install -y --no-install-recommends prometheus && rm -rf /var/lib/apt/lists/* \
  && ln -sf /usr/bin/prometheus /usr/bin/promtool /bin/ ; \
  rm -rf /etc/prometheus && mkdir -p /etc/prometheus /prometheus && chown -R 65534:65534 /etc/prometheus /prometheus
USER nobody
EXPOSE 9090
VOLUME ["/prometheus"]
WORKDIR /prometheus
ENTRYPOINT ["/bin/prometheus"]
CMD ["--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"]
