import { describe, expect, test } from "@jest/globals";
import { type FlagTable, helpText, parseFlags } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";
import { flagAliases, SERVER_FLAGS } from "./server-flags";

const TABLE = {
  name: { type: "string", default: "a", help: "a name", section: "One" },
  count: { type: "int", default: "3", min: 0, max: 9, help: "a number", section: "One" },
  on: { type: "bool", default: "false", help: "a switch", section: "Two" },
  list: { type: "strings", default: "x,y", help: "a list", section: "Two" },
  each: { type: "stringArray", default: "", help: "values", section: "Two" },
  wait: { type: "duration", default: "1m0s", help: "a time", section: "Two" },
  gates: { type: "mapStringBool", default: "", help: "switches", section: "Two" },
  keys: { type: "mapStringString", default: "", help: "pairs", section: "Two" },
  old: { type: "string", default: "", help: "an old one", section: "Two", deprecated: "use --name" },
} as const satisfies FlagTable;

const parse = (...words: string[]) => parseFlags(TABLE, words);

describe("a command line", () => {
  test("without flags gives the defaults", () =>
    expect(parse().config).toMatchObject({ name: "a", count: 3, on: false, list: ["x", "y"], wait: 60_000, each: [] }));

  test.each<[string, string[], object]>([
    ["takes a value after the equals sign or as the next word", ["--name=b", "--count", "4"], { name: "b", count: 4 }],
    ["lets the later of two single values win", ["--name=b", "--name=c"], { name: "c" }],
    ["takes a bool without a value", ["--on", "--name=b"], { on: true, name: "b" }],
    ["takes a bool's word", ["--on=F"], { on: false }],
    ["replaces a list's default, then appends", ["--list=p", "--list=q,r"], { list: ["p", "q", "r"] }],
    ["keeps commas inside quotes", ['--list="p,q",r'], { list: ["p,q", "r"] }],
    ["keeps commas in arrays", ["--each=p,q", "--each=r"], { each: ["p,q", "r"] }],
    ["merges maps", ["--gates=A=true,B=false", "--gates=B=true"], { gates: { A: true, B: true } }],
    ["takes a bare key of a map", ["--keys=api/all,v1=false"], { keys: { "api/all": "", v1: "false" } }],
    ["reads underscores as dashes", ["--wait=1.5h"], { wait: 5_400_000 }],
  ])("%s", (_behaviour, words, expected) => {
    const { config, errors } = parse(...words);
    expect(errors).toEqual([]);
    expect(config).toMatchObject(expected);
  });

  test("reports every error at once", () => {
    const { errors } = parse("--nmae=b", "stray", "--count=12", "--wait=soon", "--gates=A=perhaps", "--name");
    expect(errors).toHaveLength(6);
    expect(errors[0]).toBe("unknown flag: --nmae; did you mean --name?");
    expect(errors[2]).toBe('--count: "12" must not be more than 9');
  });

  test.each([
    ["--nam=b", "unknown flag: --nam; did you mean --name?"],
    ["--counts=1", "unknown flag: --counts; did you mean --count?"],
    ["--colour=red", "unknown flag: --colour; --help lists all flags"],
    [`--${"n".repeat(101)}`, `unknown flag: --${"n".repeat(101)}; --help lists all flags`],
  ])("tells what an unknown flag was probably meant to be: %s", (word, told) =>
    expect(parse(word).errors).toEqual([told]),
  );

  test("warns of deprecated flags, which work", () => {
    const { config, warnings } = parse("--old=1");
    expect(config.old).toBe("1");
    expect(warnings).toEqual(["--old is deprecated: use --name"]);
  });
});

describe("the server's flags", () => {
  const aliases = flagAliases(vocabularyOf("orch"), vocabularyOf("kubernetes"));

  test("have defaults that they would take themselves", () => expect(parseFlags(SERVER_FLAGS, []).errors).toEqual([]));

  test("are all in --help, but for the deprecated ones", () => {
    const text = helpText("a server", SERVER_FLAGS);
    const shown = new Set([...text.matchAll(/^ {2}--(\S+)/gm)].map(([, name]) => name));
    const wanted = Object.entries(SERVER_FLAGS).filter(([, row]) => row.deprecated === undefined);
    expect([...shown].sort()).toEqual(wanted.map(([name]) => name).sort());
  });

  test("are taken in the other vocabulary's spelling", () =>
    expect(parseFlags(SERVER_FLAGS, ["--kubernetes-service-node-port=1"], aliases)).toMatchObject({ errors: [] }));

  // Options from hardening guides and from the manifests of installers.
  test.each([
    ["--profiling=false --enable-garbage-collector=true --watch-cache=true", []],
    ["--tls-sni-cert-key=/a.crt,/a.key:one.example --tls-sni-cert-key=/b.crt,/b.key", []],
    ["--shutdown-watch-termination-grace-period=60s --permit-address-sharing --permit-port-sharing=false", []],
    ["--log-json-info-buffer-size=0 --log-json-split-stream=false", []],
    [
      "--log-text-info-buffer-size=1Mi --log-text-split-stream",
      ["--log-text-info-buffer-size has no effect", "--log-text-split-stream has no effect"],
    ],
    ["--storage-backend=etcd3", []],
    ["--kubernetes-service-node-port=7", ["--kubernetes-service-node-port has no effect"]],
    ["--coordinated-leadership-lease-duration=15s --emulation-forward-compatible", []],
    ["--egress-selector-config-file=/e.yaml", []],
    ["--tracing-config-file=/t.yaml", []],
    ["--service-account-signing-endpoint=/s.sock", []],
    [
      "--watch-cache=false --permit-port-sharing",
      ["--watch-cache has no effect", "--permit-port-sharing has no effect"],
    ],
  ])("take %s, and warn where a deployment relies on what there is not", (line, warned) => {
    const { errors, warnings } = parseFlags(SERVER_FLAGS, line.split(" "), aliases);
    expect(errors).toEqual([]);
    expect(warnings).toEqual(warned.map((text) => expect.stringContaining(text)));
  });

  test("without effect say what the server does in their place", () => {
    const rows = Object.entries(SERVER_FLAGS).filter(([, { noEffect }]) => noEffect === true);
    const silent = rows.filter(([, { missing }]) => missing === undefined).map(([name]) => name);
    expect(silent.sort()).toEqual(["permit-address-sharing", "storage-backend"]);
  });

  test.each([
    "--secure-port=0",
    "--goaway-chance=0.5",
    "--authorization-mode=Sometimes",
    "--insecure-port=8080",
    "--storage-backend=etcd2",
  ])("refuse %s", (word) => expect(parseFlags(SERVER_FLAGS, [word]).errors).toHaveLength(1));
});
