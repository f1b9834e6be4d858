// The rules of deploy/prometheus/rules.yaml, and the metrics that an expression of Prometheus reads.
import { parse } from "yaml";
import { read } from "../harness/documents";

export interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export const RULE_GROUPS = (
  parse(read("deploy/prometheus/rules.yaml")) as { groups: { name: string; rules: Rule[] }[] }
).groups;

/** Names of recorded series. */
export const RECORDED = new Set(RULE_GROUPS.flatMap(({ rules }) => rules.flatMap(({ record }) => record ?? [])));

/** Words of the language that look like metrics. */
const WORDS = new Set(
  "by without on ignoring group_left group_right or and unless offset bool inf nan sum min max avg count topk bottomk quantile stddev count_values".split(
    " ",
  ),
);

/** Returns the names of metrics in an expression, without the endings of histograms. */
export function metricsIn(expression: string): string[] {
  const bare = expression
    .replace(/"(?:[^"\\]|\\.)*"/g, '""')
    .replace(/\{[^{}]*\}/g, "{}")
    .replace(/\[[^[\]]*\]/g, "")
    .replace(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^()]*\)/gi, "")
    .replace(/\boffset\s+\w+/gi, "");
  const names = [...bare.matchAll(/(?<![\w:.$])[a-zA-Z_:][\w:]*(?!\s*\(|[\w:])/g)].map(([name]) => name);
  return [...new Set(names.filter((name) => !WORDS.has(name.toLowerCase())))].map((name) =>
    name.replace(/(?<!_total)_(?:bucket|sum|count)$/, (ending) => (COUNTED.test(name) ? ending : "")),
  );
}

/** Metrics whose own name ends like that of a histogram. */
const COUNTED = /_(?:rejection|fail_open|failure)_count$/;
