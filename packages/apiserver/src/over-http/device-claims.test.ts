// Claims of devices: selectors, permissions, versions, and hostile input.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "../server/start-server";
import { type Answer, ApiClient } from "../testing/api-client";

const GROUP = "/apis/resource.orch.io";
const V1 = `${GROUP}/v1`;
const CLAIMS = `${V1}/namespaces/default/resourceclaims`;
const RBAC = "/apis/rbac.authorization.orch.io/v1";

interface Cause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}
interface Status {
  readonly code?: number;
  readonly details?: { readonly causes?: readonly Cause[] };
}

let server: RunningServer;
let admin: ApiClient;
const clients: ApiClient[] = [];

beforeAll(async () => {
  server = await startServer({
    flags: {
      "emulated-release": "1.36",
      "authorization-mode": ["Node", "RBAC"],
      "enable-admission-plugins": ["NodeRestriction"],
      "runtime-config": { "resource.orch.io/v1beta1": "true", "resource.orch.io/v1beta2": "true" },
    },
  });
  admin = new ApiClient(server, server.admin);
});
afterAll(async () => {
  for (const client of [...clients, admin]) client.close();
  await server.stop();
});

const merged = (client: ApiClient, path: string, body: object): Promise<Answer> =>
  client.ask("PATCH", path, { body, headers: { "content-type": "application/merge-patch+json" } });

const causesOf = ({ json }: Answer) =>
  ((json as unknown as Status).details?.causes ?? []).map(
    ({ field, reason }) => `${field} ${reason.replace("FieldValue", "")}`,
  );

const claim = (name: string, exactly: object = {}) => ({
  metadata: { name },
  spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu", ...exactly } }] } },
});

const selecting = (expression: string) => ({ selectors: [{ cel: { expression } }] });

describe("a selector", () => {
  const PLACE = "spec.devices.requests[0].exactly.selectors[0].cel.expression";
  test.each<[string, string, readonly string[]]>([
    ["on the driver is accepted", 'device.driver == "gpu.example.com"', []],
    ["on an attribute is accepted", 'device.attributes["gpu.example.com"].model == "a"', []],
    ["on a flag is accepted", 'device.attributes["gpu.example.com"].healthy', []],
    ["on a capacity is accepted", 'device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("1Gi"))', []],
    ["on a version is accepted", 'device.attributes["gpu.example.com"].version.isLessThan(semver("2.0.0"))', []],
    ["with a number as result is refused", "1", [`${PLACE} Invalid`]],
    ["on an unknown field is refused", "device.color == 'red'", [`${PLACE} Invalid`]],
    ["that ends early is refused", "device.driver ==", [`${PLACE} Invalid`]],
    [
      "that may cost too much is refused",
      "device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a+b != c+d))))",
      [`${PLACE} Forbidden`],
    ],
    ["that is too long is refused", `device.driver == "${"x".repeat(10_300)}"`, [`${PLACE} TooLong`]],
  ])("%s", async (_, expression, causes) => {
    const answer = await admin.post(`${CLAIMS}?dryRun=All`, claim("selecting", selecting(expression)));
    expect(causesOf(answer)).toEqual(causes);
    expect(answer.code).toBe(causes.length === 0 ? 201 : 422);
  });

  test("in a class is checked again only when the selectors change", async () => {
    const created = await admin.post(`${V1}/deviceclasses`, {
      metadata: { name: "gpu" },
      spec: selecting('device.driver == "gpu.example.com"'),
    });
    expect(created.code).toBe(201);
    const patch = (body: object) => merged(admin, `${V1}/deviceclasses/gpu`, body);
    expect((await patch({ metadata: { labels: { a: "b" } } })).code).toBe(200);
    expect(causesOf(await patch({ spec: selecting("1") }))).toEqual(["spec.selectors[0].cel.expression Invalid"]);
  });

  test("is compiled for each of many requests with long expressions", async () => {
    const long = (index: number) => `[${"1,".repeat(4900)}1].all(x, x == ${index})`;
    const requests = Array.from({ length: 32 }, (_, index) => ({
      name: `r${index}`,
      exactly: { deviceClassName: "gpu", ...selecting(index === 31 ? "device.color" : long(index)) },
    }));
    const wide = { metadata: { name: "wide" }, spec: { devices: { requests } } };
    expect(causesOf(await admin.post(`${CLAIMS}?dryRun=All`, wide))).toEqual([
      "spec.devices.requests[31].exactly.selectors[0].cel.expression Invalid",
    ]);
  });
});

describe("administrative access", () => {
  test("needs a label of the namespace", async () => {
    await admin.post("/api/v1/namespaces", {
      metadata: { name: "ops", labels: { "resource.orch.io/admin-access": "true" } },
    });
    const asked = claim("admin", { adminAccess: true });
    expect((await admin.post(`${V1}/namespaces/ops/resourceclaims`, asked)).code).toBe(201);
    const refused = await admin.post(CLAIMS, asked);
    expect([refused.code, causesOf(refused)]).toEqual([422, ["spec.devices.requests[0].adminAccess Forbidden"]]);
    const template = { metadata: { name: "admin" }, spec: { spec: asked.spec } };
    const place = `${V1}/namespaces/default/resourceclaimtemplates`;
    expect(causesOf(await admin.post(place, template))).toEqual(["spec.devices.requests[0].adminAccess Forbidden"]);
  });
});

const RESULT = { request: "r", driver: "gpu.example.com", pool: "p", device: "d" };
const ALLOCATION = { devices: { results: [RESULT] } };
const REPORT = { driver: "gpu.example.com", pool: "p", device: "d", data: { a: 1 } };

async function userWith(name: string, rules: readonly object[]): Promise<ApiClient> {
  const roleRef = { kind: "ClusterRole", name, apiGroup: "rbac.authorization.orch.io" };
  const subjects = [{ kind: "User", name, apiGroup: "rbac.authorization.orch.io" }];
  await admin.post(`${RBAC}/clusterroles`, { metadata: { name }, rules });
  await admin.post(`${RBAC}/clusterrolebindings`, { metadata: { name }, subjects, roleRef });
  const client = new ApiClient(server, server.issueClient({ name }));
  clients.push(client);
  return client;
}

const on = (resources: string, verbs: string, resourceNames?: readonly string[]) => ({
  apiGroups: ["resource.orch.io"],
  resources: [resources],
  verbs: verbs.split(" "),
  ...(resourceNames && { resourceNames }),
});

test("the parts of a claim's status need permissions of their own", async () => {
  const written = on("resourceclaims/status", "patch update");
  const writer = await userWith("writer", [written]);
  const scheduler = await userWith("scheduler", [written, on("resourceclaims/binding", "update patch")]);
  const driver = await userWith("driver", [
    written,
    on("resourceclaims/driver", "arbitrary-node:update arbitrary-node:patch", ["gpu.example.com"]),
  ]);
  expect((await admin.post(CLAIMS, claim("shared"))).code).toBe(201);
  const patch = (client: ApiClient, status: object) => merged(client, `${CLAIMS}/shared/status`, { status });
  expect(causesOf(await patch(writer, { allocation: ALLOCATION }))).toEqual(["status.allocation Forbidden"]);
  expect((await patch(scheduler, { allocation: ALLOCATION })).code).toBe(200);
  expect(causesOf(await patch(scheduler, { devices: [REPORT] }))).toEqual(["status.devices Forbidden"]);
  expect((await patch(driver, { devices: [REPORT] })).code).toBe(200);
  expect(causesOf(await patch(driver, { reservedFor: [{ resource: "pods", name: "p", uid: "u" }] }))).toEqual([
    "status.allocation Forbidden",
  ]);
  expect((await patch(writer, {})).code).toBe(200);
  const released = await patch(scheduler, { allocation: null });
  expect(released.json).toMatchObject({ status: {} });
  expect(released.json).not.toHaveProperty("status.devices");
});

test("a claim of v1beta1 is the same claim in v1", async () => {
  const beta = {
    metadata: { name: "beta" },
    spec: { devices: { requests: [{ name: "r", deviceClassName: "gpu", count: 2 }] } },
  };
  const place = `${GROUP}/v1beta1/namespaces/default/resourceclaims`;
  expect((await admin.post(place, beta)).code).toBe(201);
  const request = { name: "r", exactly: { deviceClassName: "gpu", count: 2, allocationMode: "ExactCount" } };
  for (const version of ["v1", "v1beta2"]) {
    const { json: body } = await admin.get(`${GROUP}/${version}/namespaces/default/resourceclaims/beta`);
    expect(body).toMatchObject({ spec: { devices: { requests: [request] } } });
  }
  const { json: body } = await admin.get(`${place}/beta`);
  expect(body).toMatchObject({ spec: { devices: { requests: [{ name: "r", deviceClassName: "gpu", count: 2 }] } } });
  expect(body).not.toHaveProperty("spec.devices.requests.0.exactly");
});

const slice = (devices: readonly object[]) => ({
  metadata: { name: "large" },
  spec: { driver: "d.example.com", pool: { name: "p", generation: 1, resourceSliceCount: 1 }, allNodes: true, devices },
});

test.each<[string, object, readonly string[]]>([
  ["too many devices", slice(Array.from({ length: 60_000 }, (_, i) => ({ name: `d${i}` }))), ["spec.devices TooMany"]],
  [
    "too many attributes",
    slice([
      { name: "d", attributes: Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [`a${i}`, { int: 1 }])) },
    ]),
    ["spec.devices[0] Invalid"],
  ],
])("a slice of some megabytes with %s is refused with one reason", async (_, body, causes) => {
  const answer = await admin.post(`${V1}/resourceslices`, body);
  expect([answer.code, causesOf(answer)]).toEqual([422, causes]);
});

describe("the claims of a pod", () => {
  const PODS = "/api/v1/namespaces/default/pods";
  const pod = (claims: readonly object[], used: readonly object[]) => ({
    metadata: { name: "web" },
    spec: { resourceClaims: claims, containers: [{ name: "c", image: "i", resources: { claims: used } }] },
  });
  const own = { name: "gpu", resourceClaimTemplateName: "gpu" };
  const USED = "spec.containers[0].resources.claims";
  test.each<[string, readonly object[], readonly object[], readonly string[]]>([
    ["from a template are accepted", [own], [{ name: "gpu" }], []],
    ["that exist are accepted", [{ name: "gpu", resourceClaimName: "shared" }], [{ name: "gpu", request: "r" }], []],
    ["without a source are refused", [{ name: "gpu" }], [], ["spec.resourceClaims[0] Invalid"]],
    ["with two sources are refused", [{ ...own, resourceClaimName: "x" }], [], ["spec.resourceClaims[0] Invalid"]],
    ["of one name are refused", [own, own], [], ["spec.resourceClaims[1].name Duplicate"]],
    ["without a name are refused", [{ ...own, name: "" }], [], ["spec.resourceClaims[0].name Required"]],
    ["that a container alone names are refused", [own], [{ name: "x" }], [`${USED}[0] NotFound`]],
    ["that a container names twice are refused", [own], [{ name: "gpu" }, { name: "gpu" }], [`${USED}[1] Duplicate`]],
    [
      "that a container names as a whole and in part are refused",
      [own],
      [{ name: "gpu", request: "r" }, { name: "gpu" }],
      [`${USED}[1] Duplicate`],
    ],
  ])("%s", async (_, claims, used, causes) => {
    const answer = await admin.post(`${PODS}?dryRun=All`, pod(claims, used));
    expect([answer.code, causesOf(answer)]).toEqual([causes.length === 0 ? 201 : 422, causes]);
  });

  test("are named in its status, and the kubelet of its node may then read them and keep slices", async () => {
    await admin.post(PODS, { ...pod([own], []), spec: { ...pod([own], []).spec, nodeName: "n1" } });
    const status = { resourceClaimStatuses: [{ name: "gpu", resourceClaimName: "shared" }] };
    const wrong = { resourceClaimStatuses: [{ name: "x", resourceClaimName: "shared" }] };
    expect(causesOf(await merged(admin, `${PODS}/web/status`, { status: wrong }))).toEqual([
      "status.resourceClaimStatuses[0].name Invalid",
    ]);
    expect((await merged(admin, `${PODS}/web/status`, { status })).code).toBe(200);
    const kubelet = new ApiClient(server, server.issueClient({ name: "system:node:n1", groups: ["system:nodes"] }));
    clients.push(kubelet);
    expect((await kubelet.get(`${CLAIMS}/shared`)).code).toBe(200);
    expect((await kubelet.get(`${CLAIMS}/beta`)).code).toBe(403);
    expect((await merged(kubelet, `${PODS}/web/status`, { status: { resourceClaimStatuses: null } })).code).toBe(403);
    const ofNode = (name: string, nodeName: string) => ({
      metadata: { name },
      spec: { driver: "d.example.com", pool: { name: "p", generation: 1, resourceSliceCount: 1 }, nodeName },
    });
    expect((await kubelet.post(`${V1}/resourceslices`, ofNode("n1", "n1"))).code).toBe(201);
    expect((await kubelet.post(`${V1}/resourceslices`, ofNode("n2", "n2"))).code).toBe(403);
    expect((await admin.post(`${V1}/resourceslices`, ofNode("n2", "n2"))).code).toBe(201);
    const patched = (name: string) =>
      merged(kubelet, `${V1}/resourceslices/${name}`, { metadata: { labels: { a: "b" } } });
    expect([(await patched("n1")).code, (await patched("n2")).code]).toEqual([200, 403]);
    expect((await kubelet.delete(`${V1}/resourceslices/n1`)).code).toBe(200);
  });
});
