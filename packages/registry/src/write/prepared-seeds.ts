// Stored form of the server's own objects with placeholders for uid and times, which alone differ between clusters. For
// built-in kinds the text is computed once per process with the steps of a create, or by the build for the packed
// programs.
import { createHash } from "node:crypto";
import { copyJson, generateUid, timestamp } from "@orch/machinery";
import { type Clock, generatedByBuild } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { WriteContext } from "../contract/operations";
import { encodeHub } from "../objects/resource-form";
import { asHub } from "./create";
import { setServerFields } from "./prepare-new";
import { WriteAttempt } from "./write-step";

/** Placeholders, which occur nowhere else in the texts. */
const TIME_MS = Date.UTC(9876, 4, 3, 21, 9, 8);
const TIME = timestamp(TIME_MS);
const BYTES = new Uint8Array(16).fill(0xf9);
const UID = generateUid(() => BYTES);

/** Prepared texts by the key of the built-in definitions, and by a hash of all other inputs. */
const prepared = new Map<string, Map<string, string>>();

/** @returns the texts of this process, under the names by which the build keeps them */
export const preparedSeeds = (): Readonly<Record<string, string>> =>
  Object.fromEntries([...prepared].map(([key, texts]) => [nameOf(key), JSON.stringify([...texts])]));

const nameOf = (builtInKey: string): string => `seeds ${builtInKey}`;

function preparedFor(builtInKey: string): Map<string, string> {
  let texts = prepared.get(builtInKey);
  if (texts === undefined) {
    texts = new Map(JSON.parse(generatedByBuild(nameOf(builtInKey)) ?? "[]") as [string, string][]);
    prepared.set(builtInKey, texts);
  }
  return texts;
}

/** Returns the text to store now. @param object canonical */
export function seedText(context: ResourceContext, object: JsonObject, write: WriteContext): string {
  const { clock, randomness } = context;
  return preparedText(context, object, write)
    .replaceAll(UID, generateUid(randomness))
    .replaceAll(TIME, timestamp(clock.now()));
}

function preparedText(context: ResourceContext, object: JsonObject, write: WriteContext): string {
  const { definition, tracksFields, marksSubresources } = context;
  const { builtInKey, group, plural } = definition;
  if (builtInKey === undefined) return prepare(context, copyJson(object), write);
  const of = [group, plural, write.version.apiVersion, write.manager, tracksFields, marksSubresources];
  const key = createHash("sha1")
    .update(JSON.stringify([...of, object]))
    .digest("base64");
  const texts = preparedFor(builtInKey);
  const text = texts.get(key) ?? prepare(context, copyJson(object), write);
  texts.set(key, text);
  return text;
}

function prepare(context: ResourceContext, object: JsonObject, write: WriteContext): string {
  const clock: Clock = { ...context.clock, now: () => TIME_MS };
  const blank: ResourceContext = { ...context, admission: undefined, clock, randomness: () => BYTES };
  const tried = new WriteAttempt(blank, write);
  write.version.type.applyDefaults(object);
  const next = asHub(blank, object, tried);
  setServerFields(blank, next, tried);
  return encodeHub(blank.form, next).toString();
}
