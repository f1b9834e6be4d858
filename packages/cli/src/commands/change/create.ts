// `orch create`: creates the objects of files.
import { nameOf } from "@orch/machinery";
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
  readonly edit: boolean;
  readonly dryRun: DryRunOption["dryRun"];
}

export function define(command: Command, session: Session): void {
  addFiles(command, "create");
  command
    .option("-l, --selector <selector>", "only objects of the files whose labels match")
    .option("--raw <path>", "send the file as it is to this path of the server");
  addSwitch(command, "--save-config", "keep the file's object in an annotation, for client-side apply");
  addSwitch(command, "--edit", "edit the objects before they are created");
  addFieldManager(command);
  addValidate(command);
  addDryRun(command);
  addOutput(command);
  addGenerators(command, session, async (target, options) => {
    const given = options as unknown as CreateOptions;
    if (given.edit) await createEdited(session, target, given);
    else throwAll(await createAll(session, [target], given));
  });
  addToken(command, session);
  command.action(async (options: CreateOptions) => {
    if (options.filename === undefined) throw new CliError("must specify one of -f and -k, or what to create");
    if (options.raw !== undefined) {
      if (options.edit) throw new CliError("--raw and --edit are mutually exclusive");
      const { sendRaw } = await import("./raw-request.js");
      await sendRaw(session, "POST", { ...options, path: options.raw });
      return;
    }
    const { targets, errors } = await fileTargets(session, options);
    if (targets.length + errors.length === 0) throw new CliError("no objects passed to create");
    if (options.edit) {
      throwAll(errors);
      for (const target of targets) await createEdited(session, target, options);
      return;
    }
    throwAll([...errors, ...(await createAll(session, targets, options))]);
  });
}

/** Creates an object as the person has edited it. Nothing is created when nothing was changed. */
async function createEdited(session: Session, target: Target, options: CreateOptions): Promise<void> {
  const { editObject } = await import("./edit/edit-object.js");
  await editObject(session, {
    target,
    before: target.object ?? {},
    participle: "created",
    mayRename: true,
    write: async (object) => {
      const result = await created(session, { ...target, name: nameOf(object), object }, options);
      new Outcomes(session, options).tell(shownAs(target, result), "created", result);
    },
  });
}

/** Creates the objects of the targets. @returns the errors */
export async function createAll(
  session: Session,
  targets: readonly Target[],
  options: Omit<CreateOptions, keyof FileOptions | "edit">,
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

/** Creates the object of a target, unless it is a dry run. @returns the object of the server */
export async function created(
  session: Session,
  target: Target,
  options: Omit<CreateOptions, keyof FileOptions | "edit">,
): Promise<JsonObject> {
  const given = target.object ?? {};
  const object = options.saveConfig ? withLastApplied(given, await annotationOf(session)) : given;
  if (options.dryRun === "client") return object;
  const names = await session.vocabulary();
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

const annotationOf = async (session: Session): Promise<string> =>
  (await session.vocabulary()).annotations.orchctlLastAppliedConfiguration;
