import { mkdtempSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { commandLineWarnings, controllersIn, DEFAULT_CONTROLLERS, releaseOf, serverWords } from "./command-line";

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
    [["--etcd-servers", "http://127.0.0.1:2379", "--etcd-cafile=ca.crt", "--etcd-transport", "grpc-js"]],
    [["--etcd-servers-overrides=/events#http://127.0.0.1:2379", "--etcd-certfile=a.crt", "--etcd-keyfile=a.key"]],
  ])("has no options of a connection to etcd, and warns of each: %j", (words) => {
    expect(wordsOf(...words, "--v=2").slice(4)).toEqual(["--v=2"]);
    const named = words.filter((word) => word.startsWith("--")).map((word) => word.replace(/=.*/, ""));
    const warnings = commandLineWarnings([...words, "--v=2"]);
    expect(warnings).toEqual(named.map((name) => expect.stringContaining(`${name} has no effect here: `)));
  });

  test("keeps options of etcd that a store in memory follows, and all of them with --store=etcd", () => {
    const prefix = ["--etcd-prefix=/other", "--etcd-compaction-interval=1m"];
    const etcd = ["--store=etcd", "--etcd-servers=http://127.0.0.1:2379", "--etcd-cafile", "ca.crt"];
    for (const words of [prefix, etcd]) {
      expect(wordsOf(...words).slice(4)).toEqual(words);
      expect(commandLineWarnings(words)).toEqual([]);
    }
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
