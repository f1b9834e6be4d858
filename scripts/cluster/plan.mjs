// Plans the processes of a fleet on this machine: certificates, folders, programs and their arguments.
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { issueCertificate } from "../certificates.mjs";
import { writeBalancerConfiguration } from "./balancer.mjs";
import { writeKubeconfig } from "./kubeconfig.mjs";
import { writePrometheusConfiguration } from "./prometheus.mjs";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const HOST = "127.0.0.1";
/** User of the controller manager in the bootstrap role bindings of the API server, by vocabulary. */
const CONTROLLER_MANAGER_USER = {
  orch: "system:orch-controller-manager",
  kubernetes: "system:kube-controller-manager",
};
const ADMIN = { organizations: ["system:masters"] };
const LOCAL_NAMES = ["localhost", HOST];

/**
 * @param topology content of a file such as deploy/topology.json; Prometheus runs if it has `prometheus`
 * @param directory folder of certificates and data; created when missing, kept between starts
 * @param vocabulary value of the API servers' --vocabulary flag
 * @param serverFlags further flags of the API servers
 * @returns processes in start order, each `{ name, program, args, env, ports, ready, readyAs }`: `ports` are the ports
 *   at which the process listens on this machine, `ready` is the URL of its health check (/readyz of API servers and
 *   the load balancer, /healthz of controller managers, /health of etcd), and `readyAs` is the client certificate for
 *   that request, by default the administrator's
 */
export function planFleet(topology, { directory, vocabulary, serverFlags = [] }) {
  const certificates = join(directory, "certificates");
  const issue = (name, of = {}) => issueCertificate(certificates, { name, ...of });
  // etcd has a separate certificate authority: it grants full access to every client with a certificate from it.
  const issueForEtcd = (name, of = {}) => issueCertificate(join(certificates, "etcd"), { name, ...of });
  const names = [...topology.apiServers, topology.loadBalancer].map((member) => member.name);
  const pairs = {
    ca: issue("admin", ADMIN).ca,
    caKey: issue("admin", ADMIN).caKey,
    etcd: issueForEtcd("member", { hosts: [...LOCAL_NAMES, ...topology.etcd.map((member) => member.name)] }),
    serving: issue("apiserver", { hosts: [...LOCAL_NAMES, ...names] }),
    storeClient: issueForEtcd("apiserver"),
    agentsClient: issue("apiserver-agent-client", { organizations: ["system:agent-clients"], forAgents: true }),
    admin: issue("admin", ADMIN),
    controllerManager: issue("controller-manager", { commonName: CONTROLLER_MANAGER_USER[vocabulary] }),
    serviceAccount: issue("service-account"),
    prometheus: issue("prometheus", { organizations: ["system:monitoring"] }),
    prometheusOfEtcd: issueForEtcd("prometheus"),
  };
  const url = `https://${HOST}:${topology.loadBalancer.port}`;
  const explorer = { server: topology.apiServers[0].name, linkFile: join(directory, "explorer.url") };
  const kubeconfig = join(directory, "controller-manager.kubeconfig");
  writeKubeconfig(kubeconfig, { server: url, ...pairs.controllerManager });
  return {
    url,
    apiServers: topology.apiServers.map(({ name, port }) => ({ name, url: `https://${HOST}:${port}` })),
    pairs,
    explorer,
    processes: [
      ...topology.etcd.map((member) => etcdProcess(member, { topology, pairs, directory })),
      ...topology.apiServers.map((member) =>
        apiServerProcess(member, { topology, pairs, vocabulary, explorer, serverFlags }),
      ),
      loadBalancerProcess({ topology, pairs, directory }),
      ...topology.controllerManagers.map((member) =>
        controllerManagerProcess(member, { kubeconfig, pairs, vocabulary }),
      ),
      ...(topology.prometheus === undefined ? [] : [prometheusProcess({ topology, pairs, directory })]),
    ],
  };
}

function etcdProcess({ name, clientPort, peerPort }, { topology, pairs, directory }) {
  const client = `https://${HOST}:${clientPort}`;
  const peer = `https://${HOST}:${peerPort}`;
  const members = topology.etcd.map((member) => `${member.name}=https://${HOST}:${member.peerPort}`);
  return {
    name,
    program: tool("etcd"),
    args: [
      `--name=${name}`,
      `--data-dir=${join(directory, name)}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=${members.join(",")}`,
      "--initial-cluster-token=orch",
      `--cert-file=${pairs.etcd.cert}`,
      `--key-file=${pairs.etcd.key}`,
      `--trusted-ca-file=${pairs.etcd.ca}`,
      "--client-cert-auth",
      `--peer-cert-file=${pairs.etcd.cert}`,
      `--peer-key-file=${pairs.etcd.key}`,
      `--peer-trusted-ca-file=${pairs.etcd.ca}`,
      "--peer-client-cert-auth",
      "--logger=zap",
      "--log-level=warn",
    ],
    ports: [clientPort, peerPort],
    ready: `${client}/health`,
    readyAs: pairs.storeClient,
  };
}

function apiServerProcess({ name, port }, { topology, pairs, vocabulary, explorer, serverFlags }) {
  return {
    name,
    program: process.execPath,
    args: [
      join(repository, "packages/apiserver-program/dist/main.js"),
      `--bind-address=${HOST}`,
      `--secure-port=${port}`,
      `--etcd-servers=${topology.etcd.map((member) => `https://${HOST}:${member.clientPort}`).join(",")}`,
      `--etcd-cafile=${pairs.storeClient.ca}`,
      `--etcd-certfile=${pairs.storeClient.cert}`,
      `--etcd-keyfile=${pairs.storeClient.key}`,
      `--tls-cert-file=${pairs.serving.cert}`,
      `--tls-private-key-file=${pairs.serving.key}`,
      `--client-ca-file=${pairs.ca}`,
      `--service-account-signing-key-file=${pairs.serviceAccount.key}`,
      "--authorization-mode=Node,RBAC",
      "--enable-admission-plugins=NodeRestriction",
      "--enable-bootstrap-token-auth",
      `--nodeagent-client-certificate=${pairs.agentsClient.cert}`,
      `--nodeagent-client-key=${pairs.agentsClient.key}`,
      `--vocabulary=${vocabulary}`,
      "--shutdown-delay-duration=3s",
      "--goaway-chance=0.001",
      ...(name === explorer.server ? [`--explorer-link-file=${explorer.linkFile}`] : []),
      ...serverFlags,
    ],
    ports: [port],
    ready: `https://${HOST}:${port}/readyz`,
  };
}

function controllerManagerProcess({ name, port }, { kubeconfig, pairs, vocabulary }) {
  return {
    name,
    program: process.execPath,
    args: [
      join(repository, "packages/controllers/dist/main.js"),
      `--kubeconfig=${kubeconfig}`,
      "--controllers=*,bootstrapsigner,tokencleaner",
      `--vocabulary=${vocabulary}`,
      `--bind-address=${HOST}`,
      `--secure-port=${port}`,
      `--tls-cert-file=${pairs.serving.cert}`,
      `--tls-private-key-file=${pairs.serving.key}`,
      `--client-ca-file=${pairs.ca}`,
      `--root-ca-file=${pairs.ca}`,
      `--service-account-private-key-file=${pairs.serviceAccount.key}`,
      `--cluster-signing-cert-file=${pairs.ca}`,
      `--cluster-signing-key-file=${pairs.caKey}`,
      "--use-service-account-credentials",
    ],
    ports: [port],
    ready: `https://${HOST}:${port}/healthz`,
  };
}

function loadBalancerProcess({ topology, pairs, directory }) {
  const configuration = join(directory, "haproxy.cfg");
  writeBalancerConfiguration(configuration, topology.apiServers.length);
  const servers = topology.apiServers.map(({ port }, index) => [`APISERVER_${index + 1}`, `${HOST}:${port}`]);
  return {
    name: topology.loadBalancer.name,
    program: tool("haproxy"),
    args: ["-db", "-f", configuration],
    env: { LISTEN: `${HOST}:${topology.loadBalancer.port}`, CA_FILE: pairs.ca, ...Object.fromEntries(servers) },
    ports: [topology.loadBalancer.port],
    ready: `https://${HOST}:${topology.loadBalancer.port}/readyz`,
  };
}

function prometheusProcess({ topology, pairs, directory }) {
  const { name, port } = topology.prometheus;
  const folder = join(directory, name);
  const configuration = writePrometheusConfiguration(folder, { topology, host: HOST, pairs });
  return {
    name,
    program: tool("prometheus"),
    args: [
      `--config.file=${configuration}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      "--storage.tsdb.retention.time=31d",
      `--web.listen-address=${HOST}:${port}`,
      "--log.level=warn",
    ],
    ports: [port],
    ready: `http://${HOST}:${port}/-/ready`,
  };
}

/** Returns the path of a program that scripts/install-tools.mjs provides. */
function tool(name) {
  return resolve(repository, ".tools/bin", name);
}
