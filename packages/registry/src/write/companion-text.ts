// Encoded form of companions: the text of each model is computed once, and a companion costs little more than its
// values.
import { type Companion, copyJson, generateUid, stampNewObject, timestamp } from "@orch/machinery";
import type { Clock } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { ResourceForm } from "../objects/resource-form";
import { encodeHub } from "../objects/resource-form";
import { trackFields } from "./field-tracking";
import { toHub } from "./write-step";

/** Placeholders, which occur nowhere else in the texts. */
const TIME_MS = Date.UTC(9876, 4, 3, 21, 9, 8);
const TIME = timestamp(TIME_MS);
const BYTES = new Uint8Array(16).fill(0xf9);
const UID = generateUid(() => BYTES);
const PLACEHOLDER = new RegExp(`\\{(\\d)\\}|(${UID})|(${TIME})`, "g");

interface Template {
  /** Texts, alternating with what stands between them. */
  readonly texts: readonly string[];
  readonly between: readonly (number | "uid" | "time")[];
}

/** Templates by the form in which the objects are stored, and by model. */
const templates = new WeakMap<ResourceForm, Map<JsonObject, Template>>();

/** Returns the bytes of a companion, as a create would store it. */
export function companionBytes(context: ResourceContext, { model, values }: Companion): Buffer {
  const { texts, between } = templateOf(context, model);
  const now = timestamp(context.clock.now());
  const uid = generateUid(context.randomness);
  let text = texts[0] ?? "";
  between.forEach((what, position) => {
    text += what === "uid" ? uid : what === "time" ? now : JSON.stringify(values[what] ?? "").slice(1, -1);
    text += texts[position + 1] ?? "";
  });
  return Buffer.from(text);
}

function templateOf(context: ResourceContext, model: JsonObject): Template {
  const known = templates.get(context.form) ?? new Map<JsonObject, Template>();
  templates.set(context.form, known);
  const template = known.get(model) ?? newTemplate(context, model);
  known.set(model, template);
  return template;
}

function newTemplate(context: ResourceContext, model: JsonObject): Template {
  const text = modelText(context, model);
  const texts: string[] = [];
  const between: Template["between"][number][] = [];
  let from = 0;
  for (const { 0: found, 1: value, 2: uid, index } of text.matchAll(PLACEHOLDER)) {
    texts.push(text.slice(from, index));
    between.push(value !== undefined ? Number(value) : uid !== undefined ? "uid" : "time");
    from = index + found.length;
  }
  texts.push(text.slice(from));
  return { texts, between };
}

/** Runs the steps of a create. The server's own objects need no admission and no validation. */
function modelText(context: ResourceContext, model: JsonObject): string {
  const { definition, vocabulary } = context;
  const clock: Clock = { ...context.clock, now: () => TIME_MS };
  const blank: ResourceContext = { ...context, clock, randomness: () => BYTES };
  const version = definition.storage;
  const next = copyJson(model);
  trackFields(blank, { old: undefined, next }, { version, manager: vocabulary.fieldManagers.apiserver });
  const hub = toHub(blank, version, next);
  stampNewObject(hub, blank);
  return encodeHub(blank.form, hub).toString();
}
