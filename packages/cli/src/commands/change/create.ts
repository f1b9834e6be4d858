// `orch create`: creates the objects of files.
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { Progress } from "../../terminal/progress";
import { withLastApplied } from "./apply/last-applied";
import { addGenerators } from "./create/add-generators";
import { addToken } from "./create/token";
import { sourcedWrite } from "./from-source";
import { inOrder, throwAll } from "./in-order";
import { addFieldManager, type ManagerOption, managerOf } from "./managers";
import {
  addDryRun,
  addFiles,
  addSwitch,
  addValidate,
  type DryRunOption,
  type FileOptions,
  fieldValidationOf,
  type ValidateOption,
} from "./options";
import { addOutput, type OutcomeOptions, Outcomes } from "./outcome";
import { clientOf, fileTargets, namedAs, type Target } from "./targets";

interface CreateOptions extends FileOptions, ValidateOption, DryRunOption, ManagerOption, OutcomeOptions {
  readonly saveConfig: boolean;
  readonly selector?: string;
  readonly raw?: string;
  readonly dryRun: DryRunOption["dryRun"];
}

export function define(command: Command, session: Session): void {
  addFiles(command, "create");
  command
    .option("-l, --selector <selector>", "only objects of the files whose labels match")
    .option("--raw <path>", "send the file as it is to this path of the server");
  addSwitch(command, "--save-config", "keep the file's object in an annotation, for client-side apply");
  addFieldManager(command);
  addValidate(command);
  addDryRun(command);
  addOutput(command);
  addGenerators(command, session, async (target, options) => {
    throwAll(await createAll(session, [target], options as unknown as CreateOptions));
  });
  addToken(command, session);
  command.action(async (options: CreateOptions) => {
    if (options.filename === undefined) throw new CliError("must specify one of -f and -k, or what to create");
    if (options.raw !== undefined) {
      const { sendRaw } = await import("./raw-request.js");
      await sendRaw(session, "POST", { ...options, path: options.raw });
      return;
    }
    const { targets, errors } = await fileTargets(session, options);
    throwAll([...errors, ...(await createAll(session, targets, options))]);
  });
}

/** Creates the objects of the targets. @returns the errors */
export async function createAll(
  session: Session,
  targets: readonly Target[],
  options: Omit<CreateOptions, keyof FileOptions>,
): Promise<readonly unknown[]> {
  const outcomes = new Outcomes(session, options);
  const progress = new Progress(session.io, { label: "creating", total: targets.length });
  try {
    return await inOrder(targets, {
      signal: session.signal,
      work: (target) => created(session, target, options),
      finished: () => progress.advance(),
      done: (target, object) =>
        outcomes.tell(shownAs(target, object), "created", object, (text) => progress.write(text)),
      // Later objects may need earlier ones, such as a pod its service account.
      inFlight: areAlike(targets) ? 8 : 1,
    });
  } finally {
    progress.end();
  }
}

/** The name is unknown when the server would make it. */
const shownAs = (target: Target, object: JsonObject): Target => {
  const shown = namedAs(target, object);
  return shown.name === "" ? { ...shown, name: "<unknown>" } : shown;
};

const areAlike = (targets: readonly Target[]): boolean => new Set(targets.map(({ type }) => type.resource)).size === 1;

async function created(session: Session, target: Target, options: Omit<CreateOptions, keyof FileOptions>) {
  const names = await session.vocabulary();
  const annotation = names.annotations.orchctlLastAppliedConfiguration;
  const given = target.object ?? {};
  const object = options.saveConfig ? withLastApplied(given, annotation) : given;
  if (options.dryRun === "client") return object;
  const client = await clientOf(session, target);
  return sourcedWrite("creating", target, () =>
    client.create(object, {
      fieldManager: managerOf(names, "create", options),
      fieldValidation: fieldValidationOf(options),
      dryRun: options.dryRun === "server",
      signal: session.signal,
    }),
  );
}
