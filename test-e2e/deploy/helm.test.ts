// The Helm chart in deploy/helm/orch: its objects against the API server's strict validation and Pod Security, the references
// between them, and a control plane from its configuration with the certificates that its job issues.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { parse, stringify } from "yaml";
import { type ApiServer, startApiServer } from "../harness/api-server";
import { describeWhere } from "../harness/describe-where";
import { eventually } from "../harness/eventually";
import { freePorts } from "../harness/free-port";
import { danglingReferences } from "../harness/helm/dangling-references";
import {
  Chart,
  helmProgram,
  type PodSpec,
  podTemplateOf,
  RELEASE,
  type Rendered,
} from "../harness/helm/rendered-chart";
import { ApiClient } from "../harness/https-client";
import { repository, tool, useWorkplace } from "../harness/processes";

const workplace = useWorkplace();
const SETUP_TIMEOUT_MS = 600_000;
const SCENARIO_TIMEOUT_MS = 300_000;
const WAIT = { timeoutMs: 120_000, pauseMs: 200 };

const PEER = { namespaceSelector: { matchLabels: { team: "monitoring" } } };
const EVERYTHING = {
  image: { repository: "registry.example/orch", tag: "1.2.3", digest: `sha256:${"0".repeat(64)}` },
  imagePullSecrets: [{ name: "pull" }],
  commonLabels: { team: "platform" },
  vocabulary: "orch",
  apiServer: {
    replicas: 3,
    config: { "audit-log-path": "-", "event-ttl": "2h", "max-requests-inflight": 200 },
    hosts: ["api.example.com", "192.0.2.1"],
    service: { type: "LoadBalancer", port: 443, annotations: { a: "b" }, loadBalancerSourceRanges: ["192.0.2.0/24"] },
    antiAffinity: "hard",
    nodeSelector: { disk: "fast" },
    tolerations: [{ key: "dedicated", operator: "Exists", effect: "NoSchedule" }],
    priorityClassName: "system-cluster-critical",
    podAnnotations: { c: "d" },
    extraVolumes: [{ name: "audit", emptyDir: {} }],
    extraVolumeMounts: [{ name: "audit", mountPath: "/audit" }],
  },
  controllerManager: { antiAffinity: "hard", nodeSelector: { disk: "fast" }, podAnnotations: { c: "d" } },
  etcd: { antiAffinity: "hard", storage: { size: "20Gi", storageClassName: "fast" }, replicas: 5 },
  networkPolicy: { apiServerFrom: [PEER], metricsFrom: [PEER] },
  serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
  prometheusRule: { enabled: true, labels: { release: "prometheus" } },
};
const EXTERNAL_ETCD = {
  fullnameOverride: "tenant-1",
  etcd: {
    enabled: false,
    external: { endpoints: ["https://etcd.db:2379"], secretName: "etcd-client", prefix: "/tenant-1" },
  },
  controllerManager: { enabled: false },
  networkPolicy: { enabled: false },
  certificates: { job: { renewalSchedule: "" } },
};
const CASES: readonly (readonly [string, object])[] = [
  ["the defaults", {}],
  ["every option", EVERYTHING],
  ["an external etcd, and no controllers", EXTERNAL_ETCD],
  ["cert-manager", { certificates: { mode: "certManager" }, apiServer: { hosts: ["api.example.com", "192.0.2.1"] } }],
];

describeWhere(helmProgram(), "the Helm chart", ({ helm }) => {
  const chart = new Chart(helm, workplace);
  let host: ApiServer;

  beforeAll(async () => {
    host = await startApiServer(workplace, {
      store: { kind: "memory" },
      flags: ["--vocabulary=kubernetes", "--enable-admission-plugins=ServiceAccount"],
    });
    for (const definition of DEFINITIONS)
      await created("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definitionOf(definition));
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    await created("/api/v1/namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: RELEASE.namespace, labels },
    });
    // Controllers of the hosting cluster create it.
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
    await created(`/api/v1/namespaces/${RELEASE.namespace}/serviceaccounts`, account);
    for (const { group, plural } of DEFINITIONS)
      await eventually(
        `${plural} are served`,
        async () => (await host.admin.get(`/apis/${group}/v1/${plural}`)).status === 200,
      );
  }, SETUP_TIMEOUT_MS);

  afterAll(() => host?.stop());

  async function created(path: string, object: object): Promise<void> {
    const answer = await host.admin.post(`${path}?fieldValidation=Strict`, object);
    expect([path, answer.status < 300 ? 201 : answer.body]).toEqual([path, 201]);
  }

  test("has no finding of helm lint, and refuses values that the schema does not have", () => {
    expect(chart.run("lint", {}, ["--strict"])).toMatchObject({ status: 0 });
    expect(chart.run("template", { apiServer: { replica: 3 } }).stderr).toContain("replica");
    expect(chart.run("template", { image: { repository: "orch", tag: "latest" } }).stderr).toContain("tag");
    expect(chart.run("template", { etcd: { enabled: false } }).stderr).toContain("etcd.external");
  });

  test.each(CASES)(
    "renders valid objects that Pod Security admits, and that refer to each other: %s",
    async (_, values) => {
      const objects = chart.render(values);
      const [paths, refusals] = [await resourcePaths(host.admin), [] as string[]];
      for (const object of objects.filter(({ kind }) => kind === "ServiceAccount")) await createOnce(object, paths);
      for (const object of objects) {
        const path = pathOf(object, paths);
        const pod = podTemplateOf(object);
        const sent: [string, object][] = [[path, object]];
        if (pod !== undefined) {
          const metadata = { ...pod.metadata, name: "trial", namespace: RELEASE.namespace };
          sent.push([
            `/api/v1/namespaces/${RELEASE.namespace}/pods`,
            { apiVersion: "v1", kind: "Pod", metadata, spec: pod.spec },
          ]);
        }
        for (const [collection, body] of sent) {
          const answer = await host.admin.post(`${collection}?dryRun=All&fieldValidation=Strict`, body);
          const exists = answer.status === 409 && object.kind === "ServiceAccount";
          if (answer.status !== 201 && !exists) refusals.push(`${object.kind} ${object.metadata.name}: ${answer.body}`);
          const warning = answer.headers["warning"];
          if (warning !== undefined) refusals.push(`${object.kind} ${object.metadata.name}: ${warning}`);
        }
      }
      expect(refusals).toEqual([]);
      expect(danglingReferences(objects, secretsOf(objects))).toEqual([]);
      expect(danglingPaths(objects)).toEqual([]);
    },
    SCENARIO_TIMEOUT_MS,
  );

  test("a reference that leads nowhere is found", () => {
    const objects = chart.render({}).filter(({ kind }) => kind !== "ConfigMap" && kind !== "StatefulSet");
    const dangling = danglingReferences(objects, new Set());
    expect(dangling).toEqual(
      expect.arrayContaining([
        "config map shop-orch-apiserver",
        "secret shop-orch-apiserver-tls",
        "Service shop-orch-etcd-peers: port client",
      ]),
    );
  });

  async function createOnce(object: Rendered, paths: ReadonlyMap<string, string>): Promise<void> {
    const { status, body } = await host.admin.post(pathOf(object, paths), object);
    if (status !== 201 && status !== 409) throw new Error(body);
  }

  test(
    "the job issues the certificates with its own permissions, keeps valid ones, and a control plane runs with them",
    async () => {
      const values = { vocabulary: "kubernetes", etcd: { replicas: 1 }, apiServer: { hosts: ["api.example.com"] } };
      const objects = chart.render(values);
      const paths = await resourcePaths(host.admin);
      const named = (kind: string, name: string) =>
        objects.find((object) => object.kind === kind && object.metadata.name === name) as Rendered;
      for (const kind of ["ServiceAccount", "Role", "RoleBinding"])
        await createOnce(named(kind, "shop-orch-certificates-hook"), paths);
      const run = await jobRunner(
        named("Job", "shop-orch-certificates-hook"),
        named("ConfigMap", "shop-orch-certificates-hook"),
      );
      expect(await run({})).toContain("created shop-orch-apiserver-tls");
      expect(await run({})).toBe("");
      expect((await run({ RENEW_BEFORE_DAYS: "3000" })).match(/renewed .*/g)).not.toContain(
        "renewed shop-orch-service-account-tls",
      );

      const folder = workplace.folder();
      const secretText = async (name: string, key: string) => {
        const { body } = await host.admin.get(`/api/v1/namespaces/${RELEASE.namespace}/secrets/${name}`);
        return Buffer.from((JSON.parse(body) as { data: Record<string, string> }).data[key] ?? "", "base64").toString();
      };
      const [client = 0, peer = 0, metrics = 0, port = 0, status = 0] = await freePorts(5);
      const local = (text: string) =>
        text
          .replaceAll("/pki/", `${folder}/pki/`)
          .replaceAll("/etc/orch/", `${folder}/`)
          .replaceAll(/https:\/\/shop-orch-etcd-0[^:,]*:2379/g, `https://localhost:${client}`)
          .replaceAll(/https:\/\/shop-orch-apiserver\.[^:]*:6443/g, `https://localhost:${port}`);
      const templates = ["etcd", "apiserver", "controller-manager"].map((component) => {
        const object = named(component === "etcd" ? "StatefulSet" : "Deployment", `shop-orch-${component}`);
        return podTemplateOf(object)?.spec as PodSpec;
      });
      for (const { name, secret } of templates.flatMap(({ volumes = [] }) => volumes)) {
        if (secret === undefined) continue;
        mkdirSync(join(folder, "pki", name), { recursive: true });
        for (const key of ["ca.crt", "tls.crt", "tls.key"])
          writeFileSync(join(folder, "pki", name, key), await secretText(secret.secretName, key));
      }
      const [etcd] = templates[0]?.containers ?? [];
      const env = Object.fromEntries(
        (etcd?.env ?? []).map(({ name, value = "shop-orch-etcd-0" }) => [name, local(value)]),
      );
      workplace.start({
        name: "hosted-etcd",
        program: tool("etcd"),
        args: [],
        env: {
          ...env,
          ETCD_DATA_DIR: join(folder, "etcd"),
          ETCD_LISTEN_CLIENT_URLS: `https://127.0.0.1:${client}`,
          ETCD_ADVERTISE_CLIENT_URLS: `https://localhost:${client}`,
          ETCD_LISTEN_PEER_URLS: `https://127.0.0.1:${peer}`,
          ETCD_INITIAL_ADVERTISE_PEER_URLS: `https://localhost:${peer}`,
          ETCD_INITIAL_CLUSTER: `${env["ETCD_NAME"]}=https://localhost:${peer}`,
          ETCD_LISTEN_METRICS_URLS: `http://127.0.0.1:${metrics}`,
        },
      });
      const config = (component: string, more: object) => {
        const { data = {} } = named("ConfigMap", `shop-orch-${component}`);
        const file = join(folder, `${component}.yaml`);
        writeFileSync(
          file,
          stringify({ ...(parse(local(data["orch.yaml"] ?? "")) as object), "bind-address": "127.0.0.1", ...more }),
        );
        if (data["kubeconfig"] !== undefined) writeFileSync(join(folder, "kubeconfig"), local(data["kubeconfig"]));
        return [join(repository, "packages/cli/bin/orch.js"), component, `--config=${file}`];
      };
      const node = process.execPath;
      workplace.start({
        name: "hosted-apiserver",
        program: node,
        args: config("apiserver", { "secure-port": port, "data-dir": join(folder, "data") }),
      });
      workplace.start({
        name: "hosted-manager",
        program: node,
        args: config("controller-manager", { "secure-port": status }),
      });

      const [ca, cert, key] = await Promise.all(
        ["ca.crt", "tls.crt", "tls.key"].map((each) => secretText("shop-orch-admin-tls", each)),
      );
      const credentials = { ca: Buffer.from(ca ?? ""), cert: Buffer.from(cert ?? ""), key: Buffer.from(key ?? "") };
      const admin = new ApiClient(`https://127.0.0.1:${port}`, credentials);
      const answers = (path: string, of = admin) =>
        eventually(path, async () => (await of.get(path).catch(() => undefined))?.status === 200, WAIT);
      await answers("/readyz");
      await admin.post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "tenant" } });
      // The controllers run: they create the account.
      await answers("/api/v1/namespaces/tenant/serviceaccounts/default");
      const manager = new ApiClient(`https://127.0.0.1:${status}`, { ca: credentials.ca });
      await answers("/healthz", manager);
      for (const each of [admin, manager]) each.close();
    },
    SCENARIO_TIMEOUT_MS,
  );

  /** @returns a function that runs the script of a job as its service account, with more variables, and returns what it prints */
  async function jobRunner(job: Rendered, script: Rendered) {
    const account = podTemplateOf(job)?.spec.serviceAccountName;
    const path = `/api/v1/namespaces/${RELEASE.namespace}/serviceaccounts/${account}/token`;
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
    const { body } = await host.admin.post(path, request);
    const { status } = JSON.parse(body) as { status?: { token: string } };
    const folder = workplace.folder();
    writeFileSync(join(folder, "token"), status?.token ?? "");
    writeFileSync(join(folder, "ca.crt"), readFileSync(host.authority.caFile));
    const file = join(folder, "certificates.mjs");
    writeFileSync(file, script.data?.["certificates.mjs"] ?? "");
    const variables = podTemplateOf(job)?.spec.containers[0]?.env ?? [];
    const env = {
      ...Object.fromEntries(variables.map(({ name, value = RELEASE.namespace }) => [name, value])),
      ...{
        HOST_SERVER: host.url,
        HOST_CREDENTIALS: folder,
        PATH: `${join(repository, "node_modules/.bin")}:${process.env["PATH"]}`,
      },
    };
    return async (more: Readonly<Record<string, string>>) =>
      (await promisify(execFile)(process.execPath, [file], { env: { ...env, ...more } })).stdout;
  }
});

/** Secrets that exist when the pods run. */
function secretsOf(objects: readonly Rendered[]): ReadonlySet<string> {
  const issued = objects.flatMap(({ kind, spec }) => (kind === "Certificate" ? [spec?.["secretName"] as string] : []));
  const jobs = objects.filter(({ kind }) => kind === "Job");
  const planned = jobs.flatMap((job) => {
    const env = podTemplateOf(job)?.spec.containers[0]?.env ?? [];
    const value = (name: string) => env.find((each) => each.name === name)?.value ?? "";
    const plan = JSON.parse(value("PLAN")) as { name: string; authority: string }[];
    return plan.flatMap(({ name, authority }) => [name, authority].map((each) => `${value("PREFIX")}-${each}-tls`));
  });
  return new Set([...issued, ...planned, "etcd-client"]);
}

/** Files below /pki that a configuration names, and that no mounted secret has. */
function danglingPaths(objects: readonly Rendered[]): readonly string[] {
  const mounted = objects
    .flatMap((object) => podTemplateOf(object)?.spec.containers ?? [])
    .flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ mountPath }) => mountPath));
  const files = objects.flatMap((object) => JSON.stringify(object).match(/\/pki\/[\w-]+\/[\w.]+/g) ?? []);
  return files.filter(
    (file) => !mounted.some((path) => ["ca.crt", "tls.crt", "tls.key"].some((key) => file === `${path}/${key}`)),
  );
}

async function resourcePaths(admin: ApiClient): Promise<ReadonlyMap<string, string>> {
  const paths = new Map<string, string>();
  const get = async <Body>(path: string) => JSON.parse((await admin.get(path)).body) as Body;
  const { groups } = await get<{ groups: { versions: { groupVersion: string }[] }[] }>("/apis");
  const served = [
    ["v1", "/api/v1"],
    ...groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => [groupVersion, `/apis/${groupVersion}`])),
  ];
  for (const [version = "", root = ""] of served) {
    const { resources } = await get<{ resources: { name: string; kind: string }[] }>(root);
    for (const { name, kind } of resources)
      if (!name.includes("/")) paths.set(`${version} ${kind}`, `${root}/namespaces/${RELEASE.namespace}/${name}`);
  }
  return paths;
}

function pathOf({ apiVersion, kind }: Rendered, paths: ReadonlyMap<string, string>): string {
  const path = paths.get(`${apiVersion} ${kind}`);
  if (path === undefined) throw new Error(`no resource of kind ${kind} in ${apiVersion}`);
  return path;
}

interface Definition {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly spec: object;
}

const text = { type: "string" };
const texts = { type: "array", items: text };
const object = (properties: object, required: readonly string[] = []) => ({ type: "object", properties, required });
const labelMap = { type: "object", additionalProperties: text };
const fromSecret = object({ secret: object({ name: text, key: text }, ["name", "key"]) });
const tlsConfig = object({
  serverName: text,
  ca: fromSecret,
  cert: fromSecret,
  keySecret: object({ name: text, key: text }, ["name", "key"]),
});
const endpoint = object(
  { port: text, scheme: { type: "string", enum: ["http", "https"] }, interval: text, tlsConfig },
  ["port"],
);
const rule = object({ alert: text, expr: text, for: text, labels: labelMap, annotations: labelMap }, ["alert", "expr"]);
const issuerRef = object({ kind: text, name: text }, ["name"]);
const privateKey = object({
  algorithm: { type: "string", enum: ["RSA", "ECDSA"] },
  size: { type: "integer" },
  rotationPolicy: { type: "string", enum: ["Never", "Always"] },
});

/** The fields of other projects' kinds that the chart uses. */
const DEFINITIONS: readonly Definition[] = [
  {
    ...{ group: "monitoring.coreos.com", kind: "ServiceMonitor", plural: "servicemonitors" },
    spec: object({ selector: object({ matchLabels: labelMap }), endpoints: { type: "array", items: endpoint } }, [
      "selector",
      "endpoints",
    ]),
  },
  {
    ...{ group: "monitoring.coreos.com", kind: "PrometheusRule", plural: "prometheusrules" },
    spec: object({
      groups: {
        type: "array",
        items: object({ name: text, rules: { type: "array", items: rule } }, ["name", "rules"]),
      },
    }),
  },
  {
    ...{ group: "cert-manager.io", kind: "Issuer", plural: "issuers" },
    spec: object({ selfSigned: object({}), ca: object({ secretName: text }, ["secretName"]) }),
  },
  {
    ...{ group: "cert-manager.io", kind: "Certificate", plural: "certificates" },
    spec: object(
      {
        ...{
          isCA: { type: "boolean" },
          commonName: text,
          secretName: text,
          duration: text,
          renewBefore: text,
          issuerRef,
          privateKey,
        },
        ...{ usages: texts, subject: object({ organizations: texts }), dnsNames: texts, ipAddresses: texts },
      },
      ["secretName", "issuerRef"],
    ),
  },
];

function definitionOf({ group, kind, plural, spec }: Definition): object {
  const schema = { openAPIV3Schema: object({ spec }, ["spec"]) };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}
