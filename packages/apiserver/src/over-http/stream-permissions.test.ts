// Permission for streams to pods: the verb of the request alone, and from 1.35 on also create, which a WebSocket does
// not require by its GET request.
import { expect, test } from "@jest/globals";
import { startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const PARTS = ["exec", "attach", "portforward"];
const PODS = "/api/v1/namespaces/default/pods";
const UNBOUND = 400;

/** Answers to a user with permission to get, and to one with permission to get and create. The pod runs nowhere. */
async function answersAt(release: string, gate?: boolean) {
  const gates = gate === undefined ? {} : { AuthorizePodWebsocketUpgradeCreatePermission: gate };
  const server = await startServer({ flags: { "emulated-release": release, "feature-gates": gates } });
  const admin = new ApiClient(server, server.admin);
  const group = "/apis/rbac.authorization.orch.io/v1/namespaces/default";
  const resources = PARTS.map((part) => `pods/${part}`);
  for (const [name, verbs] of Object.entries({ reader: ["get"], runner: ["get", "create"] })) {
    await admin.post(`${group}/roles`, { metadata: { name }, rules: [{ apiGroups: [""], resources, verbs }] });
    await admin.post(`${group}/rolebindings`, {
      metadata: { name },
      subjects: [{ kind: "User", name, apiGroup: "rbac.authorization.orch.io" }],
      roleRef: { kind: "Role", name, apiGroup: "rbac.authorization.orch.io" },
    });
  }
  await admin.post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  const pod = await admin.post(PODS, {
    metadata: { name: "web" },
    spec: { containers: [{ name: "c", image: "i" }] },
  });
  expect(pod.code).toBe(201);
  const answers: Record<string, readonly number[]> = {};
  for (const name of ["reader", "runner"]) {
    const client = new ApiClient(server, server.issueClient({ name }));
    const codes: number[] = [];
    for (const part of PARTS) {
      const { code, json } = await client.get(`${PODS}/web/${part}?command=ls&stdout=true`);
      if (code === 403) expect(json.message).toContain(`cannot create resource "pods/${part}"`);
      codes.push(code);
    }
    answers[name] = codes;
    client.close();
  }
  admin.close();
  await server.stop();
  return answers;
}

test.each<[string, boolean | undefined, number]>([
  ["1.34", undefined, UNBOUND],
  ["1.35", undefined, 403],
  ["1.36", false, UNBOUND],
])("at %s with the gate %s, streams to pods answer %i to a user who may only get them", async (release, gate, code) => {
  const every = (value: number) => PARTS.map(() => value);
  expect(await answersAt(release, gate)).toEqual({ reader: every(code), runner: every(UNBOUND) });
});
