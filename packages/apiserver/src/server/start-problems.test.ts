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
    [null, ["options: null: must be an object with members among vocabulary, store, flags, logger"]],
    [7, ["options: 7: must be an object with members among vocabulary, store, flags, logger"]],
    [["a"], ['options: ["a"]: must be an object with members among vocabulary, store, flags, logger']],
    [{ flags: null }, ['flags: null: must be an object, such as { "secure-port": 6443 }']],
    [{ flags: [] }, ['flags: []: must be an object, such as { "secure-port": 6443 }']],
    [{ flags: "--v=3" }, ['flags: "--v=3": must be an object, such as { "secure-port": 6443 }']],
    [{ flags: { vocabulary: "orch" } }, ['--vocabulary: "orch": set it as the option vocabulary, not in flags']],
    [{ flags: { store: "embedded" } }, ['--store: "embedded": set it as the option store, not in flags']],
    [{ store: "embedded" }, ['store: "embedded": must be a store returned by openStore() of @orch/store']],
    [{ store: {} }, ["store: {}: must be a store returned by openStore() of @orch/store"]],
    [{ logger: 1 }, ["logger: 1: must be an object that implements Logger"]],
    [{ flags: { "secure-port": 1.5 } }, ["--secure-port: 1.5: must be an integer, such as 6443"]],
    [{ flags: { "secure-port": -1 } }, ["--secure-port: -1: must not be less than 0"]],
    [{ flags: { "secure-port": 70_000 } }, ["--secure-port: 70000: must not be more than 65535"]],
    [{ vocabulary: "kubernetes", flags: { "secure-port": 0, "authorization-mode": ["RBAC"], profiling: true } }, []],
    [
      { flags: { "authorization-mode": "RBAC" } },
      ['--authorization-mode: "RBAC": must be a list of strings, such as ["one", "two"]'],
    ],
    [{ flags: { "secure-port": "1" } }, ['--secure-port: "1": must be an integer, such as 6443']],
    [{ flags: { "bind-address": 1 } }, ['--bind-address: 1: must be a string, such as "127.0.0.1"']],
    [
      { flags: { "request-timeout": "1m" } },
      ['--request-timeout: "1m": must be a number of milliseconds, such as 60000'],
    ],
    [
      { flags: { "feature-gates": ["A=true"] } },
      ['--feature-gates: ["A=true"]: must be an object of booleans, such as { "name": true }'],
    ],
    [{ flags: { "secure-prot": 1 } }, ["unknown flag: --secure-prot; did you mean --secure-port?"]],
    [{ flags: { "secure-port": undefined } }, ["--secure-port: undefined: must be an integer, such as 6443"]],
    [{ vocabulary: "k8s" }, ['vocabulary: "k8s": must be one of orch, kubernetes']],
    [{ port: 1 }, ['unknown option "port": set it as flags: { "secure-port": … }']],
    [{ "bind-address": "::1" }, ['unknown option "bind-address": set it as flags: { "bind-address": … }']],
    [{ colour: 1 }, ['unknown option "colour": the options are vocabulary, store, flags, logger']],
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
    [{}, ["name: undefined: must be a user name, a string that is not empty"]],
    [undefined, ["name: undefined: must be a user name, a string that is not empty"]],
    [{ name: "" }, ['name: "": must be a user name, a string that is not empty']],
    [{ name: "ann", groups: "dev" }, ['groups: "dev": must be a list of strings']],
  ])("%j", (user, problems) => {
    expect(problemOf(() => refuseWrongUser(user))).toEqual(problems);
  });
});
