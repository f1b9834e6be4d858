import { gunzipSync } from "node:zlib";
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type Answer, type ApiClient, CONFIG_MAPS, configMap, type Loose } from "../testing/api-client";
import { useServer } from "../testing/use-server";

let admin: ApiClient;

useServer((running) => ({ admin } = running));

describe("an object", () => {
  test("is created, read, changed and deleted", async () => {
    const created = await admin.post(CONFIG_MAPS, configMap("one", { a: "1" }));
    expect(created.code).toBe(201);
    expect(created.json).toMatchObject({ kind: "ConfigMap", apiVersion: "v1", metadata: { namespace: "default" } });

    const read = await admin.get(`${CONFIG_MAPS}/one`);
    expect(read.code).toBe(200);
    expect(read.json).toEqual(created.json);
    expect(read.headers).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-cache, private",
      "content-length": String(Buffer.byteLength(read.text)),
    });
    expect(read.headers["audit-id"]).toMatch(/^[0-9a-f-]{36}$/);

    const changed = await admin.put(`${CONFIG_MAPS}/one`, { ...read.json, data: { a: "2" } });
    expect(changed.code).toBe(200);
    expect(Number(changed.json.metadata.resourceVersion)).toBeGreaterThan(Number(read.json.metadata.resourceVersion));

    const stale = await admin.put(`${CONFIG_MAPS}/one`, { ...read.json, data: { a: "3" } });
    expect(stale.code).toBe(409);
    expect(stale.json.reason).toBe("Conflict");

    const deleted = await admin.delete(`${CONFIG_MAPS}/one`);
    expect(deleted.code).toBe(200);
    expect(deleted.json).toMatchObject({
      kind: "Status",
      status: "Success",
      details: { name: "one", kind: "configmaps" },
    });
    const { uid } = created.json.metadata;
    expect(deleted.json.details.uid).toBe(uid);
    expect((await admin.get(`${CONFIG_MAPS}/one`)).code).toBe(404);
  });

  test.each<[string, string, object, boolean]>([
    ["an object", `${CONFIG_MAPS}/gone`, {}, false],
    ["an object with a version", `${CONFIG_MAPS}/gone`, { resourceVersion: "1" }, false],
    ["an object of a kind that PUT creates", "/api/v1/namespaces/default/endpoints/gone", {}, true],
    ["a status", "/api/v1/namespaces/default/services/gone/status", {}, false],
    ["a scale", "/apis/apps/v1/namespaces/default/replicasets/gone/scale", {}, false],
    ["a rehearsal", `${CONFIG_MAPS}/gone?dryRun=All`, {}, false],
  ])("that is absent: the uid is a precondition of a PUT of %s", async (_what, path, meta, isCreated) => {
    const put = (uid: object) => admin.put(path, { metadata: { name: "gone", ...meta, ...uid } });
    const refused = await put({ uid: "u" });
    expect([refused.code, refused.json.reason, refused.json.message]).toEqual([
      409,
      "Conflict",
      expect.stringContaining("uid mismatch: the provided object specified uid u, and no existing object was found"),
    ]);
    expect((await put({})).code).toBe(isCreated ? 201 : 404);
  });

  describe("that is a slice of endpoints", () => {
    const BETA = "/apis/discovery.orch.io/v1beta1/namespaces/default/endpointslices";
    const STABLE = "/apis/discovery.orch.io/v1/namespaces/default/endpointslices";
    const ZONE = "topology.orch.io/zone";
    const HOST = "orch.io/hostname";
    const slice = (...endpoints: readonly object[]) => ({ metadata: { name: "s" }, addressType: "IPv4", endpoints });
    const at = (address: string, more: object = {}) => ({ addresses: [address], conditions: {}, ...more });
    const endpointsOf = ({ code, json }: Answer) => [code, (json as unknown as { endpoints: object }).endpoints];

    afterEach(() => admin.delete(`${STABLE}/s`));

    test("ignores topology that is sent through v1", async () => {
      const sent = slice(at("10.0.0.1", { zone: "z", deprecatedTopology: { rack: "1" } }));
      expect(endpointsOf(await admin.post(STABLE, sent))).toEqual([201, [at("10.0.0.1", { zone: "z" })]]);
      expect(endpointsOf(await admin.put(`${STABLE}/s`, sent))).toEqual([200, [at("10.0.0.1", { zone: "z" })]]);
      expect(endpointsOf(await admin.get(`${BETA}/s`))).toEqual([200, [at("10.0.0.1", { topology: { [ZONE]: "z" } })]]);
    });

    test("keeps topology that is stored, whatever is sent through v1", async () => {
      const topology = { rack: "1", [ZONE]: "z", [HOST]: "n" };
      await admin.post(BETA, slice(at("10.0.0.1", { topology, nodeName: "n" }), at("10.0.0.2", { topology })));
      const stored = [
        at("10.0.0.1", { nodeName: "n", zone: "z", deprecatedTopology: { rack: "1" } }),
        at("10.0.0.2", { zone: "z", deprecatedTopology: { rack: "1", [HOST]: "n" } }),
      ];
      expect(endpointsOf(await admin.get(`${STABLE}/s`))).toEqual([200, stored]);
      const changed = [
        at("10.0.0.3", { deprecatedTopology: { rack: "2" } }),
        at("10.0.0.2", { zone: "z", deprecatedTopology: { rack: "2" } }),
        at("10.0.0.1", { nodeName: "n", zone: "y" }),
      ];
      expect(endpointsOf(await admin.put(`${STABLE}/s`, slice(...changed)))).toEqual([
        200,
        [at("10.0.0.3"), stored[1], { ...stored[0], zone: "y" }],
      ]);
      const replaced = [at("10.0.0.4", { deprecatedTopology: { rack: "1", [HOST]: "n" } })];
      expect(endpointsOf(await admin.put(`${STABLE}/s`, slice(...replaced)))).toEqual([
        200,
        [at("10.0.0.4", { nodeName: "n" })],
      ]);
    });

    test("takes topology through v1beta1", async () => {
      await admin.post(BETA, slice(at("10.0.0.1", { topology: { rack: "1" } })));
      const next = [at("10.0.0.1", { topology: { rack: "2" } })];
      expect(endpointsOf(await admin.put(`${BETA}/s`, slice(...next)))).toEqual([200, next]);
    });
  });

  test("that is returned by its deletion is the object itself", async () => {
    await admin.post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "one" } });
    const deleted = await admin.delete("/api/v1/namespaces/default/serviceaccounts/one");
    expect(deleted.json).toMatchObject({ kind: "ServiceAccount", metadata: { name: "one" } });
  });

  test("gets a name where it asks for one", async () => {
    const made = await admin.post(CONFIG_MAPS, { metadata: { generateName: "some-" } });
    expect(made.json.metadata.name).toMatch(/^some-[a-z0-9]{5}$/);
    await admin.delete(`${CONFIG_MAPS}/${made.json.metadata.name}`);
  });

  test("is taken as YAML", async () => {
    const body = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: from-yaml}\ndata: {a: 'yes'}\n";
    const made = await admin.post(CONFIG_MAPS, body, { "content-type": "application/yaml" });
    expect(made.code).toBe(201);
    expect(made.json.data).toEqual({ a: "yes" });
    await admin.delete(`${CONFIG_MAPS}/from-yaml`);
  });

  test("an object of a dry run is returned and not stored", async () => {
    const made = await admin.post(`${CONFIG_MAPS}?dryRun=All`, configMap("dry"));
    expect(made.code).toBe(201);
    expect((await admin.get(`${CONFIG_MAPS}/dry`)).code).toBe(404);
  });

  test("has a status of its own path", async () => {
    const pods = "/api/v1/namespaces/default/pods";
    const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
    const created = await admin.post(pods, pod);
    expect(created.code).toBe(201);
    const next = {
      ...created.json,
      status: { phase: "Running" },
      spec: { containers: [{ name: "c", image: "other" }] },
    };
    const changed = await admin.put(`${pods}/p/status`, next);
    expect(changed.code).toBe(200);
    expect(changed.json.status.phase).toBe("Running");
    expect(changed.json.spec.containers[0]?.image).toBe("i");
    expect((await admin.get(`${pods}/p/status`)).json).toEqual(changed.json);
    await admin.delete(`${pods}/p`, { gracePeriodSeconds: 0 });
  });

  test("is indented for people, who say so or are known by their client", async () => {
    await admin.post(CONFIG_MAPS, configMap("pretty"));
    const plain = await admin.get(`${CONFIG_MAPS}/pretty`);
    for (const sent of [
      { headers: { "user-agent": "curl/8" } },
      { headers: { accept: "application/json;pretty=1" } },
    ]) {
      const pretty = await admin.get(`${CONFIG_MAPS}/pretty`, sent);
      expect(pretty.text).toContain('\n  "kind": "ConfigMap"');
      expect(pretty.json).toEqual(plain.json);
    }
    const list = await admin.get(`${CONFIG_MAPS}?pretty=true`);
    expect(list.text).toMatch(/^\{\n {2}"kind": "ConfigMapList",\n/);
    // The server's own writes continue meanwhile.
    expect(list.json.items).toEqual((await admin.get(CONFIG_MAPS)).json.items);
    await admin.delete(`${CONFIG_MAPS}/pretty`);
  });
});

describe("unknown and repeated fields", () => {
  const odd = '{"metadata":{"name":"odd"},"data":{"a":"1"},"data":{"a":"2"},"nothing":1}';

  test("are dropped with warnings", async () => {
    const made = await admin.post(CONFIG_MAPS, odd);
    expect(made.code).toBe(201);
    expect(made.headers["warning"]).toContain('299 - "unknown field \\"nothing\\""');
    expect(made.headers["warning"]).toContain('299 - "duplicate field \\"data\\""');
    await admin.delete(`${CONFIG_MAPS}/odd`);
  });

  test("are refused where the client is strict", async () => {
    const refused = await admin.post(`${CONFIG_MAPS}?fieldValidation=Strict`, odd);
    expect(refused.code).toBe(400);
    expect(refused.json.message).toContain("strict decoding error: ");
  });

  test("are dropped silently where the client asks for that", async () => {
    const made = await admin.post(`${CONFIG_MAPS}?fieldValidation=Ignore`, odd);
    expect(made.headers["warning"]).toBeUndefined();
    await admin.delete(`${CONFIG_MAPS}/odd`);
  });
});

describe("a list", () => {
  const names = Array.from({ length: 25 }, (_, index) => `listed-${String(index).padStart(2, "0")}`);
  const space = "/api/v1/namespaces/lists/configmaps";

  beforeAll(async () => {
    await admin.post("/api/v1/namespaces", { metadata: { name: "lists" } });
    for (const name of names) {
      await admin.post(space, { metadata: { name, labels: { half: name < "listed-12" ? "first" : "second" } } });
    }
  });

  const namesOf = (list: Loose) => list.items.map((item) => item.metadata.name);

  test("has every object of its namespace, in order, at one version", async () => {
    const { json } = await admin.get(space);
    expect(json).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1" });
    expect(namesOf(json)).toEqual(names);
    expect(json.metadata).toEqual({ resourceVersion: expect.stringMatching(/^\d+$/) });
  });

  test("comes in parts of one snapshot", async () => {
    const parts: string[][] = [];
    let token = "";
    let version: string | undefined;
    do {
      const { json } = await admin.get(`${space}?limit=10&continue=${encodeURIComponent(token)}`);
      await admin.put(`${space}/listed-24`, {
        metadata: { name: "listed-24", labels: { part: String(parts.length) } },
      });
      parts.push(namesOf(json));
      version ??= json.metadata.resourceVersion;
      expect(json.metadata.resourceVersion).toBe(version);
      expect(json.metadata.remainingItemCount).toBe(json.metadata.continue === "" ? undefined : 25 - 10 * parts.length);
      token = json.metadata.continue;
    } while (token !== "");
    expect(parts.map((part) => part.length)).toEqual([10, 10, 5]);
    expect(parts.flat()).toEqual(names);
  });

  test("has the selected objects only", async () => {
    expect(namesOf((await admin.get(`${space}?labelSelector=half%3Dfirst`)).json)).toEqual(names.slice(0, 12));
    expect(namesOf((await admin.get(`${space}?fieldSelector=metadata.name%3Dlisted-07`)).json)).toEqual(["listed-07"]);
  });

  test("that is large is compressed for those who ask", async () => {
    const filler = "x".repeat(60_000);
    for (const name of ["big-1", "big-2", "big-3"]) await admin.post(space, configMap(name, { filler }));
    const plain = await admin.get(space);
    // The server itself writes to other resources meanwhile: the list is compared at one revision.
    const revision = plain.json.metadata.resourceVersion;
    const same = `${space}?resourceVersion=${revision}&resourceVersionMatch=Exact`;
    const compressed = await admin.get(same, { headers: { "accept-encoding": "gzip" } });
    expect(compressed.headers).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding" });
    expect(gunzipSync(compressed.bytes).toString()).toBe(plain.text);
    for (const name of ["big-1", "big-2", "big-3"]) await admin.delete(`${space}/${name}`);
  });

  test("can be deleted as a whole", async () => {
    const answer = await admin.delete(`${space}?labelSelector=half%3Dsecond`);
    expect(answer.code).toBe(200);
    expect(namesOf((await admin.get(space)).json)).toEqual(expect.arrayContaining(names.slice(0, 12)));
    expect((await admin.get(`${space}/listed-13`)).code).toBe(404);
  });
});
