// The repository's guides are accurate: links, names in linked files, and commands.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { repository } from "./harness/processes";

const read = (path: string): string => readFileSync(join(repository, path), "utf8");
const GUIDES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "packages/client/README.md"];
const ROOTS = /^(?:packages|proto|scripts|test-e2e|deploy)\//;

const linksIn = (text: string): string[] =>
  [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target = ""]) => target).filter((to) => !/^\w+:/.test(to));

const codeIn = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);

describe.each(GUIDES)("%s", (guide) => {
  const text = read(guide);

  test("leads to files that are there", () => {
    const inCode = codeIn(text)
      .flatMap((code) => code.split(/[\s=,]+/))
      .filter((word) => ROOTS.test(word) && !word.includes("*"));
    const linked = linksIn(text).map((target) => join(dirname(guide), target));
    const missing = [...inCode, ...linked].filter((path) => !existsSync(join(repository, path)));
    expect(missing).toEqual([]);
  });

  test("has targets of make that there are", () => {
    const makefile = read("Makefile");
    const targets = [...text.matchAll(/(?:`|^ {4}|^)make ([a-z]+)/gm)].map(([, target = ""]) => target);
    expect(targets.filter((target) => !makefile.includes(`\n${target}:`))).toEqual([]);
  });
});

describe("CONTRIBUTING.md", () => {
  /** A numbered step with its content, or a paragraph. */
  const steps = read("CONTRIBUTING.md").split(/\n(?=\d+\. )|\n\n/);

  test("names what is in the files that it leads to", () => {
    const wrong = steps.flatMap((step) => {
      const files = linksIn(step).map((path) => read(path));
      const names = codeIn(step).filter((code) => /^[A-Za-z_]\w*$/.test(code));
      return files.length === 0 ? [] : names.filter((name) => !files.some((file) => file.includes(name)));
    });
    expect(wrong).toEqual([]);
  });

  test("has a row for every layer", () => {
    const layers = /const LAYERS = \[(.*?)\n\];/s.exec(read("scripts/check-layers.mjs"))?.[1] ?? "";
    const packages = [...layers.matchAll(/"(\w+)"/g)].map(([, name]) => name);
    const rows = [...read("CONTRIBUTING.md").matchAll(/^\| \[(\w+)\]\(packages\/(\w+)\//gm)].map(([, name]) => name);
    expect(rows.length).toBeGreaterThan(0);
    expect([...rows].sort()).toEqual([...packages].sort());
  });

  test("lists tests by jest's own words", () => {
    for (const code of steps.flatMap(codeIn).filter((each) => each.startsWith("npx jest "))) {
      const [, path = "", project = "", title = ""] =
        /^npx jest (\S+) --selectProjects (unit|e2e)(?: -t "(.*)")?$/.exec(code) ?? [];
      expect([code, project]).toEqual([code, path.startsWith("test-e2e/") ? "e2e" : "unit"]);
      expect(read(path)).toContain(title);
    }
  });
});

test("the benchmark that is named is one", () => {
  const [, scenario] = /make bench SCENARIO=(\w+)/.exec(read("CONTRIBUTING.md")) ?? [];
  expect(read("scripts/bench/scenarios.mjs")).toMatch(new RegExp(`^ {2}"?${scenario}"?: `, "m"));
});

test("the licence that every package names is there, to the letter", () => {
  const manifests = execFileSync("git", ["ls-files", "package.json", "packages/*/package.json"], { cwd: repository });
  const named = manifests
    .toString()
    .trim()
    .split("\n")
    .map((file) => (JSON.parse(read(file)) as { readonly license?: string }).license);
  expect([...new Set(named)]).toEqual(["Apache-2.0"]);
  const digest = createHash("sha256").update(read("LICENSE")).digest("hex");
  expect(digest).toBe("cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30");
});

test("the change log begins with what is not released yet, in sections that it knows", () => {
  const text = read("CHANGELOG.md");
  expect(/^## .*$/m.exec(text)?.[0]).toBe("## Unreleased");
  const sections = [...text.matchAll(/^### (.*)$/gm)].map(([, name]) => name);
  const known = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
  expect(sections.filter((name) => !known.includes(name ?? ""))).toEqual([]);
});
