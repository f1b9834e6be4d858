// The repository's guides are accurate: links, names in linked files, and commands.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { DOCUMENTS, environmentOf, PAGES, pageAt, read } from "./harness/documents";
import { type Block, markOf, parsePage } from "./harness/markdown";
import { repository, useWorkplace } from "./harness/processes";

const workplace = useWorkplace();

const GUIDES = DOCUMENTS.filter((path) => !path.includes("testdata/"));
const ROOTS = /^(?:docs|packages|proto|scripts|test-e2e|deploy)\//;
const README_MAX_LINES = 200;

const linksIn = (text: string): string[] =>
  parsePage(text)
    .links.filter((to) => !/^\w+:|^#/.test(to))
    .map((to) => to.replace(/#.*/, ""));

/** Source files of all packages. */
const SOURCE_FILES = [
  ...execFileSync("git", ["ls-files", "packages/*/src/*.ts", "packages/*/bin/*.js"], {
    cwd: repository,
    encoding: "utf8",
  })
    .trim()
    .split("\n"),
].filter((path) => !path.endsWith(".test.ts") && existsSync(join(repository, path)));
/** Text of the sources, without the marks that join parts of a text. */
const SOURCES = SOURCE_FILES.map((path) => read(path).replace(/["'`] ?\+\s+["'`]/g, "")).join("\n");
const COMMAND_SOURCES = SOURCE_FILES.filter((path) => path.startsWith("packages/cli/"))
  .map((path) => read(path))
  .join("\n");

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
    const targets = [...text.matchAll(/(?:`|^ {4}|^)make ([a-z-]+)/gm)].map(([, target = ""]) => target);
    expect(targets.filter((target) => !makefile.includes(`\n${target}:`))).toEqual([]);
  });
});

describe.each(PAGES)("the blocks of %s", (path) => {
  const page = pageAt(path);
  const run = page.blocks.filter(
    (block) => markOf(block, "notRun") === undefined && markOf(block, "runBy") === undefined,
  );

  test("are in languages that are run, or have a mark", () => {
    const RUN = ["sh", "yaml", "ts"];
    const unknown = run.filter(
      (block) => ![...RUN, "text", "json", "mermaid"].includes(block.language) && markOf(block, "file") === undefined,
    );
    expect(unknown.map(places)).toEqual([]);
  });

  test("have commands only where they are run", () => {
    const texts = page.blocks.filter(({ language }) => language === "text");
    const command = /^\s*(?:\$ |(?:kubectl|curl|make|npx|npm|node|etcd|etcdctl|openssl|docker) )/m;
    expect(texts.filter(({ text }) => command.test(text)).map(places)).toEqual([]);
  });

  test("are fenced, not indented", () => {
    expect(page.indentedBlocks).toEqual([]);
  });

  test("are run in an environment that has what they need", () => {
    const environment = environmentOf(path);
    const applied = run.filter((block) => block.language === "yaml" && markOf(block, "file") === undefined);
    if (environment === "none" || environment === "orch") expect(applied.map(places)).toEqual([]);
    expect(run.filter(({ language, text }) => language === "json" && !isJson(text)).map(places)).toEqual([]);
  });

  test("use the files that they write", () => {
    const commands = run.filter(({ language }) => language === "sh").map(({ text }) => text);
    const files = run.flatMap((block) => markOf(block, "file")?.name ?? []);
    const named = (name: string) => [...commands, ...run.map(({ text }) => text)].some((text) => text.includes(name));
    expect(files.filter((name) => !named(name.split("/").at(-1) ?? name))).toEqual([]);
  });

  test("name test files that there are", () => {
    const tests = page.blocks.flatMap((block) => markOf(block, "runBy")?.test ?? []);
    expect(tests.filter((file) => !existsSync(join(repository, file)))).toEqual([]);
  });
});

const places = (block: Block): string => `line ${block.line}: ${block.text.slice(0, 60)}`;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("docs/README.md", () => {
  const rows = new Map(
    [...read("docs/README.md").matchAll(/^\| \[[^\]]+\]\(([\w/-]+\.md)\) +\|.*\| +(\d+) +\|$/gm)].map(
      ([, file, count]) => [`docs/${file}`, Number(count)],
    ),
  );

  test("lists every page, with the number of blocks that no test runs", () => {
    const counts = PAGES.filter((path) => path.startsWith("docs/") && path !== "docs/README.md").map((path) => [
      path,
      pageAt(path).blocks.filter((block) => markOf(block, "notRun") !== undefined).length,
    ]);
    expect([...rows].sort()).toEqual(counts.sort());
  });
});

test("docs/flags.md has the flags of the programs: node scripts/write-flags-page.mjs writes it", () => {
  const command = ["scripts/write-flags-page.mjs", "--check"];
  expect(() => execFileSync(process.execPath, command, { cwd: repository, stdio: "pipe" })).not.toThrow();
});

describe.each(PAGES)("the names in %s", (path) => {
  const { code } = pageAt(path);

  test("are flags that programs have", () => {
    // The options of the command line are in its sources.
    const more = path === "docs/command-line.md" ? SOURCES : "";
    const texts = `${read("docs/flags.md")}${read("docs/names.md")}${OTHER_FLAGS}${more}`;
    const known = new Set(texts.match(/--[a-z0-9-]+/g));
    const flags = code.flatMap((text) => /^--[a-z][a-z0-9-]*(?=$|[ =])/.exec(text) ?? []);
    // Options of the command line are written in its sources.
    const isOfCommand = (flag: string) => new RegExp(`${flag}(?![a-z0-9-])`).test(COMMAND_SOURCES);
    expect(flags.filter((flag) => !known.has(flag) && !isOfCommand(flag))).toEqual([]);
  });

  test("are metrics that the sources have", () => {
    const metrics = code.flatMap(
      (text) => /^(?:apiserver|aggregator|workqueue|pod_security|etcd)_[a-z_]+(?=$|[{ ])/.exec(text) ?? [],
    );
    expect(metrics.filter((metric) => !SOURCES.includes(metric))).toEqual([]);
  });
});

/** Flags of scripts and of other programs. */
const OTHER_FLAGS = `--certificate-authority --bump-revision --host --cn --o --agent-client --help --data-dir --build-arg --scale ${read("scripts/cluster.mjs")}`;

test("systemd units and alerts name documents that there are", () => {
  const units = execFileSync("git", ["grep", "-hoE", "file:///(opt|usr/share/doc)/orch/.*", "--", "deploy"], {
    cwd: repository,
    encoding: "utf8",
  });
  const paths = units
    .trim()
    .split("\n")
    .map((uri) => uri.replace(/^file:\/\/\/(opt|usr\/share\/doc)\/orch\//, "").replace(/#.*/, ""));
  expect(paths.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
});

describe("docs/troubleshooting.md", () => {
  const messages = [...read("docs/troubleshooting.md").matchAll(/^\|(?: \d{3} +\|)? `([^`]+)` +\|/gm)].map(
    ([, text = ""]) => text,
  );

  test("has messages", () => expect(messages.length).toBeGreaterThan(40));

  test.each(messages)("has a message of the sources: %s", (message) => {
    const parts = message
      .split("…")
      .map((part) => part.trim())
      .filter((part) => /\w{2}/.test(part));
    expect(parts.filter((part) => !SOURCES.includes(part))).toEqual([]);
  });
});

test("README.md is short", () => {
  expect(read("README.md").split("\n").length - 1).toBeLessThanOrEqual(README_MAX_LINES);
});

describe("the links of documents, and citations of docs/ in sources", () => {
  test("lead to files and headings that are there", () => {
    const check = ["scripts/check-links.mjs"];
    expect(() => execFileSync(process.execPath, check, { cwd: repository, stdio: "pipe" })).not.toThrow();
  });

  test.each([
    [
      "a missing heading of a page",
      "[flags](flags.md#none)",
      "docs/wrong.md:1: docs/flags.md has no heading with the anchor none",
    ],
    ["a missing file", "[flags](none.md)", "docs/wrong.md:1: the link to none.md leads to no file"],
    [
      "a missing heading of its own",
      "[above](#none)",
      "docs/wrong.md:1: docs/wrong.md has no heading with the anchor none",
    ],
  ])("%s is reported", (_behaviour, text, expected) => {
    const folder = workplace.folder();
    mkdirSync(join(folder, "docs"));
    writeFileSync(join(folder, "docs/flags.md"), "# Flags\n");
    writeFileSync(join(folder, "docs/wrong.md"), text);
    execFileSync("git", ["init", "--quiet"], { cwd: folder });
    const check = [join(repository, "scripts/check-links.mjs")];
    expect(spawnSync(process.execPath, check, { cwd: folder, encoding: "utf8" }).stderr.trim()).toBe(expected);
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

test.each(["certificates", "publish-cluster-info"])("scripts/%s.mjs runs in a folder that is a link", (name) => {
  const link = join(workplace.folder(), "linked");
  symlinkSync(repository, link);
  const { status, stdout } = spawnSync(process.execPath, [join(link, `scripts/${name}.mjs`), "--help"], {
    encoding: "utf8",
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining(`scripts/${name}.mjs`) });
});
