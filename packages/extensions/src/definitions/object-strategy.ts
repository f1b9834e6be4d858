// Strategy of custom resources: what a write may change, in which version the object is validated, and when the
// generation increases.
// Source: staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresource/strategy.go.
import {
  copyJson,
  type FieldError,
  type FieldSet,
  type GroupVersion,
  LEAF,
  metaOf,
  NAME_RULES,
  StatusError,
  type Strategy,
  type Subresource,
  sameJson,
  writableMeta,
} from "@orch/machinery";
import { type JsonObject, type JsonValue, nextInteger } from "@orch/schema";
import type { CustomVersion } from "./custom-version";
import { scaleErrors } from "./scale-paths";

export interface StrategyParts {
  readonly group: string;
  readonly plural: string;
  readonly storage: CustomVersion;
  /** Returns the version of a request. */
  readonly versionOf: (through: GroupVersion) => CustomVersion;
  /** Reports whether the definition is being deleted. Creations are rejected then. */
  readonly isTerminating: () => boolean;
}

export function objectStrategy(parts: StrategyParts): Strategy {
  const hasStatus = (through: GroupVersion | undefined) =>
    (through === undefined ? parts.storage : parts.versionOf(through)).hasStatus;
  return {
    createOnUpdate: false,
    unconditionalUpdate: false,
    nameErrors: NAME_RULES.subdomain,
    prepareForCreate(object, context) {
      if (parts.isTerminating()) throw createRefused(parts);
      if (hasStatus(context?.version)) delete object["status"];
      writableMeta(object)["generation"] = 1;
    },
    prepareForUpdate(object, old, context) {
      const ownStatus = hasStatus(context?.version);
      if (ownStatus) take(object, old, "status");
      const generation = metaOf(old).generation ?? 0;
      writableMeta(object)["generation"] = sameContent(object, old, ownStatus)
        ? (generation as JsonValue)
        : nextInteger(generation as number);
    },
    resets: (through) => (hasStatus(through) ? STATUS : undefined),
    validateCreate: (object, through) => errorsOf(parts, { object, through }),
    validateUpdate: (object, old, through, warn) => errorsOf(parts, { object, old, through, warn }),
  };
}

/** Returns the status subresource, which leaves everything but the status unchanged. */
export function statusOf(parts: StrategyParts): Subresource {
  const rules: Subresource = {
    verbs: ["get", "update", "patch"],
    resets: SPEC,
    prepareForUpdate(object, old) {
      const { managedFields, resourceVersion } = metaOf(object) as JsonObject;
      const status = object["status"];
      for (const member of Object.keys(object)) if (!IDENTITY.has(member)) delete object[member];
      for (const [member, value] of Object.entries(old)) if (!IDENTITY.has(member)) object[member] = value;
      if (status === undefined) delete object["status"];
      else object["status"] = status;
      const { managedFields: _, ...kept } = metaOf(old) as JsonObject;
      object["metadata"] = {
        ...kept,
        ...(managedFields === undefined ? {} : { managedFields }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      };
    },
    validateUpdate: (object, old, through, warn) => errorsOf(parts, { object, old, through, warn, isStatus: true }),
  };
  return { ...rules, through: (parent) => (parts.versionOf(parent).hasStatus ? rules : undefined) };
}

const STATUS: FieldSet = { "f:status": LEAF };
const SPEC: FieldSet = { "f:spec": LEAF };
const IDENTITY: ReadonlySet<string> = new Set(["kind", "apiVersion", "metadata"]);

/**
 * Validates an object against the schema of the version in which it was written, in the form shown in that version.
 * @param of the objects in the storage version
 */
function errorsOf(
  { storage, versionOf }: StrategyParts,
  of: {
    readonly object: JsonObject;
    readonly old?: JsonObject;
    readonly through: GroupVersion;
    readonly warn?: ((text: string) => void) | undefined;
    readonly isStatus?: boolean;
  },
): readonly FieldError[] {
  const { object, old, through, ...more } = of;
  const version = versionOf(through);
  const shown = (each: JsonObject) =>
    version === storage || version.fromStorage === undefined ? each : version.fromStorage(copyJson(each));
  const checked = shown(object);
  return [...version.validate(checked, old && { old: shown(old), ...more }), ...scaleErrors(version.scale, checked)];
}

function createRefused({ group, plural: resource }: StrategyParts): StatusError {
  const text = "create not allowed while custom resource definition is terminating";
  return new StatusError("MethodNotAllowed", text, { group, kind: resource });
}

/** Compares the parts that increase the generation: not the metadata, and not the status when it is a subresource. */
function sameContent(object: JsonObject, old: JsonObject, ownStatus: boolean): boolean {
  const counted = ({ metadata: _, status, kind: __, apiVersion: ___, ...rest }: JsonObject): JsonObject =>
    ownStatus || status === undefined ? rest : { ...rest, status };
  return sameJson(counted(object), counted(old));
}

function take(object: JsonObject, from: JsonObject, member: string): void {
  const value = from[member];
  if (value === undefined) delete object[member];
  else object[member] = value;
}
