// The claims that each pod of a stateful set gets. They are whole objects, but what travels as protobuf says nothing of the kind of an
// object inside another: they are named here whatever came, so that they are the same from every client.
import type { Completion } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import type { DefaultRule } from "../model/defaults/default-rules";
import { fieldAt } from "../values/field-path";

const NAMED = { kind: "PersistentVolumeClaim", apiVersion: "v1" } as const;

const TEMPLATES = ["spec", "volumeClaimTemplates"] as const;

export const nameClaimTemplates: DefaultRule = (object) => {
  const templates = fieldAt(object, TEMPLATES);
  if (!Array.isArray(templates)) return;
  templates.forEach((template, index) => {
    if (isObject(template)) templates[index] = named(template);
  });
};

function named(template: JsonObject): JsonObject {
  if (template["kind"] === NAMED.kind && template["apiVersion"] === NAMED.apiVersion) return template;
  return { ...NAMED, ...template, ...NAMED };
}

/** What was stored before templates were named. */
export const unnamedClaimTemplates = (): Completion => ({ members: [], odd: ['"volumeClaimTemplates":[{"metadata":'] });
