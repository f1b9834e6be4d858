// Graceful shutdown: readiness fails first, and requests under way are completed.
import { type ClientHttp2Session, connect } from "node:http2";
import { describe, expect, test } from "@jest/globals";
import { startApiServer } from "./harness/api-server";
import { configMap, configMapsPath, expectStatus } from "./harness/config-maps";
import { startEtcd } from "./harness/etcd";
import { eventually, sleep, within } from "./harness/eventually";
import { MakeRun } from "./harness/make-run";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();

test("SIGTERM: /readyz fails at once, requests are served until the delay is over, then the process ends with 0", async () => {
  const server = await startApiServer(workplace, {
    store: { kind: "memory" },
    flags: ["--shutdown-delay-duration=2s"],
  });
  const watch = await server.admin.watch(`${configMapsPath()}?resourceVersion=0`);
  server.program.signal("SIGTERM");
  await eventually("/readyz fails", async () => (await server.admin.get("/readyz")).status === 500, {
    timeoutMs: 1500,
  });
  expect((await server.admin.get("/livez")).status).toBe(200);
  expect((await server.admin.get("/readyz?verbose")).body).toContain("[-]shutdown failed");

  // Requests that begin before the listener closes are completed.
  let served = 0;
  const failures: string[] = [];
  for (;;) {
    try {
      const answer = await server.admin.post(configMapsPath(), configMap(`late-${served}`));
      if (answer.status === 201) served += 1;
      else failures.push(`${answer.status} ${answer.body}`);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? "";
      if (code !== "ECONNREFUSED" && code !== "ECONNRESET") failures.push(String(error));
      break;
    }
  }
  expect(served).toBeGreaterThan(10);
  expect(failures).toEqual([]);
  await within(10_000, "the watch ends", watch.ended);
  expect(await within(10_000, "the process exits", server.program.ended)).toBe(0);
}, 60_000);

describe("SIGTERM of a server whose etcd is gone", () => {
  const WITHIN_MS = 5_000;
  const LOST = "the watch cache has lost its connection to the store";

  test("ends it within seconds, with requests under way", async () => {
    const etcd = await startEtcd(workplace);
    const store = { kind: "etcd", endpoints: etcd.endpoints } as const;
    const server = await startApiServer(workplace, { name: "without-etcd", store, flags: ["--bind-address=0.0.0.0"] });
    const watch = await server.admin.watch(configMapsPath());
    await Promise.all(etcd.members.map((member) => member.kill()));
    await eventually(
      "the loss is known",
      async () => (await server.admin.get("/readyz?verbose")).status === 500 && server.program.logTail.includes(LOST),
    );
    const late = Array.from({ length: 20 }, (_, n) =>
      server.admin.post(configMapsPath(), configMap(`late-${n}`)).catch(() => undefined),
    );
    server.program.signal("SIGTERM");
    expect(await within(WITHIN_MS, "the process exits", server.program.ended)).toBe(0);
    await Promise.all([...late, watch.ended]);
  }, 60_000);

  test("stops the controllers in the same process, too", async () => {
    const etcd = await startEtcd(workplace);
    const run = await MakeRun.start(workplace, "run-without-etcd", [
      "--store=etcd",
      `--etcd-servers=${etcd.endpoints}`,
    ]);
    await Promise.all(etcd.members.map((member) => member.kill()));
    await eventually("the loss is known", async () =>
      (await run.try("get", "--raw=/readyz")).stderr.includes("failed"),
    );
    run.program.signal("SIGTERM");
    expect(await within(WITHIN_MS, "the process exits", run.program.ended)).toBe(0);
  }, 60_000);
});

describe("HTTP/2 clients", () => {
  const open = async (url: string, ca: Buffer): Promise<ClientHttp2Session> => {
    const session = connect(url, { ca });
    await new Promise((resolve, reject) => session.once("connect", resolve).once("error", reject));
    return session;
  };

  test("are told to go elsewhere when the server stops", async () => {
    const server = await startApiServer(workplace, {
      name: "goes",
      store: { kind: "memory" },
      flags: ["--shutdown-delay-duration=1s"],
    });
    const session = await open(server.url, server.admin.credentials.ca);
    const told = new Promise((resolve) => session.once("goaway", resolve));
    server.program.signal("SIGTERM");
    await within(10_000, "GOAWAY", told);
    session.close();
    expect(await within(10_000, "the process exits", server.program.ended)).toBe(0);
  }, 60_000);

  test("are now and then told to go elsewhere, and the request that hears it is answered", async () => {
    const server = await startApiServer(workplace, {
      name: "now-and-then",
      store: { kind: "memory" },
      flags: ["--goaway-chance=0.02"],
    });
    let goaways = 0;
    let answered = 0;
    for (let connection = 0; connection < 20 && goaways === 0; connection += 1) {
      const session = await open(server.url, server.admin.credentials.ca);
      session.once("goaway", () => {
        goaways += 1;
      });
      for (let count = 0; count < 100 && goaways === 0 && !session.closed; count += 1) {
        const sent = session.request({ ":path": "/api/v1/namespaces", authorization: "Bearer admin-token" });
        const status = await new Promise((resolve, reject) => {
          sent.once("response", (headers) => resolve(headers[":status"]));
          sent.once("error", reject);
        });
        sent.resume();
        await new Promise((resolve) => sent.once("close", resolve));
        expect(status).toBe(200);
        answered += 1;
        await sleep(0);
      }
      session.close();
    }
    expect(goaways).toBe(1);
    expect(answered).toBeGreaterThan(0);
    expect((await server.stop()).valueOf()).toBe(0);
  }, 60_000);

  test("multiplex requests and a watch over one connection", async () => {
    const server = await startApiServer(workplace, { name: "multiplex", store: { kind: "memory" } });
    const session = await open(server.url, server.admin.credentials.ca);
    const ask = (path: string) => session.request({ ":path": path, authorization: "Bearer admin-token" });
    const watch = ask(`${configMapsPath()}?watch=1&resourceVersion=0`);
    let events = "";
    watch.setEncoding("utf8").on("data", (text: string) => {
      events += text;
    });
    const textOf = async (stream: ReturnType<typeof ask>) => {
      let text = "";
      for await (const part of stream.setEncoding("utf8")) text += part as string;
      return text;
    };
    const bodies = await Promise.all(Array.from({ length: 50 }, () => textOf(ask("/api/v1/namespaces/default"))));
    expect(new Set(bodies).size).toBe(1);
    await expectStatus(201, server.admin.post(configMapsPath(), configMap("over-http2")));
    await eventually("the watch tells", async () => events.includes('"over-http2"'));
    session.destroy();
  }, 60_000);
});
