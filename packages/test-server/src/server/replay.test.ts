// Recordings of one server, replayed by another one.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { builtInTypes } from "@orch/client";
import { startServer } from "./start-server";
import type { TestServer } from "./test-server";

const { configMaps, namespaces, secrets } = builtInTypes("kubernetes");
const PASSWORD = Buffer.from("tr0ub4dor").toString("base64");

interface Line {
  readonly kind: string;
  readonly revision: number;
  readonly at?: string;
  readonly by?: { readonly user: string; readonly verb: string; readonly path: string };
  readonly key?: string;
  readonly value?: { readonly data?: Readonly<Record<string, string>> };
}

let folder: string;
let file: string;
let lines: readonly Line[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "recording-"));
  file = join(folder, "changes.jsonl");
  const server = await startServer({ flags: { record: file }, users: [{ name: "jane" }], release: "1.34" });
  await server.applyManifests({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
  const maps = server.client.resource(configMaps).namespace("shop");
  await maps.create({ metadata: { name: "menu" }, data: { soup: "leek" } });
  await maps.patch("menu", "merge", { data: { soup: "tomato" } });
  await maps.delete("menu");
  await server.client
    .resource(secrets)
    .namespace("shop")
    .create({ metadata: { name: "door" }, data: { password: PASSWORD } });
  await server.client.resource(namespaces).create({ metadata: { name: "empty" } });
  await server.stop();
  lines = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const changesOf = (key: string): readonly Line[] => lines.filter((line) => line.kind === "change" && line.key === key);

describe("a recording", () => {
  test("names the user, the verb and the path of each change, in order", () => {
    const told = changesOf("core/configmaps/shop/menu").map(({ by, value }) => [
      by?.user,
      by?.verb,
      value?.data?.["soup"],
    ]);
    expect(told).toEqual([
      ["admin", "create", "leek"],
      ["admin", "patch", "tomato"],
      ["admin", "delete", undefined],
    ]);
    const revisions = lines.filter(({ kind }) => kind === "change").map(({ revision }) => revision);
    expect(revisions).toEqual([...revisions].sort((one, other) => one - other));
  });

  test("is private, and does not contain the values of secrets", () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [created] = changesOf("core/secrets/shop/door");
    expect(created?.value?.data).toEqual({ password: Buffer.from("masked").toString("base64") });
    expect(readFileSync(file, "utf8")).not.toContain(PASSWORD);
  });

  test("contains the values of secrets when that is asked for", async () => {
    const other = join(folder, "secrets.jsonl");
    const server = await startServer({ flags: { record: other, "record-secrets": true }, controllers: false });
    const stored = server.client.resource(secrets).namespace("default");
    await stored.create({ metadata: { name: "door" }, data: { password: PASSWORD } });
    await server.stop();
    expect(readFileSync(other, "utf8")).toContain(PASSWORD);
  });
});

async function menuOf(server: TestServer): Promise<string | undefined> {
  const maps = server.client.resource(configMaps).namespace("shop");
  return (await maps.find("menu"))?.data?.["soup"];
}

describe("a replay", () => {
  async function replayed<T>(options: object, look: (server: TestServer) => Promise<T>): Promise<T> {
    const server = await startServer({ replay: file, controllers: false, ...options });
    try {
      return await look(server);
    } finally {
      await server.stop();
    }
  }

  test("rebuilds the last state, in the recorded release, with the same identities", async () => {
    const found = await replayed({}, async (server) => ({
      menu: await menuOf(server),
      shop: (await server.client.resource(namespaces).get("shop")).metadata?.uid,
      version: await server.client.getText("/version"),
    }));
    const recorded = changesOf("core/namespaces/shop")[0] as {
      readonly value?: { readonly metadata?: { uid: string } };
    };
    expect(found).toMatchObject({ menu: undefined, shop: recorded.value?.metadata?.uid });
    expect(found.version).toMatch(/"minor": ?"34"/);
  });

  test("rebuilds the state at a revision, and at a time", async () => {
    const [created, patched] = changesOf("core/configmaps/shop/menu") as [Line, Line];
    expect(await replayed({ until: created.revision }, menuOf)).toBe("leek");
    expect(await replayed({ until: patched.revision }, menuOf)).toBe("tomato");
    expect(await replayed({ until: "2000-01-01T00:00:00Z" }, menuOf)).toBeUndefined();
  });

  test("takes a recording whose last line is cut short", async () => {
    const cut = join(folder, "cut.jsonl");
    writeFileSync(cut, readFileSync(file));
    appendFileSync(cut, '{"kind":"change","revi');
    expect(await replayed({ replay: cut, until: changesOf("core/configmaps/shop/menu")[0]?.revision }, menuOf)).toBe(
      "leek",
    );
  });

  test.each<[string, string, string]>([
    ["another file", "{}\n{}\n", "line 1 is no line of a recording"],
    ["an empty file", "", "is no recording of format 1"],
    ["another format", '{"kind":"start","format":2}\n', "is no recording of format 1"],
  ])("refuses %s", async (_what, text, message) => {
    const wrong = join(folder, "wrong.jsonl");
    writeFileSync(wrong, text);
    const failure = await startServer({ replay: wrong }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TypeError);
    expect((failure as TypeError).message).toContain(message);
  });

  test("refuses a file that is not there, and a point without a recording", async () => {
    await expect(startServer({ replay: join(folder, "none") })).rejects.toThrow(
      "cannot be read: no such file or directory",
    );
    await expect(startServer({ until: 3 })).rejects.toThrow("until: is the last change of a recording");
    await expect(startServer({ replay: file, until: "yesterday" })).rejects.toThrow("must be a revision, or a time");
  });
});

test("a recording that cannot be written ends the start", async () => {
  const failure = await startServer({ flags: { record: join(folder, "none/x") } }).catch((error: unknown) => error);
  expect((failure as Error).message).toContain("ENOENT");
});
