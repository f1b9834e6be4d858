// Checks the links between documents: relative links of Markdown files lead to files and headings that exist, and
// citations in other files, such as `docs/backup.md, "Restore"`, name a page and a heading. Run by `npm run lint`.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const list = (...patterns) =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "--", ...patterns], {
    encoding: "utf8",
  })
    .split("\n")
    .filter((file) => file !== "" && existsSync(file));

/** Lines outside of code blocks. */
function prose(file) {
  let isCode = false;
  return readFileSync(file, "utf8")
    .split("\n")
    .map((line) => {
      const isFence = /^ *```/.test(line);
      if (isFence) isCode = !isCode;
      return isFence || isCode ? "" : line;
    });
}

const headings = new Map();
/** Returns the headings of a page, by their anchors as GitHub derives them. */
function headingsOf(file) {
  const known = headings.get(file);
  if (known !== undefined) return known;
  const found = new Map();
  const counts = new Map();
  for (const line of prose(file)) {
    const text = /^#{1,6} (.*)$/
      .exec(line)?.[1]
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replaceAll("`", "");
    if (text === undefined) continue;
    const anchor = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    found.set(count === 0 ? anchor : `${anchor}-${count}`, text);
  }
  headings.set(file, found);
  return found;
}

let breaches = 0;
function report(file, index, what) {
  breaches += 1;
  console.error(`${file}:${index + 1}: ${what}`);
}

const documents = list("*.md");
for (const file of documents) {
  prose(file).forEach((line, index) => {
    for (const [, target] of line.replace(/`[^`]*`/g, "").matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^\w+:/.test(target)) continue;
      const [path, anchor] = target.split("#");
      const linked = path === "" ? file : normalize(join(dirname(file), path));
      if (!existsSync(linked)) report(file, index, `the link to ${target} leads to no file`);
      else if (anchor !== undefined && linked.endsWith(".md") && !headingsOf(linked).has(anchor))
        report(file, index, `${linked} has no heading with the anchor ${anchor}`);
    }
  });
}

const CITATION = /(?<![\w./-])docs\/([a-z-]+)\.md(?:, "([^"]+)")?/g;
for (const file of list("packages/*.ts", "packages/*.proto", "proto", "scripts", "deploy", "Makefile")) {
  if (file === "scripts/check-links.mjs") continue;
  readFileSync(file, "utf8")
    .split("\n")
    .forEach((line, index) => {
      for (const [, name, heading] of line.matchAll(CITATION)) {
        const page = `docs/${name}.md`;
        if (!existsSync(page)) report(file, index, `${page} does not exist`);
        else if (heading !== undefined && ![...headingsOf(page).values()].includes(heading))
          report(file, index, `${page} has no heading "${heading}"`);
      }
    });
}

if (breaches > 0) process.exit(1);
console.log(`${documents.length} documents: all links and citations lead to files and headings`);
