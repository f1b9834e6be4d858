import { mkdtempSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { controllersIn, DEFAULT_CONTROLLERS, releaseOf, serverWords } from "./command-line";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "envtest-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const wordsOf = (...words: readonly string[]) => serverWords(words, { folder, release: undefined });

describe("the command line of the server", () => {
  test("keeps options of a kube-apiserver, after the defaults", () => {
    expect(wordsOf("--secure-port=1", "--allow-privileged")).toEqual([
      ...["--vocabulary=kubernetes", "--store=memory", `--data-dir=${folder}`, "--explorer-token=false"],
      ...["--secure-port=1", "--allow-privileged"],
    ]);
  });

  test.each([
    [["--etcd-servers=http://127.0.0.1:2379"]],
    [["--etcd-servers", "http://127.0.0.1:2379"]],
    [["--etcd-servers", "http://127.0.0.1:2379", "--etcd-cafile=ca.crt", "--etcd-prefix", "/other"]],
  ])("has no options of a connection to etcd: %j", (words) => {
    expect(wordsOf(...words, "--v=2").slice(4)).toEqual(["--v=2"]);
  });

  test("keeps the server's authority in a folder of its own when --cert-dir has a pair", () => {
    const pair = join(folder, "pair");
    expect(wordsOf(`--cert-dir=${pair}`)).not.toContain(`--cert-dir=${join(folder, "pki")}`);
    for (const name of ["apiserver.crt", "apiserver.key"]) writeFileSync(join(folder, name), "text");
    expect(wordsOf("--cert-dir", folder).slice(-3)).toEqual([
      ...[`--cert-dir=${join(folder, "pki")}`, "--tls-cert-file=", "--tls-private-key-file="],
    ]);
    expect(readlinkSync(join(folder, "pki/apiserver.key"))).toBe(join(folder, "apiserver.key"));
  });

  test("prefers the pair of the options", () => {
    wordsOf("--tls-cert-file=/a/one.crt", "--tls-private-key-file", "/a/one.key", `--cert-dir=${folder}`);
    expect(readlinkSync(join(folder, "pki/apiserver.crt"))).toBe("/a/one.crt");
    expect(readlinkSync(join(folder, "pki/apiserver.key"))).toBe("/a/one.key");
  });
});

test.each([
  [[], undefined, undefined],
  [[], "", undefined],
  [[], "1.30", "1.30"],
  [["--emulated-release=1.31"], "1.30", "1.31"],
  [["--emulated-version", "kube=1.32"], "1.30", "1.32"],
])("%j with %j in the environment chooses the release %j", (words, release, expected) => {
  expect(releaseOf(words, release)).toBe(expected);
});

test.each([
  [undefined, DEFAULT_CONTROLLERS],
  ["on", DEFAULT_CONTROLLERS],
  ["off", []],
  ["*", ["*"]],
  ["namespace, deployment,", ["namespace", "deployment"]],
])("%j chooses the controllers %j", (text, names) => {
  expect(controllersIn(text)).toEqual(names);
});
