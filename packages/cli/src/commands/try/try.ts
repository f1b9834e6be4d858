// `orch try`: carries writes out as dry runs, and shows what each step of admission decides and changes. The explanation
// comes from the server. Source: docs/admission.md, "Explain a decision".
import type { Command } from "commander";
import { formatted, outputOption } from "../../output/format";
import { CliError } from "../../process/cli-error";
import { collected } from "../../process/global-options";
import type { Session } from "../../session/session";
import { fileTargets } from "../change/targets";
import { type Trial, tryWrite } from "./trial";
import { trialText } from "./trial-text";

interface TryOptions {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  readonly output?: string;
}

export function define(command: Command, session: Session): void {
  command
    .option(
      "-f, --filename <file>",
      "file, folder or URL with objects; - reads standard input; may be repeated",
      collected,
    )
    .option("-R, --recursive", "also read the folders within folders")
    .addOption(outputOption(["json", "yaml"]))
    .action((options: TryOptions) => tryFiles(session, options))
    .addHelpText(
      "after",
      '\nNothing is stored. Objects that exist are applied, others are created. The user needs the verb "explain".\n\nExamples:\n  orch try -f pod.yaml\n  orch try -f pod.yaml --as=ann -o json',
    );
}

async function tryFiles(session: Session, options: TryOptions): Promise<void> {
  if (options.filename === undefined) throw new CliError("name the objects to try with -f");
  const { targets, errors } = await fileTargets(session, options);
  if (targets.length + errors.length === 0) throw new CliError("no objects passed to try");
  const trials: Trial[] = [];
  for (const [at, target] of targets.entries()) {
    const trial = await tryWrite(session, target);
    if (!trial.allowed) session.exitCode = 1;
    if (options.output === undefined) session.write(`${at === 0 ? "" : "\n"}${trialText(trial)}`);
    else trials.push(trial);
  }
  if (options.output !== undefined) {
    const [only] = trials;
    session.write(
      formatted(trials.length === 1 ? only : { kind: "List", apiVersion: "v1", items: trials }, options.output),
    );
  }
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors);
}
