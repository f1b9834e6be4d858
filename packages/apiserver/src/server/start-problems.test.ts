import { describe, expect, test } from "@jest/globals";
import { SettingsError } from "@orch/server-config";
import { refuseWrongOptions, refuseWrongUser } from "./start-problems";

const problemOf = (act: () => void): readonly string[] => {
  try {
    act();
  } catch (error) {
    if (error instanceof SettingsError) return error.lines;
    throw error;
  }
  return [];
};

describe("options of startServer that are not what they should be are refused by name, rule and remedy", () => {
  test.each<[unknown, readonly string[]]>([
    [{}, []],
    [{ store: undefined, logger: undefined, flags: undefined, vocabulary: undefined }, []],
    [null, ["options: null: must be an object with any of vocabulary, store, flags, logger"]],
    [7, ["options: 7: must be an object with any of vocabulary, store, flags, logger"]],
    [["a"], ['options: ["a"]: must be an object with any of vocabulary, store, flags, logger']],
    [{ flags: null }, ['flags: null: must be an object, such as { "secure-port": 6443 }']],
    [{ flags: [] }, ['flags: []: must be an object, such as { "secure-port": 6443 }']],
    [{ flags: "--v=3" }, ['flags: "--v=3": must be an object, such as { "secure-port": 6443 }']],
    [{ flags: { vocabulary: "orch" } }, ['--vocabulary: "orch": give it beside flags, as the option vocabulary']],
    [{ flags: { store: "embedded" } }, ['--store: "embedded": give it beside flags, as the option store']],
    [{ store: "embedded" }, ['store: "embedded": must be a store, as openStore() of @orch/store returns it']],
    [{ store: {} }, ["store: {}: must be a store, as openStore() of @orch/store returns it"]],
    [{ logger: 1 }, ["logger: 1: must be an object with the methods of a log"]],
    [{ flags: { "secure-port": 1.5 } }, ["--secure-port: 1.5: must be a whole number, such as 6443"]],
    [{ flags: { "secure-port": -1 } }, ["--secure-port: -1: must not be less than 0"]],
    [{ flags: { "secure-port": 70_000 } }, ["--secure-port: 70000: must not be more than 65535"]],
    [{ vocabulary: "kubernetes", flags: { "secure-port": 0, "authorization-mode": ["RBAC"], profiling: true } }, []],
    [
      { flags: { "authorization-mode": "RBAC" } },
      ['--authorization-mode: "RBAC": must be a list of texts, such as ["one", "two"]'],
    ],
    [{ flags: { "secure-port": "1" } }, ['--secure-port: "1": must be a whole number, such as 6443']],
    [{ flags: { "bind-address": 1 } }, ['--bind-address: 1: must be a text, such as "127.0.0.1"']],
    [
      { flags: { "request-timeout": "1m" } },
      ['--request-timeout: "1m": must be a number of milliseconds, such as 60000'],
    ],
    [
      { flags: { "feature-gates": ["A=true"] } },
      ['--feature-gates: ["A=true"]: must be an object of booleans, such as { "name": true }'],
    ],
    [{ flags: { "secure-prot": 1 } }, ["unknown flag: --secure-prot; did you mean --secure-port?"]],
    [{ flags: { "secure-port": undefined } }, ["--secure-port: undefined: must be a whole number, such as 6443"]],
    [{ vocabulary: "k8s" }, ['vocabulary: "k8s": must be one of orch, kubernetes']],
    [{ port: 1 }, ['unknown option "port": give it as flags: { "secure-port": … }']],
    [{ "bind-address": "::1" }, ['unknown option "bind-address": give it as flags: { "bind-address": … }']],
    [{ colour: 1 }, ['unknown option "colour": there are vocabulary, store, flags, logger']],
    [
      { port: 1, vocabulary: "k8s" },
      [expect.stringContaining("port"), expect.stringContaining("k8s")] as unknown as string[],
    ],
  ])("%j", (options, problems) => {
    expect(problemOf(() => refuseWrongOptions(options, ["vocabulary", "store", "flags", "logger"]))).toEqual(problems);
  });
});

describe("users whose certificate is asked for", () => {
  test.each<[unknown, readonly string[]]>([
    [{ name: "ann", groups: ["dev"] }, []],
    [{}, ["name: undefined: must be the name of a user, a text that is not empty"]],
    [undefined, ["name: undefined: must be the name of a user, a text that is not empty"]],
    [{ name: "" }, ['name: "": must be the name of a user, a text that is not empty']],
    [{ name: "ann", groups: "dev" }, ['groups: "dev": must be a list of texts']],
  ])("%j", (user, problems) => {
    expect(problemOf(() => refuseWrongUser(user))).toEqual(problems);
  });
});
