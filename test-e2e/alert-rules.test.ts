// The rules and alerts of deploy/prometheus: promtool accepts them, each alert fires and stays quiet, has a section in
// docs/runbooks.md, and reads metrics that the servers have.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { stringify } from "yaml";
import { read } from "./harness/documents";
import { repository, useWorkplace } from "./harness/processes";
import { ALERT_CASES, type AlertCase, type Series } from "./observability/alert-cases";
import { RULE_GROUPS, type Rule } from "./observability/rules";

const workplace = useWorkplace();

const ALERTS = RULE_GROUPS.flatMap(({ rules }) => rules).filter(
  (rule): rule is Rule & { readonly alert: string } => rule.alert !== undefined,
);

function promtool(...args: string[]): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(join(repository, ".tools/bin/promtool"), args, { encoding: "utf8" });
  return { status, output: `${stdout}${stderr}` };
}

test("promtool accepts the configuration, with its rules", () => {
  const folder = workplace.folder();
  mkdirSync(join(folder, "certificates/etcd"), { recursive: true });
  for (const file of ["prometheus.yml", "rules.yaml"])
    writeFileSync(join(folder, file), read(`deploy/prometheus/${file}`));
  for (const name of ["ca.crt", "prometheus.crt", "prometheus.key"])
    for (const place of ["certificates", "certificates/etcd"]) writeFileSync(join(folder, place, name), "");
  const { status, output } = promtool("check", "config", join(folder, "prometheus.yml"));
  expect([status, output]).toEqual([0, expect.not.stringContaining("FAILED")]);
});

test("each alert has a case", () => {
  const named = new Set(ALERT_CASES.map(({ alert }) => alert));
  expect([...named].sort()).toEqual(ALERTS.map(({ alert }) => alert).sort());
});

test("each alert fires in its case, and not in the similar one", () => {
  const folder = workplace.folder();
  const files = ALERT_CASES.map((each, index) => {
    const rules = join(folder, `rules-${index}.yaml`);
    writeFileSync(rules, stringify({ groups: [{ name: each.alert, rules: rulesFor(each.alert) }] }, { lineWidth: 0 }));
    const file = join(folder, `test-${index}.yaml`);
    const tests = [testOf(each, each.fires, true), testOf(each, each.staysQuiet, false)];
    const evaluation_interval = `${stepsOf(each).minutes}m`;
    writeFileSync(file, stringify({ rule_files: [rules], evaluation_interval, tests }, { lineWidth: 0 }));
    return file;
  });
  const { status, output } = promtool("test", "rules", ...files);
  expect([status, output]).toEqual([0, expect.not.stringContaining("FAILED")]);
}, 120_000);

/** Returns an alert with the recording rules that it reads: evaluating all rules for each case would take minutes. */
function rulesFor(alert: string): readonly Rule[] {
  const all = RULE_GROUPS.flatMap(({ rules }) => rules);
  const wanted = new Set<Rule>();
  const add = (rule: Rule) => {
    for (const other of all) if (other.record !== undefined && rule.expr.includes(other.record)) add(other);
    wanted.add(rule);
  };
  for (const rule of all) if (rule.alert === alert) add(rule);
  return [...wanted];
}

const stepsOf = ({ steps = { minutes: 1, count: 90 } }: AlertCase) => steps;

/** A case as a test of promtool: an expression over the series ALERTS, which the evaluation writes. */
function testOf(each: AlertCase, series: Series, fires: boolean): object {
  const { minutes, count } = stepsOf(each);
  const { alert } = each;
  return {
    name: `${alert} ${fires ? "fires" : "stays quiet"}`,
    interval: `${minutes}m`,
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        expr: `count(count by (alertname) (ALERTS{alertname="${alert}",alertstate="firing"}))`,
        eval_time: `${minutes * count}m`,
        exp_samples: fires ? [{ labels: "{}", value: 1 }] : [],
      },
    ],
  };
}

describe.each(ALERTS)("$alert", ({ alert, annotations, labels, expr }) => {
  test("has a severity, a summary, a description and its section of the runbooks", () => {
    expect(["critical", "warning"]).toContain(labels?.["severity"]);
    expect(annotations).toEqual({
      summary: expect.stringMatching(/^[A-Z].*[^.]$/),
      description: expect.stringMatching(/\.$/),
      runbook_url: `file:///opt/orch/docs/runbooks.md#${alert.toLowerCase()}`,
    });
    const section =
      read("docs/runbooks.md")
        .split(/^##+ /m)
        .find((text) => text.startsWith(`${alert}\n`)) ?? "";
    for (const part of ["**Meaning.**", "**Check.**", "**Remedy.**"]) expect(section).toContain(part);
  });

  test("is about one job or more", () => expect(expr).toMatch(/job=|orch:/));
});

test("recording rules are named after their aggregation, and alerts after the product", () => {
  const records = RULE_GROUPS.flatMap(({ rules }) => rules).flatMap(({ record }) => record ?? []);
  expect(records.filter((name) => !/^orch:[a-z_]+:[a-z0-9_]+$/.test(name))).toEqual([]);
  expect(ALERTS.filter(({ alert }) => !/^Orch[A-Z]\w+$/.test(alert))).toEqual([]);
});

test("docs/runbooks.md has no section of an alert that is gone", () => {
  const sections = [...read("docs/runbooks.md").matchAll(/^### (Orch\w+)$/gm)].map(([, name]) => name);
  expect(sections.sort()).toEqual(ALERTS.map(({ alert }) => alert).sort());
});

test("the dashboards are those of the tables: node scripts/write-dashboards.mjs writes them", () => {
  const run = spawnSync(process.execPath, [join(repository, "scripts/write-dashboards.mjs"), "--check"], {
    encoding: "utf8",
  });
  expect([run.status, run.stderr]).toEqual([0, ""]);
});
