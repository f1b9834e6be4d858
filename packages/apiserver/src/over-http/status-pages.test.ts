// /statusz, /flagz and /metrics/slis, by release. Source: Kubernetes documentation, "Kubernetes z-pages" and "Kubernetes
// Component SLI Metrics".
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parseFlags } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";
import { flagAliases, SERVER_FLAGS } from "@orch/server-config";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

type Which = "1.26" | "1.34" | "1.35" | "1.36" | "switched off" | "kubernetes";
const gates = { ComponentStatusz: true, ComponentFlagz: true };
const off = { ComponentStatusz: false, ComponentFlagz: false };
const SERVERS: readonly (readonly [Which, Parameters<typeof startServer>[0]])[] = [
  ["1.26", { flags: { "emulated-release": "1.26" } }],
  ["1.34", { flags: { "emulated-release": "1.34", "feature-gates": gates } }],
  ["1.35", { flags: { "emulated-release": "1.35", "feature-gates": gates } }],
  ["1.36", { flags: { "emulated-release": "1.36", "max-requests-inflight": 123 } }],
  ["kubernetes", { vocabulary: "kubernetes", flags: { "emulated-release": "1.36" } }],
  ["switched off", { flags: { "emulated-release": "1.36", "feature-gates": off } }],
];

const servers = new Map<Which, { readonly server: RunningServer; readonly admin: ApiClient }>();

beforeAll(async () => {
  for (const [which, options] of SERVERS) {
    const server = await startServer(options);
    servers.set(which, { server, admin: new ApiClient(server, server.admin) });
  }
});
afterAll(async () => {
  for (const { server, admin } of servers.values()) {
    admin.close();
    await server.stop();
  }
});

const get = (which: Which, path: string, accept?: string) =>
  (servers.get(which) as { admin: ApiClient }).admin.get(path, accept === undefined ? {} : { headers: { accept } });
const as = (kind: string, version: string, type = "json") =>
  `application/${type};v=${version};g=config.orch.io;as=${kind}`;

test.each<[Which, number]>([
  ["1.26", 404],
  ["1.34", 200],
  ["1.36", 200],
  ["switched off", 404],
])("at %s the pages answer %d", async (which, code) => {
  for (const path of ["/statusz", "/flagz"]) expect((await get(which, path)).code).toBe(code);
});

describe("the text of", () => {
  test.each([undefined, "*/*", "text/plain", "text/html, text/*;q=0.5"])(
    "/statusz has its headings: %s",
    async (accept) => {
      const { code, text, headers } = await get("1.36", "/statusz", accept);
      expect([code, headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
      const lines = text.split("\n");
      expect(lines.slice(0, 2)).toEqual(["", "apiserver statusz"]);
      expect(lines[2]).toMatch(/^Warning: This endpoint is not meant to be machine parseable/);
      expect(lines.slice(4).map((line) => line.split(":")[0])).toEqual([
        ...["Started", "Up", "Go version", "Binary version", "Emulation version", "Paths", ""],
      ]);
      expect(text).toMatch(/^Started: \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d UTC \d{4}$/m);
      expect(text).toMatch(/^Up: \d+ hr \d\d min \d\d sec$/m);
      expect(text).toMatch(/^Emulation version: 1\.36$/m);
      expect(text).toMatch(/^Paths: \/debug .*\/flagz \/healthz .*\/metrics .*\/statusz/m);
      expect(text).not.toMatch(/^Paths: .*\/(apis|openapi)\b/m);
    },
  );

  test("/flagz has the value of every flag", async () => {
    const { text } = await get("1.36", "/flagz");
    expect(text).toMatch(/^apiserver flagz$/m);
    expect(text).toMatch(/^emulated-release=1\.36$/m);
    expect(text).toMatch(/^max-requests-inflight=123$/m);
    expect(text).toMatch(/^request-timeout=1m0s$/m);
  });
});

/** Names and values of /flagz, as words of a command line. */
const flagsOf = async (which: Which) =>
  (await get(which, "/flagz")).text.split("\n").flatMap((line) => {
    const [, name, value = ""] = /^([a-z][a-z0-9-]*)=(.*)$/.exec(line) ?? [];
    // The test server has any free port.
    return name === undefined || name === "secure-port" ? [] : [`--${name}=${value.replace(/^\[(.*)\]$/, "$1")}`];
  });

test.each<[Which, string]>([
  ["1.36", "nodeagent"],
  ["kubernetes", "kubelet"],
])(
  "/flagz of %s has the names of its vocabulary, such as --%s-timeout, and the server accepts them",
  async (which, agent) => {
    const words = await flagsOf(which);
    expect(words).toContain(`--${agent}-timeout=5s`);
    const [ours, theirs] = [vocabularyOf("orch"), vocabularyOf("kubernetes")];
    expect(parseFlags(SERVER_FLAGS, words, flagAliases(ours, theirs)).errors).toEqual([]);
    const others: ReadonlySet<string> = new Set(Object.values((which === "kubernetes" ? ours : theirs).flags));
    expect(words.filter((word) => others.has(word.split("=")[0] ?? ""))).toEqual([]);
  },
);

describe("as an object", () => {
  test("/statusz has versions, times and paths", async () => {
    const { json, headers } = await get("1.36", "/statusz", as("Statusz", "v1beta1"));
    expect(headers["content-type"]).toBe("application/json");
    expect(headers["warning"]).toBeUndefined();
    expect(json).toMatchObject({
      kind: "Statusz",
      apiVersion: "config.orch.io/v1beta1",
      metadata: { name: "apiserver" },
      startTime: expect.stringMatching(/^\d{4}-.*Z$/),
      uptimeSeconds: expect.any(Number),
      emulationVersion: "1.36",
      paths: expect.arrayContaining(["/healthz", "/livez", "/metrics", "/readyz", "/version"]),
    });
  });

  test("/flagz has flags, also in YAML", async () => {
    const { json } = await get("1.36", "/flagz", as("Flagz", "v1beta1"));
    expect(json).toMatchObject({ kind: "Flagz", flags: { "emulated-release": "1.36" } });
    const { text, headers } = await get("1.36", "/flagz", as("Flagz", "v1beta1", "yaml"));
    expect(headers["content-type"]).toBe("application/yaml");
    expect(text).toMatch(/^kind: "?Flagz"?$/m);
  });

  test.each<[Which, string, string, number, boolean]>([
    ["1.34", "Statusz", "v1alpha1", 406, false],
    ["1.35", "Statusz", "v1alpha1", 200, false],
    ["1.35", "Statusz", "v1beta1", 406, false],
    ["1.36", "Statusz", "v1alpha1", 200, true],
    ["1.36", "Flagz", "v1beta1", 406, false],
    ["1.36", "Statusz", "v1", 406, false],
  ])("at %s /statusz as %s in %s answers %d, with a warning: %s", async (which, kind, version, code, warns) => {
    const { headers, ...answer } = await get(which, "/statusz", as(kind, version));
    expect([answer.code, headers["warning"] !== undefined]).toEqual([code, warns]);
    if (code === 406) expect(answer.json.message).toContain("application/json, application/yaml, text/plain");
  });

  test("JSON without the name of the object is not acceptable", async () =>
    expect((await get("1.36", "/statusz", "application/json")).code).toBe(406));
});

test("other users may not read the pages", async () => {
  const { server } = servers.get("1.36") as { server: RunningServer };
  const user = new ApiClient(server, server.issueClient({ name: "jane", groups: [] }));
  for (const path of ["/statusz", "/flagz", "/metrics/slis"]) expect((await user.get(path)).code).toBe(403);
  user.close();
});

test("health checks leave their results at /metrics/slis", async () => {
  await get("1.36", "/livez");
  await get("1.36", "/readyz/ping");
  const { text, headers } = await get("1.36", "/metrics/slis");
  expect(headers["content-type"]).toMatch(/^text\/plain/);
  expect(text).toContain("# HELP orch_healthcheck [STABLE] ");
  expect(text).toContain('orch_healthcheck{name="ping",type="livez"} 1');
  expect(text).toContain('orch_healthchecks_total{name="ping",type="livez",status="success"} 1');
  expect(text).toContain('orch_healthchecks_total{name="ping",type="readyz",status="success"} 1');
  expect(text).not.toContain("apiserver_request_total");
  expect((await get("1.26", "/metrics/slis")).code).toBe(404);
});

test.each([
  ["orch", "1.36"],
  ["kubernetes", "kubernetes"],
] as const)("every metric that the vocabulary %s names is served", async (vocabulary, which) => {
  const texts = await Promise.all(["/metrics", "/metrics/slis"].map((path) => get(which, path)));
  const served = new Set(texts.flatMap(({ text }) => [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name)));
  expect(Object.values(vocabularyOf(vocabulary).metricsNames).filter((name) => !served.has(name))).toEqual([]);
});
