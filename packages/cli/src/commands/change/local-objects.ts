// Objects of files that a command changes without a server: `--local`. Source: cli-runtime/pkg/resource/builder.go, Local.
import type { DiscoveredResource, PatchType } from "@orch/client";
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  nameOf,
  namespaceOf,
  readJsonPatch,
} from "@orch/machinery";
import {
  type JsonObject,
  type JsonValue,
  loadSchema,
  VOCABULARY_NAMES,
  type Vocabulary,
  vocabularyOf,
} from "@orch/schema";
import { CliError } from "../../process/cli-error";
import { readManifests } from "../../resources/manifests";
import type { Session } from "../../session/session";
import type { DryRun, FileOptions, SelectorOptions } from "./options";
import { type Chosen, selectorOf, type Target } from "./targets";

/** Limit of the server for the operation `copy`. */
const COPY_MAX_BYTES = 3 * 1024 * 1024;

/** @throws CliError for options that need a server, and when no file is given */
export function requireLocal(
  words: readonly string[],
  { filename, dryRun, all = false, fieldSelector }: FileOptions & SelectorOptions & { readonly dryRun: DryRun },
): void {
  if (dryRun === "server") {
    throw new CliError("cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
  }
  if (words.length > 0 || filename === undefined || all || fieldSelector !== undefined) {
    throw new CliError("--local changes the objects of files: give them with -f, and no names");
  }
}

/** Returns the objects of the files. Nothing is asked of a server: their resources are known by their kinds alone. */
export async function localTargets(
  session: Session,
  { filename = [], recursive = false, selector }: FileOptions & Pick<SelectorOptions, "selector">,
): Promise<Chosen> {
  const matches = selector === undefined ? undefined : selectorOf(selector);
  const targets: Target[] = [];
  const errors: unknown[] = [];
  const onError = (error: CliError) => errors.push(error);
  const timeoutMs = session.requestTimeoutMs();
  for await (const { object, source } of readManifests(filename, session.io, { recursive, timeoutMs, onError })) {
    if (matches?.(object) === false) continue;
    const namespace = namespaceOf(object);
    const name = nameOf(object);
    targets.push({ type: typeOf(object), namespace: namespace === "" ? undefined : namespace, name, object, source });
  }
  return { targets, errors };
}

function typeOf(object: JsonObject): DiscoveredResource {
  const words = String(object["apiVersion"]).split("/");
  const kind = String(object["kind"]);
  return {
    group: words.length > 1 ? (words[0] as string) : "",
    version: words.at(-1) as string,
    kind,
    resource: kind.toLowerCase(),
    singular: kind.toLowerCase(),
    namespaced: namespaceOf(object) !== "",
    shortNames: [],
    categories: [],
    verbs: [],
    subresources: [],
  };
}

/** Returns the vocabulary of a kind: the one that has it. Kinds of the core group are in both. */
export function vocabularyOfKind({ type }: Target): Vocabulary {
  const has = (names: Vocabulary) => loadSchema(names).objectType(type.group, type.version, type.kind) !== undefined;
  return VOCABULARY_NAMES.map((name) => vocabularyOf(name)).find(has) ?? vocabularyOf("kubernetes");
}

interface LocalPatch {
  readonly target: Target;
  readonly before: JsonObject;
  readonly patch: JsonValue;
  readonly type: PatchType;
}

/** Returns the object as the server would patch it. @throws CliError when the merge rules of its kind are not known */
export function locallyPatched(names: Vocabulary, { target, before, patch, type }: LocalPatch): JsonObject {
  switch (type) {
    case "json":
      return applyJsonPatch(before, readJsonPatch(patch), { copyMaxBytes: COPY_MAX_BYTES }) as JsonObject;
    case "merge":
      return applyMergePatch(before, patch) as JsonObject;
    case "strategic": {
      const { group, version, kind } = target.type;
      const struct = loadSchema(names).objectType(group, version, kind)?.struct;
      if (struct !== undefined) return applyStrategicMergePatch(struct, before, patch);
      throw new CliError(`strategic merge patch is not supported for ${kind} locally, try --type merge`);
    }
  }
}
