// `orch apply`: reads all objects, and applies them stage by stage.

import { isBeingDeleted } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { CliError } from "../../../process/cli-error";
import { type ManifestObject, readManifests } from "../../../resources/manifests";
import type { Session } from "../../../session/session";
import { Progress } from "../../../terminal/progress";
import { inOrder, throwAll } from "../in-order";
import { type DryRun, type FileOptions, fieldValidationOf, type ValidateOption } from "../options";
import { Outcomes } from "../outcome";
import { fileTarget, type Target, targetText } from "../targets";
import { established } from "./definitions";
import { isDefinition, stagesOf } from "./stages";

export interface ApplyCommandOptions extends FileOptions, ValidateOption {
  readonly serverSide: boolean;
  readonly forceConflicts: boolean;
  readonly force: boolean;
  readonly gracePeriod: string;
  readonly fieldManager?: string;
  readonly dryRun: DryRun;
  readonly output?: string;
  readonly showManagedFields?: boolean;
  readonly selector?: string;
  readonly all: boolean;
  readonly prune: boolean;
  readonly applyset?: string;
  readonly pruneAllowlist?: readonly string[];
  readonly subresource?: string;
}

/** Work on a set around the application of its objects. */
export interface SetWork {
  /** Called with all objects before the first is applied. @returns the objects to apply, such as with more labels */
  readonly before: (manifests: readonly ManifestObject[]) => Promise<readonly ManifestObject[]>;
  readonly applied: (target: Target, object: JsonObject) => void;
  /** Called when all objects are applied without an error. */
  readonly after: (outcomes: Outcomes) => Promise<void>;
}

interface Applied {
  readonly target: Target;
  readonly verb: string;
  readonly object: JsonObject;
}

export async function runApply(session: Session, options: ApplyCommandOptions, set?: SetWork): Promise<void> {
  const { filename = [], recursive = false, selector } = options;
  const errors: unknown[] = [];
  let manifests: readonly ManifestObject[] = await arrayOf(
    readManifests(filename, session.io, {
      recursive,
      timeoutMs: session.requestTimeoutMs(),
      onError: (error) => errors.push(error),
    }),
  );
  if (selector !== undefined) manifests = await selected(manifests, selector);
  if (manifests.length === 0) throwAll(errors);
  if (manifests.length === 0) throw new CliError("no objects passed to apply");
  const names = await session.vocabulary();
  if (set !== undefined) manifests = await set.before(manifests);
  const outcomes = new Outcomes(session, options, true);
  const progress = new Progress(session.io, { label: "applying", total: manifests.length });
  let count = 0;
  try {
    for (const stage of stagesOf(manifests, names)) {
      const definitions: Target[] = [];
      errors.push(
        ...(await inOrder(stage, {
          signal: session.signal,
          work: (manifest) => applied(session, manifest, options),
          finished: () => progress.advance(),
          done: ({ object: given, source }, { target, verb, object }) => {
            count += 1;
            if (isBeingDeleted(object)) {
              progress.tell(`Warning: Detected changes to resource ${target.name} which is currently being deleted.`);
            }
            set?.applied(target, object);
            if (isDefinition({ object: given, source }, names)) definitions.push(target);
            outcomes.tell(target, verb, object, (text) => progress.write(text));
          },
        })),
      );
      if (options.dryRun === "none") await established(session, definitions);
    }
  } catch (error) {
    progress.end();
    if (session.signal.aborted && count > 0) {
      session.tell(`interrupted: ${count} of ${manifests.length} objects are applied; repeat the command to continue`);
    }
    throw error;
  } finally {
    progress.end();
  }
  if (errors.length === 0) await set?.after(outcomes);
  outcomes.end();
  if (errors.length > 0 && set !== undefined) session.tell("nothing is pruned, because objects could not be applied");
  throwAll(errors);
}

async function applied(session: Session, manifest: ManifestObject, options: ApplyCommandOptions): Promise<Applied> {
  const target = await fileTarget(session, manifest);
  if (target.name === "") {
    const { generateName } = (manifest.object["metadata"] ?? {}) as { readonly generateName?: string };
    throw new CliError(
      generateName === undefined
        ? `${manifest.source}: ${targetText(target)}: metadata.name is not set`
        : `from ${generateName}: cannot use generate name with apply`,
    );
  }
  const names = await session.vocabulary();
  const fieldValidation = fieldValidationOf(options);
  if (!options.serverSide) {
    const { applyOnClient } = await import("./client-side.js");
    const fieldManager = options.fieldManager ?? names.fieldManagers.orchctlClientSideApply;
    const seconds = Number(options.gracePeriod);
    if (!Number.isInteger(seconds)) {
      throw new CliError(`--grace-period: ${JSON.stringify(options.gracePeriod)} is not a number of seconds`);
    }
    const stop = seconds < 0 ? {} : { gracePeriodSeconds: seconds };
    return {
      target,
      ...(await applyOnClient(session, target, { ...options, ...stop, fieldManager, fieldValidation })),
    };
  }
  if (options.dryRun === "client") return { target, verb: "serverside-applied", object: manifest.object };
  const { applyOnServer } = await import("./server-side.js");
  const object = await applyOnServer(session, target, {
    fieldManager: options.fieldManager ?? names.fieldManagers.orchctl,
    force: options.forceConflicts,
    dryRun: options.dryRun === "server",
    fieldValidation,
    ...(options.subresource === undefined ? {} : { subresource: options.subresource }),
  });
  return { target, verb: "serverside-applied", object };
}

async function selected(manifests: readonly ManifestObject[], selector: string): Promise<readonly ManifestObject[]> {
  const { parseLabelSelector, labelsOf } = await import("@orch/machinery");
  const matcher = parseLabelSelector(selector);
  return manifests.filter(({ object }) => matcher?.matches(labelsOf(object)) ?? true);
}

async function arrayOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
