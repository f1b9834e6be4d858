// Deletion of objects. Source: Kubernetes API concepts, "Resource deletion".
import { describe, expect, test } from "@jest/globals";
import { startServer } from "../server/start-server";
import { ApiClient, CONFIG_MAPS, configMap } from "../testing/api-client";
import { useServer } from "../testing/use-server";

const PODS = "/api/v1/namespaces/default/pods";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const NAMESPACES = "/api/v1/namespaces";

let admin: ApiClient;

useServer((running) => ({ admin } = running));

const withFinalizers = (name: string, ...finalizers: string[]) => ({
  ...configMap(name),
  metadata: { name, finalizers },
});

async function release(path: string) {
  const { json } = await admin.get(path);
  return admin.put(path, { ...json, metadata: { ...json.metadata, finalizers: [] } });
}

const codeOf = async (path: string): Promise<number> => (await admin.get(path)).code;

describe("dependents", () => {
  test.each<[string, string, object | undefined, number, string[]]>([
    ["are waited for in the foreground", "", { propagationPolicy: "Foreground" }, 200, ["foregroundDeletion"]],
    ["are left alone by a policy in the query", "?propagationPolicy=Orphan", undefined, 200, ["orphan"]],
    ["are left alone in the old way", "", { orphanDependents: true }, 200, ["orphan"]],
  ])("%s", async (_behaviour, query, body, code, finalizers) => {
    await admin.post(CONFIG_MAPS, configMap("owner"));
    const answer = await admin.ask("DELETE", `${CONFIG_MAPS}/owner${query}`, body === undefined ? {} : { body });
    expect(answer.code).toBe(code);
    expect(answer.json).toMatchObject({
      kind: "ConfigMap",
      metadata: { finalizers, deletionTimestamp: expect.any(String), deletionGracePeriodSeconds: 0 },
    });
    expect((await release(`${CONFIG_MAPS}/owner`)).code).toBe(200);
    expect(await codeOf(`${CONFIG_MAPS}/owner`)).toBe(404);
  });

  test("are waited for by others after 202, when the old way says that they are not left alone", async () => {
    await admin.post(CONFIG_MAPS, withFinalizers("held", "x.io/y"));
    expect((await admin.delete(`${CONFIG_MAPS}/held`, { orphanDependents: false })).code).toBe(202);
    expect((await admin.delete(`${CONFIG_MAPS}/held`, { propagationPolicy: "Background" })).code).toBe(200);
    await release(`${CONFIG_MAPS}/held`);
  });

  test("dependents of kinds that orphan by default stay unless the request says otherwise", async () => {
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    await admin.post(JOBS, { apiVersion: "batch/v1", kind: "Job", metadata: { name: "j" }, spec: { template } });
    const kept = await admin.delete(`${JOBS}/j`);
    expect(kept.json).toMatchObject({ kind: "Job", metadata: { finalizers: ["orphan"] } });
    const gone = await admin.delete(`${JOBS}/j`, { apiVersion: "batch/v1", propagationPolicy: "Background" });
    expect(gone.json).toMatchObject({ kind: "Status", details: { kind: "jobs", group: "batch", name: "j" } });
  });

  test("events have no dependents", async () => {
    const events = "/api/v1/namespaces/default/events";
    const involvedObject = { namespace: "default" };
    await admin.post(events, { apiVersion: "v1", kind: "Event", metadata: { name: "e" }, involvedObject });
    const answer = await admin.delete(`${events}/e`, { propagationPolicy: "Foreground" });
    expect(answer.json).toMatchObject({ kind: "Status", status: "Success" });
  });
});

describe("finalizers", () => {
  test("are released in any order, and the last one takes the object with it", async () => {
    await admin.post(CONFIG_MAPS, withFinalizers("two", "x.io/a", "x.io/b"));
    const marked = await admin.delete(`${CONFIG_MAPS}/two`);
    const { metadata } = marked.json;
    expect((await admin.post(CONFIG_MAPS, configMap("two"))).json.message).toMatch(/^object is being deleted: /);
    const added = { ...configMap("two"), metadata: { ...metadata, finalizers: ["x.io/a", "x.io/b", "x.io/c"] } };
    expect((await admin.put(`${CONFIG_MAPS}/two`, added)).code).toBe(422);
    const one = await admin.put(`${CONFIG_MAPS}/two`, {
      ...configMap("two"),
      metadata: { ...metadata, finalizers: ["x.io/b"] },
    });
    expect(one.code).toBe(200);
    expect((await release(`${CONFIG_MAPS}/two`)).json.metadata.name).toBe("two");
    expect(await codeOf(`${CONFIG_MAPS}/two`)).toBe(404);
  });
});

describe("a request to delete", () => {
  test.each<[string, string, object | undefined, number]>([
    ["an unknown policy", "", { propagationPolicy: "Later" }, 422],
    ["two ways at once", "", { propagationPolicy: "Orphan", orphanDependents: true }, 422],
    ["another's uid", "", { preconditions: { uid: "other" } }, 409],
    ["another's uid in the query", "?uid=other", undefined, 409],
    ["an old version", "", { preconditions: { resourceVersion: "1" } }, 409],
    ["an old version in the query", "?resourceVersion=1", undefined, 409],
    ["options of a version that nobody serves", "", { kind: "DeleteOptions", apiVersion: "none.example/v1" }, 400],
    ["a body of another kind", "", { kind: "Pod", apiVersion: "v1" }, 400],
  ])("with %s is refused", async (_what, query, body, code) => {
    await admin.post(CONFIG_MAPS, configMap("stays"));
    const answer = await admin.ask("DELETE", `${CONFIG_MAPS}/stays${query}`, body === undefined ? {} : { body });
    expect(answer.code).toBe(code);
    expect(await codeOf(`${CONFIG_MAPS}/stays`)).toBe(200);
  });

  test.each([
    ["", { dryRun: ["All"] }],
    ["?dryRun=All", undefined],
    ["?dryRun=All", { kind: "DeleteOptions", apiVersion: "meta.orch.io/v1" }],
  ])("a dry run of a deletion%s %j answers as the deletion would", async (query, body) => {
    await admin.post(CONFIG_MAPS, configMap("stays"));
    const answer = await admin.ask("DELETE", `${CONFIG_MAPS}/stays${query}`, body === undefined ? {} : { body });
    expect(answer.json).toMatchObject({ kind: "Status", status: "Success", details: { name: "stays" } });
    expect(await codeOf(`${CONFIG_MAPS}/stays`)).toBe(200);
  });

  test("may be written in YAML", async () => {
    await admin.post(CONFIG_MAPS, configMap("yaml"));
    const body = "kind: DeleteOptions\napiVersion: v1\npropagationPolicy: Foreground\n";
    const answer = await admin.ask("DELETE", `${CONFIG_MAPS}/yaml`, {
      body,
      headers: { "content-type": "application/yaml" },
    });
    expect(answer.json).toMatchObject({ metadata: { finalizers: ["foregroundDeletion"] } });
    await release(`${CONFIG_MAPS}/yaml`);
  });
});

describe("a pod", () => {
  const pod = (name: string, spec: object = {}) =>
    admin.post(PODS, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: { containers: [{ name: "c", image: "i" }], ...spec },
    });

  test("that runs somewhere is given time, which a later deletion may shorten", async () => {
    await pod("runs", { nodeName: "n1" });
    const path = `${PODS}/runs`;
    const first = await admin.delete(path);
    expect(first.json).toMatchObject({ kind: "Pod", metadata: { deletionGracePeriodSeconds: 30 } });
    expect((await admin.delete(path, { gracePeriodSeconds: 60 })).json.metadata).toEqual(first.json.metadata);
    const shorter = await admin.delete(`${path}?gracePeriodSeconds=5`);
    expect(shorter.json).toMatchObject({ metadata: { deletionGracePeriodSeconds: 5 } });
    const timeOf = ({ metadata }: object & { metadata: object }) =>
      Date.parse((metadata as { deletionTimestamp: string }).deletionTimestamp);
    expect(timeOf(first.json) - timeOf(shorter.json)).toBe(25_000);
    expect((await admin.delete(path, { gracePeriodSeconds: 0 })).json.kind).toBe("Pod");
    expect(await codeOf(path)).toBe(404);
  });

  test("that runs nowhere goes at once", async () => {
    await pod("waits");
    const answer = await admin.delete(`${PODS}/waits`, { gracePeriodSeconds: 60 });
    expect(answer.json).toMatchObject({ kind: "Pod", metadata: { deletionGracePeriodSeconds: 0 } });
    expect(await codeOf(`${PODS}/waits`)).toBe(404);
  });
});

describe("the deletion of many", () => {
  const labelled = (name: string, half: string) => ({ ...configMap(name), metadata: { name, labels: { half } } });
  const names = (list: { items: readonly { metadata: { name: string } }[] }) =>
    list.items.map(({ metadata }) => metadata.name);
  const left = async () => names((await admin.get(`${CONFIG_MAPS}?labelSelector=half`)).json);
  const fill = async () => {
    for (const name of ["a", "b", "c"])
      await admin.post(CONFIG_MAPS, labelled(name, name === "c" ? "second" : "first"));
  };
  const query = (text: string) => `${CONFIG_MAPS}?labelSelector=half${text}`;

  test("a dry run of a collection delete answers with the list and deletes nothing", async () => {
    await fill();
    expect(names((await admin.delete(query("&dryRun=All"))).json)).toEqual(["a", "b", "c"]);
    expect(names((await admin.delete(query(""), { dryRun: ["All"] })).json)).toEqual(["a", "b", "c"]);
    expect(await left()).toEqual(["a", "b", "c"]);
  });

  test("takes as many as its limit, from the list at its version", async () => {
    await fill();
    const version = (await admin.get(CONFIG_MAPS)).json.metadata.resourceVersion;
    const answer = await admin.delete(query(`&limit=2&resourceVersion=${version}`));
    expect(answer.code).toBe(200);
    expect(answer.json).toMatchObject({ kind: "ConfigMapList", metadata: { continue: expect.any(String) } });
    expect(names(answer.json)).toEqual(["a", "b"]);
    expect(await left()).toEqual(["c"]);
    await admin.delete(query(""));
  });

  test("passes what is asked of dependents to each, and shows the list as it was read", async () => {
    await fill();
    const answer = await admin.delete(`${CONFIG_MAPS}?labelSelector=half%3Dfirst`, { propagationPolicy: "Foreground" });
    expect(JSON.stringify(answer.json)).not.toContain("deletionTimestamp");
    expect((await admin.get(`${CONFIG_MAPS}/a`)).json).toMatchObject({
      metadata: { finalizers: ["foregroundDeletion"] },
    });
    for (const name of ["a", "b"]) await release(`${CONFIG_MAPS}/${name}`);
    await admin.delete(query(""));
  });

  test("stops at the first that is refused", async () => {
    await fill();
    expect((await admin.delete(query(""), { preconditions: { uid: "other" } })).code).toBe(409);
    expect((await admin.delete(query("&fieldSelector=spec.none%3D1"))).code).toBe(400);
    expect(await left()).toEqual(["a", "b", "c"]);
    await admin.delete(query(""));
    expect(await left()).toEqual([]);
  });
});

describe("a namespace", () => {
  const make = (name: string) => admin.post(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });

  test("that is deleted stays, takes nothing new, and goes when it has been finalized", async () => {
    const made = await make("shop");
    expect(made.json).toMatchObject({ spec: { finalizers: ["orch"] }, status: { phase: "Active" } });
    await admin.post(`${NAMESPACES}/shop/configmaps`, configMap("inside"));

    const deleted = await admin.delete(`${NAMESPACES}/shop`, { propagationPolicy: "Background" });
    expect(deleted.code).toBe(200);
    expect(deleted.json).toMatchObject({
      kind: "Namespace",
      metadata: { deletionTimestamp: expect.any(String) },
      spec: { finalizers: ["orch"] },
      status: { phase: "Terminating" },
    });
    const refused = await admin.post(`${NAMESPACES}/shop/configmaps`, configMap("late"));
    expect(refused.code).toBe(403);
    expect(refused.json).toMatchObject({
      message:
        'configmaps "late" is forbidden: unable to create new content in namespace shop because it is being terminated',
      details: {
        causes: [
          {
            reason: "NamespaceTerminating",
            message: "namespace shop is being terminated",
            field: "metadata.namespace",
          },
        ],
      },
    });
    const inside = { ...configMap("inside"), data: { still: "mine" } };
    expect((await admin.put(`${NAMESPACES}/shop/configmaps/inside`, inside)).code).toBe(200);
    expect((await admin.delete(`${NAMESPACES}/shop`)).json).toEqual(deleted.json);

    expect((await admin.delete(`${NAMESPACES}/shop/configmaps/inside`)).code).toBe(200);
    const finalized = await admin.put(`${NAMESPACES}/shop/finalize`, { ...deleted.json, spec: { finalizers: [] } });
    expect(finalized.code).toBe(200);
    expect(await codeOf(`${NAMESPACES}/shop`)).toBe(404);
    expect((await make("shop")).code).toBe(201);
  });

  test("takes only finalizers that are qualified, and a phase that is true", async () => {
    const made = await make("strict");
    const held = (...finalizers: string[]) => ({ ...made.json, spec: { finalizers } });
    const invalidAt = (field: string) => ({
      code: 422,
      details: { causes: [{ reason: "FieldValueInvalid", field }] },
    });
    const nameless = { ...held("mine"), metadata: { name: "nameless" } };
    for (const answer of [
      await admin.post(NAMESPACES, nameless),
      await admin.put(`${NAMESPACES}/strict/finalize`, held("mine")),
    ]) {
      expect(answer.json).toMatchObject(invalidAt("spec.finalizers[0]"));
    }
    const ending = await admin.put(`${NAMESPACES}/strict/status`, { ...made.json, status: { phase: "Terminating" } });
    expect(ending.json).toMatchObject(invalidAt("status.Phase"));
    expect((await admin.put(`${NAMESPACES}/strict/finalize`, held("example.com/hold"))).json).toMatchObject({
      metadata: { labels: { "orch.io/metadata.name": "strict" } },
      spec: { finalizers: ["example.com/hold"] },
    });
  });

  test("that nothing holds any more goes with the second deletion", async () => {
    const made = await make("light");
    await admin.put(`${NAMESPACES}/light/finalize`, { ...made.json, spec: {} });
    expect((await admin.delete(`${NAMESPACES}/light`)).json).toMatchObject({ status: { phase: "Terminating" } });
    expect(await codeOf(`${NAMESPACES}/light`)).toBe(200);
    expect((await admin.delete(`${NAMESPACES}/light`)).code).toBe(200);
    expect(await codeOf(`${NAMESPACES}/light`)).toBe(404);
  });

  test("goes only when its other finalizers are gone too", async () => {
    await admin.post(NAMESPACES, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "held", finalizers: ["x.io/y"] },
    });
    const path = `${NAMESPACES}/held`;
    const { json } = await admin.delete(path);
    expect((await admin.put(`${path}/finalize`, { ...json, spec: { finalizers: [] } })).code).toBe(200);
    expect(await codeOf(path)).toBe(200);
    await release(path);
    expect(await codeOf(path)).toBe(404);
  });

  test("shows what the one who empties it writes into its status", async () => {
    const path = `${NAMESPACES}/told`;
    await make("told");
    const { json } = await admin.delete(path);
    const conditions = [
      { type: "NamespaceContentRemaining", status: "True", reason: "SomeResourcesRemain", message: "m" },
    ];
    await admin.put(`${path}/status`, { ...json, status: { phase: "Terminating", conditions } });
    const again = await admin.delete(path);
    expect(again.json).toMatchObject({ status: { phase: "Terminating", conditions } });
  });

  test.each(["default", "orch-system", "orch-public"])("the namespace %s cannot be deleted", async (name) => {
    expect(await admin.delete(`${NAMESPACES}/${name}`)).toMatchObject({ code: 403 });
  });

  test("a dry run returns the namespace as it would be", async () => {
    await make("dry");
    const answer = await admin.delete(`${NAMESPACES}/dry?dryRun=All`);
    expect(answer.json.status.phase).toBe("Terminating");
    expect((await admin.get(`${NAMESPACES}/dry`)).json.status.phase).toBe("Active");
  });
});

test("no creation slips into a namespace whose deletion has been answered", async () => {
  const space = `${NAMESPACES}/busy`;
  await admin.post(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "busy" } });
  let number = 0;
  let deleted = false;
  let lateOnes = 0;
  async function writer(): Promise<void> {
    for (;;) {
      const begunAfter = deleted;
      number += 1;
      const { code } = await admin.post(`${space}/configmaps`, configMap(`c${number}`));
      if (code === 201 && begunAfter) lateOnes += 1;
      if (code === 403) return;
    }
  }
  const writers = [writer(), writer(), writer(), writer()];
  await admin.post(`${space}/configmaps`, configMap("first"));
  const { json } = await admin.delete(space);
  deleted = true;
  const settled = Number(json.metadata.resourceVersion);
  await Promise.all(writers);
  expect(lateOnes).toBe(0);
  const { items } = (await admin.get(`${space}/configmaps`)).json;
  expect(items.filter(({ metadata }) => Number(metadata.resourceVersion) > settled)).toEqual([]);
});

test("required system objects cannot be deleted", async () => {
  const path = "/apis/scheduling.orch.io/v1/priorityclasses";
  const { items } = (await admin.get(path)).json;
  expect(items).toMatchObject([
    { metadata: { name: "system-cluster-critical" }, value: 2000000000 },
    { metadata: { name: "system-node-critical" }, value: 2000001000 },
  ]);
  const { code, json } = await admin.ask("DELETE", `${path}/system-node-critical`);
  expect([code, json.message]).toEqual([
    403,
    'priorityclasses.scheduling.orch.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
  ]);
});

test("without garbage collection no deletion leaves finalizers for it, and those that are there stay", async () => {
  const plain = await startServer({ flags: { "enable-garbage-collector": false } });
  const client = new ApiClient(plain, plain.admin);
  for (const propagationPolicy of ["Foreground", "Orphan"]) {
    await client.post(CONFIG_MAPS, configMap("owner"));
    expect((await client.delete(`${CONFIG_MAPS}/owner`, { propagationPolicy })).json.kind).toBe("Status");
  }
  await client.post(CONFIG_MAPS, withFinalizers("held", "orphan"));
  const held = await client.delete(`${CONFIG_MAPS}/held`, { propagationPolicy: "Background" });
  expect(held.json.metadata).toMatchObject({ finalizers: ["orphan"] });
  client.close();
  await plain.stop();
});
