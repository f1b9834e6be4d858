// The documents of the repository, and the folders in which their commands run.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type Page, parsePage } from "./markdown";
import { repository } from "./processes";

export const read = (path: string): string => readFileSync(join(repository, path), "utf8");

/** Paths of all pages of docs/, and of the README. Tests run every code block of these. */
export const PAGES: readonly string[] = [
  "README.md",
  ...readdirSync(join(repository, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** Paths of all Markdown files, by which links are checked. */
export const DOCUMENTS: readonly string[] = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "*.md"],
  { cwd: repository, encoding: "utf8" },
)
  .trim()
  .split("\n");

/** @throws Error with the path, and the line of what cannot be parsed */
export function pageAt(path: string): Page {
  try {
    return parsePage(read(path));
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`);
  }
}

/** Environments of pages, by the words of `<!-- page: … -->`. See docs/README.md. */
export type Environment = "kubernetes" | "orch" | "copy" | "none";

export function environmentOf(path: string): Environment {
  const { environment = "none" } = pageAt(path);
  switch (environment) {
    case "kubernetes":
    case "orch":
    case "copy":
    case "none":
      return environment;
    default:
      throw new Error(`${path}: unknown environment "${environment}"`);
  }
}

const LINKED = ["deploy", "node_modules", "packages", "proto", "test-e2e", "Makefile", "package.json"];

/** Fills a folder with links to the repository's files, and with the data folder of a running server as `.orch`. */
export function linkRepository(folder: string, dataDir?: string): void {
  for (const name of LINKED) symlinkSync(join(repository, name), join(folder, name));
  // A script finds out by its path whether it is the program that was started. A link would change the path.
  cpSync(join(repository, "scripts"), join(folder, "scripts"), { recursive: true });
  mkdirSync(join(folder, ".orch"));
  if (dataDir === undefined) return;
  for (const name of readdirSync(dataDir)) symlinkSync(join(dataDir, name), join(folder, ".orch", name));
}
