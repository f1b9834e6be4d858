// Priority and fairness: the configuration objects, their statuses, and requests when seats are scarce.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openStore, type Store } from "@orch/store";
import { type RunningServer, type StartOptions, startServer } from "../server/start-server";
import { type Answer, ApiClient } from "../testing/api-client";

const GROUP = "/apis/flowcontrol.apiserver.orch.io/v1beta2";
const FLOWS = `${GROUP}/flowschemas`;
const LEVELS = `${GROUP}/prioritylevelconfigurations`;
const DEBUG = "/debug/api_priority_and_fairness";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const ANNOTATION = "apf.orch.io/autoupdate-spec";

const configMap = (name: string) => ({ metadata: { name } });

/** A store whose writes of objects wait while the gate is closed. */
async function gatedStore() {
  const store = await openStore({ kind: "memory" });
  const { txn } = store;
  let waiting: (() => void)[] = [];
  let isOpen = true;
  const gated: Store = Object.assign(Object.create(store), {
    async txn(request: Parameters<Store["txn"]>[0], options: Parameters<Store["txn"]>[1]) {
      if (!isOpen && JSON.stringify(request).includes("/configmaps/"))
        await new Promise<void>((resolve) => waiting.push(resolve));
      return txn.call(store, request, options);
    },
  });
  return {
    store: gated,
    held: () => waiting.length,
    close() {
      isOpen = false;
    },
    /** Lets one write through. */
    one() {
      waiting.shift()?.();
    },
    open() {
      isOpen = true;
      for (const each of waiting) each();
      waiting = [];
    },
  };
}

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
};

const level = (name: string, limitResponse: object, assuredConcurrencyShares = 1) => ({
  metadata: { name },
  spec: { type: "Limited", limited: { assuredConcurrencyShares, limitResponse } },
});

/** So many queues that two users do not share one. */
const queue = (queueLengthLimit = 50) => ({
  type: "Queue",
  queuing: { queues: 1_000_000, handSize: 1, queueLengthLimit },
});

/** Matches the requests of all users in a group. */
const schema = (name: string, to: string, group = name, matchingPrecedence = 50) => ({
  metadata: { name },
  spec: {
    matchingPrecedence,
    priorityLevelConfiguration: { name: to },
    distinguisherMethod: { type: "ByUser" },
    rules: [
      {
        subjects: [{ kind: "Group", group: { name: group } }],
        resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] }],
      },
    ],
  },
});

class Scene {
  readonly clients: ApiClient[] = [];
  private constructor(
    readonly server: RunningServer,
    readonly admin: ApiClient,
  ) {}

  static async start(options: StartOptions = {}): Promise<Scene> {
    const server = await startServer({
      ...options,
      flags: { "authorization-mode": ["AlwaysAllow"], ...options.flags },
    });
    return new Scene(server, new ApiClient(server, server.admin));
  }

  as(name: string, ...groups: readonly string[]): ApiClient {
    const client = new ApiClient(this.server, this.server.issueClient({ name, groups }));
    this.clients.push(client);
    return client;
  }

  /** Returns the schema that matched a user's request, from the response headers. */
  async schemaOf(client: ApiClient, path = CONFIG_MAPS): Promise<string> {
    const uid = (await client.get(path)).headers["x-orch-pf-flowschema-uid"];
    const { items } = (await this.admin.get(FLOWS)).json;
    return items.find(({ metadata }) => metadata.uid === uid)?.metadata.name ?? "";
  }

  /** Returns a column of a level's row in the table of levels. */
  async figure(of: string, column: string): Promise<string | undefined> {
    const [head = "", ...rows] = (await this.admin.get(`${DEBUG}/dump_priority_levels`)).text.split("\n");
    const at = head.split(/, */).indexOf(column);
    return rows.map((row) => row.split(/, */)).find(([name]) => name === of)?.[at];
  }

  async stop(): Promise<void> {
    for (const client of [this.admin, ...this.clients]) client.close();
    await this.server.stop();
  }
}

const created = async (answer: Promise<Answer>): Promise<Answer["json"]> => {
  const { code, text, json } = await answer;
  expect([code, text]).toEqual([201, expect.anything()]);
  return json;
};

const spec = (json: unknown) => (json as { readonly spec: Record<string, unknown> }).spec;
const dangling = (json: unknown) =>
  (json as { status?: { conditions?: { type: string; status: string; message: string }[] } }).status?.conditions?.find(
    ({ type }) => type === "Dangling",
  );

describe("the objects that every server has", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.start();
  });
  afterAll(() => scene.stop());

  test("are there, and say that their levels are", async () => {
    const { items: levels } = (await scene.admin.get(LEVELS)).json;
    expect(levels.map(({ metadata }) => metadata.name)).toEqual([
      ...["catch-all", "exempt", "global-default", "leader-election", "node-high", "system"],
      ...["workload-high", "workload-low"],
    ]);
    await until(async () =>
      (await scene.admin.get(FLOWS)).json.items.every((each) => dangling(each)?.status === "False"),
    );
    const { items: flows } = (await scene.admin.get(FLOWS)).json;
    expect(flows.map((each) => [each.metadata.name, spec(each)["matchingPrecedence"]])).toEqual([
      ["catch-all", 10000],
      ["exempt", 1],
      ["global-default", 9900],
      ["orch-controller-manager", 800],
      ["orch-scheduler", 800],
      ["orch-system-service-accounts", 900],
      ["probes", 2],
      ["service-accounts", 9000],
      ["system-leader-election", 100],
      ["system-node-high", 400],
      ["system-nodes", 500],
      ["workload-leader-election", 200],
    ]);
  });

  test("take the requests that they are for", async () => {
    const { admin } = scene;
    const manager = scene.as("system:orch-controller-manager");
    const account = scene.as("system:serviceaccount:orch-system:x", "system:serviceaccounts");
    const node = scene.as("system:node:a", "system:nodes");
    const found = {
      admin: await scene.schemaOf(admin),
      manager: await scene.schemaOf(manager),
      "manager's leases": await scene.schemaOf(manager, "/apis/coordination.orch.io/v1/namespaces/x/leases/y"),
      "system account": await scene.schemaOf(account),
      "system account's leases": await scene.schemaOf(account, "/apis/coordination.orch.io/v1/namespaces/x/leases/y"),
      "other account": await scene.schemaOf(scene.as("system:serviceaccount:x:y", "system:serviceaccounts")),
      node: await scene.schemaOf(node),
      "node's status": await scene.schemaOf(node, "/api/v1/nodes/a/status"),
      ann: await scene.schemaOf(scene.as("ann")),
      "ann's version": await scene.schemaOf(scene.as("ann"), "/version"),
    };
    expect(found).toEqual({
      admin: "exempt",
      manager: "orch-controller-manager",
      "manager's leases": "system-leader-election",
      "system account": "orch-system-service-accounts",
      "system account's leases": "system-leader-election",
      "other account": "service-accounts",
      node: "system-nodes",
      "node's status": "system-node-high",
      ann: "global-default",
      "ann's version": "global-default",
    });
  });

  test("belong to operators where they say so, and are kept by the server elsewhere", async () => {
    const store = await openStore({ kind: "memory" });
    const first = await Scene.start({ store });
    const change = async (name: string, annotation: string) => {
      const { json } = await first.admin.get(`${LEVELS}/${name}`);
      const metadata = { ...json.metadata, annotations: { [ANNOTATION]: annotation } };
      const limited = { assuredConcurrencyShares: 77, limitResponse: { type: "Reject" } };
      await first.admin.put(`${LEVELS}/${name}`, { ...json, metadata, spec: { type: "Limited", limited } });
    };
    await change("system", "false");
    await change("workload-low", "true");
    await first.admin.delete(`${FLOWS}/service-accounts`);
    await first.admin.delete(`${FLOWS}/exempt`);
    await first.stop();
    const second = await Scene.start({ store });
    const shares = async (name: string) =>
      (spec((await second.admin.get(`${LEVELS}/${name}`)).json)["limited"] as Record<string, unknown>)[
        "assuredConcurrencyShares"
      ];
    expect([await shares("system"), await shares("workload-low")]).toEqual([77, 100]);
    expect((await second.admin.get(`${FLOWS}/service-accounts`)).code).toBe(200);
    expect((await second.admin.get(`${FLOWS}/exempt`)).code).toBe(200);
    await second.stop();
    await store.close();
  });
});

describe("a release before operators could say so", () => {
  test("makes suggested objects at the first start alone", async () => {
    const store = await openStore({ kind: "memory" });
    const flags = { "emulated-release": "1.21" };
    const flows = "/apis/flowcontrol.apiserver.orch.io/v1beta1/flowschemas";
    const first = await Scene.start({ store, flags });
    expect((await first.admin.get(`${flows}/exempt`)).json.metadata.annotations).toBeUndefined();
    await first.admin.delete(`${flows}/service-accounts`);
    await first.admin.delete(`${flows}/catch-all`);
    await first.stop();
    const second = await Scene.start({ store, flags });
    expect((await second.admin.get(`${flows}/service-accounts`)).code).toBe(404);
    expect((await second.admin.get(`${flows}/catch-all`)).code).toBe(200);
    await second.stop();
    await store.close();
  });

  test("goes by the limits of requests in flight where it has no such objects", async () => {
    const scene = await Scene.start({ flags: { "emulated-release": "1.19" } });
    expect((await scene.admin.get(`${DEBUG}/dump_queues`)).code).toBe(404);
    expect((await scene.admin.get(CONFIG_MAPS)).headers["x-orch-pf-flowschema-uid"]).toBeUndefined();
    expect((await scene.admin.get("/readyz/poststarthook/max-in-flight-filter")).code).toBe(200);
    await scene.stop();
  });
});

describe("objects that change", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.start();
  });
  afterAll(() => scene.stop());

  test("are in force soon, and a schema without its level waits for it", async () => {
    const { admin } = scene;
    const ann = scene.as("ann", "writers");
    await created(admin.post(FLOWS, schema("writers", "later")));
    await until(async () => dangling((await admin.get(`${FLOWS}/writers`)).json)?.status === "True");
    expect(dangling((await admin.get(`${FLOWS}/writers`)).json)?.message).toBe(
      'This FlowSchema references the PriorityLevelConfiguration object named "later" but there is no such object',
    );
    expect(await scene.schemaOf(ann)).toBe("global-default");
    const { uid } = (await created(admin.post(LEVELS, level("later", queue())))).metadata;
    await until(async () => (await scene.schemaOf(ann)) === "writers");
    expect((await ann.get(CONFIG_MAPS)).headers["x-orch-pf-prioritylevel-uid"]).toBe(uid);
    await until(async () => dangling((await admin.get(`${FLOWS}/writers`)).json)?.status === "False");
    await admin.delete(`${LEVELS}/later`);
    await until(async () => (await scene.schemaOf(ann)) === "global-default");
    await until(async () => (await scene.figure("later", "IsIdle")) === undefined);
  });

  test("mandatory objects remain in effect until they are recreated", async () => {
    const { admin } = scene;
    await admin.delete(`${FLOWS}/exempt`);
    await admin.delete(`${LEVELS}/exempt`);
    await admin.delete(`${LEVELS}/catch-all`);
    await until(async () => (await admin.get("/version")).headers["x-orch-pf-flowschema-uid"] === "");
    expect(await scene.figure("exempt", "WaitingRequests")).toBe("<none>");
  });

  test("are refused where the server would have to read more than it does at once", async () => {
    const large = schema("large", "system");
    const subjects = Array.from({ length: 100_000 }, (_, at) => ({ kind: "User", user: { name: `u${at}` } }));
    const rules = large.spec.rules.map((rule) => ({ ...rule, subjects: subjects.slice(0, 50_000) }));
    const refused = await scene.admin.post(FLOWS, { ...large, spec: { ...large.spec, rules } });
    expect([refused.code, refused.json.message]).toEqual([
      413,
      expect.stringContaining("a FlowSchema may contain at most 20000 values"),
    ]);
  });

  test("may ask for ten million queues, which cost nothing until they are used", async () => {
    const { admin } = scene;
    const queuing = { queues: 10_000_000, handSize: 2, queueLengthLimit: 50 };
    await created(admin.post(LEVELS, level("many", { type: "Queue", queuing })));
    await created(admin.post(FLOWS, schema("many", "many")));
    await until(async () => (await scene.schemaOf(scene.as("m", "many"))) === "many");
    const table = (await admin.get(`${DEBUG}/dump_queues`)).text;
    expect(table.split("\n").filter((line) => line.startsWith("many,"))).toEqual([]);
    const tooRandom = { ...queuing, handSize: 3 };
    const refused = await admin.post(LEVELS, level("more", { type: "Queue", queuing: tooRandom }));
    expect([refused.code, refused.json.message]).toEqual([422, expect.stringContaining("60 bits of entropy")]);
  });
});

describe("where seats are scarce", () => {
  let gate: Awaited<ReturnType<typeof gatedStore>>;
  let scene: Scene;
  beforeAll(async () => {
    gate = await gatedStore();
    // With 206 seats, one share is one seat.
    scene = await Scene.start({
      store: gate.store,
      flags: { "max-requests-inflight": 100, "max-mutating-requests-inflight": 148 },
    });
    const { admin } = scene;
    await created(admin.post(LEVELS, level("narrow", queue(3))));
    await created(admin.post(FLOWS, schema("narrow", "narrow")));
    await created(admin.post(LEVELS, level("none", { type: "Reject" })));
    await created(admin.post(FLOWS, schema("none", "none")));
    const probe = scene.as("probe", "narrow");
    await until(async () => (await scene.schemaOf(probe)) === "narrow");
    await until(async () => (await scene.schemaOf(scene.as("probe", "none"))) === "none");
    // Two seats: 248 of 247 shares, rounded up.
    expect(await metric("apiserver_flowcontrol_request_concurrency_limit", 'priority_level="narrow"')).toBe(2);
  });
  afterAll(async () => {
    gate.open();
    await scene.stop();
  });

  async function metric(name: string, labels: string): Promise<number> {
    let found: number | undefined;
    await until(async () => {
      const { text } = await scene.admin.get("/metrics");
      const line = text.split("\n").find((each) => each.startsWith(`${name}{`) && each.includes(labels));
      found = line === undefined ? undefined : Number(line.slice(line.lastIndexOf(" ") + 1));
      return found !== undefined;
    });
    return found ?? Number.NaN;
  }

  const waiting = (count: number) =>
    until(async () => (await scene.figure("narrow", "WaitingRequests")) === `${count}`);

  test("a flood by one user leaves another's requests their turn, and nothing leaks", async () => {
    const { admin } = scene;
    const flooder = scene.as("flooder", "narrow");
    const quiet = scene.as("quiet", "narrow");
    gate.close();
    const order: string[] = [];
    const post = (client: ApiClient, name: string) =>
      client.post(CONFIG_MAPS, configMap(name)).then((answer) => {
        order.push(`${name} ${answer.code}`);
        return answer;
      });
    const running = [post(flooder, "f1"), post(flooder, "f2")];
    await until(() => gate.held() === 2);
    const queued = [post(flooder, "f3"), post(flooder, "f4"), post(flooder, "f5")];
    await waiting(3);
    const refused = await post(flooder, "f6");
    expect([refused.code, refused.text, refused.headers["retry-after"]]).toEqual([
      ...[429, "Too many requests, please try again later.\n", "1"],
    ]);
    expect(refused.headers["x-orch-pf-flowschema-uid"]).toBeUndefined();
    const quiets = post(quiet, "q1");
    await waiting(4);
    const requests = (await admin.get(`${DEBUG}/dump_requests?includeRequestDetails=1`)).text.split("\n");
    expect(requests.filter((line) => line.startsWith("narrow,"))).toHaveLength(4);
    expect(requests.find((line) => line.includes("quiet"))).toMatch(
      /^narrow, +narrow, +\d+, +0, +quiet, +\S+Z, +quiet, +create, +\/api\/v1\/namespaces\/default\/configmaps, +default, +, +v1, +configmaps, +$/,
    );
    // Probes and exempt users do not wait.
    expect((await quiet.get("/readyz")).code).toBe(200);
    expect((await admin.get(CONFIG_MAPS)).code).toBe(200);
    // The next admitted write waits behind the other one in the gate.
    gate.one();
    await until(() => order.includes("f1 201"));
    await until(() => gate.held() === 2);
    gate.one();
    await until(() => order.includes("f2 201"));
    await until(() => gate.held() === 2);
    gate.open();
    expect((await quiets).code).toBe(201);
    await Promise.all([...running, ...queued]);
    const served = order.filter((each) => each.endsWith("201")).map((each) => each.split(" ")[0]);
    expect(served.indexOf("q1")).toBeLessThan(served.indexOf("f5"));
    await until(async () => (await scene.figure("narrow", "IsIdle")) === "true");
    expect(await scene.figure("narrow", "RejectedRequests")).toBe("1");
    expect(await metric("apiserver_flowcontrol_rejected_requests_total", 'reason="queue-full"')).toBe(1);
  });

  test("a canceled request frees its queue place or its seat", async () => {
    gate.close();
    const leaving = Array.from({ length: 5 }, (_, at) =>
      scene.as("leaver", "narrow").post(CONFIG_MAPS, configMap(`l${at}`)),
    );
    const gone = Promise.allSettled(leaving);
    await until(async () => gate.held() === 2 && (await scene.figure("narrow", "WaitingRequests")) === "3");
    for (const client of scene.clients) client.close();
    await waiting(0);
    gate.open();
    await gone;
    await until(async () => (await scene.figure("narrow", "IsIdle")) === "true");
    expect(Number(await scene.figure("narrow", "CancelledRequests"))).toBe(3);
    expect((await scene.as("stayer", "narrow").post(CONFIG_MAPS, configMap("stays"))).code).toBe(201);
  });

  test("a request that must not queue is rejected", async () => {
    gate.close();
    const client = scene.as("hasty", "none");
    const held = [client.post(CONFIG_MAPS, configMap("n1")), client.post(CONFIG_MAPS, configMap("n2"))];
    await until(() => gate.held() === 2);
    expect((await client.post(CONFIG_MAPS, configMap("n3"))).code).toBe(429);
    gate.open();
    expect((await Promise.all(held)).map(({ code }) => code)).toEqual([201, 201]);
    expect(await metric("apiserver_flowcontrol_rejected_requests_total", 'reason="concurrency-limit"')).toBe(1);
  });

  test("watches take a seat until they have begun, and no longer", async () => {
    const watches = await Promise.all(
      Array.from({ length: 6 }, () => scene.as("watcher", "narrow").watch(`${CONFIG_MAPS}?watch=1`)),
    );
    await until(async () => (await scene.figure("narrow", "IsIdle")) === "true");
    const { headers } = await scene.as("watcher", "narrow").get(CONFIG_MAPS);
    expect(headers["x-orch-pf-flowschema-uid"]).toMatch(/-/);
    for (const watch of watches) watch.close();
  });

  test("a level that is deleted works off what waits on it", async () => {
    const { admin } = scene;
    gate.close();
    const client = scene.as("last", "narrow");
    const held = [1, 2, 3, 4].map((at) => client.post(CONFIG_MAPS, configMap(`d${at}`)));
    await until(async () => gate.held() === 2 && (await scene.figure("narrow", "WaitingRequests")) === "2");
    await admin.delete(`${LEVELS}/narrow`);
    await until(async () => (await scene.figure("narrow", "IsQuiescing")) === "true");
    gate.open();
    expect((await Promise.all(held)).map(({ code }) => code)).toEqual([201, 201, 201, 201]);
    await until(async () => (await scene.figure("narrow", "IsIdle")) === undefined);
  });
});

test("a request waits no longer than a quarter of what requests may take", async () => {
  const gate = await gatedStore();
  const flags = { "max-requests-inflight": 100, "max-mutating-requests-inflight": 106, "request-timeout": 2000 };
  const scene = await Scene.start({ store: gate.store, flags });
  await created(scene.admin.post(LEVELS, level("slow", queue())));
  await created(scene.admin.post(FLOWS, schema("slow", "slow")));
  const client = scene.as("s", "slow");
  await until(async () => (await scene.schemaOf(client)) === "slow");
  gate.close();
  const answers = ["a", "b"].map((name) => client.post(CONFIG_MAPS, configMap(name)));
  const [first] = await Promise.all([Promise.race(answers)]);
  expect(first?.code).toBe(429);
  gate.open();
  await Promise.all(answers);
  expect(await scene.figure("slow", "TimedoutRequests")).toBe("1");
  await scene.stop();
});

test("an upgrade creates, updates and removes the objects that belong to the server", async () => {
  const store = await openStore({ kind: "memory" });
  const V1 = FLOWS.replace(/v1beta\d/, "v1").replace("flowschemas", "");
  const at = async (release: string, work: (scene: Scene) => Promise<void>): Promise<void> => {
    const scene = await Scene.start({ store, flags: { "emulated-release": release } });
    await work(scene);
    await scene.stop();
  };
  const nameOf = ({ metadata }: { readonly metadata: { readonly name: string } }) => metadata.name;
  await at("1.29", async ({ admin }) => {
    const { json: level } = await admin.get(`${V1}prioritylevelconfigurations/exempt`);
    const exempt = { nominalConcurrencyShares: 10, lendablePercent: 50 };
    await admin.put(`${V1}prioritylevelconfigurations/exempt`, { ...level, spec: { ...level.spec, exempt } });
    const { json: schema } = await admin.get(`${V1}flowschemas/endpoint-controller`);
    const annotations = { [ANNOTATION]: "false" };
    await admin.put(`${V1}flowschemas/endpoint-controller`, {
      ...schema,
      metadata: { ...schema.metadata, annotations },
    });
  });
  await at("1.36", async ({ admin }) => {
    const { items: flows } = (await admin.get(`${V1}flowschemas`)).json;
    expect(flows.map(nameOf)).toContain("endpoint-controller");
    expect(flows.map(nameOf)).not.toContain("workload-leader-election");
    const election = flows.find((flow) => nameOf(flow) === "system-leader-election");
    expect(JSON.stringify(election)).not.toContain("endpoints");
    const { items: levels } = (await admin.get(`${V1}prioritylevelconfigurations`)).json;
    const lent = levels.map((level) => [nameOf(level), (level.spec as Lending).limited?.lendablePercent]);
    expect(Object.fromEntries(lent)).toEqual({
      ...{ "catch-all": 0, exempt: undefined, "global-default": 50, "leader-election": 0, "node-high": 25 },
      ...{ system: 33, "workload-high": 50, "workload-low": 90 },
    });
    const exempt = levels.find((level) => nameOf(level) === "exempt")?.spec as Lending;
    expect(exempt.exempt).toEqual({ nominalConcurrencyShares: 10, lendablePercent: 50 });
  });
  await store.close();
}, 30_000);

interface Lending {
  readonly limited?: { readonly lendablePercent?: number };
  readonly exempt?: object;
}
