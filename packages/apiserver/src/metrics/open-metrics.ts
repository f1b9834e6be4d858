// The other form in which scrapers read metrics. Source: facts, metrics.json; the OpenMetrics specification, 1.0.0.

export const PLAIN_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
export const OPEN_METRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

const HEAD = /^# (HELP|TYPE) (\S+) (.*)$/;
const TOTAL = "_total";

/**
 * What differs from the older form: samples of a counter end in `_total`, which the counter itself does not say, nothing else may end
 * so, no line is empty, and the last one says that it is.
 * @param text in the older form, help before type before samples
 */
export function openMetricsText(text: string): string {
  const lines: string[] = [];
  let help: string | undefined;
  let family = "";
  let counts = false;
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const [, what, name = "", rest = ""] = HEAD.exec(line) ?? [];
    if (what === "HELP") {
      help = rest;
    } else if (what === "TYPE") {
      family = name;
      counts = rest === "counter";
      const shown = name.endsWith(TOTAL) ? name.slice(0, -TOTAL.length) : name;
      lines.push(`# HELP ${shown} ${help ?? ""}`, `# TYPE ${shown} ${rest}`);
    } else if (counts) {
      lines.push(family.endsWith(TOTAL) ? line : line.replace(family, family + TOTAL));
    } else {
      lines.push(family.endsWith(TOTAL) ? line.replace(family, family.slice(0, -TOTAL.length)) : line);
    }
  }
  return `${lines.join("\n")}\n# EOF\n`;
}

/** Whether a scraper prefers it: it lists the form in front of the older one. */
export function wantsOpenMetrics(accept: readonly { readonly type: string }[]): boolean {
  const wanted = accept.find(({ type }) => type === OPEN_METRICS || type === "text/plain" || type === "*/*");
  return wanted?.type === OPEN_METRICS;
}

const OPEN_METRICS = "application/openmetrics-text";
