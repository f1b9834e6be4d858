// The other form in which scrapers read metrics. Source: facts, metrics.json; the OpenMetrics specification, 1.0.0.

export const PLAIN_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
export const OPEN_METRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

const HEAD = /^# (HELP|TYPE) (\S+) (.*)$/;
const TOTAL = "_total";

/**
 * What differs from the older form: samples of a counter end in `_total`, which the counter itself does not say, no line is empty, and
 * the last one says that it is.
 * @param text in the older form, help before type before samples
 */
export function openMetricsText(text: string): string {
  const lines: string[] = [];
  let help = "";
  // What a counter's samples are to begin with instead; undefined among the samples of something else.
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

/** Whether a scraper prefers it: it lists the form in front of the older one. */
export function wantsOpenMetrics(accept: readonly { readonly type: string }[]): boolean {
  const wanted = accept.find(({ type }) => type === OPEN_METRICS || type === "text/plain" || type === "*/*");
  return wanted?.type === OPEN_METRICS;
}

const OPEN_METRICS = "application/openmetrics-text";
