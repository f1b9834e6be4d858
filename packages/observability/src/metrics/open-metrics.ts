// The OpenMetrics text format. Source: OpenMetrics specification 1.0.0.

export const PLAIN_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
export const OPEN_METRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

const HEAD = /^# (HELP|TYPE) (\S+) (.*)$/;
const TOTAL = "_total";

/**
 * Converts the Prometheus text format. In OpenMetrics, counter samples end in `_total` and the counter name does not,
 * empty lines are not allowed, and the last line marks the end.
 * @param text Prometheus text format, with HELP before TYPE before samples
 */
export function openMetricsText(text: string): string {
  const lines: string[] = [];
  let help = "";
  // Prefix to replace in the samples of a counter; undefined among the samples of other metrics.
  let renamed: { readonly from: string; readonly to: string } | undefined;
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const [, what, name = "", rest = ""] = HEAD.exec(line) ?? [];
    if (what === "HELP") {
      help = rest;
    } else if (what === "TYPE") {
      const family = rest === "counter" && name.endsWith(TOTAL) ? name.slice(0, -TOTAL.length) : name;
      renamed = rest === "counter" ? { from: name, to: family + TOTAL } : undefined;
      lines.push(`# HELP ${family} ${help}`, `# TYPE ${family} ${rest}`);
    } else {
      lines.push(renamed === undefined ? line : line.replace(renamed.from, renamed.to));
    }
  }
  return `${lines.join("\n")}\n# EOF\n`;
}

/** Whether a scraper prefers OpenMetrics: it lists that format before the Prometheus text format. */
export function wantsOpenMetrics(accept: readonly { readonly type: string }[]): boolean {
  const wanted = accept.find(({ type }) => type === OPEN_METRICS || type === "text/plain" || type === "*/*");
  return wanted?.type === OPEN_METRICS;
}

const OPEN_METRICS = "application/openmetrics-text";
