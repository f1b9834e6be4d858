// Output of `--version`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Vocabulary } from "@orch/schema";

const PACKAGE = join(__dirname, "../../package.json");

/** @param form value of the option: `raw` for all details */
export function versionText({ programs }: Vocabulary, form: string): string {
  const { version } = JSON.parse(readFileSync(PACKAGE, "utf8")) as { readonly version: string };
  if (form !== "raw") return `${programs.controllerManager} v${version}`;
  const platform = `${process.platform}/${process.arch}`;
  return JSON.stringify({ program: programs.controllerManager, version, runtime: `node${process.version}`, platform });
}
