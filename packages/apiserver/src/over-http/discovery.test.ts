import { describe, expect, test } from "@jest/globals";
import { loadSchema, readEnvelope, vocabularyOf } from "@orch/schema";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient, type Loose } from "../testing/api-client";
import { useServer } from "../testing/use-server";

let server: RunningServer;
let admin: ApiClient;

useServer((running) => ({ server, admin } = running), { flags: { "runtime-config": { "batch/v1": "false" } } });

// Runs first, because scrapes are cached for a second.
test("a deprecated version warns, and shows in the metrics", async () => {
  const answer = await admin.get("/apis/batch/v1beta1/cronjobs");
  expect(answer.headers["warning"]).toMatch(/^299 - "batch\/v1beta1 CronJob is deprecated in v1\.21\+/);
  const { text } = await admin.get("/metrics");
  expect(text).toMatch(
    /apiserver_requested_deprecated_apis\{[^}]*resource="cronjobs"[^}]*removed_release="1\.25"[^}]*\} 1/,
  );
});

describe("discovery", () => {
  test("names the core group's version and where the server is", async () =>
    expect((await admin.get("/api")).json).toEqual({
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: `127.0.0.1:${server.port}` }],
    }));

  test("names the groups by priority, and their versions with the preferred one first", async () => {
    const { json } = await admin.get("/apis");
    expect(json).toMatchObject({ kind: "APIGroupList", apiVersion: "v1" });
    const names = json.groups.map((group: Loose) => group.name);
    expect(names.slice(0, 2)).toEqual(["apiregistration.orch.io", "apps"]);
    for (const group of json.groups) {
      expect(group.preferredVersion).toEqual(group.versions[0]);
      expect((await admin.get(`/apis/${group.name}`)).json).toEqual({ ...group, kind: "APIGroup", apiVersion: "v1" });
    }
  });

  test("lists the resources of a version with what can be done with them", async () => {
    const { json } = await admin.get("/api/v1");
    expect(json).toMatchObject({ kind: "APIResourceList", groupVersion: "v1" });
    const byName = new Map<string, Loose>(json.resources.map((resource: Loose) => [resource.name, resource]));
    expect(byName.get("pods")).toMatchObject({
      singularName: "",
      namespaced: true,
      kind: "Pod",
      shortNames: ["po"],
      categories: ["all"],
      verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    });
    expect(byName.get("pods/status")).toMatchObject({ kind: "Pod", verbs: ["get", "patch", "update"] });
    expect(byName.get("namespaces")).toMatchObject({ namespaced: false });
    expect([...byName.keys()]).toEqual([...byName.keys()].sort());
  });

  test("has a document for everything that it names, with a slash at the end too", async () => {
    for (const path of (await admin.get("/")).json.paths) {
      expect([path, (await admin.get(path)).code]).toEqual([path, 200]);
    }
    expect((await admin.get("/apis/")).code).toBe(200);
  });

  test("leaves out versions that are switched off", async () => {
    expect((await admin.get("/apis/batch/v1")).code).toBe(404);
    expect((await admin.get("/apis/batch/v1/jobs")).code).toBe(404);
    expect((await admin.get("/apis/batch/v1beta1")).code).toBe(200);
  });

  test("every resource can be listed", async () => {
    const groups = (await admin.get("/apis")).json.groups.flatMap((group: Loose) => group.versions);
    const paths = ["/api/v1", ...groups.map((version: Loose) => `/apis/${version.groupVersion}`)];
    for (const path of paths) {
      for (const { name, verbs } of (await admin.get(path)).json.resources) {
        if (verbs.includes("list"))
          expect([path, name, (await admin.get(`${path}/${name}`)).code]).toEqual([path, name, 200]);
      }
    }
  });
});

test.each([
  ["1.26", "", ""],
  ["1.27", "endpoints", "deployment"],
])("in %s the singular names of endpoints and deployments are %j and %j", async (release, endpoints, deployment) => {
  const other = await startServer({ flags: { "emulated-release": release } });
  try {
    const client = new ApiClient(other, other.admin);
    const singular = async (path: string, plural: string) =>
      (await client.get(path)).json.resources.filter(({ name }: Loose) => String(name).startsWith(plural));
    expect(await singular("/api/v1", "endpoints")).toMatchObject([{ singularName: endpoints }]);
    expect(await singular("/apis/apps/v1", "deployments")).toMatchObject([
      { singularName: deployment },
      { name: "deployments/scale", singularName: "" },
      { name: "deployments/status", singularName: "" },
    ]);
  } finally {
    await other.stop();
  }
});

test("the version is served in the form of Kubernetes", async () =>
  expect((await admin.get("/version")).json).toMatchObject({ major: "1", minor: "23", platform: expect.any(String) }));

describe("discovery in one document", () => {
  const type = (version: string) => `application/json;g=apidiscovery.orch.io;v=${version};as=APIGroupDiscoveryList`;
  const get = (path: string, accept: string, headers = {}) => admin.get(path, { headers: { accept, ...headers } });

  test.each(["v2", "v2beta1"])("%s tells all groups with their resources", async (version) => {
    const { headers, json } = await get("/apis", `${type(version)},application/json`);
    expect(headers).toMatchObject({ "content-type": type(version), vary: "Accept" });
    expect(json).toMatchObject({ kind: "APIGroupDiscoveryList", apiVersion: `apidiscovery.orch.io/${version}` });
    const plain = await admin.get("/apis");
    expect(json.items.map(({ metadata }) => metadata.name)).toEqual(plain.json.groups.map(({ name }) => name));
    // autoscaling/v2 is new in this release, and hence not preferred yet over older versions.
    const versions = (groups: readonly Loose[]) =>
      groups.map((group) => group.versions.map((each) => (each as unknown as { readonly version: string }).version));
    expect(versions(json.items)).toEqual(versions(plain.json.groups));
    const apps = json.items.find(({ metadata }) => metadata.name === "apps");
    expect(apps?.versions[0]).toMatchObject({ version: "v1", freshness: "Current" });
    expect(apps?.versions[0]?.resources).toContainEqual({
      resource: "deployments",
      responseKind: { group: "apps", version: "v1", kind: "Deployment" },
      scope: "Namespaced",
      singularResource: "deployment",
      shortNames: ["deploy"],
      categories: ["all"],
      verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
      subresources: [
        {
          subresource: "scale",
          responseKind: { group: "autoscaling", version: "v1", kind: "Scale" },
          verbs: ["get", "patch", "update"],
        },
        {
          subresource: "status",
          responseKind: { group: "apps", version: "v1", kind: "Deployment" },
          verbs: ["get", "patch", "update"],
        },
      ],
    });
  });

  test("the server of 1.33 and later has no v2beta1", async () => {
    const newer = await startServer({ flags: { "emulated-release": "1.33" } });
    const client = new ApiClient(newer, newer.admin);
    try {
      const ask = (accept: string) => client.get("/apis", { headers: { accept } });
      expect((await ask(`${type("v2beta1")},application/json`)).json.kind).toBe("APIGroupList");
      expect((await ask(type("v2beta1"))).code).toBe(406);
      expect((await ask(type("v2"))).json.kind).toBe("APIGroupDiscoveryList");
    } finally {
      client.close();
      await newer.stop();
    }
  });

  test("the core group has one of its own", async () => {
    const { json } = await get("/api", type("v2"));
    expect(json.items).toHaveLength(1);
    expect(
      json.items[0]?.versions[0]?.resources.map((resource) => (resource as { resource?: string }).resource),
    ).toContain("pods");
  });

  test("comes to clients that prefer it, and only for what is known", async () => {
    const kindFor = async (accept: string) => (await get("/apis", accept)).json.kind;
    expect(await kindFor(`${type("v3")},${type("v2beta1")},application/json`)).toBe("APIGroupDiscoveryList");
    expect(await kindFor(`application/json,${type("v2")}`)).toBe("APIGroupList");
    expect(await kindFor(`${type("v2")};q=0.1,application/json`)).toBe("APIGroupList");
    expect(await kindFor(`${type("v3")},application/json`)).toBe("APIGroupList");
    expect((await get("/apis", type("v3"))).code).toBe(406);
    // The other documents have no aggregated form.
    expect((await get("/apis/apps", `${type("v2")},application/json`)).json.kind).toBe("APIGroup");
  });

  test("every document says what it is, and costs nothing when it has not changed", async () => {
    for (const path of ["/api", "/apis", "/apis/apps", "/apis/apps/v1", "/api/v1"]) {
      const { headers } = await get(path, "application/json");
      expect([path, headers.vary]).toEqual([path, "Accept"]);
      const again = await get(path, "application/json", { "if-none-match": headers.etag });
      expect([path, again.code, again.bytes.length]).toEqual([path, 304, 0]);
      expect(again.headers["content-length"]).toBeUndefined();
    }
    const { headers } = await get("/apis", type("v2"));
    expect((await get("/apis", type("v2"), { "if-none-match": headers.etag })).code).toBe(304);
    expect((await get("/apis", "application/json", { "if-none-match": headers.etag })).code).toBe(200);
  });
});

describe("discovery in protobuf", () => {
  const PROTOBUF = "application/vnd.orch.protobuf";
  const AGGREGATED = "g=apidiscovery.orch.io;v=v2;as=APIGroupDiscoveryList";
  const schema = loadSchema(vocabularyOf("orch"));

  /** Both documents as a client reads them. */
  async function bothForms(path: string, of: string, parameters = "") {
    const [group = "", version = ""] = of.split("/");
    const ask = (type: string) => admin.get(path, { headers: { accept: `${type}${parameters}, text/html;q=0.1` } });
    const [protobuf, json] = await Promise.all([ask(PROTOBUF), ask("application/json")]);
    expect(protobuf.headers["content-type"]).toBe(PROTOBUF + parameters);
    const envelope = readEnvelope(protobuf.bytes);
    const type = schema.objectType(group, version, envelope.kind);
    const { etag = "" } = protobuf.headers;
    const again = await admin.get(path, { headers: { accept: PROTOBUF + parameters, "if-none-match": etag } });
    return {
      protobuf: type?.decode(type.protobuf?.decode(envelope) ?? {}).value,
      json: type?.decode(JSON.parse(json.text)).value,
      again: again.code,
    };
  }

  test.each(["/api", "/apis", "/apis/apps", "/api/v1", "/apis/apps/v1"])(
    "%s says the same as in JSON",
    async (path) => {
      const { protobuf, json, again } = await bothForms(path, "/v1");
      expect(protobuf).toEqual(json);
      expect(again).toBe(304);
    },
  );

  test.each(["/api", "/apis"])("everything under %s comes in one document too", async (path) => {
    const { protobuf, json, again } = await bothForms(path, "apidiscovery.orch.io/v2", `;${AGGREGATED}`);
    expect(protobuf).toEqual(json);
    expect(again).toBe(304);
  });

  test("there is none of the version", async () => {
    const { headers } = await admin.get("/version", { headers: { accept: `${PROTOBUF}, application/json` } });
    expect(headers["content-type"]).toBe("application/json");
  });
});
