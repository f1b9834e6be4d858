// Lists and watches of accessible namespaces by users who may not list namespaces.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { openStore } from "@orch/store";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient, type WatchReader } from "../testing/api-client";

const GROUP = "rbac.authorization.orch.io";
const RBAC = `/apis/${GROUP}/v1`;
const NAMESPACES = "/api/v1/namespaces";
const OWN = `${NAMESPACES}?accessible=true`;

let server: RunningServer;
let admin: ApiClient;
let ann: ApiClient;
let watches: WatchReader[] = [];

const ok = async (answer: Promise<{ readonly code: number; readonly text: string }>) => {
  const { code, text } = await answer;
  if (code >= 300) throw new Error(text);
};

const subject = (name: string) => ({ kind: name === "devs" ? "Group" : "User", name, apiGroup: GROUP });

/** @param namespace "" for a ClusterRoleBinding */
async function bind(name: string, role: string, namespace = "", whom = "ann"): Promise<void> {
  const roleRef = { kind: "ClusterRole", name: role, apiGroup: GROUP };
  const binding = { metadata: { name }, roleRef, subjects: [subject(whom)] };
  await ok(admin.post(bindingsIn(namespace), binding));
}

const bindingsIn = (namespace: string) =>
  namespace === "" ? `${RBAC}/clusterrolebindings` : `${RBAC}/namespaces/${namespace}/rolebindings`;

const unbind = (name: string, namespace = "") => ok(admin.delete(`${bindingsIn(namespace)}/${name}`));

async function role(name: string, ...rules: object[]): Promise<void> {
  await ok(admin.put(`${RBAC}/clusterroles/${name}`, { metadata: { name }, rules }));
}

const namesIn = async (path: string, client = ann): Promise<string[]> => {
  const { code, text, json } = await client.get(path);
  if (code !== 200) throw new Error(text);
  return json.items.map(({ metadata }) => metadata.name);
};

async function watching(path: string, client = ann): Promise<WatchReader> {
  const watch = await client.watch(path);
  expect(watch.code).toBe(200);
  watches.push(watch);
  return watch;
}

const GET_PODS = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };

beforeAll(async () => {
  server = await startServer();
  admin = new ApiClient(server, server.admin);
  ann = new ApiClient(server, server.issueClient({ name: "ann", groups: ["devs"] }));
  for (const name of ["a", "b", "c", "d"]) {
    await ok(admin.post(NAMESPACES, { metadata: { name, labels: { of: name < "c" ? "one" : "two" } } }));
  }
});
afterAll(async () => {
  ann.close();
  admin.close();
  await server.stop();
});
beforeEach(async () => {
  await role("pods", GET_PODS);
});
afterEach(async () => {
  for (const watch of watches) watch.close();
  watches = [];
  for (const namespace of ["a", "b", "c", "d"]) await ok(admin.delete(bindingsIn(namespace)));
  for (const name of ["x", "y"]) await admin.delete(`${bindingsIn("")}/${name}`);
});

describe("a list", () => {
  test("a list is allowed to every authenticated user and is empty without permissions", async () => {
    expect((await ann.get(NAMESPACES)).code).toBe(403);
    expect(await namesIn(OWN)).toEqual([]);
    const anybody = new ApiClient(server);
    expect((await anybody.get(OWN)).code).toBe(403);
    anybody.close();
  });

  test("shows the namespaces in which something is granted to the user, or to a group of his", async () => {
    await bind("x", "pods", "a");
    await bind("x", "pods", "c", "devs");
    await bind("x", "pods", "d", "bob");
    expect(await namesIn(OWN)).toEqual(["a", "c"]);
    expect((await ann.get(`${NAMESPACES}?accessible=false`)).code).toBe(403);
    expect((await ann.get(`${NAMESPACES}/a?accessible=true`)).code).toBe(403);
    expect((await ann.delete(OWN)).code).toBeGreaterThanOrEqual(403);
    expect((await ann.get("/api/v1/nodes?accessible=true")).code).toBe(403);
  });

  test("shows all to whom something is granted in all, and those that are named", async () => {
    await role("named", {
      verbs: ["get"],
      apiGroups: [""],
      resources: ["namespaces"],
      resourceNames: ["b", "nowhere"],
    });
    await bind("x", "named");
    expect(await namesIn(OWN)).toEqual(["b"]);
    await bind("y", "pods");
    expect(await namesIn(OWN)).toEqual(await namesIn(NAMESPACES, admin));
    expect(await namesIn(OWN, admin)).toEqual(await namesIn(NAMESPACES, admin));
  });

  test("goes by no rule that grants nothing in a namespace", async () => {
    const nodes = { verbs: ["*"], apiGroups: [""], resources: ["nodes", "nodes/status"] };
    await role("nodes", nodes, { verbs: ["get"], nonResourceURLs: ["/metrics"] });
    await bind("x", "nodes");
    await bind("y", "gone");
    await role("paths", { verbs: ["get"], nonResourceURLs: ["*"] });
    await bind("x", "paths", "a");
    await bind("x", "gone", "b");
    expect(await namesIn(OWN)).toEqual([]);
  });

  test("is a list like all others: in chunks, by selectors, as a table, at a version", async () => {
    for (const namespace of ["a", "b", "d"]) await bind("x", "pods", namespace);
    expect(await namesIn(`${OWN}&labelSelector=of=one`)).toEqual(["a", "b"]);
    expect(await namesIn(`${OWN}&fieldSelector=metadata.name=b`)).toEqual(["b"]);
    expect(await namesIn(`${OWN}&fieldSelector=metadata.name=c`)).toEqual([]);
    const { json } = await ann.get(`${OWN}&limit=2`);
    expect(json.items.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    expect(json.metadata.remainingItemCount).toBeUndefined();
    expect(await namesIn(`${OWN}&limit=2&continue=${json.metadata.continue}`)).toEqual(["d"]);
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1;g=meta.orch.io";
    const table = (await ann.get(OWN, { headers: { accept } })).json;
    expect([table.kind, table.rows.map(({ cells }) => cells[0])]).toEqual(["Table", ["a", "b", "d"]]);
    expect(await namesIn(`${OWN}&resourceVersion=0`)).toEqual(["a", "b", "d"]);
    expect(await namesIn(`${OWN}&resourceVersion=${json.metadata.resourceVersion}`)).toEqual(["a", "b", "d"]);
  });
});

describe("a watch", () => {
  test("shows what becomes accessible as ADDED, and what stops being so as DELETED", async () => {
    await bind("x", "pods", "a");
    const watch = await watching(`${OWN}&watch=true`);
    expect(await watch.take(1)).toEqual(["ADDED a"]);
    await bind("x", "pods", "c", "devs");
    expect(await watch.take(1)).toEqual(["ADDED c"]);
    await unbind("x", "a");
    expect(await watch.take(1)).toEqual(["DELETED a"]);
    await role("pods");
    expect(await watch.take(1)).toEqual(["DELETED c"]);
    await role("pods", GET_PODS);
    expect(await watch.take(1)).toEqual(["ADDED c"]);
    await bind("x", "pods");
    const all = await namesIn(NAMESPACES, admin);
    const others = all.filter((name) => name !== "c").map((name) => `ADDED ${name}`);
    expect(await watch.take(others.length)).toEqual(others);
    await unbind("x");
    expect(await watch.take(others.length)).toEqual(others.map((line) => line.replace("ADDED", "DELETED")));
  });

  test("shows changes of what is accessible, and no others", async () => {
    await bind("x", "pods", "b");
    const watch = await watching(`${OWN}&watch=true&labelSelector=of`);
    expect(await watch.take(1)).toEqual(["ADDED b"]);
    const change = (name: string, labels: object) =>
      ok(
        admin.ask("PATCH", `${NAMESPACES}/${name}`, {
          body: { metadata: { labels } },
          headers: { "content-type": "application/merge-patch+json" },
        }),
      );
    await change("a", { seen: "no" });
    await change("b", { seen: "yes" });
    expect(await watch.take(1)).toEqual(["MODIFIED b"]);
    // The namespace is not selected, so its becoming accessible sends no event.
    await change("c", { of: null });
    await bind("x", "pods", "c");
    await change("c", { of: "two" });
    expect(await watch.take(1)).toEqual(["ADDED c"]);
  });

  test("goes on from a list, and tells who goes on from before a change to list again", async () => {
    await bind("x", "pods", "a");
    const { resourceVersion } = (await ann.get(OWN)).json.metadata;
    const from = `${OWN}&watch=true&resourceVersion=${resourceVersion}`;
    const watch = await watching(from);
    await bind("x", "pods", "d");
    expect(await watch.take(1)).toEqual(["ADDED d"]);
    const late = await watching(from);
    expect(await late.take(1)).toEqual(["ERROR 410"]);
    const again = (await ann.get(OWN)).json.metadata.resourceVersion;
    const third = await watching(`${OWN}&watch=true&resourceVersion=${again}`);
    await unbind("x", "a");
    expect(await third.take(1)).toEqual(["DELETED a"]);
  });

  test("begins with what is accessible where it is asked to, and tells of its end", async () => {
    await bind("x", "pods", "a");
    const query = "&watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const watch = await watching(OWN + query);
    expect((await watch.take(2)).map((line) => line.trim())).toEqual(["ADDED a", "BOOKMARK"]);
    await bind("x", "pods", "b");
    expect((await watch.take(2)).map((line) => line.trim())).toEqual(["ADDED b", "BOOKMARK"]);
  });

  test("a watch by the deprecated path is the same", async () => {
    await bind("x", "pods", "a");
    const watch = await watching("/api/v1/watch/namespaces?accessible=true");
    expect(await watch.take(1)).toEqual(["ADDED a"]);
    await unbind("x", "a");
    expect(await watch.take(1)).toEqual(["DELETED a"]);
  });
});

test("a grant at one server takes effect at another, and its watches receive the change", async () => {
  const store = await openStore({ kind: "memory" });
  const servers = await Promise.all([startServer({ store }), startServer({ store })]);
  const root = new ApiClient(servers[0], servers[0].admin);
  const there = new ApiClient(servers[1], servers[1].issueClient({ name: "ann" }));
  const watch = await watching(`${OWN}&watch=true`, there);
  const namespaced = `${RBAC}/namespaces/default`;
  await ok(root.post(`${namespaced}/roles`, { metadata: { name: "pods" }, rules: [GET_PODS] }));
  const roleRef = { kind: "Role", name: "pods", apiGroup: GROUP };
  await ok(root.post(`${namespaced}/rolebindings`, { metadata: { name: "x" }, roleRef, subjects: [subject("ann")] }));
  expect(await watch.take(1)).toEqual(["ADDED default"]);
  expect(await namesIn(OWN, there)).toEqual(["default"]);
  expect((await there.get("/api/v1/namespaces/default/pods/none")).code).toBe(404);
  await ok(root.delete(`${namespaced}/roles/pods`));
  expect(await watch.take(1)).toEqual(["DELETED default"]);
  expect((await there.get("/api/v1/namespaces/default/pods/none")).code).toBe(403);
  for (const client of [root, there]) client.close();
  await Promise.all(servers.map((each) => each.stop()));
  await store.close();
});
