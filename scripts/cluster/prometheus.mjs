// Writes the folder of Prometheus: deploy/prometheus with the targets and certificates of a fleet on this machine.
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const deployed = fileURLToPath(new URL("../../deploy/prometheus", import.meta.url));
const CONFIGURATION = "prometheus.yml";

/** @returns the path of the configuration */
export function writePrometheusConfiguration(folder, { topology, host, pairs }) {
  mkdirSync(join(folder, "targets"), { recursive: true, mode: 0o700 });
  for (const file of [CONFIGURATION, "rules.yaml"]) copyFileSync(join(deployed, file), join(folder, file));
  const { prometheus, prometheusOfEtcd } = pairs;
  const copies = { "ca.crt": prometheus.ca, "prometheus.crt": prometheus.cert, "prometheus.key": prometheus.key };
  const ofEtcd = {
    "etcd/ca.crt": prometheusOfEtcd.ca,
    "etcd/prometheus.crt": prometheusOfEtcd.cert,
    "etcd/prometheus.key": prometheusOfEtcd.key,
  };
  for (const [name, file] of Object.entries({ ...copies, ...ofEtcd })) {
    const copy = join(folder, "certificates", name);
    mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
    copyFileSync(file, copy);
  }
  const targets = {
    apiservers: topology.apiServers.map(({ name, port }) => [name, port]),
    "controller-managers": topology.controllerManagers.map(({ name, port }) => [name, port]),
    etcd: topology.etcd.map(({ name, clientPort }) => [name, clientPort]),
  };
  for (const [job, members] of Object.entries(targets)) {
    const list = members.map(([member, port]) => ({ targets: [`${host}:${port}`], labels: { member } }));
    writeFileSync(join(folder, "targets", `${job}.json`), `${JSON.stringify(list, null, 2)}\n`);
  }
  return join(folder, CONFIGURATION);
}
