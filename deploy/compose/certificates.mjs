// Issues the certificates of docker-compose.yml, with `orch cert`, and gives each service a folder of its own with what it needs.
// Runs as a service: it looks twice a day, and issues a certificate anew when it is about to end, or when its names or its authority
// have changed. With --check it ends with 0 when all files are there, for the health check.
//
// The folders, below the mounted one. All of them belong to the owner of docker-compose.yml:
//   authority/        the authorities, and every certificate with its key; only for this program
//   NAME/             files of the service NAME, which its group can read
//   admin.kubeconfig  client configuration of the administrator, for this machine
import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const FOLDER = "/orch/compose";
const AUTHORITY = join(FOLDER, "authority");
/** etcd has an authority of its own: it grants full access to every client with a certificate from it. */
const ETCD_AUTHORITY = join(AUTHORITY, "etcd");
/** The caller's file. */
const OWNED = "/docker-compose.yml";
const DAY_MS = 86_400_000;
const LOOK_MS = DAY_MS / 2;
/** Certificates that end earlier are issued anew. */
const LEFT_MS = 30 * DAY_MS;
const [TO_ALL, TO_OWNER, TO_GROUP] = [0o644, 0o600, 0o640];

const { ORCH_VOCABULARY: vocabulary = "orch", ORCH_HOSTS: moreHosts = "", ORCH_SERVER: server = "" } = process.env;
const CONTROLLER_MANAGER = { orch: "system:orch-controller-manager", kubernetes: "system:kube-controller-manager" }[
  vocabulary
];
const LOCAL = ["localhost", "127.0.0.1"];
const ETCD = ["etcd-1", "etcd-2", "etcd-3"];

/** Certificates: the folder of their authority, and the options of `orch cert init`. */
const CERTIFICATES = [
  ...ETCD.map((name) => ({ authority: ETCD_AUTHORITY, name, hosts: [...LOCAL, name] })),
  { authority: ETCD_AUTHORITY, name: "apiserver" },
  { authority: ETCD_AUTHORITY, name: "prometheus" },
  {
    authority: AUTHORITY,
    name: "apiserver",
    hosts: [...LOCAL, "apiserver", "loadbalancer", hostOf(server), ...words(moreHosts)],
  },
  { authority: AUTHORITY, name: "manager-serving", hosts: [...LOCAL, "controller-manager"] },
  { authority: AUTHORITY, name: "agent-client", groups: ["system:agent-clients"], isAgentClient: true },
  { authority: AUTHORITY, name: "admin", groups: ["system:masters"] },
  { authority: AUTHORITY, name: "prometheus", groups: ["system:monitoring"] },
  { authority: AUTHORITY, name: "controller-manager", commonName: CONTROLLER_MANAGER },
  // A user without permissions, for the health check of the API servers.
  { authority: AUTHORITY, name: "status" },
  { authority: AUTHORITY, name: "service-account" },
];

/** Group of each image's user. */
const [ROOT, ORCH, HAPROXY, NOBODY] = [0, 65_532, 99, 65_534];
const ca = ["ca.crt", AUTHORITY, "ca.crt"];
const etcdCa = ["etcd-ca.crt", ETCD_AUTHORITY, "ca.crt"];
/** Returns both files of a certificate, under another name. */
const pair = (to, authority, name = to) => [".crt", ".key"].map((end) => [`${to}${end}`, authority, `${name}${end}`]);

/** Files of each service: the name there, the folder they come from, and their name in it. */
const SERVICES = {
  ...Object.fromEntries(
    ETCD.map((name) => [name, { group: ROOT, files: [etcdCa, ...pair("member", ETCD_AUTHORITY, name)] }]),
  ),
  apiserver: {
    group: ORCH,
    files: [
      ...[ca, etcdCa, ...pair("etcd-client", ETCD_AUTHORITY, "apiserver"), ...pair("apiserver", AUTHORITY)],
      ...[...pair("agent-client", AUTHORITY), ["service-account.key", AUTHORITY, "service-account.key"]],
    ],
    configuration: { name: "status", server: "https://localhost:6443", user: "status" },
  },
  "controller-manager": {
    group: ORCH,
    files: [
      ...[ca, ["ca.key", AUTHORITY, "ca.key"], ...pair("serving", AUTHORITY, "manager-serving")],
      ["service-account.key", AUTHORITY, "service-account.key"],
    ],
    configuration: { name: "controller-manager", server: "https://loadbalancer:8443", user: "controller-manager" },
  },
  "cluster-info": {
    group: ORCH,
    files: [],
    configuration: { name: "admin", server: "https://loadbalancer:8443", user: "admin" },
  },
  loadbalancer: { group: HAPROXY, files: [ca] },
  prometheus: {
    group: NOBODY,
    files: [
      ca,
      etcdCa,
      ...pair("client", AUTHORITY, "prometheus"),
      ...pair("etcd-client", ETCD_AUTHORITY, "prometheus"),
    ],
  },
};

if (process.argv.includes("--check")) {
  process.exitCode = expectedFiles().every((path) => existsSync(path)) ? 0 : 1;
} else {
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => process.exit(0));
  for (;;) {
    bringUpToDate();
    await sleep(LOOK_MS);
  }
}

function bringUpToDate() {
  if (CONTROLLER_MANAGER === undefined) fail(`ORCH_VOCABULARY is ${vocabulary}: use orch or kubernetes`);
  const { uid, gid } = statSync(OWNED);
  const owner = { uid, gid };
  for (const folder of ["/orch", FOLDER]) makeFolder(folder, 0o755, owner);
  for (const folder of [AUTHORITY, ETCD_AUTHORITY]) makeFolder(folder, 0o700, owner);
  for (const certificate of CERTIFICATES) {
    const reason = reasonToIssue(certificate);
    if (reason !== undefined) issue(certificate, reason);
  }
  for (const folder of [AUTHORITY, ETCD_AUTHORITY]) {
    warnOfEnd(folder);
    for (const file of readdirSync(folder)) if (file !== "etcd") own(join(folder, file), TO_OWNER, owner);
  }
  for (const [name, { group, files, configuration }] of Object.entries(SERVICES)) {
    const folder = join(FOLDER, name);
    const to = { uid, gid: group };
    makeFolder(folder, 0o750, to);
    for (const [file, from, source] of files)
      put(join(folder, file), readFileSync(join(from, source), "utf8"), TO_GROUP, to);
    if (configuration !== undefined)
      put(join(folder, `${configuration.name}.kubeconfig`), kubeconfig(configuration), TO_GROUP, to);
  }
  put(join(FOLDER, "ca.crt"), readFileSync(join(AUTHORITY, "ca.crt"), "utf8"), TO_ALL, owner);
  put(join(FOLDER, "admin.kubeconfig"), kubeconfig({ name: "admin", server, user: "admin" }), TO_OWNER, owner);
}

/** @returns why a certificate is issued; undefined for one that serves */
function reasonToIssue({ authority, name, hosts = [] }) {
  const paths = [".crt", ".key"].map((end) => join(authority, `${name}${end}`));
  const issuerPath = join(authority, "ca.crt");
  if (![...paths, issuerPath].every((path) => existsSync(path))) return "it is missing";
  const certificate = new X509Certificate(readFileSync(paths[0]));
  const issuer = new X509Certificate(readFileSync(issuerPath));
  if (!certificate.verify(issuer.publicKey)) return "its authority has changed";
  if (Date.parse(certificate.validTo) - Date.now() < LEFT_MS) return `it ends on ${certificate.validTo}`;
  const found = (certificate.subjectAltName ?? "").split(", ").map((each) => each.replace(/^(DNS|IP Address):/, ""));
  const same = (one, other) => [...new Set(one)].sort().join() === [...new Set(other)].sort().join();
  return same(
    found.filter((each) => each !== ""),
    hosts,
  )
    ? undefined
    : "its names have changed";
}

function issue({ authority, name, commonName = name, groups = [], hosts = [], isAgentClient = false }, reason) {
  console.log(`Issuing ${name} in ${authority}: ${reason}`);
  // The key of service account tokens stays: tokens are valid longer than its certificate, which no program verifies.
  const keyPath = join(authority, `${name}.key`);
  const kept = name === "service-account" && existsSync(keyPath) ? readFileSync(keyPath) : undefined;
  rmSync(join(authority, `${name}.crt`), { force: true });
  const options = [
    ...groups.map((group) => `--group=${group}`),
    ...[...new Set(hosts)].map((host) => `--host=${host}`),
  ];
  const words = [
    "cert",
    "init",
    authority,
    name,
    `--cn=${commonName}`,
    ...options,
    ...(isAgentClient ? ["--agent-client"] : []),
  ];
  const { status, stderr } = spawnSync("/usr/bin/orch", words, { encoding: "utf8" });
  if (status !== 0) fail(`orch ${words.join(" ")}: ${stderr}`);
  if (kept !== undefined) writeFileSync(keyPath, kept, { mode: TO_OWNER });
}

/** The authority is not replaced by itself: every client would have to learn the new one first. */
function warnOfEnd(folder) {
  const { validTo } = new X509Certificate(readFileSync(join(folder, "ca.crt")));
  if (Date.parse(validTo) - Date.now() > 365 * DAY_MS) return;
  console.error(`The authority in ${folder} ends on ${validTo}: remove that folder, and start all services again`);
}

function kubeconfig({ name, server: address, user }) {
  const data = (file) => readFileSync(join(AUTHORITY, file)).toString("base64");
  const configuration = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "orch", cluster: { server: address, "certificate-authority-data": data("ca.crt") } }],
    users: [
      {
        name,
        user: { "client-certificate-data": data(`${user}.crt`), "client-key-data": data(`${user}.key`) },
      },
    ],
    contexts: [{ name: "orch", context: { cluster: "orch", user: name } }],
    "current-context": "orch",
  };
  return `${JSON.stringify(configuration, undefined, 2)}\n`;
}

/** Replaces a file as a whole, unless it has the content already. */
function put(path, text, mode, owner) {
  if (!existsSync(path) || readFileSync(path, "utf8") !== text) {
    writeFileSync(`${path}.new`, text, { mode: TO_OWNER });
    own(`${path}.new`, mode, owner);
    renameSync(`${path}.new`, path);
  } else own(path, mode, owner);
}

function makeFolder(path, mode, owner) {
  mkdirSync(path, { recursive: true });
  own(path, mode, owner);
}

function own(path, mode, { uid, gid }) {
  chmodSync(path, mode);
  chownSync(path, uid, gid);
}

function expectedFiles() {
  const ofServices = Object.entries(SERVICES).flatMap(([name, { files, configuration }]) => [
    ...files.map(([file]) => join(FOLDER, name, file)),
    ...(configuration === undefined ? [] : [join(FOLDER, name, `${configuration.name}.kubeconfig`)]),
  ]);
  return [...ofServices, join(FOLDER, "admin.kubeconfig")];
}

function words(text) {
  return text.split(/[\s,]+/).filter((word) => word !== "");
}

function hostOf(url) {
  return new URL(url).hostname.replace(/^\[|\]$/g, "");
}

function fail(message) {
  console.error(`error: ${message}`);
  process.exit(1);
}
