// Volume claim templates of stateful sets. Kind and apiVersion are always set, because protobuf does not carry them for
// nested objects; the stored object is then the same for every client.

import { type DefaultRule, fieldAt } from "@orch/apis-model";
import type { Completion } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";

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

/** Objects that were stored before kind and apiVersion were set. */
export const unnamedClaimTemplates = (): Completion => ({ members: [], odd: ['"volumeClaimTemplates":[{"metadata":'] });
