import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeAll, expect, test } from "@jest/globals";
import { processIo } from "../process/io";
import { readManifests } from "./manifests";

const folder = mkdtempSync(join(tmpdir(), "manifests-"));
const FILES = {
  "one.yaml":
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: b}\n",
  "list.json": '{"apiVersion":"v1","kind":"PodList","items":[{"metadata":{"name":"c"}}]}',
  "stream.json":
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"e}\\"{"}}\n{"apiVersion":"v1","kind":"Pod","metadata":{"name":"f"}}\n',
  "notes.txt": "not a manifest",
  "bad.yml": "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\na: [1\n",
  "kindless.yaml": "apiVersion: v1\n",
  "sub/inner.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: d}\n",
};

beforeAll(() => {
  mkdirSync(join(folder, "sub"));
  mkdirSync(join(folder, "good/deep"), { recursive: true });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, "good/1.yaml"), FILES["one.yaml"]);
  writeFileSync(join(folder, "good/deep/2.json"), FILES["list.json"]);
});

async function names(paths: readonly string[], recursive = false, input = ""): Promise<unknown[]> {
  const found: unknown[] = [];
  const io = { ...processIo(), stdin: Readable.from([input]) };
  for await (const { object } of readManifests(paths, io, { recursive })) {
    const { name } = object["metadata"] as { readonly name: string };
    found.push(`${String(object["apiVersion"])} ${String(object["kind"])} ${name}`);
  }
  return found;
}

test("documents and items are read in their order, and folders with their folders when asked", async () => {
  expect(await names([join(folder, "one.yaml")])).toEqual(["v1 Pod a", "v1 Pod b"]);
  expect(await names([join(folder, "list.json")])).toEqual(["v1 Pod c"]);
  expect(await names([join(folder, "stream.json")])).toEqual(['v1 Pod e}"{', "v1 Pod f"]);
  expect(await names([join(folder, "good")])).toEqual(["v1 Pod a", "v1 Pod b"]);
  expect(await names([join(folder, "good")], true)).toEqual(["v1 Pod a", "v1 Pod b", "v1 Pod c"]);
  expect(await names(["-"], false, FILES["sub/inner.yaml"])).toEqual(["v1 Pod d"]);
});

test.each([
  ["bad.yml", /bad\.yml: line \d+, column 1: /],
  ["kindless.yaml", /kindless\.yaml, document 1: Object 'Kind' is missing/],
  ["gone.yaml", /the path ".*gone\.yaml" does not exist/],
  ["notes.txt", /notes\.txt, document 1: expected an object, not string/],
])("%s is refused with its place", async (name, text) => {
  await expect(names([join(folder, name)])).rejects.toThrow(text);
});

test("a taken error does not keep the other documents and files from being read", async () => {
  const broken = join(folder, "broken");
  mkdirSync(broken);
  for (const [at, name] of ["kindless.yaml", "bad.yml", "one.yaml"].entries())
    writeFileSync(join(broken, `${at}-${name}`), `${FILES[name as keyof typeof FILES]}---\n${FILES["sub/inner.yaml"]}`);
  const errors: string[] = [];
  const found: unknown[] = [];
  const onError = ({ message }: Error) => errors.push(message.replace(/^.*broken\//, ""));
  for await (const { object, source } of readManifests([broken], processIo(), { onError })) {
    found.push(`${source.slice(broken.length + 1)} ${(object["metadata"] as { readonly name: string }).name}`);
  }
  expect(found).toEqual(["0-kindless.yaml d", "1-bad.yml a", "2-one.yaml a", "2-one.yaml b", "2-one.yaml d"]);
  expect(errors).toEqual([
    "0-kindless.yaml, document 1: Object 'Kind' is missing: kind is not set",
    expect.stringMatching(/^1-bad\.yml: line \d+, column \d+: /),
  ]);
  await expect(readManifests([join(folder, "none")], processIo(), { onError }).next()).rejects.toThrow(
    "does not exist",
  );
});

test("a folder without manifests is an error", async () => {
  mkdirSync(join(folder, "empty"));
  await expect(names([join(folder, "empty")])).rejects.toThrow("the folder has no .yaml, .yml or .json files");
});
