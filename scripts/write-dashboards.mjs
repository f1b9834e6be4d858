// Writes deploy/grafana/dashboards from the tables of scripts/grafana. With --check it only reports files that are out
// of date.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readCommandLine } from "./command-line.mjs";
import { dashboardJson } from "./grafana/dashboard-json.mjs";
import { DASHBOARDS } from "./grafana/dashboards.mjs";

const folder = fileURLToPath(new URL("../deploy/grafana/dashboards", import.meta.url));
const USAGE = "Usage: node scripts/write-dashboards.mjs [--check]";

const { values } = readCommandLine(USAGE, { options: { check: { type: "boolean", default: false } } });
mkdirSync(folder, { recursive: true });
const outdated = [];
for (const dashboard of DASHBOARDS) {
  const path = join(folder, `${dashboard.uid}.json`);
  const content = dashboardJson(dashboard);
  if (existsSync(path) && holds(path, content)) continue;
  if (values.check) outdated.push(path);
  else writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
}
if (outdated.length > 0) {
  console.error(`${outdated.join("\n")}\nOut of date: run node scripts/write-dashboards.mjs`);
  process.exit(1);
}

/** Compares the content, because the formatter decides the form of the file. */
function holds(path, content) {
  return JSON.stringify(JSON.parse(readFileSync(path, "utf8"))) === JSON.stringify(content);
}
