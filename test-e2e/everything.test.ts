// GET …/namespaces/NAMESPACE/everything: all objects of a namespace that the client may list, at one revision.
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { ApiObject } from "./harness/api-object";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { configMap, expectStatus, freshNamespace, inParallel } from "./harness/config-maps";
import { eventually } from "./harness/eventually";
import type { ApiClient } from "./harness/https-client";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();

interface Summary extends ApiObject {
  readonly objects: number;
  readonly kinds: readonly { readonly resource: string; readonly objects: number }[];
  readonly forbidden: number;
}

describe.each([
  ["kubernetes", { rbac: "rbac.authorization.k8s.io", apps: "apps", meta: "meta.k8s.io" }],
  ["orch", { rbac: "rbac.authorization.orch.io", apps: "apps", meta: "meta.orch.io" }],
] as const)("a server that speaks %s", (vocabulary, groups) => {
  let server: ApiServer;
  let admin: ApiClient;
  beforeAll(async () => {
    server = await startApiServer(workplace, {
      name: vocabulary,
      store: { kind: "memory" },
      flags: [`--vocabulary=${vocabulary}`],
    });
    ({ admin } = server);
  }, 60_000);

  const everything = async (namespace: string, query = "", client = admin) => {
    const answer = await client.get(`/api/v1/namespaces/${namespace}/everything${query}`);
    expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/x-ndjson"]);
    const lines = answer.body
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as ApiObject);
    return { objects: lines.slice(0, -1), summary: lines.at(-1) as unknown as Summary };
  };
  const named = ({ kind, apiVersion, metadata }: ApiObject) => `${apiVersion} ${kind} ${metadata.name}`;
  const secret = (name: string) => ({ apiVersion: "v1", kind: "Secret", metadata: { name }, stringData: { a: "b" } });

  test("streams every object with its kind, at the newest revision, and a summary", async () => {
    const maps = await freshNamespace(admin, "all");
    await inParallel(700, 16, async (at) => {
      await expectStatus(201, admin.post(maps, configMap(`map-${at}`, { text: "t".repeat(300) })));
    });
    await expectStatus(201, admin.post("/api/v1/namespaces/all/secrets", secret("hidden")));
    await expectStatus(201, admin.post("/api/v1/namespaces/default/secrets", secret("elsewhere")));
    const { metadata } = await expectStatus(
      201,
      admin.post(`/apis/${groups.rbac}/v1/namespaces/all/roles`, { metadata: { name: "viewer" }, rules: [] }),
    );
    const { objects, summary } = await everything("all");
    const names = objects.map(named);
    expect(names).toContain("v1 ConfigMap map-699");
    expect(names).toContain("v1 Secret hidden");
    expect(names).toContain(`${groups.rbac}/v1 Role viewer`);
    expect(new Set(names).size).toBe(names.length);
    expect(objects.every((object) => object.metadata.namespace === "all")).toBe(true);
    expect(summary).toMatchObject({
      kind: "NamespaceContents",
      apiVersion: `${groups.meta}/v1`,
      objects: names.length,
      forbidden: 0,
    });
    expect(Number(summary.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(metadata.resourceVersion));
    expect(summary.kinds).toContainEqual({ resource: "v1/secrets", objects: 1 });
    expect((await everything("all", `?kinds=secrets,roles.${groups.rbac}`)).objects.map(named)).toEqual([
      "v1 Secret hidden",
      `${groups.rbac}/v1 Role viewer`,
    ]);
    expect((await everything("missing")).summary).toMatchObject({ objects: 0, kinds: [] });
  });

  test("leaves out and counts what the client may not list", async () => {
    const maps = await freshNamespace(admin, "rights");
    await expectStatus(201, admin.post(maps, configMap("a", {})));
    await expectStatus(201, admin.post("/api/v1/namespaces/rights/secrets", secret("hidden")));
    const viewer = server.client({ ...server.authority.anonymous(), token: "viewer-token" });
    const refused = await viewer.get("/api/v1/namespaces/rights/everything?kinds=secrets");
    expect([refused.status, refused.statusBody().reason]).toEqual([403, "Forbidden"]);
    const rbac = `/apis/${groups.rbac}/v1/namespaces/rights`;
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }];
    await expectStatus(201, admin.post(`${rbac}/roles`, { metadata: { name: "viewer" }, rules }));
    await expectStatus(
      201,
      admin.post(`${rbac}/rolebindings`, {
        metadata: { name: "viewer" },
        roleRef: { apiGroup: groups.rbac, kind: "Role", name: "viewer" },
        subjects: [{ apiGroup: groups.rbac, kind: "User", name: "viewer" }],
      }),
    );
    await eventually("the role is in force", async () => (await viewer.get(maps)).status === 200);
    const { objects, summary } = await everything("rights", "", viewer);
    expect(objects.every(({ kind }) => kind === "ConfigMap")).toBe(true);
    expect(objects.map(({ metadata }) => metadata.name)).toContain("a");
    expect(summary.forbidden).toBeGreaterThan(20);
    expect((await everything("rights", "?kinds=configmaps,secrets", viewer)).summary).toMatchObject({ forbidden: 1 });
  });

  test("refuses questions that it does not understand", async () => {
    const path = "/api/v1/namespaces/all/everything";
    const problem = async (query: string, headers = {}) => {
      const { status, body } = await admin.get(`${path}${query}`, { headers });
      return `${status} ${JSON.parse(body).message}`;
    };
    expect(await problem("?labelSelector=a")).toMatch(
      /^400 "labelSelector" is not a parameter of everything: it takes kinds, timeout/,
    );
    expect(await problem("?kinds=Pod")).toMatch(/^400 kinds: "Pod": must be RESOURCE/);
    expect(await problem("?kinds=deployments")).toBe(
      `404 v1/deployments: the server does not serve this resource here: write deployments.${groups.apps}`,
    );
    expect(await problem("?kinds=nodes")).toMatch(/^404 v1\/nodes: .*write nodes without a namespace/);
    expect(await problem("", { accept: "text/plain" })).toMatch(/^406 /);
    const { status, headers } = await admin.post(path, {});
    expect([status, headers["allow"]]).toEqual([405, "GET"]);
  });
});
