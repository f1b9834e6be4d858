// Permissions on signers: to publish trust bundles and to answer pod certificate requests; and the two versions of such
// requests. Source: KEP-3257 "Cluster Trust Bundles", KEP-4317 "Pod Certificates".
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const BASES = join(__dirname, "../../../apis/testdata/validation/bases.certificates.json");
const { trustBundle, podRequest, podRequestRsa } = JSON.parse(readFileSync(BASES, "utf8")) as Record<
  string,
  JsonObject
>;

const GROUP = "certificates.orch.io";
const BUNDLES = `/apis/${GROUP}/v1beta1/clustertrustbundles`;
const REQUESTS = `/apis/${GROUP}/v1beta1/namespaces/default/podcertificaterequests`;
const RBAC = "/apis/rbac.authorization.orch.io/v1";

const named = (base: JsonObject | undefined, name: string): JsonObject => ({
  ...base,
  metadata: { ...(base?.["metadata"] as JsonObject), name, ...(base === trustBundle ? {} : { namespace: "default" }) },
});
const denied = {
  conditions: [
    { type: "Denied", status: "True", reason: "No", message: "", lastTransitionTime: "2024-05-01T12:00:00Z" },
  ],
};

let server: RunningServer;
let admin: ApiClient;
let ann: ApiClient;
let signer: ApiClient;

beforeAll(async () => {
  server = await startServer({
    flags: { "emulated-release": "1.37", "runtime-config": { [`${GROUP}/v1beta1`]: "true" } },
  });
  admin = new ApiClient(server, server.admin);
  ann = new ApiClient(server, server.issueClient({ name: "ann" }));
  signer = new ApiClient(server, server.issueClient({ name: "signer" }));
  const resources = ["clustertrustbundles", "podcertificaterequests", "podcertificaterequests/status"];
  const writes = { apiGroups: [GROUP], resources, verbs: ["*"] };
  const onSigner = {
    apiGroups: [GROUP],
    resources: ["signers"],
    resourceNames: ["example.com/*"],
    verbs: ["attest", "sign"],
  };
  for (const [name, rules] of [
    ["ann", [writes]],
    ["signer", [writes, onSigner]],
  ] as const) {
    await admin.post(`${RBAC}/clusterroles`, { metadata: { name }, rules });
    await admin.post(`${RBAC}/clusterrolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name },
      subjects: [{ kind: "User", apiGroup: "rbac.authorization.orch.io", name }],
    });
  }
  await admin.post(REQUESTS, named(podRequest, "asked"));
});
afterAll(async () => {
  for (const client of [admin, ann, signer]) client.close();
  await server.stop();
});

describe("a trust bundle of a signer", () => {
  const NAME = "example.com:mine:it";

  test("is published by users who may attest for the signer", async () => {
    const refused = await ann.post(BUNDLES, named(trustBundle, NAME));
    expect([refused.code, refused.json.message]).toEqual([
      403,
      expect.stringContaining('user not permitted to attest for signerName "example.com/mine"'),
    ]);
    expect((await signer.post(BUNDLES, named(trustBundle, NAME))).code).toBe(201);
    const { json } = await ann.get(`${BUNDLES}/${NAME}`);
    const labelled = { ...json, metadata: { ...json.metadata, labels: { a: "b" } } };
    expect((await ann.put(`${BUNDLES}/${NAME}`, labelled)).code).toBe(403);
    expect((await ann.put(`${BUNDLES}/${NAME}`, json)).code).toBe(200);
  });

  test("without a signer needs no permission on signers", async () => {
    const own = named(trustBundle, "own");
    const { signerName: _, ...spec } = own["spec"] as JsonObject;
    expect((await ann.post(BUNDLES, { ...own, spec })).code).toBe(201);
  });

  test("is checked in a worker thread when it is long", async () => {
    const long = named(trustBundle, "long");
    const { trustBundle: anchor } = long["spec"] as { readonly trustBundle: string };
    const refused = await admin.post(BUNDLES, { ...long, spec: { trustBundle: anchor.repeat(200) } });
    expect([refused.code, refused.json.message]).toEqual([
      422,
      expect.stringContaining("duplicate trust anchor (indices [0 1 2"),
    ]);
    const more = { trustBundle: `${anchor}${"a note\n".repeat(10_000)}` };
    expect((await admin.post(BUNDLES, { ...long, spec: more })).code).toBe(201);
  });

  test("is selected by its signer", async () => {
    const { json } = await ann.get(`${BUNDLES}?fieldSelector=spec.signerName%3Dexample.com/mine`);
    expect(json.items.map(({ metadata }) => metadata.name)).toEqual([NAME]);
  });
});

describe("a pod certificate request", () => {
  test("is answered by users who may sign for the signer", async () => {
    const path = `${REQUESTS}/asked/status`;
    const { json } = await ann.get(`${REQUESTS}/asked`);
    const refused = await ann.put(path, { ...json, status: denied });
    expect([refused.code, refused.json.message]).toEqual([
      422,
      expect.stringContaining('spec.signerName: Forbidden: User "ann" is not permitted to "sign" for signer'),
    ]);
    expect((await ann.put(path, json)).code).toBe(200);
    const answered = await signer.put(path, { ...json, status: denied });
    expect([answered.code, answered.json.status]).toMatchObject([200, denied]);
    const again = await signer.put(path, { ...answered.json, status: {} });
    expect([again.code, again.json.message]).toEqual([422, expect.stringContaining("immutable after")]);
  });

  test("created in v1beta1 keeps its key when a client of v1 updates it", async () => {
    const made = await admin.post(REQUESTS, named(podRequestRsa, "keyed"));
    const { pkixPublicKey } = made.json.spec as unknown as { readonly pkixPublicKey: string };
    const stable = `${REQUESTS.replace("v1beta1", "v1")}/keyed`;
    const shown = await admin.get(stable);
    expect(shown.json.spec).not.toHaveProperty("pkixPublicKey");
    const labelled = { ...shown.json, metadata: { ...shown.json.metadata, labels: { a: "b" } } };
    expect((await admin.put(stable, labelled)).code).toBe(200);
    expect((await admin.get(`${REQUESTS}/keyed`)).json).toMatchObject({
      metadata: { labels: { a: "b" } },
      spec: { pkixPublicKey },
    });
  });
});
