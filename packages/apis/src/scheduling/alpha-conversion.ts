// Conversion of workloads and pod groups of scheduling/v1alpha2, the version of 1.36: the disruption mode is a word
// there, and the reference to the template of a group is nested. Fields that v1alpha2 lacks are dropped. Source:
// staging/src/k8s.io/api/scheduling/v1alpha2/types.go, KEP-4671 "Gang Scheduling".
import { type Conversion, objectsAt } from "@orch/apis-model";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";

export const workloadAlphaConversion: Conversion = {
  toHub: (object) => eachTemplate(object, modeToHub),
  fromHub: (object) => eachTemplate(object, modeFromHub),
  carryInvalid: ({ spec }, { spec: hub }) => {
    if (!isObject(spec) || !isObject(hub)) return;
    const templates = objectsAt(hub, "podGroupTemplates");
    for (const [at, template] of objectsAt(spec, "podGroupTemplates").entries()) carryWord(template, templates[at]);
  },
};

export const podGroupAlphaConversion: Conversion = {
  toHub: (object) => {
    const { spec } = object;
    if (!isObject(spec)) return object;
    const { podGroupTemplateRef: reference, ...rest } = spec;
    const workload = isObject(reference) ? reference["workload"] : undefined;
    return {
      ...object,
      spec: modeToHub(isObject(workload) ? { ...rest, workloadRef: referenceToHub(workload) } : rest),
    };
  },
  fromHub: (object) => {
    const { spec } = object;
    if (!isObject(spec)) return object;
    const { workloadRef: reference, ...rest } = spec;
    const nested = isObject(reference) ? { podGroupTemplateRef: { workload: referenceFromHub(reference) } } : {};
    return { ...object, spec: modeFromHub({ ...nested, ...rest }) };
  },
  carryInvalid: ({ spec }, { spec: hub }) => {
    if (isObject(spec)) carryWord(spec, hub);
  },
};

const referenceToHub = ({ workloadName = "", podGroupTemplateName = "" }: JsonObject): JsonObject => ({
  workloadName,
  templateName: podGroupTemplateName,
});

const referenceFromHub = ({ workloadName = "", templateName = "" }: JsonObject): JsonObject => ({
  workloadName,
  podGroupTemplateName: templateName,
});

function eachTemplate(object: JsonObject, convert: (template: JsonObject) => JsonObject): JsonObject {
  const { spec } = object;
  if (!isObject(spec) || !Array.isArray(spec["podGroupTemplates"])) return object;
  return { ...object, spec: { ...spec, podGroupTemplates: objectsAt(spec, "podGroupTemplates").map(convert) } };
}

/** A word that is no mode becomes a mode without a member, which validation rejects. */
function modeToHub({ disruptionMode: mode, ...rest }: JsonObject): JsonObject {
  if (mode === undefined || mode === null) return rest;
  return { ...rest, disruptionMode: mode === "PodGroup" ? { all: {} } : mode === "Pod" ? { single: {} } : {} };
}

/** Keeps a word that is no mode beside the missing member, for the message of validation. */
function carryWord({ disruptionMode: word }: JsonObject, hub: JsonValue | undefined): void {
  const mode = isObject(hub) ? hub["disruptionMode"] : undefined;
  if (typeof word === "string" && isObject(mode) && Object.keys(mode).length === 0) mode["word"] = word;
}

function modeFromHub({ disruptionMode: mode, ...rest }: JsonObject): JsonObject {
  if (!isObject(mode)) return rest;
  const word = isObject(mode["all"]) ? "PodGroup" : isObject(mode["single"]) ? "Pod" : (mode["word"] ?? "");
  return { ...rest, disruptionMode: word };
}
