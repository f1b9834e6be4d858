// Watches of several resources over one connection: the order of events across resources, and resuming by one revision,
// by JSON lines and by Server-Sent Events, also at another replica; the rights of the client; representations.
import { connect as connectHttp2 } from "node:http2";
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { ApiObject } from "./harness/api-object";
import { type ApiServer, startApiServer, startReplicas } from "./harness/api-server";
import { configMap, configMapsPath, expectStatus, freshNamespace } from "./harness/config-maps";
import { startEtcd } from "./harness/etcd";
import { EventSourceReader } from "./harness/event-source";
import { eventually } from "./harness/eventually";
import type { ApiClient } from "./harness/https-client";
import { useWorkplace } from "./harness/processes";
import { Watch } from "./harness/watch-reader";

interface SeveralEvent {
  readonly resource?: string;
  readonly resourceVersion?: string;
  readonly type: string;
  readonly object: ApiObject & { readonly code?: number; readonly message?: string };
}

const workplace = useWorkplace();

const watchOf = (resources: readonly string[], more: Readonly<Record<string, string>> = {}): string => {
  const query = new URLSearchParams(more);
  for (const each of resources) query.append("resource", each);
  return `/watch?${query}`;
};
const lines = async (client: ApiClient, path: string, headers: Record<string, string> = {}) =>
  new Watch(await client.stream(path, headers)) as unknown as {
    take(count: number): Promise<SeveralEvent[]>;
    next(): Promise<SeveralEvent | undefined>;
    readonly ended: Promise<void>;
    close(): void;
  };
const told = ({ resource, type, object }: SeveralEvent) => `${type} ${resource ?? "-"} ${object.metadata?.name ?? ""}`;
const secret = (name: string) => ({ apiVersion: "v1", kind: "Secret", metadata: { name }, stringData: { a: "b" } });
const secretsPath = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`;

const definition = (plural: string, kind: string) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.several.example` },
  spec: {
    group: "several.example",
    scope: "Namespaced",
    names: { plural, singular: kind.toLowerCase(), kind },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
});
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

describe("one server", () => {
  let server: ApiServer;
  let admin: ApiClient;
  beforeAll(async () => {
    server = await startApiServer(workplace, {
      name: "alone",
      store: { kind: "memory" },
      flags: ["--vocabulary=kubernetes"],
    });
    ({ admin } = server);
  }, 60_000);

  const problem = async (path: string, headers: Record<string, string> = {}, client = admin) => {
    const { status, body } = await client.send(path, { headers, timeoutMs: 5_000 });
    return `${status} ${body.startsWith("{") ? JSON.parse(body).message : body}`;
  };

  test("sends the state of every resource, a bookmark, and then each change with its resource, in order", async () => {
    const maps = await freshNamespace(admin, "ordered");
    await expectStatus(201, admin.post(maps, configMap("a", {})));
    await expectStatus(201, admin.post(secretsPath("ordered"), secret("b")));
    const resources = [
      "configmaps;namespace=ordered;fieldSelector=metadata.name!=kube-root-ca.crt",
      "secrets;namespace=ordered",
      "deployments.apps",
    ];
    const options = { allowWatchBookmarks: "true", sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" };
    const watch = await lines(admin, watchOf(resources, options));
    const [first, second, mark] = (await watch.take(3)) as [SeveralEvent, SeveralEvent, SeveralEvent];
    expect([first, second, mark].map(told)).toEqual(["ADDED v1/configmaps a", "ADDED v1/secrets b", "BOOKMARK - "]);
    expect(first).not.toHaveProperty("resourceVersion");
    expect(first.object).toMatchObject({ kind: "ConfigMap", apiVersion: "v1" });
    expect(mark).toMatchObject({
      resourceVersion: mark.object.metadata.resourceVersion,
      object: { kind: "PartialObjectMetadata", metadata: { annotations: { "k8s.io/initial-events-end": "true" } } },
    });
    const made: string[] = [];
    for (let at = 0; at < 10; at += 1) {
      const [path, object] =
        at % 2 === 0 ? [maps, configMap(`m${at}`, {})] : [secretsPath("ordered"), secret(`m${at}`)];
      const { metadata } = await expectStatus(201, admin.post(path, object));
      made.push(`${at % 2 === 0 ? "v1/configmaps" : "v1/secrets"} m${at} ${metadata.resourceVersion}`);
    }
    const seen = await watch.take(10);
    expect(
      seen.map(({ resource, object, resourceVersion }) => `${resource} ${object.metadata.name} ${resourceVersion}`),
    ).toEqual(made);
    watch.close();
    const again = await lines(admin, watchOf(resources, { resourceVersion: seen[3]?.resourceVersion ?? "" }));
    expect((await again.take(6)).map(told)).toEqual(seen.slice(4).map(told));
    again.close();
  });

  test("the end of a definition ends the watch with an error that names it", async () => {
    for (const [plural, kind] of [
      ["boats", "Boat"],
      ["cars", "Car"],
    ] as const)
      await expectStatus(201, admin.post(DEFINITIONS, definition(plural, kind)));
    for (const plural of ["boats", "cars"])
      await eventually(
        `${plural} are served`,
        async () => (await admin.get(`/apis/several.example/v1/${plural}`)).status === 200,
      );
    const watch = await lines(admin, watchOf(["boats.several.example", "cars.several.example"]));
    const boat = { apiVersion: "several.example/v1", kind: "Boat", metadata: { name: "ada" } };
    await expectStatus(201, admin.post("/apis/several.example/v1/namespaces/default/boats", boat));
    expect((await watch.take(1)).map(told)).toEqual(["ADDED several.example/v1/boats ada"]);
    await expectStatus(200, admin.delete(`${DEFINITIONS}/cars.several.example`));
    const last = (await watch.take(1))[0] as SeveralEvent;
    expect(last).toMatchObject({ type: "ERROR", resource: "several.example/v1/cars", object: { code: 404 } });
    await watch.ended;
  });

  test("tables and metadata are those of single watches", async () => {
    const maps = await freshNamespace(admin, "shown");
    await expectStatus(201, admin.post(maps, configMap("a", { secret: "value" })));
    await expectStatus(201, admin.post(secretsPath("shown"), secret("b")));
    const path = watchOf(["secrets;namespace=shown", "configmaps;namespace=shown;fieldSelector=metadata.name=a"]);
    const table = "application/json;stream=watch;as=Table;v=v1;g=meta.k8s.io";
    const watch = await lines(admin, path, { accept: table });
    const [one, other] = (await watch.take(2)) as [SeveralEvent, SeveralEvent];
    watch.close();
    expect(one).toMatchObject({
      resource: "v1/secrets",
      object: { kind: "Table", rows: [{ cells: ["b", "Opaque", 1, expect.anything()] }] },
    });
    // Each resource has its columns in its first event.
    for (const { object } of [one, other]) expect(object).toHaveProperty("columnDefinitions.0.name", "Name");
    const reader = new EventSourceReader<SeveralEvent>(
      path,
      "text/event-stream;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    );
    await reader.connect(admin);
    const [metadata] = await reader.take(1);
    reader.close();
    expect(metadata).toMatchObject({ object: { kind: "PartialObjectMetadata", metadata: { name: "b" } } });
    expect(metadata?.object).not.toHaveProperty("data");
  });

  test("a client sees what it may list and watch", async () => {
    const maps = await freshNamespace(admin, "rights");
    await expectStatus(201, admin.post(maps, configMap("a", {})));
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/rights";
    const rule = (verbs: string[], resources: string[]) => ({ apiGroups: [""], resources, verbs });
    await expectStatus(
      201,
      admin.post(`${rbac}/roles`, {
        metadata: { name: "viewer" },
        rules: [rule(["list", "watch"], ["configmaps"]), rule(["watch"], ["secrets"])],
      }),
    );
    await expectStatus(
      201,
      admin.post(`${rbac}/rolebindings`, {
        metadata: { name: "viewer" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "viewer" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "viewer" }],
      }),
    );
    const viewer = server.client({ ...server.authority.anonymous(), token: "viewer-token" });
    const own = "configmaps;namespace=rights;fieldSelector=metadata.name=a";
    const all = [own, "secrets;namespace=rights", "configmaps", "things.example.com;namespace=rights"];
    await eventually("the role is in force", async () => (await viewer.get(maps)).status === 200);
    expect(await problem(watchOf(all), {}, viewer)).toMatch(
      /^403 secrets is forbidden: User "viewer" cannot list resource "secrets".* in the namespace "rights"/,
    );
    const watch = await lines(viewer, watchOf(all, { partial: "true" }));
    const events = await watch.take(4);
    watch.close();
    expect(
      events.map(({ type, resource, object }) => `${type} ${resource} ${object.code ?? object.metadata.name}`),
    ).toEqual([
      "REFUSED v1/secrets 403",
      "REFUSED v1/configmaps 403",
      "REFUSED example.com/*/things 403",
      "ADDED v1/configmaps a",
    ]);
    expect(await problem(watchOf(["secrets;namespace=rights"], { partial: "true" }), {}, viewer)).toMatch(
      /^403 secrets is forbidden/,
    );
    const anonymous = server.client(server.authority.anonymous());
    expect(await problem(watchOf(["configmaps"]), {}, anonymous)).toMatch(/^40[13] /);
  });

  test("unknown and unsuitable questions are refused with words", async () => {
    expect(await problem("/watch")).toMatch(/^400 resource: is required/);
    expect(await problem("/watch?resource=pods&labelselector=a")).toMatch(/^400 "labelselector" is not a parameter/);
    expect(await problem(watchOf(["pods;fieldSelector=spec.unknown=a"]))).toMatch(/^400 v1\/pods: .*spec\.unknown/);
    expect(await problem(watchOf(["deployments"]))).toBe(
      "404 v1/deployments: the server does not serve this resource here: write deployments.apps",
    );
    expect(await problem(watchOf(["nodes;namespace=default"]))).toMatch(
      /^404 v1\/nodes: .*write nodes without a namespace$/,
    );
    expect(await problem(watchOf(["pods"]), { accept: "application/yaml" })).toMatch(/^406 [\s\S]*text\/event-stream/);
    expect(await problem(watchOf(["pods"]), { "last-event-id": "x" })).toMatch(/^400 Last-Event-ID: "x"/);
    expect(await problem(watchOf(["componentstatuses"]))).toMatch(/^40[04] /);
    const { status, headers } = await admin.post(watchOf(["pods"]), {});
    expect([status, headers["allow"]]).toEqual([405, "GET"]);
  });

  test("the watch counts as one of each resource and as one long-running request", async () => {
    const figures = async () => {
      const { body } = await admin.get("/metrics");
      const of = (start: string, labels: readonly string[]) => {
        const line = body
          .split("\n")
          .find((each) => each.startsWith(start) && labels.every((label) => each.includes(label)));
        return Number(line?.split(" ").at(-1) ?? 0);
      };
      return [
        of("apiserver_registered_watchers{", ['kind="LimitRange"']),
        of("apiserver_longrunning_requests{", ['verb="WATCH"', 'resource=""']),
      ];
    };
    const watch = await lines(admin, watchOf(["resourcequotas", "limitranges"]));
    await eventually("the watch is counted", async () => (await figures()).join() === "1,1");
    watch.close();
    await eventually("the watch is gone", async () => (await figures()).join() === "0,0");
  });

  test("HTTP/2 carries it beside other requests", async () => {
    const maps = await freshNamespace(admin, "multiplexed");
    const session = connectHttp2(server.url, { ca: server.authority.anonymous().ca });
    try {
      const stream = session.request({
        ":path": watchOf(["configmaps;namespace=multiplexed;fieldSelector=metadata.name=a", "pods"]),
        authorization: "Bearer admin-token",
        accept: "text/event-stream",
      });
      let text = "";
      const arrived = new Promise<void>((resolve) =>
        stream.on("data", (bytes: Buffer) => {
          text += bytes.toString();
          if (text.endsWith("\n\n")) resolve();
        }),
      );
      await new Promise((resolve) => stream.once("response", resolve));
      const { metadata } = await expectStatus(201, admin.post(maps, configMap("a", {})));
      await arrived;
      expect(text).toMatch(
        new RegExp(`^id: ${metadata.resourceVersion}\ndata: \\{"resource":"v1/configmaps",.*\\}\n\n$`),
      );
    } finally {
      session.destroy();
    }
  });
});

describe("replicas", () => {
  let replicas: [ApiServer, ApiServer];
  let etcd: Awaited<ReturnType<typeof startEtcd>>;
  beforeAll(async () => {
    etcd = await startEtcd(workplace);
    replicas = await startReplicas(workplace, etcd.endpoints, ["--vocabulary=kubernetes"]);
  }, 60_000);

  test("an event source continues at the other replica when its own is killed, and sees each change once", async () => {
    const [first, second] = replicas;
    const maps = await freshNamespace(second.admin, "resumed");
    const resources = [
      "configmaps;namespace=resumed;fieldSelector=metadata.name!=kube-root-ca.crt",
      "secrets;namespace=resumed",
    ];
    const options = { allowWatchBookmarks: "true", sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" };
    const source = new EventSourceReader<SeveralEvent>(watchOf(resources, options));
    await source.connect(first.admin);
    expect((await source.take(1)).map(told)).toEqual(["BOOKMARK - "]);
    const expected: string[] = [];
    const change = async (at: number) => {
      const [path, name, object] =
        at % 3 === 0
          ? [secretsPath("resumed"), "v1/secrets", secret(`o${at}`)]
          : [maps, "v1/configmaps", configMap(`o${at}`, {})];
      await expectStatus(201, second.admin.post(path, object));
      expected.push(`ADDED ${name} o${at}`);
    };
    for (let at = 0; at < 40; at += 1) await change(at);
    const seen = await source.take(25);
    await first.kill();
    for (let at = 40; at < 80; at += 1) await change(at);
    seen.push(...(await source.rest()));
    await source.connect(second.admin);
    for (let at = 80; at < 100; at += 1) await change(at);
    seen.push(...(await source.take(expected.length - seen.length)));
    expect(seen.map(told)).toEqual(expected);
    // A replica that has just started reads the changes from the history of the store.
    source.close();
    const lastId = source.lastId;
    for (let at = 100; at < 110; at += 1) await change(at);
    await first.start();
    const late = new EventSourceReader<SeveralEvent>(watchOf(resources, options));
    late.lastId = lastId;
    await late.connect(first.admin);
    expect((await late.take(10)).map(told)).toEqual(expected.slice(100));
    late.close();
  });

  test("a compacted revision is told by an error that takes the last id back", async () => {
    const [first] = replicas;
    const { resourceVersion } = (await expectStatus(200, first.admin.get(configMapsPath("default")))).metadata;
    const [endpoint] = etcd.endpoints.split(",");
    const compaction = { method: "POST", body: JSON.stringify({ revision: resourceVersion }) };
    expect((await fetch(`${endpoint}/v3/kv/compaction`, compaction)).status).toBe(200);
    const source = new EventSourceReader<SeveralEvent>(watchOf(["configmaps;namespace=default", "secrets"]));
    source.lastId = "1";
    await source.connect(first.admin);
    expect((await source.rest()).map(({ type, object }) => `${type} ${object.code}`)).toEqual(["ERROR 410"]);
    expect(source.lastId).toBe("");
    // Without an id it begins anew.
    await source.connect(first.admin);
    expect((await source.take(1)).map(({ type }) => type)).toEqual(["ADDED"]);
    source.close();
  });

  test("a replica that stops ends the stream, which continues at the other one", async () => {
    const [first, second] = replicas;
    const maps = await freshNamespace(second.admin, "drained");
    const path = watchOf(["configmaps;namespace=drained;fieldSelector=metadata.name!=kube-root-ca.crt", "pods"], {
      allowWatchBookmarks: "true",
      sendInitialEvents: "true",
      resourceVersionMatch: "NotOlderThan",
    });
    const source = new EventSourceReader<SeveralEvent>(path);
    await source.connect(first.admin);
    await source.take(1);
    await expectStatus(201, second.admin.post(maps, configMap("a", {})));
    expect((await source.take(1)).map(told)).toEqual(["ADDED v1/configmaps a"]);
    expect(await first.stop()).toBe(0);
    expect((await source.rest()).map(({ type }) => type).filter((type) => type !== "BOOKMARK")).toEqual([]);
    await source.connect(second.admin);
    await expectStatus(201, second.admin.post(maps, configMap("b", {})));
    expect((await source.take(1)).map(told)).toEqual(["ADDED v1/configmaps b"]);
    source.close();
  });
});
