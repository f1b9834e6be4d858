import { describe, expect, test } from "@jest/globals";
import { type MetricLife, type MetricStage, metricStage } from "./metric-life";
import { ServerMetrics } from "./server-metrics";

test.each<[string, MetricLife, string, MetricStage]>([
  ["not deprecated", {}, "1.23", "served"],
  ["of a later release", { since: "1.26" }, "1.25", "absent"],
  ["of this release", { since: "1.26" }, "1.26", "served"],
  ["before its deprecation", { deprecated: "1.22" }, "1.21", "served"],
  ["ALPHA, deprecated", { deprecated: "1.22" }, "1.22", "deprecated"],
  ["ALPHA, one release later", { deprecated: "1.22" }, "1.23", "hidden"],
  ["ALPHA, two releases later", { deprecated: "1.22" }, "1.24", "gone"],
  ["BETA, one release later", { deprecated: "1.30", stability: "BETA" }, "1.31", "hidden"],
  ["STABLE, two releases later", { deprecated: "1.34", stability: "STABLE" }, "1.36", "deprecated"],
  ["STABLE, three releases later", { deprecated: "1.34", stability: "STABLE" }, "1.37", "hidden"],
])("a metric that is %s (%j) at %s is %s", (_which, life, release, stage) =>
  expect(metricStage(life, release)).toBe(stage),
);

describe("a metric of the server that is deprecated from 1.22", () => {
  const at = async (release: string, showHidden = false) => {
    const warnings: string[] = [];
    const metrics = new ServerMetrics({
      disabled: [],
      process: false,
      release,
      showHidden,
      warn: (text) => text.includes("etcd_object_counts") && warnings.push(text),
    });
    metrics.gauge("etcd_object_counts").set({ resource: "pods" }, 3);
    const text = await metrics.render(0);
    const help = text.split("\n").find((line) => line.startsWith("# HELP etcd_object_counts"));
    return { help, isServed: text.includes('etcd_object_counts{resource="pods"} 3'), warnings };
  };

  test.each([
    ["1.21", false, "# HELP etcd_object_counts [ALPHA] Stored objects.", false],
    ["1.22", false, "# HELP etcd_object_counts [ALPHA] (Deprecated since 1.22.0) Stored objects.", false],
    ["1.23", false, undefined, false],
    ["1.23", true, "# HELP etcd_object_counts [ALPHA] (Deprecated since 1.22.0) Stored objects.", true],
    ["1.24", true, undefined, false],
  ])("at %s, hidden ones shown: %s", async (release, showHidden, help, warns) => {
    const found = await at(release, showHidden);
    expect(found.help).toBe(help);
    expect(found.isServed).toBe(help !== undefined);
    expect(found.warnings).toEqual(warns ? ["metric etcd_object_counts is deprecated from 1.22"] : []);
  });
});
