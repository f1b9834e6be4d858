// Logs, exec, port forwarding and proxies with kubectl, through a server to a kubelet.
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { Client } from "@orch/client";
import type { ApiServer } from "./harness/api-server";
import { Authority } from "./harness/credentials";
import { eventually } from "./harness/eventually";
import { FakeNodeAgent } from "./harness/fake-node-agent";
import { type Kubectl, MORE_CLIENTS, type Printed, startWithKubectl } from "./harness/kubectl";
import { tool, useWorkplace } from "./harness/processes";

/** Newer clients try WebSockets first. */
const CLIENTS: readonly [string, () => string][] = [
  ["Debian's client", () => tool("kubectl")],
  ...MORE_CLIENTS.map((path) => [path, () => path] as [string, () => string]),
];

const workplace = useWorkplace();
let server: ApiServer;
let agent: FakeNodeAgent;
let echo: Server;
let web: HttpServer;
let client: Kubectl;

const portOf = (listening: Server | HttpServer): number => (listening.address() as AddressInfo).port;

const start = (program: string, args: readonly string[]) => client.of(program).start(args);

async function kubectl(program: string, args: readonly string[], input?: string): Promise<Printed> {
  const child = start(program, args);
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: code as number, stdout, stderr };
}

beforeAll(async () => {
  const authority = new Authority(workplace);
  const serving = authority.issue("node-agent");
  const caller = authority.issue("apiserver-to-agents");
  agent = new FakeNodeAgent(serving);
  await agent.listen();
  echo = createServer((socket) => {
    socket.on("error", () => {});
    socket.pipe(socket);
  });
  echo.listen(0, "127.0.0.1");
  web = createHttpServer((request, response) => response.end(`pod: ${request.method} ${request.url}\n`));
  const outer = outerAddress();
  web.listen(0, outer);
  await Promise.all([once(echo, "listening"), once(web, "listening")]);
  ({ server, client } = await startWithKubectl(workplace, {
    authority,
    flags: [
      `--kubelet-certificate-authority=${serving.ca}`,
      `--kubelet-client-certificate=${caller.cert}`,
      `--kubelet-client-key=${caller.key}`,
      "--kubelet-preferred-address-types=InternalIP,Hostname",
    ],
  }));
  await prepareObjects(outer);
}, 60_000);

afterAll(() => {
  agent?.close();
  echo?.close();
  web?.close();
});

beforeEach(() => {
  agent.requests.length = 0;
});

/** Local addresses are refused, so an outer address of this machine stands for the pod's. */
function outerAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const found = addresses.find(({ family, internal }) => family === "IPv4" && !internal);
  if (found === undefined) throw new Error("this machine has no address but its own: nothing can stand for a pod");
  return found.address;
}

async function prepareObjects(podIp: string): Promise<void> {
  const create = async (path: string, object: object) => {
    const { status, body } = await server.admin.post(path, object);
    expect([status, body]).toEqual([201, expect.anything()]);
    return JSON.parse(body) as object;
  };
  await create("/api/v1/nodes", {
    metadata: { name: "worker" },
    status: {
      addresses: [
        { type: "Hostname", address: "worker.invalid" },
        { type: "InternalIP", address: "127.0.0.1" },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: agent.port } },
    },
  });
  const container = { name: "main", image: "example/main", ports: [{ containerPort: portOf(web) }] };
  const pod = await create("/api/v1/namespaces/default/pods", {
    metadata: { name: "tool", labels: { app: "tool" } },
    spec: { nodeName: "worker", containers: [container] },
  });
  const status = {
    phase: "Running",
    podIP: podIp,
    podIPs: [{ ip: podIp }],
    conditions: [{ type: "Ready", status: "True" }],
    containerStatuses: [{ name: "main", ready: true, image: "", imageID: "", restartCount: 0, state: { running: {} } }],
  };
  expect(await server.admin.put("/api/v1/namespaces/default/pods/tool/status", { ...pod, status })).toMatchObject({
    status: 200,
  });
  const ports = [{ port: 80, targetPort: portOf(web) }];
  await create("/api/v1/namespaces/default/services", { metadata: { name: "tool" }, spec: { ports } });
  const targetRef = { kind: "Pod", namespace: "default", name: "tool" };
  await create("/api/v1/namespaces/default/endpoints", {
    metadata: { name: "tool" },
    subsets: [{ addresses: [{ ip: podIp, targetRef }], ports: [{ port: portOf(web) }] }],
  });
}

describe.each(CLIENTS)("%s", (_client, programOf) => {
  const run = (args: readonly string[], input?: string) => kubectl(programOf(), args, input);

  test("reads a log, and follows one until the agent ends it", async () => {
    expect(await run(["logs", "tool", "--tail=2", "--timestamps"])).toMatchObject({
      code: 0,
      stdout: "first line\nsecond line\n",
    });
    expect(agent.requests).toEqual([
      { path: "/containerLogs/default/tool/main?timestamps=true&tailLines=2", peer: "apiserver-to-agents" },
    ]);
    const following = run(["logs", "-f", "tool"]);
    await eventually("the log is open", async () => agent.openLogs.size === 1);
    for (const log of agent.openLogs) log.end("third line\n");
    expect(await following).toMatchObject({ code: 0, stdout: "first line\nsecond line\nthird line\n" });
  }, 60_000);

  test("stops following when it is interrupted, and the agent's side ends too", async () => {
    const child = start(programOf(), ["logs", "-f", "tool"]);
    await once(child.stdout, "data");
    expect(agent.openLogs.size).toBe(1);
    child.kill();
    await eventually("the agent's log is closed", async () => agent.openLogs.size === 0);
  }, 60_000);

  test("runs commands: what they say, what they are given, how they end", async () => {
    expect(await run(["exec", "tool", "--", "echo", "a b", "c"])).toMatchObject({ code: 0, stdout: "a b c\n" });
    const input = `${"line of input\n".repeat(20_000)}last`;
    const { code, stdout } = await run(["exec", "-i", "tool", "--", "cat"], input);
    expect([code, stdout.length, stdout === input]).toEqual([0, input.length, true]);
    const failed = await run(["exec", "tool", "--", "sh", "-c", "echo out; echo err >&2; exit 7"]);
    expect(failed).toMatchObject({ code: 7, stdout: "out\n" });
    expect(failed.stderr).toContain("err\ncommand terminated with exit code 7");
  }, 60_000);

  test("attaches", async () => {
    const attached = await run(["attach", "-i", "tool", "-c", "main"], "spoken\n");
    expect(attached.stdout).toContain("spoken\n");
  }, 60_000);

  test("forwards ports", async () => {
    const child = start(programOf(), ["port-forward", "pod/tool", `:${portOf(echo)}`]);
    try {
      const [line] = (await once(child.stdout, "data")) as [Buffer];
      const port = Number(/127\.0\.0\.1:(\d+)/.exec(line.toString())?.[1]);
      for (const said of ["one", "two"]) {
        const socket = connect(port, "127.0.0.1");
        socket.end(said.repeat(30_000));
        expect(await text(socket)).toBe(said.repeat(30_000));
      }
    } finally {
      child.kill();
    }
  }, 60_000);

  test("copies files", async () => {
    const from = join(client.folder, "from.txt");
    writeFileSync(from, "contents of a file\n");
    expect(await run(["cp", `default/tool:${from}`, join(client.folder, "to.txt")])).toMatchObject({ code: 0 });
    expect(readFileSync(join(client.folder, "to.txt"), "utf8")).toBe("contents of a file\n");
  }, 60_000);

  test("reaches pods, services and nodes through the proxy", async () => {
    const raw = (path: string) => run(["get", "--raw", path]);
    const inDefault = "/api/v1/namespaces/default";
    expect((await raw(`${inDefault}/pods/tool/proxy/a/b?c=d`)).stdout).toBe("pod: GET /a/b?c=d\n");
    expect((await raw(`${inDefault}/services/tool:80/proxy/`)).stdout).toBe("pod: GET /\n");
    expect((await raw("/api/v1/nodes/worker/proxy/pods")).stdout).toBe("agent: GET /pods\n");
    const refused = await raw(`${inDefault}/services/tool:81/proxy/`);
    expect(refused.stderr).toContain("ServiceUnavailable");
  }, 60_000);

  test("tells what is wrong", async () => {
    const unknown = await run(["logs", "tool", "-c", "other"]);
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining("container other is not valid for pod tool"),
    ]);
    const forbidden = await run(["--token=viewer-token", "exec", "tool", "--", "ls"]);
    expect(forbidden.code).toBe(1);
    expect(forbidden.stderr).toContain("Forbidden");
    expect(agent.requests).toEqual([]);
  }, 60_000);
});

/** The agent speaks SPDY only: WebSockets are tried first and refused. */
describe("the client library", () => {
  const pod = { namespace: "default", name: "tool" };
  const opened = (token: string) => {
    const ca = { kind: "text", text: server.admin.credentials.ca.toString() } as const;
    const connection = { server: server.url, tls: { ca }, credentials: { token }, namespace: "default" };
    return new Client({ connection, program: "library", vocabulary: "kubernetes" });
  };
  let library: Client;
  beforeAll(() => {
    library = opened(server.admin.credentials.token ?? "");
  });
  afterAll(() => library.close());

  test("follows a log", async () => {
    const log = text(await library.podLog({ ...pod, follow: true, tailLines: 2 }));
    await eventually("the log is open", async () => agent.openLogs.size === 1);
    for (const each of agent.openLogs) each.end("third line\n");
    expect(await log).toBe("first line\nsecond line\nthird line\n");
  });

  test("runs commands: their output, their input, their exit code", async () => {
    const failing = await library.exec({ ...pod, command: ["sh", "-c", "echo out; echo err >&2; exit 7"] });
    const outputs = [failing.stdout, failing.stderr].map((stream) => text(stream));
    expect([await Promise.all(outputs), await failing.exitCode]).toEqual([["out\n", "err\n"], 7]);
    const input = "line of input\n".repeat(20_000);
    const cat = await library.exec({ ...pod, stdin: true, stderr: false, command: ["cat"] });
    cat.stdin.end(input);
    expect([(await text(cat.stdout)) === input, await cat.exitCode]).toEqual([true, 0]);
  });

  test("attaches, and closes what it has opened", async () => {
    const attached = await library.attach({ ...pod, container: "main", stdin: true, stderr: false });
    attached.stdin.write("spoken\n");
    const [said] = (await once(attached.stdout, "data")) as [Buffer];
    expect(said.toString()).toBe("spoken\n");
    attached.close();
    await eventually("the agent's side is closed", async () => agent.openRuns === 0);
  });

  test("forwards ports, several connections at a time", async () => {
    const forward = await library.portForward(pod);
    const said = ["one", "two", "three"].map((word) => word.repeat(30_000));
    const answers = said.map((each) => {
      const { data } = forward.connect(portOf(echo));
      data.end(each);
      return text(data);
    });
    expect((await Promise.all(answers)).map((answer, at) => answer === said[at])).toEqual([true, true, true]);
    forward.close();
    expect(await forward.closed).toBeUndefined();
  });

  test("passes responses of any status on, with their headers", async () => {
    const path = "/api/v1/namespaces/default/pods/tool/proxy/a?b=c";
    const { status, headers, body } = await library.raw({ method: "POST", path, body: "sent" });
    expect([status, headers["content-length"], await text(body)]).toEqual([200, "17", "pod: POST /a?b=c\n"]);
    const missing = await library.raw({ path: "/nothing" });
    missing.body.destroy();
    expect(missing.status).toBe(404);
  });

  test("reports why a stream was refused", async () => {
    const viewer = opened("viewer-token");
    const refused = { reason: "Forbidden", message: expect.stringContaining("pods") };
    await expect(viewer.exec({ ...pod, command: ["ls"] })).rejects.toMatchObject(refused);
    await expect(library.portForward({ ...pod, name: "other" })).rejects.toMatchObject({ reason: "NotFound" });
    viewer.close();
    expect(agent.requests).toEqual([]);
  });
});

test("a stopping server ends what is open", async () => {
  const log = kubectl(tool("kubectl"), ["logs", "-f", "tool"]);
  const command = start(tool("kubectl"), ["exec", "-i", "tool", "--", "cat"]);
  try {
    await eventually("both are open", async () => agent.openLogs.size === 1 && agent.openRuns === 1);
    expect(await server.stop()).toBe(0);
    expect((await log).stdout).toBe("first line\nsecond line\n");
    await eventually("the agent's side is closed", async () => agent.openLogs.size === 0 && agent.openRuns === 0);
  } finally {
    command.kill();
  }
}, 60_000);
