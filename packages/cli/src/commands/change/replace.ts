// `orch replace`: replaces objects by those of files.
import { isCode, metaOf, parseGoDuration } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { withLastApplied } from "./apply/last-applied";
import { sourcedWrite } from "./from-source";
import { throwAll } from "./in-order";
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
import { addOutput, type OutcomeOptions } from "./outcome";
import { deletedText, removed } from "./removal";
import { type Written, writeAll } from "./selected-write";
import { clientOf, fileTargets, type Target, targetText } from "./targets";

interface Options extends FileOptions, ValidateOption, DryRunOption, ManagerOption, OutcomeOptions {
  readonly force: boolean;
  readonly saveConfig: boolean;
  readonly subresource?: string;
  readonly raw?: string;
  readonly gracePeriod: string;
  readonly timeout: string;
  readonly dryRun: DryRunOption["dryRun"];
}

export function define(command: Command, session: Session): void {
  addFiles(command, "replace");
  addSwitch(command, "--force", "delete the objects, wait until they are gone, and create them");
  command.option("--grace-period <seconds>", "time to stop with --force; -1: that of the kind", "-1");
  command.option("--timeout <duration>", "longest wait with --force; 0s: no limit", "0s");
  addSwitch(command, "--save-config", "keep the file's object in an annotation, for client-side apply");
  command.option("--subresource <name>", "replace a subresource, such as status");
  command.option("--raw <path>", "send the file as it is to this path of the server");
  addFieldManager(command);
  addValidate(command);
  addDryRun(command);
  addOutput(command);
  command.action(async (options: Options) => {
    if (options.filename === undefined) throw new CliError("must specify --filename to replace");
    if (options.raw !== undefined) {
      const { sendRaw } = await import("./raw-request.js");
      await sendRaw(session, "PUT", { ...options, path: options.raw });
      return;
    }
    requireForce(options);
    if (options.force && options.dryRun !== "none") throw new CliError("--dry-run can not be used when --force is set");
    const { targets, errors } = await fileTargets(session, options);
    if (targets.length + errors.length === 0) throw new CliError("no objects passed to replace");
    const failed = await writeAll(session, { targets, options, label: "replacing" }, (target) =>
      replaced(session, target, options),
    );
    throwAll([...errors, ...failed]);
  });
}

/** @throws CliError for options of deletions without one */
function requireForce({ force, gracePeriod, timeout }: Options): void {
  if (force) return;
  if (Number(gracePeriod) >= 0) throw new CliError("--grace-period must have --force specified");
  if (parseGoDuration(timeout) !== 0) throw new CliError("--timeout must have --force specified");
}

async function replaced(session: Session, target: Target, options: Options): Promise<Written> {
  const client = await clientOf(session, target);
  const names = await session.vocabulary();
  const given = target.object as JsonObject;
  const annotation = names.annotations.orchctlLastAppliedConfiguration;
  const { signal } = session;
  const write = {
    fieldManager: managerOf(names, "replace", options),
    fieldValidation: fieldValidationOf(options),
    dryRun: options.dryRun === "server",
    signal,
  };
  if (options.force) {
    const live = await client.find(target.name, { signal });
    if (live !== undefined) await deleteFirst(session, { ...target, object: live }, options);
    const { resourceVersion: _, uid: __, ...metadata } = metaOf(given);
    const object = { ...given, metadata: metadata as JsonObject };
    return { verb: "replaced", object: await sourcedWrite("creating", target, () => client.create(object, write)) };
  }
  if (target.name === "") throw new CliError(`${target.source}: ${targetText(target)}: metadata.name is not set`);
  const live = await sourcedWrite("replacing", target, () => client.get(target.name, { signal }));
  const hasNote = metaOf(live).annotations?.[annotation] !== undefined;
  const object = options.saveConfig || hasNote ? withLastApplied(given, annotation) : given;
  if (options.dryRun === "client") return { verb: "replaced", object };
  const { subresource } = options;
  const put = () =>
    subresource === undefined
      ? client.update(object, write)
      : client.updateSubresource(target.name, subresource, object, write);
  return { verb: "replaced", object: await sourcedWrite("replacing", target, put) };
}

async function deleteFirst(session: Session, target: Target, { gracePeriod, timeout, output }: Options): Promise<void> {
  const client = await clientOf(session, target);
  const seconds = Number(gracePeriod);
  if (!Number.isInteger(seconds))
    throw new CliError(`--grace-period: ${JSON.stringify(gracePeriod)} is not a number of seconds`);
  const timeoutMs = parseGoDuration(timeout);
  if (timeoutMs === undefined)
    throw new CliError(`--timeout: ${JSON.stringify(timeout)} is not a duration, such as 30s`);
  try {
    await client.delete(target.name, {
      propagationPolicy: "Background",
      ...(seconds < 0 ? {} : { gracePeriodSeconds: seconds }),
      signal: session.signal,
    });
  } catch (error) {
    if (!isCode(error, 404)) throw error;
  }
  await removed(session, [target], timeoutMs > 0 ? { timeoutMs } : {});
  if (output === undefined) session.write(deletedText(target, seconds === 0));
}
