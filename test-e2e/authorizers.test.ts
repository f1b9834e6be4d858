// All authorizers of a server together, with kubectl and a kubelet's requests; and the most expensive policies,
// webhooks and pods.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AccessWebhook } from "./harness/access-webhook";
import type { ApiServer } from "./harness/api-server";
import { Authority } from "./harness/credentials";
import { eventually } from "./harness/eventually";
import { LoopWatch } from "./harness/hostile/loop-delay";
import type { ApiClient } from "./harness/https-client";
import { Kubectl, type Printed, startWithKubectl } from "./harness/kubectl";
import { useWorkplace } from "./harness/processes";

/** Maximum event loop delay, as a multiple of the time to parse a body of 3 MiB. */
const BODIES_MAX = 4;
/** Number of repetitions; other load on the machine can only increase a delay. */
const ROUNDS = 4;
const MAPS = "/api/v1/namespaces/default/configmaps";
const MEBIBYTE = 1024 * 1024;

const workplace = useWorkplace();
const loop = new LoopWatch(workplace);
let server: ApiServer;
let admin: Kubectl;
let agent: Kubectl;
let webhook: AccessWebhook;
let policyFile: string;
let folder: string;

const policy = (spec: object) =>
  JSON.stringify({ apiVersion: "abac.authorization.kubernetes.io/v1beta1", kind: "Policy", spec });

/** Replaces a file atomically. */
function put(path: string, text: string): string {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
  return path;
}

beforeAll(async () => {
  folder = workplace.folder();
  const authority = new Authority(workplace);
  webhook = new AccessWebhook(authority, ({ spec }) => ({ allowed: spec.user === "late" }));
  const kubeConfigFile = await webhook.start(workplace);
  policyFile = put(
    join(folder, "policies.jsonl"),
    policy({ user: "lined", resource: "*", namespace: "*", apiGroup: "*" }),
  );
  const configuration = put(
    join(folder, "authorization.yaml"),
    `apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers:
- {type: Node, name: nodes}
- {type: RBAC, name: roles}
- {type: ABAC, name: lines}
- type: Webhook
  name: somebody-else
  webhook:
    timeout: 3s
    authorizedTTL: 1s
    unauthorizedTTL: 1s
    subjectAccessReviewVersion: v1
    matchConditionSubjectAccessReviewVersion: v1
    failurePolicy: NoOpinion
    connectionInfo: {type: KubeConfigFile, kubeConfigFile: ${kubeConfigFile}}
    matchConditions:
    - expression: "!request.user.startsWith('system:')"
    - expression: has(request.resourceAttributes) && request.resourceAttributes.resource == 'configmaps'
`,
  );
  const flags = [`--authorization-config=${configuration}`, `--authorization-policy-file=${policyFile}`];
  ({ server, client: admin } = await startWithKubectl(workplace, { authority, flags, env: loop.env }));
  const { cert, key } = authority.issue("system:node:worker", { groups: ["system:nodes"] });
  const options = ["--token=", `--client-certificate=${cert}`, `--client-key=${key}`];
  agent = new Kubectl(server, workplace.folder(), { options });
}, 120_000);
afterAll(() => webhook?.stop());

const as = (name: string): ApiClient => server.client(server.authority.user(name));

describe("a node's agent", () => {
  const secret = (): Promise<Printed> => agent.run(["get", "secret", "password", "-o", "name"]);

  test("reads the secrets of the pods that run on its node, while they do", async () => {
    await admin.print(["create", "secret", "generic", "password", "--from-literal=a=b"]);
    await admin.print(["create", "serviceaccount", "default"]).catch(() => {});
    expect((await secret()).stderr).toMatch(/no relationship found between node 'worker' and this object/);
    const pod = {
      ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "web" } },
      spec: {
        ...{ nodeName: "worker", containers: [{ name: "web", image: "web" }] },
        volumes: [{ name: "password", secret: { secretName: "password" } }],
      },
    };
    const file = put(join(folder, "pod.json"), JSON.stringify(pod));
    await admin.print(["apply", "-f", file]);
    expect(await secret()).toMatchObject({ code: 0, stdout: "secret/password\n" });
    await admin.print(["delete", "pod", "web", "--grace-period=0", "--force"]);
    expect((await secret()).code).toBe(1);
  });

  test("does what every agent does, no more, and cannot be told the whole of it", async () => {
    expect(await agent.print(["get", "nodes"])).toBe("");
    expect((await agent.run(["get", "deployments"])).stderr).toMatch(/deployments.apps is forbidden/);
    const told = await agent.run(["auth", "can-i", "--list"]);
    expect(told.stderr).toMatch(/node authorizer does not support user rule resolution/);
  });
});

test("policies and the webhook are consulted when no previous authorizer allows", async () => {
  expect((await as("lined").get(MAPS)).status).toBe(200);
  expect((await as("late").get(MAPS)).status).toBe(200);
  expect((await as("nobody").get(MAPS)).status).toBe(403);
  expect(webhook.asked.map(({ spec }) => spec.user)).toEqual(["late", "nobody"]);
  expect((await as("late").get("/api/v1/namespaces/default/secrets")).status).toBe(403);
  put(policyFile, policy({ user: "another", resource: "*", namespace: "*", apiGroup: "*" }));
  await eventually("the new policies are in force", async () => (await as("another").get(MAPS)).status === 200);
  expect((await as("lined").get(MAPS)).status).toBe(403);
});

describe("requests do not wait for", () => {
  async function delayed(act: (round: number) => Promise<unknown>): Promise<number> {
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < ROUNDS && least > BODIES_MAX * bodyMs(); round += 1) {
      least = Math.min(least, await loop.delay(() => act(round)));
    }
    return least;
  }

  test("a policy file of 3 MiB", async () => {
    const others = Array.from({ length: 30_000 }, (_, at) =>
      policy({ user: `user-${at}`, resource: "*", namespace: "*" }),
    );
    expect(others.join("\n").length).toBeGreaterThan(3 * MEBIBYTE);
    const delay = await delayed(async (round) => {
      const mine = policy({ user: `large-${round}`, resource: "*", namespace: "*", apiGroup: "*" });
      put(policyFile, [...others, mine].join("\n"));
      const client = as(`large-${round}`);
      await eventually("it is in force", async () => (await client.get(MAPS)).status === 200);
    });
    expect(delay).toBeLessThan(BODIES_MAX * bodyMs());
  }, 120_000);

  test.each<[string, AccessWebhook["answer"]]>([
    [
      "3 MiB of an answer",
      (review) => ({ allowed: true, reason: "x".repeat(3 * MEBIBYTE), groups: review.spec.groups }),
    ],
    [
      "an answer of as much as may be",
      () => ({ allowed: false, reason: "x", more: [[], [], []].concat(Array(100_000).fill([])) }),
    ],
    ["an answer without an end", (_review, response) => endless(response)],
    ["an answer that does not come", () => undefined],
  ])(
    "%s of a webhook",
    async (what, answer) => {
      webhook.answer = answer;
      const delay = await delayed(async (round) => {
        const { status } = await as(`nobody-${what.length}-${round}`).get(MAPS);
        expect([403, 500]).toContain(status);
      });
      expect(delay).toBeLessThan(BODIES_MAX * bodyMs());
    },
    120_000,
  );

  test("a pod of 3 MiB of volumes, and the decisions about it", async () => {
    const volumes = Array.from({ length: 40_000 }, (_, at) => ({
      name: `v${at}`,
      secret: { secretName: `large-${at}` },
    }));
    const pod = (name: string) =>
      JSON.stringify({
        metadata: { name },
        spec: { nodeName: "worker", containers: [{ name: "c", image: "c" }], volumes },
      });
    const worker = server.client(server.authority.user("system:node:worker", ["system:nodes"]));
    const delay = await delayed(async (round) => {
      const path = "/api/v1/namespaces/default/pods";
      const created = await server.admin.send(path, {
        ...{ method: "POST", body: pod(`large-${round}`), timeoutMs: 120_000 },
        headers: { "content-type": "application/json" },
      });
      expect([201, 413]).toContain(created.status);
      // The authorizer allows the request, and the Secret does not exist.
      if (created.status === 201)
        expect((await worker.get("/api/v1/namespaces/default/secrets/large-39999")).status).toBe(404);
    });
    expect(delay).toBeLessThan(BODIES_MAX * bodyMs());
  }, 240_000);
});

const endless = (response: NodeJS.WritableStream): undefined => {
  const more = () => {
    while (response.writable && response.write("y".repeat(65_536)));
  };
  response.on("drain", more);
  response.on("error", () => {});
  more();
  return undefined;
};

/** Minimum time to parse a body of 3 MiB on this machine, in milliseconds. */
function bodyMs(): number {
  const body = `[${'{"k":[]},'.repeat(340_000)}0]`;
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round += 1) {
    const start = performance.now();
    JSON.parse(body);
    least = Math.min(least, performance.now() - start);
  }
  return Math.round(least);
}
