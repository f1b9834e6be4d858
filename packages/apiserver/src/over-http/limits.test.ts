import { afterEach, describe, expect, test } from "@jest/globals";
import { openStore, type Store, StoreError } from "@orch/store";
import { type RunningServer, type StartOptions, startServer } from "../server/start-server";
import { ApiClient, CONFIG_MAPS, configMap, http2Get, openHttp2 } from "../testing/api-client";

/** A store whose writes of config maps wait while the gate is closed; the server's own writes do not wait. */
async function gatedStore(): Promise<{ store: Store; close(): void; open(): void; held(): number }> {
  const store = await openStore({ kind: "memory" });
  const { txn } = store;
  let gate = Promise.resolve();
  let release = (): void => {};
  let held = 0;
  store.txn = async (request, options) => {
    if (!request.then.some((each) => "key" in each && each.key.includes("/configmaps/default/")))
      return txn.call(store, request, options);
    held += 1;
    await gate;
    held -= 1;
    return txn.call(store, request, options);
  };
  return {
    store,
    close() {
      gate = new Promise((resolve) => {
        release = resolve;
      });
    },
    open: () => release(),
    held: () => held,
  };
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(options: StartOptions): Promise<{ server: RunningServer; admin: ApiClient }> {
  const server = await startServer(options);
  const admin = new ApiClient(server, server.admin);
  cleanups.push(
    () => server.stop(),
    () => admin.close(),
  );
  return { server, admin };
}

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
};

/** Creates of config maps that the server terminated: codes and counts. */
async function terminations(admin: ApiClient): Promise<string[]> {
  const place = 'verb="POST",group="",version="v1",resource="configmaps",subresource="",scope="resource"';
  const { text } = await admin.get("/metrics");
  const lines = text.split("\n").filter((line) => line.startsWith("apiserver_request_terminations_total{"));
  return lines.map((line) => line.replace(`${place},component="apiserver",code=`, "").replace(/[^\d ]/g, ""));
}

describe("requests at once", () => {
  test("are bounded by kind; the privileged group gets in even when full", async () => {
    const gated = await gatedStore();
    const { server, admin } = await start({
      store: gated.store,
      flags: {
        "authorization-mode": ["AlwaysAllow"],
        "max-mutating-requests-inflight": 1,
        "enable-priority-and-fairness": false,
      },
    });
    const jane = new ApiClient(server, server.issueClient({ name: "jane" }));
    cleanups.push(() => jane.close());
    gated.close();
    const first = jane.post(CONFIG_MAPS, configMap("first"));
    await until(() => gated.held() === 1);
    const refused = await jane.post(CONFIG_MAPS, configMap("second"));
    expect(refused.code).toBe(429);
    expect(refused.text).toBe("Too many requests, please try again later.\n");
    expect(refused.headers["retry-after"]).toBe("1");
    expect((await jane.get(CONFIG_MAPS)).code).toBe(200);
    // Impersonated requests count for the impersonated user.
    const asJane = await admin.post(CONFIG_MAPS, configMap("hers"), { "impersonate-user": "jane" });
    expect(asJane.code).toBe(429);
    const admins = admin.post(CONFIG_MAPS, configMap("admins"));
    gated.open();
    expect((await admins).code).toBe(201);
    expect((await first).code).toBe(201);
    expect((await jane.post(CONFIG_MAPS, configMap("third"))).code).toBe(201);
    expect(await terminations(admin)).toEqual(["429 2"]);
  });

  test("that take too long are answered 504, by the server's bound or the client's tighter one", async () => {
    const gated = await gatedStore();
    const { admin } = await start({ store: gated.store, flags: { "request-timeout": 400 } });
    gated.close();
    const [servers, clients] = await Promise.all([
      admin.post(CONFIG_MAPS, configMap("slow")),
      admin.post(`${CONFIG_MAPS}?timeout=100ms`, configMap("slower")),
    ]);
    gated.open();
    expect(servers.code).toBe(504);
    expect(servers.json).toMatchObject({
      kind: "Status",
      reason: "Timeout",
      message: "Timeout: request did not complete within 400ms",
    });
    expect(clients.json.message).toBe("Timeout: request did not complete within requested timeout 100ms");
    expect(await terminations(admin)).toEqual(["504 2"]);
  });
});

describe("the timeout parameter of a read", () => {
  test("is checked since 1.21", async () => {
    const { admin } = await start({ flags: { "emulated-release": "1.21" } });
    for (const value of ["", "0s", "10s", "3m"])
      expect([value, (await admin.get(`${CONFIG_MAPS}?timeout=${value}`)).code]).toEqual([value, 200]);
    const { code, json } = await admin.get(`${CONFIG_MAPS}?timeout=soon`);
    expect([code, json.reason, json.message]).toEqual([
      400,
      "BadRequest",
      'invalid timeout specified in the request URL - time: invalid duration "soon"',
    ]);
    // A watch has a timeout of its own: timeoutSeconds.
    expect((await admin.get(`${CONFIG_MAPS}?watch=1&timeoutSeconds=1&timeout=soon`)).code).toBe(200);
  });

  test("is ignored before 1.21", async () => {
    const { admin } = await start({ flags: { "emulated-release": "1.20" } });
    expect((await admin.get(`${CONFIG_MAPS}?timeout=soon`)).code).toBe(200);
  });
});

describe("work of canceled requests", () => {
  /** A store whose writes complete only when they are aborted. */
  async function patientStore() {
    const store = await openStore({ kind: "memory" });
    const { txn } = store;
    const asked: string[] = [];
    let givenUp = 0;
    store.txn = (request, options) => {
      const signal = options?.signal;
      const put = request.then.find(({ kind }) => kind === "put");
      if (signal === undefined || put?.kind !== "put") return txn.call(store, request, options);
      asked.push(put.key.split("/").at(-1) ?? "");
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          givenUp += 1;
          reject(new StoreError("cancelled", "canceled by the caller"));
        });
      });
    };
    return { store, asked, waiting: () => asked.length, givenUp: () => givenUp };
  }

  test("is ended when the client leaves", async () => {
    const patient = await patientStore();
    const { server } = await start({ store: patient.store });
    const client = new ApiClient(server, server.admin);
    const left = client.post(CONFIG_MAPS, configMap("left")).catch(() => "left");
    await until(() => patient.waiting() === 1);
    client.close();
    expect(await left).toBe("left");
    await until(() => patient.givenUp() === 1);
  });

  test("is ended when its stream is reset, and not the others on its connection", async () => {
    const patient = await patientStore();
    const { server } = await start({ store: patient.store });
    const session = await openHttp2(server);
    cleanups.push(() => session.destroy());
    const streams = ["one", "other"].map((name) => {
      const stream = session.request({ ":method": "POST", ":path": CONFIG_MAPS, "content-type": "application/json" });
      stream.on("error", () => {});
      return stream.end(JSON.stringify(configMap(name)));
    });
    await until(() => patient.waiting() === 2);
    streams[0]?.close(8);
    await until(() => patient.givenUp() === 1);
    expect(await http2Get(session, "/version")).toMatchObject({ code: 200 });
    expect(patient.givenUp()).toBe(1);
  });

  test("is ended when its time is up, after the client has been told", async () => {
    const patient = await patientStore();
    const { admin } = await start({ store: patient.store, flags: { "request-timeout": 300 } });
    expect((await admin.post(CONFIG_MAPS, configMap("late"))).code).toBe(504);
    await until(() => patient.givenUp() === 1);
  });

  test("is ended in another thread as well, and never begun there where it waits for its turn", async () => {
    const patient = await patientStore();
    const { server, admin } = await start({ store: patient.store, flags: { "large-object-threads": 1 } });
    const keys = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`key-${at}`, ""]));
    const large = (client: ApiClient, name: string) =>
      client.post(CONFIG_MAPS, { ...configMap(name), data: keys }).catch(() => "left");
    const client = new ApiClient(server, server.admin);
    const others = new ApiClient(server, server.admin);
    cleanups.push(() => others.close());
    const begun = [large(client, "first"), large(client, "second")];
    await until(() => patient.waiting() === 2);
    const queued = large(client, "queued");
    await until(async () => /^apiserver_open_requests [34]$/m.test((await admin.get("/metrics")).text));
    client.close();
    expect(await Promise.all([...begun, queued])).toEqual(Array(3).fill("left"));
    await until(() => patient.givenUp() === 2);
    for (const name of ["third", "fourth"]) void large(others, name);
    await until(() => patient.waiting() === 4);
    expect(patient.asked.sort()).toEqual(["first", "fourth", "second", "third"]);
  });
});

describe("a server that stops", () => {
  test("finishes what is under way, ends its watches, and is gone", async () => {
    const gated = await gatedStore();
    const server = await startServer({ store: gated.store });
    const admin = new ApiClient(server, server.admin);
    const watch = await admin.watch(`${CONFIG_MAPS}?watch=1`);
    const session = await openHttp2(server);
    const told = new Promise((resolve) => session.once("goaway", resolve));
    gated.close();
    const late = admin.post(CONFIG_MAPS, configMap("late"));
    await until(() => gated.held() === 1);
    const stopped = server.stop();
    gated.open();
    expect((await late).code).toBe(201);
    expect(await watch.take(2)).toEqual([]);
    await told;
    await stopped;
    await expect(admin.get("/readyz")).rejects.toThrow();
    admin.close();
    session.destroy();
  });

  test("is not ready at once, and serves for as long as it is told to", async () => {
    const server = await startServer({ flags: { "shutdown-delay-duration": 3000 } });
    const admin = new ApiClient(server, server.admin);
    const stopped = server.stop();
    const ready = await admin.get("/readyz?verbose");
    expect(ready.code).toBe(500);
    expect(ready.text).toContain("[-]shutdown failed: reason withheld\n");
    expect((await admin.get("/livez")).code).toBe(200);
    const served = await admin.post(CONFIG_MAPS, configMap("served"));
    expect(served.code).toBe(201);
    expect(served.headers["connection"]).toBe("close");
    await stopped;
    admin.close();
  });

  test("sends new requests elsewhere where it is told to", async () => {
    const server = await startServer({ flags: { "shutdown-delay-duration": 2000, "shutdown-send-retry-after": true } });
    const admin = new ApiClient(server, server.admin);
    const stopped = server.stop();
    const refused = await admin.get(CONFIG_MAPS);
    expect(refused.code).toBe(429);
    expect(refused.headers).toMatchObject({ "retry-after": "1", connection: "close" });
    await stopped;
    admin.close();
  });
});

test("HTTP/2 clients are sent on now and then, and the request that hears it is answered", async () => {
  const { server } = await start({ flags: { "goaway-chance": 0.02 } });
  const session = await openHttp2(server);
  let gone = false;
  session.once("goaway", () => {
    gone = true;
  });
  let answered = 0;
  while (!gone && !session.closed && answered < 5000) {
    const { code } = await http2Get(session, "/version");
    expect(code).toBe(200);
    answered += 1;
  }
  expect(gone || session.closed).toBe(true);
  session.destroy();
});

test("two servers on one store are replicas: what one has taken, the other shows at once", async () => {
  const store = await openStore({ kind: "memory" });
  cleanups.push(() => store.close());
  const [one, other] = await Promise.all([start({ store }), start({ store })]);
  for (let round = 0; round < 50; round += 1) {
    const [writer, reader] = round % 2 === 0 ? [one.admin, other.admin] : [other.admin, one.admin];
    const made = await writer.post(CONFIG_MAPS, configMap(`round-${round}`));
    const read = await reader.get(`${CONFIG_MAPS}/round-${round}`);
    expect(read.json).toEqual(made.json);
  }
  const list = (await one.admin.get(CONFIG_MAPS)).json;
  expect(list.items).toHaveLength(50);
});

test("a store of the other vocabulary is refused", async () => {
  const store = await openStore({ kind: "memory" });
  cleanups.push(() => store.close());
  await start({ store });
  await expect(startServer({ store, vocabulary: "kubernetes" })).rejects.toThrow("--vocabulary=orch");
});

test("in the other vocabulary everything has its names", async () => {
  const { admin } = await start({ vocabulary: "kubernetes" });
  expect((await admin.get("/api/v1/namespaces/kube-system")).code).toBe(200);
  expect((await admin.get("/apis/rbac.authorization.k8s.io/v1/clusterroles/view")).code).toBe(200);
  expect((await admin.get("/livez/etcd")).code).toBe(200);
  expect((await admin.get("/metrics")).text).toContain("kubernetes_build_info{");
});
