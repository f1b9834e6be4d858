// Checks the content of all files: product identifiers outside their tables, paths of one machine, registry addresses,
// reads of the time of day, disabled tests, and comments, messages, test titles and commit subjects that break the rules
// of CONTRIBUTING.md, "Language", are rejected. Run by `npm run lint`; prints each violation and exits 1.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { READS_TIME_OF_DAY } from "./time-of-day.mjs";

const source = /^packages\/[^/]+\/src\/.*\.tsx?$/;
const test = /\.test\.ts$|\/testing\//;
const vocabulary = /^packages\/(schema|console)\/src\/vocabulary\//;

const code = /\.(tsx?|mjs|cjs|js)$/;
/** Start of a comment's text: `//` that is not part of a URL or a string, `/*`, or a line of a block comment. */
const COMMENT = String.raw`(?:^|[\s({[,;])(?:\/\/|\/\*\*?)|^\s*\*(?!\/)`;
const inComment = (breach) => new RegExp(`(?:${COMMENT}).*?${breach}`);

const LANGUAGE_RULES = [
  {
    says: 'a comment that starts with "Of", "By", "For", "As", "Who", "What" or "Nobody": start with a verb or noun phrase that names what the symbol is or does',
    in: (file) => code.test(file),
    breach: new RegExp(String.raw`(?:${COMMENT})\s*(?:Of|By|For|As|Who|Whoever|What|Nobody)\b`),
  },
  {
    says: "a citation of a document that the repository does not hold: cite a page of the Kubernetes documentation, a KEP, an RFC section, an etcd document or an upstream file path",
    in: (file) => code.test(file),
    breach: inComment(
      String.raw`(?:\b[Ss]ources?:.*(?<![\w/-])(?:facts|architecture)(?![\w/-]|\.\w)|\bfacts, [a-z]|(?<![\w/-])(?:resource-api|access-control)(?![\w/-]|\.\w))`,
    ),
  },
  {
    says: 'a comment that calls Kubernetes "the field": write "Kubernetes"',
    in: (file) => code.test(file),
    breach: inComment(
      String.raw`\b(?:the field's (?:(?:own|newest|older|other) )?(?:API server|agents?|clients?|command|controllers?|documentation|managers?|names? of|own|programs?|releases?|servers?|tools?|vocabulary)\b|(?:[Cc]lients|[Dd]efinitions|[Nn]ames|[Pp]olicies|[Pp]rograms|[Rr]eleases|[Ss]ervers) of the field\b|the field's$)`,
    ),
  },
];

/** Start of a test's title, on the line of the call or behind a table of cases. */
const TITLE = String.raw`(?:\b(?:describe|test|it)|\]\))\(["'\x60]`;
const MESSAGE_CALL = String.raw`(?:Error|logger\.\w+|log\.\w+|warn)\(\s*["'\x60]`;

const TEXT_RULES = [
  {
    says: 'a test title that starts with "of", "by", "for", "who", "what" or "nobody": state the behaviour with the component as its subject',
    in: (file) => test.test(file),
    breach: new RegExp(`${TITLE}(?:[Oo]f|[Bb]y|[Ff]or|[Ww]ho|[Ww]hom|[Ww]hose|[Ww]hoever|[Ww]hat|[Nn]obody) `),
  },
  {
    says: 'a message that starts with "of", "by", "for", "who", "what" or "nobody": name the component, the value and the rule',
    in: (file) => code.test(file) && !test.test(file),
    breach: new RegExp(`${MESSAGE_CALL}(?:[Oo]f|[Bb]y|[Ff]or|[Ww]ho|[Ww]hom|[Ww]hose|[Ww]hoever|[Ww]hat|[Nn]obody) `),
  },
  {
    says: 'a term that Kubernetes does not use: write "controller", "aggregated API server" or "Kubernetes"',
    in: (file) => code.test(file),
    except: /^\s*(\/\/|\/\*|\*)|scripts\/check-repository\.mjs/,
    breach:
      /["'`](?:[^"'`/]*\s)?(?:(?:the|a|every|each|no|two|ordinary) dut(?:y|ies)\b(?!\s*:)|[Dd]uties [a-z]|[Ee]xtension servers?\b|the field's client\b)/,
  },
];

/** Maximum length of a commit's subject, in characters. */
const SUBJECT_MAX = 72;

const timeOfDay = /\bDate\.now\b|\bnew Date\(\)|[cC]lock\.now\b/;

const RULES = [
  {
    says: "an identifier that carries the product's name belongs in packages/schema/src/vocabulary, or in packages/console/src/vocabulary",
    in: (file) => (source.test(file) || file.startsWith("proto/")) && !test.test(file) && !vocabulary.test(file),
    // Comments may cite Kubernetes documentation and programs.
    except: /^\s*(\/\/|\/\*|\*)/,
    breach:
      /\borch\.io\b|\bk8s\.io\b|\bkubernetes\.io\b|\borch-(system|public|node-lease)\b|\bkube-|\bx-(orch|kubernetes)-|vnd\.(orch|kubernetes)\./,
  },
  {
    says: "a path of one machine",
    in: (file) => !/^package-lock\.json$|^scripts\/check-repository\.mjs$/.test(file),
    breach: /(^|[^A-Za-z0-9_.])\/(work|root|home)\//,
  },
  {
    says: "a download address in the lock file",
    in: (file) => file === "package-lock.json",
    breach: /"resolved": *"https?:/,
  },
  {
    says: "the time of day: a duration is measured by `elapsed()` or `performance.now()`; a file that stores, shows or verifies a time is listed in scripts/time-of-day.mjs",
    in: (file) => source.test(file) && !test.test(file) && !READS_TIME_OF_DAY.has(file),
    breach: timeOfDay,
  },
  {
    says: "a test switched off or narrowed",
    in: (file) => test.test(file),
    breach: /\b(it|test|describe)\.(skip|todo|only)\b/,
  },
];

const ALL_RULES = [...RULES, ...LANGUAGE_RULES, ...TEXT_RULES];

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((file) => file !== "" && !file.includes("testdata/"));

let breaches = 0;
for (const file of files) {
  const rules = ALL_RULES.filter((rule) => rule.in(file));
  if (rules.length === 0) continue;
  let lines;
  try {
    lines = readFileSync(file, "utf8").split("\n");
  } catch {
    continue; // deleted in the working tree
  }
  lines.forEach((line, index) => {
    for (const rule of rules) {
      if (!rule.breach.test(line) || rule.except?.test(line)) continue;
      breaches += 1;
      console.error(`${file}:${index + 1}: ${rule.says}: ${line.trim().slice(0, 120)}`);
    }
  });
}
for (const file of READS_TIME_OF_DAY) {
  if (files.includes(file) && timeOfDay.test(readFileSync(file, "utf8"))) continue;
  breaches += 1;
  console.error(`scripts/time-of-day.mjs: ${file} does not read the time of day`);
}
for (const subject of ownSubjects()) {
  if (subject.length <= SUBJECT_MAX) continue;
  breaches += 1;
  console.error(`commit subject of ${subject.length} characters, ${SUBJECT_MAX} at most: ${subject}`);
}
if (breaches > 0) process.exit(1);
console.log(`${files.length} files keep the repository's rules`);

/** Returns the subjects of the commits that the branch `main` does not contain; none where there is no such branch. */
function ownSubjects() {
  try {
    const options = { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] };
    return execFileSync("git", ["log", "--no-merges", "--format=%s", "main..HEAD"], options)
      .split("\n")
      .filter(Boolean);
  } catch {
    return [];
  }
}
