// The OpenMetrics text format. Source: OpenMetrics specification 1.0.0.

export const PLAIN_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
export const OPEN_METRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

const HEAD = /^# (HELP|TYPE) (\S+) (.*)$/;
const TOTAL = "_total";

/**
 * Converts the Prometheus text format. In OpenMetrics, counter samples end in `_total` and the counter name does not,
 * empty lines are not allowed, and the last line marks the end. A counter with another name, such as
 * `authentication_attempts`, has the type `unknown`: scrapers of both formats then store the same series.
 * @param text Prometheus text format, with HELP before TYPE before samples
 */
export function openMetricsText(text: string): string {
  const lines: string[] = [];
  let help = "";
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const [, what, name = "", rest = ""] = HEAD.exec(line) ?? [];
    if (what === "HELP") {
      help = rest;
    } else if (what === "TYPE") {
      const isTotal = rest === "counter" && name.endsWith(TOTAL);
      const family = isTotal ? name.slice(0, -TOTAL.length) : name;
      lines.push(`# HELP ${family} ${help}`, `# TYPE ${family} ${rest === "counter" && !isTotal ? "unknown" : rest}`);
    } else {
      lines.push(line);
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
