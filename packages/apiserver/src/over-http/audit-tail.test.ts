// `GET /debug/audit`: the newest events of the audit log.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { ServerConfig } from "@orch/server-config";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient, CONFIG_MAPS, configMap } from "../testing/api-client";

const PATH = "/debug/audit";
const folder = mkdtempSync(join(tmpdir(), "audit-tail-"));
const log = join(folder, "audit.log");
const policy = join(folder, "policy.json");
writeFileSync(
  policy,
  JSON.stringify({
    apiVersion: "audit.orch.io/v1",
    kind: "Policy",
    rules: [
      { level: "None", nonResourceURLs: ["/debug/*"] },
      { level: "RequestResponse", resources: [{ group: "", resources: ["configmaps"] }] },
    ],
  }),
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Tail {
  readonly events: readonly {
    readonly verb: string;
    readonly stage: string;
    readonly user: { readonly username: string };
    readonly objectRef: { readonly name?: string };
    readonly responseStatus?: { readonly code: number };
  }[];
  readonly unreadable: number;
  readonly continue?: string;
}

async function start(flags: Partial<ServerConfig>): Promise<{ server: RunningServer; admin: ApiClient }> {
  const server = await startServer({ flags });
  return { server, admin: new ApiClient(server, server.admin) };
}

describe("the tail of the audit log", () => {
  let server: RunningServer;
  let admin: ApiClient;
  let bob: ApiClient;
  beforeAll(async () => {
    ({ server, admin } = await start({
      "audit-policy-file": policy,
      "audit-log-path": log,
      "audit-log-mode": "blocking",
    }));
    bob = new ApiClient(server, server.issueClient({ name: "bob" }));
    for (const name of ["one", "two"]) await admin.post(CONFIG_MAPS, configMap(name, { secret: "kept away" }));
    await bob.delete(`${CONFIG_MAPS}/one`);
  });
  afterAll(async () => {
    admin.close();
    bob.close();
    await server.stop();
  });

  const tail = async (query = ""): Promise<Tail> => (await admin.get(`${PATH}?${query}`)).json as unknown as Tail;
  const until = async (query: string, count: number): Promise<Tail> => {
    for (;;) {
      const read = await tail(query);
      if (read.events.length >= count) return read;
    }
  };

  test("has the newest event first, without bodies", async () => {
    const { events, unreadable } = await until("stage=ResponseComplete", 3);
    expect(unreadable).toBe(0);
    expect(events.map(({ verb, objectRef }) => [verb, objectRef.name])).toEqual([
      ["delete", "one"],
      ["create", "two"],
      ["create", "one"],
    ]);
    expect(JSON.stringify(events)).not.toContain("kept away");
  });

  test("is filtered, and read on from where an answer ended", async () => {
    expect((await until("user=bob&decision=forbid", 1)).events[0]?.responseStatus?.code).toBe(403);
    expect((await until("code=201&resource=configmaps&namespace=default", 2)).events.length).toBe(2);
    const first = await until("stage=ResponseComplete&limit=1", 1);
    const next = await tail(`stage=ResponseComplete&limit=1&continue=${first.continue}`);
    expect([first, next].map(({ events }) => events[0]?.objectRef.name)).toEqual(["one", "two"]);
  });

  test.each([
    ["code=12", 400],
    ["limit=0", 400],
    ["limit=501", 400],
    ["usr=bob", 400],
    ["user=a&user=b", 400],
    ["continue=%2Fetc", 400],
    ["continue=zzzz-zzzz", 410],
  ])("refuses %s", async (query, code) => expect((await admin.get(`${PATH}?${query}`)).code).toBe(code));

  test("needs a permission of its own, and is read only", async () => {
    expect((await bob.get(PATH)).code).toBe(403);
    expect((await admin.post(PATH, {})).code).toBe(405);
  });

  test("refuses a third reader at the same time", async () => {
    writeFileSync(log, "{}\n".repeat(100_000), { flag: "a" });
    const codes = await Promise.all([1, 2, 3, 4].map(async () => (await admin.get(`${PATH}?verb=none`)).code));
    expect(codes.sort()).toEqual(expect.arrayContaining([200, 429]));
  });

  test("refuses a position in a file that was rotated", async () => {
    const { continue: token } = await tail("limit=1");
    renameSync(log, `${log}.1`);
    const answer = await admin.get(`${PATH}?continue=${token}`);
    expect([answer.code, answer.json.reason]).toEqual([410, "Expired"]);
  });
});

test.each<[string, Partial<ServerConfig>, RegExp]>([
  ["without an audit log", {}, /keeps no audit log: the page needs --audit-policy-file/],
  ["with a log on the standard output", { "audit-policy-file": policy, "audit-log-path": "-" }, /standard output/],
  ["with a log that is a device", { "audit-policy-file": policy, "audit-log-path": "/dev/null" }, /not a file/],
  [
    "with a log of lines of text",
    { "audit-policy-file": policy, "audit-log-path": log, "audit-log-format": "legacy" },
    /--audit-log-format=legacy/,
  ],
])("a server %s says so", async (_what, flags, words) => {
  const { server, admin } = await start(flags);
  const { code, json } = await admin.get(PATH);
  expect([code, json.reason]).toEqual([404, "NotFound"]);
  expect(json.message).toMatch(words);
  admin.close();
  await server.stop();
});
