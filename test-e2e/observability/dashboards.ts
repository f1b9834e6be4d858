// The queries of the dashboards in deploy/grafana.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { read } from "../harness/documents";
import { repository } from "../harness/processes";

export interface Query {
  readonly dashboard: string;
  readonly panel: string;
  readonly expr: string;
}

interface Dashboard {
  readonly title?: string;
  readonly panels?: readonly Panel[];
  /** In dashboards of older versions. */
  readonly rows?: readonly { readonly panels: readonly Panel[] }[];
}

interface Panel {
  readonly title?: string;
  readonly panels?: readonly Panel[];
  readonly targets?: readonly { readonly expr?: string }[];
}

const FOLDER = "deploy/grafana/dashboards";

export const DASHBOARD_FILES = readdirSync(join(repository, FOLDER))
  .filter((file) => file.endsWith(".json"))
  .map((file) => `${FOLDER}/${file}`);

/** Returns the queries of all panels. */
export function queriesOf(text: string): Query[] {
  const dashboard = JSON.parse(text) as Dashboard;
  const ofPanel = (panel: Panel): Query[] => [
    ...(panel.targets ?? []).flatMap(({ expr }) =>
      expr === undefined ? [] : [{ dashboard: dashboard.title ?? "", panel: panel.title ?? "", expr }],
    ),
    ...(panel.panels ?? []).flatMap(ofPanel),
  ];
  return [...(dashboard.panels ?? []), ...(dashboard.rows ?? []).flatMap(({ panels }) => panels)].flatMap(ofPanel);
}

export const QUERIES: readonly Query[] = DASHBOARD_FILES.flatMap((file) => queriesOf(read(file)));

/** Replaces the variables of Grafana as it does with all values chosen. */
export const withoutVariables = (expr: string): string =>
  expr
    .replace(/\$__rate_interval|\$__interval|\$\{?interval\}?/g, "1m")
    .replace(/\$__range/g, "5m")
    .replace(/=~?\s*"\$\{?\w+\}?"/g, '=~".*"');
