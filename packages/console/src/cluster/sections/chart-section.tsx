import { Part, Section } from "../../parts/section";
import type { Loaded } from "../../parts/use-loaded";
import { bytesText } from "../../values/bytes";
import { Chart } from "../chart";
import type { Figures } from "../figures";
import { numberText, percentText, secondsText } from "../texts";
import type { SeenMetrics } from "../use-metrics";

interface ChartKind {
  readonly figure: keyof Figures;
  readonly title: string;
  readonly textOf: (value: number) => string;
}

const perSecond = (value: number): string => `${numberText(value)}/s`;

const CHARTS: readonly ChartKind[] = [
  { figure: "requests", title: "Requests", textOf: perSecond },
  { figure: "errors", title: "Server errors", textOf: perSecond },
  { figure: "median", title: "Latency, median", textOf: secondsText },
  { figure: "slowest", title: "Latency, 99th percentile", textOf: secondsText },
  { figure: "watchers", title: "Watchers", textOf: numberText },
  { figure: "lag", title: "Event-loop lag, 99th percentile", textOf: secondsText },
  { figure: "cpu", title: "CPU, of one processor", textOf: percentText },
  { figure: "memory", title: "Memory", textOf: bytesText },
];

/** Charts since the page was opened. */
export function ChartSection({ metrics }: { readonly metrics: Loaded<SeenMetrics> }) {
  return (
    <Section title="Load">
      <Part subject="The metrics" loaded={metrics}>
        {({ points }) => (
          <div class="charts">
            {CHARTS.map(({ figure, title, textOf }) => (
              <Chart
                key={figure}
                title={title}
                textOf={textOf}
                spots={points.map(({ atMs, figures }) => ({ at: atMs, value: figures[figure] }))}
              />
            ))}
          </div>
        )}
      </Part>
    </Section>
  );
}
