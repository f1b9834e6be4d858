// Options, metrics and admission plugins that docs/ names exist, and the tables of docs/ are complete.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { startServer } from "@orch/apiserver";
import { MetricSet } from "@orch/platform";
import { PAGES, read } from "./harness/documents";
import { startEtcd } from "./harness/etcd";
import { eventually } from "./harness/eventually";
import { adminClient } from "./harness/in-process";
import { repository, useWorkplace } from "./harness/processes";
import { DASHBOARD_FILES, queriesOf, withoutVariables } from "./observability/dashboards";
import { metricsIn, RECORDED, RULE_GROUPS } from "./observability/rules";

const workplace = useWorkplace();

/** The source of the metrics of the controller manager. */
const MANAGER_SOURCE = read("packages/controllers/src/serving/manager-metrics.ts");
/** Series that Prometheus itself adds. */
const OF_PROMETHEUS = ["up", "ALERTS"];
/** etcd has this metric only with other members. */
const OF_PEERS = ["etcd_network_peer_round_trip_time_seconds"];

const PROGRAMS = ["packages/apiserver-program/dist/main.js", "packages/controllers/dist/main.js"];
/** Generated page. It has the other spelling of options, and names that clients know and this server does not have. */
const NAMES = "docs/names.md";
/** Generated page, of which another test checks that it is up to date. */
const FLAGS = "docs/flags.md";
/** Options of other programs and commands: etcdutl, kubectl, orch-apiserver restore, scripts/certificates.mjs, docker. */
const OF_OTHERS = [
  ...["--bump-revision", "--backup", "--agent-client", "--certificate-authority", "--cn", "--host", "--o"],
  ...["--build-arg", "--scale"],
];

/** Options of the command orch, as its sources define them. */
const OF_COMMAND = execFileSync("git", ["ls-files", "packages/cli/src"], { cwd: repository, encoding: "utf8" })
  .trim()
  .split("\n")
  .flatMap((path) => [...read(path).matchAll(/"(?:-\w, )?(--[a-z][a-z0-9-]*)/g)])
  .map(([, option = ""]) => option);

/** Options of `make cluster`, as its usage lists them. */
const OF_CLUSTER = read("scripts/cluster.mjs").match(/(?<=^ {2})--[a-z-]+/gm) ?? [];

const helpOf = (program: string, ...flags: string[]): string =>
  execFileSync(process.execPath, [join(repository, program), ...flags, "--help"], { encoding: "utf8" });

const codeIn = (path: string): string[] => [...read(path).matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code.trim());

const optionsIn = (path: string): string[] =>
  codeIn(path).flatMap((code) => /^--[a-z0-9-]+(?=$|[ =…])/.exec(code)?.[0] ?? []);

describe("options", () => {
  const listed = PROGRAMS.flatMap((program) => helpOf(program).match(/^ {2}--[a-z0-9-]+/gm) ?? []);
  const known = [...listed.map((line) => line.trim()), ...optionsIn(NAMES), ...OF_COMMAND, ...OF_CLUSTER, ...OF_OTHERS];
  /** Whether it is an option, or the beginning of several such as `--oidc-`. */
  const isKnown = (option: string) =>
    known.some((each) => each === option || (/-$/.test(option) && each.startsWith(option)));

  test.each(PAGES.filter((path) => path !== FLAGS))("%s names options that the programs have", (path) => {
    expect(optionsIn(path).filter((option) => !isKnown(option))).toEqual([]);
  });
});

describe("metrics", () => {
  const PREFIX =
    /^(?:apiserver|aggregator|authentication|authorization|etcd|node_authorizer|pod_security|watch_cache)_/;
  const known = new Set<string>();
  // The newest release has metrics that the default one lacks, and the other way round.
  beforeAll(async () => {
    for (const flags of [{}, { "emulated-release": "1.37" }]) {
      const server = await startServer({ flags });
      const client = adminClient(server);
      const text = await client.getText("/metrics");
      for (const [, name = ""] of text.matchAll(/^# HELP (\S+)/gm)) known.add(name);
      client.close();
      await server.stop();
    }
  }, 30_000);

  test.each(PAGES.filter((path) => path !== NAMES))("%s names metrics that the server has", (path) => {
    const names = codeIn(path)
      .map((code) => code.replace(/\{.*/, ""))
      .filter((name) => PREFIX.test(name) && /^[a-z_0-9]+$/.test(name));
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  describe("that Prometheus reads", () => {
    beforeAll(async () => {
      const { members } = await startEtcd(workplace);
      await eventually("etcd serves its metrics", async () => {
        const answer = await fetch(`${members[0]?.endpoint}/metrics`).catch(() => undefined);
        for (const [, name = ""] of ((await answer?.text()) ?? "").matchAll(/^# HELP (\S+)/gm)) known.add(name);
        return known.has("etcd_server_has_leader");
      });
      for (const [, name = ""] of MANAGER_SOURCE.matchAll(/name: "(\w+)"/g)) known.add(name);
      const process = new MetricSet();
      process.measureProcess();
      for (const [, name = ""] of (await process.render()).matchAll(/^# HELP (\S+)/gm)) known.add(name);
      for (const name of [...RECORDED, ...OF_PROMETHEUS, ...OF_PEERS]) known.add(name);
    }, 60_000);

    test.each(RULE_GROUPS)("the rules $name name metrics that the programs have", ({ rules }) => {
      const names = rules.flatMap(({ expr }) => metricsIn(expr));
      expect(names.length).toBeGreaterThan(0);
      expect(names.filter((name) => !known.has(name))).toEqual([]);
    });

    test.each(DASHBOARD_FILES)("%s names metrics that the programs have", (file) => {
      const names = queriesOf(read(file)).flatMap(({ expr }) => metricsIn(withoutVariables(expr)));
      expect(names.length).toBeGreaterThan(10);
      expect(names.filter((name) => !known.has(name))).toEqual([]);
    });
  });
});

test("docs/admission.md lists all plugins in their order, with those that are on", () => {
  const help = helpOf(PROGRAMS[0] as string).replace(/\s+/g, " ");
  // The help lists the plugins of both default releases.
  const lists = [...help.matchAll(/(AlwaysAdmit, .*?, AlwaysDeny)\b/g)].map(([, list = ""]) =>
    list.split(", ").map((plugin) => {
      const [name = "", isOn] = plugin.split(" ");
      return [name, isOn === "(default)"] as const;
    }),
  );
  const rows = [...read("docs/admission.md").matchAll(/^\| `(\w+)` +\| (on|off|1\.23) +\|/gm)].map(([, name, isOn]) => [
    name,
    isOn !== "off",
  ]);
  for (const served of lists) {
    expect(served.length).toBeGreaterThan(30);
    expect(rows.filter(([row]) => served.some(([name]) => name === row))).toEqual(served);
  }
  const known = new Set(lists.flat().map(([name]) => name));
  expect(rows.filter(([row]) => !known.has(String(row)))).toEqual([]);
});
