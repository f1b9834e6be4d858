// Bootstrap roles and bindings are reconciled at each start, and changes by operators are kept.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openStore, type Store } from "@orch/store";
import { startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const GROUP = "rbac.authorization.orch.io";
const ROLES = `/apis/${GROUP}/v1/clusterroles`;
const BINDINGS = `/apis/${GROUP}/v1/clusterrolebindings`;
const AUTOUPDATE = `${GROUP}/autoupdate`;

interface Stored {
  readonly metadata: { readonly name: string; readonly labels?: object; readonly annotations?: object };
  readonly rules?: readonly object[];
  readonly aggregationRule?: object;
  readonly roleRef?: { readonly name: string };
  readonly subjects?: readonly object[];
}

let store: Store;
const SECRETS = { verbs: ["get"], apiGroups: [""], resources: ["secrets"] };
const WIDGETS = { verbs: ["get"], apiGroups: ["example.com"], resources: ["widgets"] };
const DEVS = { kind: "Group", name: "devs", apiGroup: GROUP };

async function withServer(work: (client: ApiClient) => Promise<void>): Promise<void> {
  const server = await startServer({ store });
  const client = new ApiClient(server, server.admin);
  await work(client);
  client.close();
  await server.stop();
}

async function read(client: ApiClient, path: string): Promise<Stored> {
  const { code, text, json } = await client.get(path);
  if (code !== 200) throw new Error(text);
  return json as unknown as Stored;
}

async function change(client: ApiClient, path: string, to: (stored: Stored) => object): Promise<void> {
  const { code, text } = await client.put(path, to(await read(client, path)));
  if (code !== 200) throw new Error(text);
}

let before: Stored;

beforeAll(async () => {
  store = await openStore({ kind: "memory" });
  await withServer(async (client) => {
    before = await read(client, `${ROLES}/system:monitoring`);
    // An operator's role.
    await change(client, `${ROLES}/system:monitoring`, (role) => ({ ...role, rules: [WIDGETS] }));
    await change(client, `${ROLES}/system:node-problem-detector`, (role) => ({
      ...role,
      metadata: { ...role.metadata, annotations: { [AUTOUPDATE]: "false" } },
      rules: [WIDGETS],
    }));
    await client.delete(`${ROLES}/system:heapster`);
    await change(client, `${BINDINGS}/system:basic-user`, (binding) => ({ ...binding, subjects: [DEVS] }));
    // The state of an older cluster: a role with rules of its own, and one binding for all public information.
    await client.delete(`${ROLES}/system:aggregate-to-edit`);
    await change(client, `${ROLES}/edit`, ({ aggregationRule: _none, ...role }) => ({ ...role, rules: [SECRETS] }));
    await client.delete(`${BINDINGS}/system:public-info-viewer`);
    await change(client, `${BINDINGS}/system:discovery`, (binding) => ({ ...binding, subjects: [DEVS] }));
  });
}, 30_000);
afterAll(() => store.close());

test("at the next start what is missing is there again, and what was added stays", () =>
  withServer(async (client) => {
    const monitoring = await read(client, `${ROLES}/system:monitoring`);
    expect(monitoring.rules).toEqual([WIDGETS, ...(before.rules ?? [])]);
    expect((await read(client, `${ROLES}/system:heapster`)).rules).not.toHaveLength(0);
    const { subjects } = await read(client, `${BINDINGS}/system:basic-user`);
    expect(subjects).toEqual([DEVS, expect.objectContaining({ name: "system:authenticated" })]);
  }));

test("a policy object that the operator removed or changed stays so", () =>
  withServer(async (client) => {
    expect((await read(client, `${ROLES}/system:node-problem-detector`)).rules).toEqual([WIDGETS]);
  }));

test("the rules of an old role are aggregated into the new role", () =>
  withServer(async (client) => {
    const part = await read(client, `${ROLES}/system:aggregate-to-edit`);
    expect(part.rules?.[0]).toEqual(SECRETS);
    expect(part.rules?.length).toBeGreaterThan(5);
    expect(part.metadata.labels).toMatchObject({ [`${GROUP}/aggregate-to-admin`]: "true" });
    const edit = await read(client, `${ROLES}/edit`);
    expect(edit.aggregationRule).toEqual({
      clusterRoleSelectors: [{ matchLabels: { [`${GROUP}/aggregate-to-edit`]: "true" } }],
    });
  }));

test("users of the public info viewer role keep their permissions", () =>
  withServer(async (client) => {
    const { roleRef, subjects } = await read(client, `${BINDINGS}/system:public-info-viewer`);
    expect(roleRef?.name).toBe("system:public-info-viewer");
    expect(subjects).toContainEqual(DEVS);
  }));

test("an upgrade adds the rules and roles of the newer release and of its feature gates", async () => {
  const upgraded = await openStore({ kind: "memory" });
  for (const [release, gates, expected] of [
    ["1.23", {}, { namespaces: true, volumeattachments: false, resourceslices: false, "service-cidrs": false }],
    ["1.33", {}, { volumeattachments: true, resourceslices: false, "service-cidrs": true }],
    ["1.36", { DynamicResourceAllocation: true }, { resourceslices: true, "service-cidrs": true }],
    // The server removes no rules.
    ["1.33", {}, { volumeattachments: true, resourceslices: true, "service-cidrs": true }],
  ] as const) {
    const flags = { "emulated-release": release, "feature-gates": gates };
    const server = await startServer({ store: upgraded, flags });
    const client = new ApiClient(server, server.admin);
    const scheduler = JSON.stringify((await read(client, `${ROLES}/system:orch-scheduler`)).rules);
    const { code } = await client.get(`${ROLES}/system:controller:service-cidrs-controller`);
    client.close();
    await server.stop();
    const found = (name: string) => (name === "service-cidrs" ? code === 200 : scheduler.includes(`"${name}"`));
    expect(Object.keys(expected).map((name) => [name, found(name)])).toEqual(Object.entries(expected));
  }
  await upgraded.close();
}, 30_000);
