// Pod security: namespace labels as kubectl writes them, pods, workloads, warnings, metrics and audit.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { AuditEvent, AuditSink } from "@orch/audit";
import { type RunningServer, startServer, startWithSeams } from "../server/start-server";
import { type Answer, ApiClient } from "../testing/api-client";

const KEY = "pod-security.orch.io/";
const MERGE = "application/merge-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";

let server: RunningServer;
let admin: ApiClient;
let audited: AuditEvent[];

const sink: AuditSink = {
  wants: () => ({
    level: "Metadata",
    omits: new Set(["RequestReceived", "ResponseStarted"]),
    omitManagedFields: false,
  }),
  async hear(event) {
    audited.push(event);
  },
};

beforeAll(async () => {
  audited = [];
  server = await startWithSeams({}, { audit: [sink] });
  admin = new ApiClient(server, server.admin);
}, 30_000);

afterAll(async () => {
  admin.close();
  await server.stop();
});

beforeEach(() => {
  audited = [];
});

let made = 0;

/** Creates a namespace for a test. @param policy by the last part of the labels */
async function namespaceWith(policy: Readonly<Record<string, string>> = {}): Promise<string> {
  made += 1;
  const name = `ns-${made}`;
  expect((await admin.post("/api/v1/namespaces", { metadata: { name, labels: labelsOf(policy) } })).code).toBe(201);
  return name;
}

const labelsOf = (policy: Readonly<Record<string, string | null>>) =>
  Object.fromEntries(Object.entries(policy).map(([key, value]) => [`${KEY}${key}`, value]));

/** Sends the request of `kubectl label`. */
const label = (
  name: string,
  policy: Readonly<Record<string, string | null>>,
  query = "",
  client = admin,
): Promise<Answer> =>
  client.ask("PATCH", `/api/v1/namespaces/${name}?fieldManager=kubectl-label${query}`, {
    body: JSON.stringify({ metadata: { labels: labelsOf(policy) } }),
    headers: { "content-type": MERGE },
  });

const pods = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;
const podOf = (name: string, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
const SAFE = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  containers: [
    { name: "c", image: "i", securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } } },
  ],
};

const warningsOf = ({ headers }: Answer): readonly string[] =>
  [...String(headers["warning"] ?? "").matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) =>
    text.replace(/\\(.)/g, "$1"),
  );

const ALL_OF_RESTRICTED =
  'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
  'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
  'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
  'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")';

describe("pods in a restricted namespace", () => {
  test("are refused with all that they break, and let in where they break nothing", async () => {
    const namespace = await namespaceWith({ enforce: "restricted" });
    const { code, json } = await admin.post(`${pods(namespace)}?fieldManager=kubectl-run`, podOf("bad"));
    expect([code, json.reason, json.details]).toEqual([403, "Forbidden", { name: "bad", kind: "pods" }]);
    expect(json.message).toBe(
      `pods "bad" is forbidden: violates PodSecurity "restricted:latest": ${ALL_OF_RESTRICTED}`,
    );
    const good = await admin.post(pods(namespace), podOf("good", SAFE));
    expect([good.code, warningsOf(good)]).toEqual([201, []]);
  });

  test("are refused by the name that was drawn for them", async () => {
    const namespace = await namespaceWith({ enforce: "restricted" });
    const { json } = await admin.post(pods(namespace), { ...podOf("x"), metadata: { generateName: "web-" } });
    expect(json.message).toMatch(/^pods "web-[a-z0-9]{5}" is forbidden: violates PodSecurity "restricted:latest": /);
  });

  test("are refused in a dry run and in an apply as well", async () => {
    const namespace = await namespaceWith({ enforce: "baseline" });
    const host = podOf("host", { hostNetwork: true });
    expect((await admin.post(`${pods(namespace)}?dryRun=All`, host)).code).toBe(403);
    const applied = await admin.ask("PATCH", `${pods(namespace)}/host?fieldManager=m`, {
      body: JSON.stringify(host),
      headers: { "content-type": "application/apply-patch+yaml" },
    });
    expect([applied.code, applied.json.message]).toEqual([
      403,
      'pods "host" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
    ]);
  });

  test("that were there before may go on, as long as their images stay", async () => {
    const namespace = await namespaceWith();
    await admin.post(pods(namespace), podOf("old", { hostIPC: true }));
    await label(namespace, { enforce: "baseline" });
    const change = (body: object) =>
      admin.ask("PATCH", `${pods(namespace)}/old`, {
        body: JSON.stringify(body),
        headers: { "content-type": STRATEGIC },
      });
    expect((await change({ metadata: { labels: { a: "b" } } })).code).toBe(200);
    const image = await change({ spec: { containers: [{ name: "c", image: "other" }] } });
    expect([image.code, image.json.message]).toEqual([
      403,
      'pods "old" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostIPC=true)',
    ]);
    expect((await admin.ask("DELETE", `${pods(namespace)}/old`)).code).toBe(200);
  });

  test("are not joined by containers that break rules", async () => {
    const namespace = await namespaceWith({ enforce: "baseline" });
    await admin.post(pods(namespace), podOf("p"));
    const join = (securityContext: object) =>
      admin.ask("PATCH", `${pods(namespace)}/p/ephemeralcontainers`, {
        body: JSON.stringify({ spec: { ephemeralContainers: [{ name: "debug", image: "i", securityContext }] } }),
        headers: { "content-type": STRATEGIC },
      });
    const { code, json } = await join({ capabilities: { add: ["SYS_ADMIN"] } });
    expect([code, json.message]).toEqual([
      403,
      'pods "p" is forbidden: violates PodSecurity "baseline:latest": non-default capabilities (container "debug" must not include "SYS_ADMIN" in securityContext.capabilities.add)',
    ]);
    expect((await join({})).code).toBe(200);
  });
});

describe("workloads in a restricted namespace", () => {
  const template = { metadata: { labels: { a: "b" } }, spec: podOf("x").spec };
  const selector = { matchLabels: { a: "b" } };
  const WARNING = `would violate PodSecurity "restricted:latest": ${ALL_OF_RESTRICTED}`;

  test.each<[string, string, object]>([
    ["deployment", "/apis/apps/v1", { selector, template }],
    ["replicaset", "/apis/apps/v1", { selector, template }],
    ["daemonset", "/apis/apps/v1", { selector, template }],
    ["statefulset", "/apis/apps/v1", { selector, template, serviceName: "s" }],
    ["replicationcontroller", "/api/v1", { selector: { a: "b" }, template }],
    ["job", "/apis/batch/v1", { template: { spec: { ...template.spec, restartPolicy: "Never" } } }],
    [
      "cronjob",
      "/apis/batch/v1",
      {
        schedule: "@daily",
        jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
      },
    ],
  ])("a %s is let in with a warning", async (resource, root, spec) => {
    const namespace = await namespaceWith({ enforce: "restricted" });
    const answer = await admin.post(`${root}/namespaces/${namespace}/${resource}s`, { metadata: { name: "w" }, spec });
    expect([answer.code, warningsOf(answer)]).toEqual([201, [WARNING]]);
  });

  test("a template of pods is let in with a warning", async () => {
    const namespace = await namespaceWith({ enforce: "restricted" });
    const path = `/api/v1/namespaces/${namespace}/podtemplates`;
    const answer = await admin.post(path, { metadata: { name: "w" }, template });
    expect([answer.code, warningsOf(answer)]).toEqual([201, [WARNING]]);
  });

  test("a scale says nothing", async () => {
    const namespace = await namespaceWith({ enforce: "restricted" });
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await admin.post(path, { metadata: { name: "w" }, spec: { selector, template } });
    const answer = await admin.ask("PATCH", `${path}/w/scale`, {
      body: JSON.stringify({ spec: { replicas: 2 } }),
      headers: { "content-type": MERGE },
    });
    expect([answer.code, warningsOf(answer)]).toEqual([200, []]);
  });
});

describe("a namespace that is labelled", () => {
  test("tells which of its pods break the level", async () => {
    const namespace = await namespaceWith();
    for (const name of ["b", "a", "c"]) await admin.post(pods(namespace), podOf(name, { hostNetwork: true }));
    await admin.post(
      pods(namespace),
      podOf("both", { hostPID: true, volumes: [{ name: "v", hostPath: { path: "/" } }] }),
    );
    await admin.post(pods(namespace), podOf("good"));
    const expected = [
      `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "baseline:latest"`,
      "a (and 2 other pods): host namespaces",
      "both: host namespaces, hostPath volumes",
    ];
    const dry = await label(namespace, { enforce: "baseline" }, "&dryRun=All");
    expect([dry.code, warningsOf(dry)]).toEqual([200, expected]);
    const done = await label(namespace, { enforce: "baseline" });
    expect([done.code, warningsOf(done)]).toEqual([200, expected]);
    const again = await label(namespace, { warn: "baseline" });
    expect([again.code, warningsOf(again)]).toEqual([200, []]);
  });

  test("tells of one pod of each controller before others", async () => {
    const namespace = await namespaceWith();
    const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "set", uid: "u-1", controller: true };
    for (const name of ["r1", "r2"]) {
      const pod = podOf(name, { hostNetwork: true });
      await admin.post(pods(namespace), { ...pod, metadata: { name, ownerReferences: [owner] } });
    }
    const [, line] = warningsOf(await label(namespace, { enforce: "baseline" }));
    expect(line).toBe("r1 (and 1 other pod): host namespaces");
  });

  test("tells of its pods though it be large itself, and judged beside the main thread", async () => {
    const namespace = await namespaceWith();
    await admin.post(pods(namespace), podOf("a", { hostNetwork: true }));
    const many = Object.fromEntries(Array.from({ length: 6000 }, (_, at) => [`k${at}`, ""]));
    const found = await admin.get(`/api/v1/namespaces/${namespace}`);
    const { metadata } = found.json;
    const { code, headers } = await admin.put(`/api/v1/namespaces/${namespace}`, {
      ...found.json,
      metadata: { ...metadata, annotations: many, labels: labelsOf({ enforce: "baseline" }) },
    });
    expect([code, headers["warning"]]).toEqual([200, expect.stringContaining("a: host namespaces")]);
  });

  test("may not have labels that mean nothing", async () => {
    const namespace = await namespaceWith();
    const { code, json } = await label(namespace, { enforce: "strict", "warn-version": "1.20" });
    expect([code, json.message]).toEqual([
      422,
      `Namespace "${namespace}" is invalid: [metadata.labels[${KEY}enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted, ` +
        `metadata.labels[${KEY}warn-version]: Invalid value: "1.20": must be "latest" or "v1.x"]`,
    ]);
    const created = await admin.post("/api/v1/namespaces", {
      metadata: { name: "bad", labels: labelsOf({ warn: "" }) },
    });
    expect(created.code).toBe(422);
  });

  test("asks for nothing once the label is gone", async () => {
    const namespace = await namespaceWith({ enforce: "restricted" });
    expect((await label(namespace, { enforce: null })).code).toBe(200);
    expect((await admin.post(pods(namespace), podOf("p"))).code).toBe(201);
  });

  test("holds at once for who asks the same server", async () => {
    const namespace = await namespaceWith();
    for (let round = 0; round < 5; round += 1) {
      await label(namespace, { enforce: "restricted" });
      expect((await admin.post(pods(namespace), podOf("p"))).code).toBe(403);
      await label(namespace, { enforce: "privileged" });
      expect((await admin.post(`${pods(namespace)}?dryRun=All`, podOf("p"))).code).toBe(201);
    }
  });
});

describe("warnings and audit annotations", () => {
  async function eventOf(namespace: string, answer: Promise<Answer>): Promise<Readonly<Record<string, string>>> {
    await answer;
    for (;;) {
      const found = audited.find(({ request }) => request.uri.includes(`/${namespace}/pods`));
      const all = found && Object.entries(found.annotations).filter(([key]) => key.startsWith(KEY));
      if (all !== undefined) return Object.fromEntries(all.map(([key, text]) => [key.slice(KEY.length), text]));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  test("the audit of a pod that is refused names the policy and what breaks it", async () => {
    const namespace = await namespaceWith({ enforce: "baseline", audit: "restricted", "audit-version": "v1.3" });
    expect(await eventOf(namespace, admin.post(pods(namespace), podOf("p", { hostPID: true })))).toEqual({
      "enforce-policy": "baseline:latest",
      "audit-violations":
        'would violate PodSecurity "restricted:v1.3": host namespaces (hostPID=true), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)',
    });
  });

  test("the audit of a pod where nothing is asked names that", async () => {
    const namespace = await namespaceWith();
    expect(await eventOf(namespace, admin.post(pods(namespace), podOf("p")))).toEqual({
      "enforce-policy": "privileged:latest",
    });
  });

  test("decisions are counted", async () => {
    const namespace = await namespaceWith({ enforce: "baseline", "enforce-version": "v1.17", warn: "restricted" });
    await admin.post(pods(namespace), podOf("p", { hostPID: true }));
    await admin.post(pods(namespace), podOf("q"));
    const { text } = await admin.get("/metrics");
    const counted = text.split("\n").filter((line) => /^pod_security_evaluations_total.*v1.17/.test(line));
    const more =
      'policy_level="baseline",policy_version="v1.17",mode="enforce",request_operation="create",resource="pod"';
    expect(counted.sort()).toEqual([
      `pod_security_evaluations_total{decision="allow",${more},subresource=""} 1`,
      `pod_security_evaluations_total{decision="deny",${more},subresource=""} 1`,
    ]);
    expect(text).toContain("# TYPE pod_security_exemptions_total counter");
    expect(text).toContain("# TYPE pod_security_errors_total counter");
  });
});

test("a large pod is judged where large objects are, in words that can be read", async () => {
  const namespace = await namespaceWith({ enforce: "restricted" });
  const containers = Array.from({ length: 5000 }, (_, at) => ({ name: `c${at}`, image: "i" }));
  const { code, json } = await admin.post(pods(namespace), podOf("large", { containers }));
  expect(code).toBe(403);
  expect(json.message).toContain(
    'violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (containers "c0", "c1"',
  );
  expect(json.message).toContain("and 4900 more must set");
});

describe("a server", () => {
  const started: { readonly server: RunningServer; readonly admin: ApiClient }[] = [];
  const start = async (flags: object, vocabulary: "orch" | "kubernetes" = "orch") => {
    const own = await startServer({ flags, vocabulary });
    started.push({ server: own, admin: new ApiClient(own, own.admin) });
    return (started.at(-1) as (typeof started)[number]).admin;
  };
  afterAll(async () => {
    for (const each of started) {
      each.admin.close();
      await each.server.stop();
    }
  });
  const restricted = (prefix: string) => ({
    metadata: { name: "r", labels: { [`${prefix}enforce`]: "restricted", [`${prefix}audit`]: "x" } },
  });

  test.each(["1.20", "1.22"])("a server of release %s accepts every pod and any label", async (release) => {
    const client = await start({ "emulated-release": release });
    expect((await client.post("/api/v1/namespaces", restricted(KEY))).code).toBe(201);
    expect((await client.post(pods("r"), podOf("p"))).code).toBe(201);
  });

  test("may have it off", async () => {
    const client = await start({ "disable-admission-plugins": ["PodSecurity", "ServiceAccount"] });
    expect((await client.post("/api/v1/namespaces", restricted(KEY))).code).toBe(201);
    expect((await client.post(pods("r"), podOf("p"))).code).toBe(201);
  });

  test("may have it on before it is the default", async () => {
    const client = await start({ "emulated-release": "1.22", "enable-admission-plugins": ["PodSecurity"] });
    const { json } = await client.post("/api/v1/namespaces", restricted(KEY));
    expect(json.message).toContain(`metadata.labels[${KEY}audit]: Invalid value: "x"`);
  });

  describe("with a configuration", () => {
    const folder = mkdtempSync(join(tmpdir(), "pod-security-"));
    afterAll(() => rmSync(folder, { recursive: true }));
    const configured = (parts: object) => {
      const file = join(folder, "admission.json");
      const configuration = { apiVersion: `${GROUP}/v1`, kind: "PodSecurityConfiguration", ...parts };
      const plugins = [{ name: "PodSecurity", configuration }];
      writeFileSync(
        file,
        JSON.stringify({ apiVersion: "apiserver.config.orch.io/v1", kind: "AdmissionConfiguration", plugins }),
      );
      return { "admission-control-config-file": file };
    };
    const GROUP = "pod-security.admission.config.orch.io";

    test("goes by its defaults, and leaves alone whom it exempts", async () => {
      const defaults = { enforce: "baseline", "enforce-version": "v1.20" };
      const client = await start(
        configured({ defaults, exemptions: { namespaces: ["free"], runtimeClasses: ["vm"] } }),
      );
      for (const name of ["free", "other"]) await client.post("/api/v1/namespaces", { metadata: { name } });
      const host = podOf("p", { hostNetwork: true });
      expect((await client.post(pods("free"), host)).code).toBe(201);
      const { code, json } = await client.post(pods("other"), host);
      expect([code, json.message]).toEqual([
        403,
        'pods "p" is forbidden: violates PodSecurity "baseline:v1.20": host namespaces (hostNetwork=true)',
      ]);
      expect(warningsOf(await label("free", { enforce: "restricted" }, "", client))).toEqual([
        'namespace "free" is exempt from Pod Security, and the policy (enforce=restricted:v1.20) will be ignored',
      ]);
    });

    test("that breaks its rules does not start", async () => {
      await expect(start(configured({ defaults: { enforce: "strict" } }))).rejects.toThrow(
        /PodSecurity.*defaults\.enforce: Invalid value: "strict": must be one of privileged, baseline, restricted/,
      );
    });
  });

  test("knows labels by the names that its clients have for them", async () => {
    const client = await start({}, "kubernetes");
    const { json } = await client.post("/api/v1/namespaces", restricted("pod-security.kubernetes.io/"));
    expect(json.message).toContain('metadata.labels[pod-security.kubernetes.io/audit]: Invalid value: "x"');
    expect((await client.post("/api/v1/namespaces", restricted(KEY))).code).toBe(201);
  });
});
