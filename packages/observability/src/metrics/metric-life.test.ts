import { describe, expect, test } from "@jest/globals";
import { type MetricStage, metricStage } from "./metric-life";
import { ServerMetrics } from "./server-metrics";

test.each<[string | undefined, string, MetricStage]>([
  [undefined, "1.23", "served"],
  ["1.22", "1.21", "served"],
  ["1.22", "1.22", "deprecated"],
  ["1.22", "1.24", "deprecated"],
  ["1.22", "1.25", "hidden"],
  ["1.22", "1.26", "gone"],
])("a metric that is deprecated from %s is %s at %s", (deprecated, release, stage) =>
  expect(metricStage(deprecated, release)).toBe(stage),
);

describe("a metric of the server that is deprecated from 1.22", () => {
  const at = async (release: string, showHidden = false) => {
    const warnings: string[] = [];
    const metrics = new ServerMetrics({
      disabled: [],
      process: false,
      release,
      showHidden,
      warn: (text) => warnings.push(text),
    });
    metrics.gauge("etcd_object_counts").set({ resource: "pods" }, 3);
    const text = await metrics.render(0);
    const help = text.split("\n").find((line) => line.startsWith("# HELP etcd_object_counts"));
    return { help, isServed: text.includes('etcd_object_counts{resource="pods"} 3'), warnings };
  };

  test.each([
    ["1.21", false, "# HELP etcd_object_counts [ALPHA] Stored objects.", false],
    ["1.23", false, "# HELP etcd_object_counts [ALPHA] (Deprecated from 1.22) Stored objects.", true],
    ["1.25", false, undefined, false],
    ["1.25", true, "# HELP etcd_object_counts [ALPHA] (Deprecated from 1.22) Stored objects.", true],
    ["1.26", true, undefined, false],
  ])("at %s, hidden ones shown: %s", async (release, showHidden, help, warns) => {
    const found = await at(release, showHidden);
    expect(found.help).toBe(help);
    expect(found.isServed).toBe(help !== undefined);
    expect(found.warnings).toEqual(warns ? ["metric etcd_object_counts is deprecated from 1.22"] : []);
  });
});
