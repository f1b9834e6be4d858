// A server with an invalid admission configuration does not start, and names the file and the field.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { repository, useWorkplace } from "./harness/processes";

const MAIN = join(repository, "packages/apiserver-program/dist/main.js");
const workplace = useWorkplace();
const HEAD = "apiVersion: apiserver.config.orch.io/v1\nkind: AdmissionConfiguration\n";
const RATES =
  "{apiVersion: eventratelimit.admission.orch.io/v1alpha1, kind: Configuration, limits: [{type: All, qps: 1, burst: 1}]}";
const ON = "--enable-admission-plugins=EventRateLimit";

/** FOLDER stands for the directory of the files. */
const ROWS: readonly [string, Readonly<Record<string, string>>, readonly string[], string][] = [
  [
    "a file that is not there",
    {},
    ["--admission-control-config-file=FOLDER/main.yaml"],
    "error: --admission-control-config-file: unable to read admission control configuration from \"FOLDER/main.yaml\" [ENOENT: no such file or directory, stat 'FOLDER/main.yaml']",
  ],
  [
    "a plugin's file that is not there",
    { "main.yaml": `${HEAD}plugins: [{name: EventRateLimit, path: rates.yaml}]` },
    ["--admission-control-config-file=FOLDER/main.yaml", ON],
    "error: --admission-control-config-file: FOLDER/rates.yaml: ENOENT: no such file or directory, stat 'FOLDER/rates.yaml'",
  ],
  [
    "an unknown field",
    { "main.yaml": `${HEAD}plugins: [{name: EventRateLimit, file: rates.yaml}]` },
    ["--admission-control-config-file=FOLDER/main.yaml", ON],
    "error: --admission-control-config-file: FOLDER/main.yaml: plugins[0].file: unknown field",
  ],
  [
    "a file of megabytes",
    { "main.yaml": `${HEAD}plugins: [{name: ${"x".repeat(3 * 1024 * 1024)}}]` },
    ["--admission-control-config-file=FOLDER/main.yaml"],
    "at most 1048576 are allowed]",
  ],
  [
    "a plugin's configuration that breaks a rule",
    { "main.yaml": `${HEAD}plugins: [{name: EventRateLimit, path: rates.yaml}]`, "rates.yaml": RATES },
    ["--admission-control-config-file=FOLDER/main.yaml", ON],
    'error: couldn\'t init admission plugin "EventRateLimit": FOLDER/rates.yaml: limits[0].type: Unsupported value: "All": supported values: "Server", "Namespace", "User", "SourceAndObject"',
  ],
  [
    "a plugin that needs a configuration and has none",
    {},
    [ON],
    'error: couldn\'t init admission plugin "EventRateLimit": limits: Invalid value: []: must not be empty',
  ],
  [
    "flags that exclude each other",
    {},
    ["--admission-control=EventRateLimit", ON],
    "error: admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive",
  ],
];

test.each(ROWS)(
  "there is no start with %s",
  async (name, files, flags, said) => {
    const folder = workplace.folder();
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    const words = flags.map((flag) => flag.replaceAll("FOLDER", folder));
    const args = [MAIN, "--store=memory", `--data-dir=${folder}/data`, "--bind-address=127.0.0.1", ...words];
    const program = workplace.start({ name: name.replaceAll(/\W+/g, "-"), program: process.execPath, args });
    expect(await program.ended).toBe(1);
    const lines = program
      .logText()
      .split("\n")
      .filter((line) => line.startsWith("error: "));
    expect(lines).toEqual([expect.stringContaining(said.replaceAll("FOLDER", folder))]);
  },
  30_000,
);
