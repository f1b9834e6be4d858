// Logs, commands, ports and the proxy with `orch`, through a server of either vocabulary to a kubelet.
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { Authority } from "./harness/credentials";
import { eventually } from "./harness/eventually";
import { FakeNodeAgent } from "./harness/fake-node-agent";
import { Orch } from "./harness/orch";
import { useWorkplace } from "./harness/processes";
import { Terminal } from "./harness/terminal";

const workplace = useWorkplace();
const VOCABULARIES = ["orch", "kubernetes"] as const;
const AGENT = { orch: "nodeagent", kubernetes: "kubelet" } as const;
const servers = new Map<string, ApiServer>();
let agent: FakeNodeAgent;
let echo: Server;

const portOf = (listening: Server): number => (listening.address() as AddressInfo).port;

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
  await once(echo, "listening");
  for (const vocabulary of VOCABULARIES) {
    const program = AGENT[vocabulary];
    const server = await startApiServer(workplace, {
      name: vocabulary,
      authority,
      store: { kind: "memory" },
      flags: [
        `--vocabulary=${vocabulary}`,
        "--emulated-release=1.36",
        `--${program}-certificate-authority=${serving.ca}`,
        `--${program}-client-certificate=${caller.cert}`,
        `--${program}-client-key=${caller.key}`,
        `--${program}-preferred-address-types=InternalIP,Hostname`,
      ],
    });
    servers.set(vocabulary, server);
    await prepareObjects(server);
  }
}, 60_000);

afterAll(() => {
  agent?.close();
  echo?.close();
});

beforeEach(() => {
  agent.requests.length = 0;
  agent.timedLog = undefined;
});

async function prepareObjects(server: ApiServer): Promise<void> {
  const create = async (path: string, object: object) => {
    const { status, body } = await server.admin.post(path, object);
    expect([status, body]).toEqual([201, expect.anything()]);
    return JSON.parse(body) as object;
  };
  await create("/api/v1/nodes", {
    metadata: { name: "worker" },
    status: {
      addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      daemonEndpoints: { kubeletEndpoint: { Port: agent.port } },
    },
  });
  const containers = [
    { name: "main", image: "example/main", ports: [{ name: "echo", containerPort: portOf(echo) }] },
    { name: "side", image: "example/side" },
  ];
  for (const name of ["tool-a", "tool-b"]) {
    const pod = await create("/api/v1/namespaces/default/pods", {
      metadata: { name, labels: { app: "tool" } },
      spec: { nodeName: "worker", containers },
    });
    const status = {
      phase: "Running",
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: containers.map((each) => ({
        name: each.name,
        ready: true,
        image: "",
        imageID: "",
        restartCount: 0,
        state: { running: {} },
      })),
    };
    const path = `/api/v1/namespaces/default/pods/${name}/status`;
    expect((await server.admin.put(path, { ...pod, status })).status).toBe(200);
  }
  const selector = { app: "tool" };
  const template = { metadata: { labels: selector }, spec: { containers } };
  await create("/apis/apps/v1/namespaces/default/deployments", {
    metadata: { name: "tool" },
    spec: { selector: { matchLabels: selector }, template },
  });
  const ports = [{ name: "web", port: 80, targetPort: "echo" }];
  await create("/api/v1/namespaces/default/services", { metadata: { name: "tool" }, spec: { selector, ports } });
}

const orchOf = (vocabulary: string): Orch =>
  new Orch({ home: workplace.folder(), options: Orch.optionsFor(servers.get(vocabulary) as ApiServer) });

describe.each(VOCABULARIES)("a server of the vocabulary %s", (vocabulary) => {
  const orch = () => orchOf(vocabulary);
  const run = (args: readonly string[], input?: string) => orch().run(args, input === undefined ? {} : { input });
  const hint = 'Defaulted container "main" out of: main, side\n';

  test("logs of a pod have the requested part", async () => {
    expect(await run(["logs", "tool-a", "--tail=2", "--timestamps", "--since=5m"])).toEqual({
      code: 0,
      stdout: "first line\nsecond line\n",
      stderr: hint,
    });
    expect(agent.requests.map(({ path }) => path)).toEqual([
      "/containerLogs/default/tool-a/main?timestamps=true&sinceSeconds=300&tailLines=2",
    ]);
    expect((await run(["logs", "pod/tool-a", "-c", "side", "-p"])).stderr).toBe("");
    expect(agent.requests.at(-1)?.path).toBe("/containerLogs/default/tool-a/side?previous=true");
  });

  test("logs of a workload are those of one pod, or of all containers with prefixes", async () => {
    expect((await run(["logs", "deploy/tool", "-c", "main"])).stderr).toBe("Found 2 pods, using pod/tool-a\n");
    const { stdout } = await run(["logs", "-l", "app=tool", "--all-containers", "--prefix"]);
    const places = ["tool-a/main", "tool-a/side", "tool-b/main", "tool-b/side"];
    const lines = places.flatMap((place) => [`[pod/${place}] first line`, `[pod/${place}] second line`]);
    expect(stdout).toBe(`${lines.join("\n")}\n`);
    const refused = await run(["logs", "-l", "app=tool", "--all-containers", "-f", "--max-log-requests=3"]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^error: .* to follow 4 log streams/)]);
  });

  test("a followed log continues after the connection was lost, without repeated lines", async () => {
    const line = (second: number) => ({ time: `2026-01-01T00:00:0${second}.5Z`, text: `line ${second}` });
    agent.timedLog = [line(1), line(2)];
    const child = orch().start(["logs", "-f", "tool-a", "-c", "main"]);
    try {
      let printed = "";
      child.stdout.setEncoding("utf8").on("data", (piece: string) => {
        printed += piece;
      });
      const closed = once(child, "close");
      await eventually("the log is open", async () => agent.openLogs.size === 1);
      agent.timedLog = [line(1), line(2), line(3)];
      for (const log of agent.openLogs) log.destroy();
      await eventually("the log is open again", async () => agent.requests.length === 2 && agent.openLogs.size === 1);
      expect(agent.requests.at(-1)?.path).toContain("sinceTime=2026-01-01T00%3A00%3A02");
      await eventually("the last line is printed", async () => printed.includes("line 3"));
      child.kill("SIGINT");
      await closed;
      expect(printed).toBe("line 1\nline 2\nline 3\n");
      await eventually("the agent's log is closed", async () => agent.openLogs.size === 0);
    } finally {
      child.kill();
    }
  });

  test("commands run with their input, output and exit code", async () => {
    const words = ["exec", "tool-a", "-c", "main"];
    expect(await run([...words, "--", "echo", "-n", "a b", "c"])).toEqual({ code: 0, stdout: "a b c", stderr: "" });
    const input = `${"line of input\n".repeat(20_000)}last`;
    const cat = await run([...words, "-i", "--", "cat"], input);
    expect([cat.code, cat.stdout === input]).toEqual([0, true]);
    expect(await run(["exec", "deploy/tool", "--", "sh", "-c", "echo out; echo err >&2; exit 7"])).toEqual({
      code: 7,
      stdout: "out\n",
      stderr: `${hint}err\ncommand terminated with exit code 7\n`,
    });
    const attached = orch().start(["attach", "-i", "tool-b", "-q"]);
    attached.stdin.write("spoken\n");
    const [said] = (await once(attached.stdout, "data")) as [Buffer];
    attached.kill();
    expect(said.toString()).toBe("spoken\n");
  });

  test("a terminal passes keys on unchanged", async () => {
    const terminal = await Terminal.orch(workplace, orch(), ["exec", "-it", "tool-a", "-c", "main", "--", "cat"]);
    await eventually("the command runs", async () => agent.openRuns === 1);
    await terminal.type("typed once");
    await terminal.press("C-c", "Enter");
    // The command gets the key, and not a signal; the terminal does not repeat what is typed.
    expect(await terminal.until(/typed once/)).not.toMatch(/typed once.*typed once/s);
    expect(agent.openRuns).toBe(1);
    await terminal.close();
    await eventually("the agent's side is closed", async () => agent.openRuns === 0);
  });

  test("ports are forwarded, again after the connection to the pod was lost", async () => {
    const child = orch().start(["port-forward", "svc/tool", ":80", "0:web", "--address=127.0.0.1"]);
    try {
      const lines: string[] = [];
      let told = "";
      child.stderr.on("data", (piece: Buffer) => {
        told += piece.toString();
      });
      child.stdout.setEncoding("utf8").on("data", (piece: string) => lines.push(...piece.trim().split("\n")));
      const ports = await eventually("both ports are open", async () => {
        const found = lines.flatMap((line) => /^Forwarding from 127\.0\.0\.1:(\d+) -> \d+$/.exec(line)?.[1] ?? []);
        return found.length === 2 && found.map(Number);
      });
      const say = async (port: number, word: string) => {
        const socket = connect(port, "127.0.0.1");
        socket.end(word.repeat(30_000));
        expect((await text(socket)) === word.repeat(30_000)).toBe(true);
      };
      for (const port of ports) await Promise.all([say(port, "one"), say(port, "two")]);
      expect(lines).toContain(`Handling connection for ${ports[0]}`);
      agent.dropUpgraded();
      await eventually("the loss is told", async () => /lost connection to pod/.test(told));
      await say(ports[0] as number, "three");
    } finally {
      child.kill();
    }
  });

  test("the proxy serves the API and files, and refuses other hosts and commands", async () => {
    const home = workplace.folder();
    const site = join(home, "site");
    mkdirSync(site);
    writeFileSync(join(site, "index.html"), "<p>page</p>");
    writeFileSync(join(home, "secret"), "secret");
    symlinkSync(join(home, "secret"), join(site, "link"));
    mkdirSync(join(site, "files/a&b?"), { recursive: true });
    writeFileSync(join(site, 'files/"c"'), "c");
    const child = orch().start(["proxy", "--port=0", `--www=${site}`]);
    try {
      const [line] = (await once(child.stdout, "data")) as [Buffer];
      const port = Number(/^Starting to serve on 127\.0\.0\.1:(\d+)\n$/.exec(line.toString())?.[1]);
      const get = (path: string, headers: Record<string, string> = {}) =>
        new Promise<[number | undefined, string]>((resolve, reject) => {
          const sent = request({ host: "127.0.0.1", port, path, headers }, (answer) => {
            void text(answer).then((body) => resolve([answer.statusCode, body]));
          });
          sent.on("error", reject).end();
        });
      expect(await get("/api/v1/namespaces/default/pods/tool-a")).toEqual([200, expect.stringContaining('"tool-a"')]);
      expect((await get("/api/v1/namespaces/default/pods/none"))[0]).toBe(404);
      expect(await get("/static/")).toEqual([200, "<p>page</p>"]);
      expect((await get("/static/files"))[0]).toBe(301);
      const [, page] = await get("/static/files/");
      expect(page).toContain('<a href="./%22c%22">&#34;c&#34;</a>\n<a href="./a%26b%3F/">a&#38;b?/</a>\n');
      expect(await get("/static/files/%22c%22")).toEqual([200, "c"]);
      for (const path of ["/static/link", "/static/..%2fsecret", "/static/none"]) {
        expect(await get(path)).toEqual([404, "404 page not found\n"]);
      }
      expect(await get("//static//", { host: "example.com" })).toEqual([403, "Forbidden\n"]);
      expect((await get("//static//"))[0]).toBe(301);
      expect(await get("/api", { host: "example.com" })).toEqual([403, "Forbidden\n"]);
      expect((await get("/api/v1/namespaces/default/pods/tool-a/exec?command=ls"))[0]).toBe(403);
    } finally {
      child.kill();
    }
  });
});

test.each<[string, string[], RegExp]>([
  ["no pod", ["logs", "none"], /^Error from server \(NotFound\): pods "none" not found\n$/],
  [
    "an unknown container",
    ["exec", "tool-a", "-c", "x", "--", "ls"],
    /^error: container x is not valid for pod tool-a out of: main, side\n$/,
  ],
  ["no command", ["exec", "tool-a"], /^error: you must specify at least one command for the container/],
  [
    "no rights",
    ["--token=viewer-token", "exec", "tool-a", "-c", "main", "--", "ls"],
    /^Error from server \(Forbidden\)/,
  ],
  ["a wrong port", ["port-forward", "tool-a", "80:http:x"], /^error: "80:http:x" is no port/],
  ["a port of no name", ["port-forward", "tool-a", ":http"], /^error: pod tool-a does not have a named port "http"\n$/],
  ["a wrong pattern", ["proxy", "--accept-paths=("], /^error: --accept-paths: "\(" is not a regular expression\n$/],
  ["a wrong duration", ["logs", "tool-a", "--since=soon"], /error: --since: "soon" is not a duration/],
])("%s is told in one line", async (_, words, pattern) => {
  const { code, stderr, stdout } = await orchOf("orch").run(words);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(pattern);
  expect(stderr).not.toMatch(/\n {4}at /);
});
