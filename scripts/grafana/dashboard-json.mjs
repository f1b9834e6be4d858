// Makes a dashboard of Grafana from rows of panels. Source: Grafana documentation, "JSON model".

const WIDTH = 24;
const PANELS_PER_ROW = 3;
const HEIGHT = 8;
/** The data source that the user chooses at the top of the dashboard. */
const DATA_SOURCE = { type: "prometheus", uid: "$datasource" };
const SCHEMA_VERSION = 39;

/**
 * @param dashboard `uid`, `title`, `about` and `rows`: `{ title, panels }`, where a panel has a title, a unit of Grafana,
 *   a sentence `about` it, and queries as pairs of legend and expression
 */
export function dashboardJson({ uid, title, about, rows }) {
  return {
    uid,
    title,
    description: about,
    tags: ["orch"],
    schemaVersion: SCHEMA_VERSION,
    editable: true,
    graphTooltip: 1,
    refresh: "30s",
    time: { from: "now-1h", to: "now" },
    timezone: "browser",
    links: [{ type: "dashboards", title: "Orch", tags: ["orch"], asDropdown: true, keepTime: true, includeVars: true }],
    templating: { list: [dataSourceVariable(), instanceVariable()] },
    panels: placed(rows),
  };
}

function dataSourceVariable() {
  return { name: "datasource", label: "Data source", type: "datasource", query: "prometheus", hide: 0 };
}

function instanceVariable() {
  const query = 'label_values(up{job="orch-apiserver"}, instance)';
  return {
    name: "instance",
    label: "API server",
    type: "query",
    datasource: DATA_SOURCE,
    query: { query, refId: "instances" },
    definition: query,
    refresh: 2,
    sort: 1,
    includeAll: true,
    allValue: ".*",
    multi: true,
    current: { selected: true, text: ["All"], value: ["$__all"] },
  };
}

/** Places rows below each other, each with panels of equal width. */
function placed(rows) {
  let y = 0;
  let id = 0;
  return rows.flatMap(({ title, panels }) => {
    id += 1;
    const header = { id, type: "row", title, collapsed: false, panels: [], gridPos: { x: 0, y, w: WIDTH, h: 1 } };
    y += 1;
    const width = WIDTH / PANELS_PER_ROW;
    const made = panels.map((panel, at) => {
      id += 1;
      const x = (at % PANELS_PER_ROW) * width;
      const top = y + Math.floor(at / PANELS_PER_ROW) * HEIGHT;
      return panelJson(panel, { id, gridPos: { x, y: top, w: width, h: HEIGHT } });
    });
    y += Math.ceil(panels.length / PANELS_PER_ROW) * HEIGHT;
    return [header, ...made];
  });
}

function panelJson({ title, unit, about, kind = "timeseries", queries }, place) {
  return {
    ...place,
    type: kind,
    title,
    description: about,
    datasource: DATA_SOURCE,
    fieldConfig: { defaults: { unit, ...(unit === "percentunit" && { min: 0 }) }, overrides: [] },
    options:
      kind === "stat"
        ? { reduceOptions: { calcs: ["lastNotNull"] }, colorMode: "value", graphMode: "area" }
        : { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } },
    targets: queries.map(([legendFormat, expr], at) => ({
      refId: String.fromCharCode("A".charCodeAt(0) + at),
      datasource: DATA_SOURCE,
      expr,
      legendFormat,
    })),
  };
}
