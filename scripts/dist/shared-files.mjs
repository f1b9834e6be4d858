// Files below `share`: documents, licences, completions of shells.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { manPage } from "./man-page.mjs";
import { copyFile, copyTree, inRelease, put } from "./program-files.mjs";
import { runTime, SHIPPED } from "./run-times.mjs";

const LICENSE_FILE = /^(licen[cs]e|notice|copying|copyright)/i;
const COMPLETIONS = {
  bash: "bash-completion/completions/orch",
  zsh: "zsh/site-functions/_orch",
  fish: "fish/vendor_completions.d/orch.fish",
};

/** @param packages third-party packages of the release, by their paths in package-lock.json */
export async function writeShared(root, out, packages, { withRunTime, release }) {
  const share = join(out, "share");
  const doc = join(share, "doc/orch");
  copyTree(join(root, "docs"), join(doc, "docs"), (path) => path.endsWith(".md"));
  for (const name of ["LICENSE", "README.md", "CHANGELOG.md"]) copyFile(join(root, name), join(doc, name));
  put(join(share, "man/man1/orch.1"), await manPage(root, release));
  put(join(doc, "third-party-licenses.txt"), licenseTexts(join(out, "lib/orch"), packages, withRunTime));
  for (const [shell, path] of Object.entries(COMPLETIONS))
    put(join(share, path), execFileSync(join(out, "bin/orch"), ["completion", shell], { encoding: "utf8" }));
}

function licenseTexts(lib, packages, withRunTime) {
  const texts = [...packages].map(([place, { version, license }]) => {
    const folder = join(lib, inRelease(place));
    const name = place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
    const files = readdirSync(folder).filter((file) => LICENSE_FILE.test(file));
    return section(
      `${name} ${version} (${license})`,
      files.map((file) => readFileSync(join(folder, file), "utf8")),
    );
  });
  const node = withRunTime
    ? [section(`Node.js ${SHIPPED}`, [readFileSync(join(runTime(SHIPPED), "LICENSE"), "utf8")])]
    : [];
  return [...texts, ...node].join("\n");
}

const section = (title, texts) => `${"=".repeat(80)}\n${title}\n${"=".repeat(80)}\n\n${texts.join("\n")}\n`;
