// `orch export` and `orch import`: every object with all that the target's vocabulary can say, and nothing twice.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { parseYaml } from "@orch/schema";
import type { ApiObject } from "./harness/api-object";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { eventually } from "./harness/eventually";
import { Orch } from "./harness/orch";
import { repository, useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const OBJECTS = 300;
const DEFINITIONS = 10;

interface Made {
  readonly apiVersion: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly ownerResource?: string;
  readonly object: ApiObject;
}

let source: ApiServer;
let between: ApiServer;
let last: ApiServer;
const start = (name: string, vocabulary: string): Promise<ApiServer> =>
  startApiServer(workplace, {
    name,
    store: { kind: "memory" },
    flags: [`--vocabulary=${vocabulary}`, "--emulated-release=1.36"],
  });
const orchOf = (server: ApiServer): Orch => new Orch({ home: workplace.folder(), options: Orch.optionsFor(server) });

beforeAll(async () => {
  [source, between, last] = await Promise.all([
    start("source", "kubernetes"),
    start("between", "orch"),
    start("last", "kubernetes"),
  ]);
  await fill(source);
}, 90_000);

async function fill(server: ApiServer): Promise<void> {
  const program = join(repository, "scripts/bench/moved-objects.mjs");
  const words = [program, "kubernetes", String(OBJECTS), String(DEFINITIONS)];
  const lines = execFileSync(process.execPath, words, { encoding: "utf8" }).trim().split("\n");
  const owners = new Map<string, ApiObject>();
  for (const { apiVersion, resource, kind, namespace, ownerResource, object } of lines.map(
    (line) => JSON.parse(line) as Made,
  )) {
    const key = (of: string) => `${of} ${namespace} ${object.metadata.name}`;
    const owner = ownerResource === undefined ? undefined : owners.get(key(ownerResource));
    const { uid, name } = owner?.metadata ?? {};
    const metadata = {
      ...object.metadata,
      ...(owner && { ownerReferences: [{ apiVersion: owner.apiVersion, kind: owner.kind, name, uid }] }),
    };
    const root = `/${apiVersion.includes("/") ? "apis" : "api"}/${apiVersion}`;
    const path = `${root}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${resource}`;
    const answer = await eventually(`${path} is served`, async () => {
      const tried = await server.admin.post(path, { apiVersion, kind, ...object, metadata });
      if (tried.status !== 201 && tried.status !== 404) throw new Error(`${path}: ${tried.body}`);
      return tried.status === 201 && tried;
    });
    owners.set(key(resource), answer.object());
  }
}

/** Returns the objects of an exported folder by their files, without what belongs to the server. */
function contentsOf(folder: string, within = ""): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const entry of readdirSync(join(folder, within), { withFileTypes: true })) {
    const path = join(within, entry.name);
    if (entry.isDirectory()) for (const [key, value] of contentsOf(folder, path)) found.set(key, value);
    else if (entry.name.endsWith(".yaml")) found.set(path, ownParts(readFileSync(join(folder, path), "utf8")));
  }
  return found;
}

function ownParts(text: string): unknown {
  const object = parseYaml(text).value as unknown as ApiObject & { status?: unknown; spec?: Record<string, unknown> };
  const { uid, resourceVersion, creationTimestamp, generation, ownerReferences, ...metadata } =
    object.metadata as Record<string, unknown>;
  expect([typeof uid, typeof resourceVersion, typeof creationTimestamp]).toEqual(["string", "string", "string"]);
  const owners = (ownerReferences as { uid: string }[] | undefined)?.map((owner) => ({ ...owner, uid: "" }));
  const { status: _, ...rest } = object;
  const allocated = object.kind === "Service" ? { ...object.spec, clusterIP: "", clusterIPs: [] } : object.spec;
  const whole = JSON.stringify({
    ...rest,
    metadata: { ...metadata, owners },
    ...(object.spec && { spec: allocated }),
  });
  // Labels and selectors of jobs name the UID of the job.
  return JSON.parse(object.kind === "Job" ? whole.replaceAll(String(uid), "") : whole);
}

/** Returns the folder of an export that was killed before it was complete. */
async function killedExport(): Promise<string> {
  for (;;) {
    const folder = join(workplace.folder(), "export");
    const killed = orchOf(source).start(["export", folder]);
    await eventually("the export has begun", async () => existsSync(join(folder, "secrets")), { pauseMs: 1 });
    killed.kill("SIGKILL");
    await once(killed, "close");
    const { kinds } = JSON.parse(readFileSync(join(folder, "export.json"), "utf8")) as {
      kinds: { objects?: number }[];
    };
    if (kinds.some(({ objects }) => objects === undefined)) return folder;
  }
}

const journalOf = (folder: string): string | undefined => readdirSync(folder).find((name) => name.endsWith(".journal"));

describe("an export of one vocabulary and imports into the other and back", () => {
  const folders: string[] = [];

  test("an export has a file per object, and continues when it was killed", async () => {
    const folder = await killedExport();
    folders.push(folder);
    const text = await orchOf(source).print(["export", folder]);
    expect(text).toMatch(/configmaps: exported before/);
    expect(text).toMatch(/left out: \d+ \(made by every server\)/);
    const contents = contentsOf(folder);
    expect(contents.size).toBeGreaterThanOrEqual(OBJECTS);
    expect([...contents.keys()]).toEqual(expect.arrayContaining(["deployments.apps/moved-1/object-1.yaml"]));
    const again = await orchOf(source).run(["export", folder]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/^error: .* holds an export: name another/)]);
  });

  test("an import that was killed continues, complete and with nothing twice", async () => {
    const [folder = ""] = folders;
    const dry = await orchOf(between).print(["import", folder, "--dry-run"]);
    expect(dry).toMatch(/all resources: .*would be created.*not checked, because/);
    expect(journalOf(folder)).toBeUndefined();

    const killed = orchOf(between).start(["import", folder, "--parallel=2"]);
    await eventually(
      "the import has begun",
      async () => {
        const journal = journalOf(folder);
        return journal !== undefined && readFileSync(join(folder, journal), "utf8").split("\n").length >= OBJECTS / 4;
      },
      { pauseMs: 1 },
    );
    killed.kill("SIGKILL");
    const before = await uidsOf(between);
    expect(before.size).toBeGreaterThan(0);
    const text = await orchOf(between).print(["import", folder]);
    expect(text).toMatch(/^an import was stopped after \d+ objects, and continues\n/);
    expect(text).not.toMatch(/failed|not changed:/);
    const after = await uidsOf(between);
    for (const [key, uid] of before) expect([key, after.get(key)]).toEqual([key, uid]);
    expect(journalOf(folder)).toBeUndefined();
    // A further import finds everything equal.
    expect(await orchOf(between).print(["import", folder])).toMatch(/\nall resources: \d+ exist already\n$/);
  });

  test("names of the source are those of the target, and owners have its UIDs", async () => {
    const folder = join(workplace.folder(), "between.jsonl");
    folders.push(folder);
    await orchOf(between).print(["export", folder]);
    const lines = readFileSync(folder, "utf8").trim().split("\n");
    expect(lines.slice(1).filter((line) => /k8s\.io|kubernetes\.io|x-kubernetes|kube-/.test(line))).toEqual([]);
    const objects = lines.slice(1).map((line) => JSON.parse(line) as ApiObject);
    const of = (kind: string) => objects.find((each) => each.kind === kind && each.metadata.name === "object-0");
    expect(of("ClusterRoleBinding")).toMatchObject({ subjects: [{ name: "system:orch-scheduler" }] });
    expect(of("RoleBinding")).toMatchObject({ subjects: [{ namespace: "orch-system" }] });
    expect(of("Secret")).toMatchObject({ type: "orch.io/basic-auth" });
    const owner = { kind: "ReplicaSet", uid: of("ReplicaSet")?.metadata.uid };
    expect(of("Pod")?.metadata).toMatchObject({ ownerReferences: [owner] });
  });

  test("objects that come back to the first vocabulary are equal to the first ones", async () => {
    const [first = "", file = ""] = folders;
    expect(await orchOf(last).print(["import", file, "--status"])).not.toMatch(/failed|not changed:/);
    const folder = join(workplace.folder(), "back");
    await orchOf(last).print(["export", folder]);
    expect(Object.fromEntries(contentsOf(folder))).toEqual(Object.fromEntries(contentsOf(first)));
  });

  test("objects that differ are kept, replaced or refused", async () => {
    const [, file = ""] = folders;
    const path = "/api/v1/namespaces/moved-0/configmaps/object-0";
    const map = (await last.admin.get(path)).object();
    await last.admin.put(path, { ...map, data: { text: "changed" } });
    const run = (...words: string[]) => orchOf(last).run(["import", file, "-n", "moved-0", "--kinds=cm", ...words]);
    const kept = await run();
    expect([kept.code, kept.stdout]).toEqual([
      0,
      expect.stringContaining("not changed: configmaps/moved-0/object-0\n"),
    ]);
    const refused = await run("--existing=fail");
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^error: configmaps\/moved-0\/object-0: the target has another object of this name/),
    ]);
    expect((await run("--existing=update")).stdout).toMatch(/^configmaps: 1 updated$/m);
    expect((await last.admin.get(path)).object()["data"]).toEqual(map["data"]);
  });
});

async function uidsOf(server: ApiServer): Promise<Map<string, string>> {
  const uids = new Map<string, string>();
  for (const path of ["/api/v1/configmaps", "/apis/apps/v1/deployments", "/api/v1/secrets", "/api/v1/namespaces"]) {
    const { items = [] } = (await server.admin.get(path)).object() as unknown as { items?: ApiObject[] };
    for (const { metadata } of items) {
      uids.set(`${path} ${metadata.namespace ?? ""} ${metadata.name}`, String(metadata.uid));
    }
  }
  return uids;
}

test("an export may be limited to kinds, labels and a namespace, in JSON", async () => {
  const folder = join(workplace.folder(), "some");
  const text = await orchOf(source).print(["export", folder, "-n", "moved-1", "--kinds=deploy,ns", "--format=json"]);
  expect(text).toMatch(/^namespaces: 1\ndeployments.apps: \d+\n/);
  expect(readdirSync(join(folder, "deployments.apps"))).toEqual(["moved-1"]);
  expect(readdirSync(join(folder, "namespaces"))).toEqual(["moved-1.json"]);
});

describe("errors are one line", () => {
  test.each<[string, (folder: string) => string[], RegExp]>([
    ["a missing path", () => ["import", "gone"], /^error: the path "gone" does not exist\n$/],
    ["a folder of other files", (folder) => ["import", folder], /holds no export \(there is no export.json\)/],
    ["a file of another form", () => ["import", "other.jsonl"], /holds no export: use apply -f for manifests/],
    ["an unknown kind", () => ["export", "x", "--kinds=elephants"], /^error: --kinds: "elephants" is no resource/],
    ["a wrong policy", () => ["import", "x", "--existing=replace"], /^error: option '--existing <policy>'/],
  ])("%s", async (_, words, text) => {
    const orch = orchOf(source);
    writeFileSync(join(orch.of.home, "other.jsonl"), '{"kind":"Pod"}\n');
    const { stderr, code } = await orch.run(words(orch.of.home));
    expect(stderr).toMatch(text);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(code).toBe(1);
  });
});
