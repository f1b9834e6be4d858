// How the server's own objects are stored, but for the uid and the times of each: they do not differ from cluster to cluster. Of what is
// built in that is made once in a process, by the steps of every create, or by the build, for the programs that come out of its pack.
import { createHash } from "node:crypto";
import { copyJson, generateUid, timestamp } from "@orch/machinery";
import { type Clock, madeByBuild } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import { encodeHub } from "../objects/resource-form";
import type { WriteContext } from "../registry";
import type { ResourceContext } from "../resource-context";
import { asHub } from "./create";
import { shapeNew } from "./prepare-new";
import { TriedWrite } from "./write-step";

/** Stand for what is filled in, and occur nowhere else. */
const TIME_MS = Date.UTC(9876, 4, 3, 21, 9, 8);
const TIME = timestamp(TIME_MS);
const BYTES = new Uint8Array(16).fill(0xf9);
const UID = generateUid(() => BYTES);

/** By the key of what is built in, and by all else that they depend on, in short. */
const prepared = new Map<string, Map<string, string>>();

/** @returns those of this process, for the build to keep by the names that they are asked for by */
export const preparedSeeds = (): Readonly<Record<string, string>> =>
  Object.fromEntries([...prepared].map(([key, texts]) => [nameOf(key), JSON.stringify([...texts])]));

const nameOf = (builtInKey: string): string => `seeds ${builtInKey}`;

function preparedFor(builtInKey: string): Map<string, string> {
  let texts = prepared.get(builtInKey);
  if (texts === undefined) {
    texts = new Map(JSON.parse(madeByBuild(nameOf(builtInKey)) ?? "[]") as [string, string][]);
    prepared.set(builtInKey, texts);
  }
  return texts;
}

/** @param object canonical @returns the text that is stored of it now */
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
  const tried = new TriedWrite(blank, write);
  write.version.type.applyDefaults(object);
  const next = asHub(blank, object, tried);
  shapeNew(blank, next, tried);
  return encodeHub(blank.form, next).toString();
}
