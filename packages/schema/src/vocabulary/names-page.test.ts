import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { namesPage } from "./names-page";

const PAGE = join(__dirname, "../../../../docs/names.md");

test("docs/names.md has the names of the tables: node scripts/write-names-page.mjs writes it", () => {
  const page = namesPage();
  expect(readFileSync(PAGE, "utf8")).toBe(page);
  for (const row of [
    ["orch.io/deletion-protection", "kubernetes.io/deletion-protection"],
    ["apiregistration.orch.io", "apiregistration.k8s.io"],
    ["apiserver.config.orch.io", "apiserver.config.k8s.io"],
    ["orch-system", "kube-system"],
  ])
    expect(page).toMatch(new RegExp(`^\\| \`${row[0]}\` +\\| \`${row[1]}\` +\\|$`, "m"));
});
