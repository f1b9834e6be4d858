// Client-side apply of one object: a three-way patch of the annotation, the file and the server's object. Source:
// kubectl/pkg/cmd/apply/apply.go and patcher.go.
import { setTimeout as pause } from "node:timers/promises";
import type { PatchType, ResourceClient, WriteOptions } from "@orch/client";
import { isCode, rulesOfStruct, UNKNOWN_PATCH_RULES } from "@orch/machinery";
import { type JsonObject, loadSchema, type Vocabulary } from "@orch/schema";
import { inKeyOrder } from "../../../output/format";
import type { Session } from "../../../session/session";
import { sourcedWrite } from "../from-source";
import { removed } from "../removal";
import { clientOf, type Target, targetText } from "../targets";
import { lastApplied, withLastApplied, withoutNulls } from "./last-applied";
import { threeWayPatch } from "./three-way";

export interface ClientSideOptions {
  readonly fieldManager: string;
  /** Deletes and creates an object that cannot be patched. */
  readonly force: boolean;
  /** Time that such an object has to stop; undefined: that of its kind. */
  readonly gracePeriodSeconds?: number;
  readonly dryRun: "none" | "client" | "server";
  readonly fieldValidation: "Strict" | "Warn" | "Ignore";
}

export interface ClientSideResult {
  readonly verb: "created" | "configured" | "unchanged";
  readonly object: JsonObject;
}

const TRIES = 5;
const PAUSE_MS = 1000;

/** Applies the object. */
export async function applyOnClient(
  session: Session,
  target: Target,
  options: ClientSideOptions,
): Promise<ClientSideResult> {
  const client = await clientOf(session, target);
  const names = await session.vocabulary();
  const annotation = names.annotations.orchctlLastAppliedConfiguration;
  const modified = inKeyOrder(withoutNulls(withLastApplied(target.object as JsonObject, annotation))) as JsonObject;
  const write: WriteOptions = {
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
    dryRun: options.dryRun === "server",
    signal: session.signal,
  };
  const live = await client.find(target.name, { signal: session.signal });
  if (live === undefined) {
    if (options.dryRun === "client") return { verb: "created", object: modified };
    const object = await sourcedWrite("creating", target, () => client.create(modified, write));
    return { verb: "created", object };
  }
  if (lastApplied(live, annotation) === undefined) {
    session.warn(
      `${targetText(target)} has no annotation ${annotation}, which client-side apply needs to know what was applied last: it is added now. Fields that the file no longer has are not removed this time.`,
    );
  }
  return patched({ session, target, client, names, write, options }, modified, live);
}

interface Work {
  readonly session: Session;
  readonly target: Target;
  readonly client: ResourceClient;
  readonly names: Vocabulary;
  readonly write: WriteOptions;
  readonly options: ClientSideOptions;
}

async function patched(work: Work, modified: JsonObject, first: JsonObject): Promise<ClientSideResult> {
  const { session, target, client, names, write, options } = work;
  const annotation = names.annotations.orchctlLastAppliedConfiguration;
  const { rules, type } = patchForm(names, target);
  let live = first;
  for (let tries = 1; ; tries += 1) {
    const original = lastApplied(live, annotation) ?? {};
    const patch = threeWayPatch(rules, { original, modified, current: live });
    if (Object.keys(patch).length === 0) return { verb: "unchanged", object: live };
    if (options.dryRun === "client") return { verb: "configured", object: live };
    try {
      return { verb: "configured", object: await client.patch(target.name, type, patch, write) };
    } catch (error) {
      if (isCode(error, 409) && tries < TRIES) {
        if (tries > 1) await pause(PAUSE_MS, undefined, { signal: session.signal });
        live = await client.get(target.name, { signal: session.signal });
      } else if (options.force && options.dryRun === "none" && isCode(error, 409, 422)) {
        return { verb: "configured", object: await recreated(work, modified, live) };
      } else {
        await sourcedWrite("applying patch for", target, () => Promise.reject(error));
      }
    }
  }
}

/** Deletes the object, waits until it is gone, and creates it. The former object is restored when that fails. */
async function recreated({ session, target, client, write, options }: Work, modified: JsonObject, live: JsonObject) {
  const { gracePeriodSeconds } = options;
  await client.delete(target.name, {
    propagationPolicy: "Background",
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    signal: session.signal,
  });
  await removed(session, [{ ...target, object: live }], {});
  try {
    return await client.create(modified, write);
  } catch (error) {
    const { resourceVersion: _, uid: __, ...metadata } = live["metadata"] as JsonObject;
    await client.create({ ...live, metadata }, { ...write, fieldValidation: "Ignore" });
    throw error;
  }
}

/** Returns the form of the patch: strategic for kinds whose merge rules are known, else a merge patch. */
function patchForm(names: Vocabulary, { type: { group, version, kind } }: Target) {
  const struct = loadSchema(names).objectType(group, version, kind)?.struct;
  return struct === undefined
    ? { rules: UNKNOWN_PATCH_RULES, type: "merge" as PatchType }
    : { rules: rulesOfStruct(struct), type: "strategic" as PatchType };
}
