// The sub-resource that shows and sets how many replicas its parent wants. Source: facts, strategy.json "_scale".
import {
  field,
  labelSelectorOfObject,
  labelSelectorText,
  metaOf,
  type ServedVersion,
  type Strategy,
  type Subresource,
} from "@orch/machinery";
import type { JsonObject, JsonValue, ObjectType, Schema } from "@orch/schema";
import { SCALE, type ScaleRules } from "./built-in-resource";
import { fieldAt, isObject, objectAt } from "./field-path";

/** @param strategy of the parent, whose rules every change of its scale goes by */
export function scaleOf({ scales }: ScaleRules, strategy: Strategy, schema: Schema): Subresource {
  const version = new ScaleVersion(schema);
  return {
    verbs: ["get", "update", "patch"],
    prepareForUpdate: (object, old, request) => strategy.prepareForUpdate?.(object, old, request),
    validateUpdate: (object, old, through) => [
      ...(strategy.validate?.(object, through) ?? []),
      ...(strategy.validateUpdate?.(object, old, through) ?? []),
    ],
    view: {
      version,
      read: (parent) => scaleOfParent(version, parent, scales),
      write(parent, scale) {
        objectAt(parent, "spec")["replicas"] = fieldAt(scale, REPLICAS) ?? 0;
      },
      validate(scale) {
        const replicas = fieldAt(scale, REPLICAS) ?? 0;
        const fits = typeof replicas === "number" && replicas >= 0;
        return fits ? [] : [field.invalid("spec.replicas", replicas, "must be greater than or equal to 0")];
      },
    },
  };
}

const REPLICAS = ["spec", "replicas"];

function scaleOfParent({ type, kind, apiVersion }: ServedVersion, parent: JsonObject, scales: ScaleRules["scales"]) {
  const { name = "", namespace = "", uid = "", resourceVersion = "", creationTimestamp = null } = metaOf(parent);
  const selector = selectorText(fieldAt(parent, ["spec", "selector"]), scales);
  return type.decode({
    kind,
    apiVersion,
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: fieldAt(parent, REPLICAS) ?? 0 },
    status: { replicas: fieldAt(parent, ["status", "replicas"]) ?? 0, selector },
  }).value;
}

/** As clients send it when they list what is scaled. */
function selectorText(selector: JsonValue | undefined, form: ScaleRules["scales"]): string {
  if (!isObject(selector)) return "";
  return labelSelectorText(labelSelectorOfObject(form === "labels" ? { matchLabels: selector } : selector));
}

class ScaleVersion implements ServedVersion {
  readonly group = SCALE.group;
  readonly version = SCALE.version;
  readonly kind = SCALE.kind;
  readonly apiVersion = `${SCALE.group}/${SCALE.version}`;
  readonly #schema: Schema;
  #type: ObjectType | undefined;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  get type(): ObjectType {
    this.#type ??= this.#schema.objectType(this.group, this.version, this.kind);
    if (this.#type === undefined) throw new Error(`the schema knows no ${this.apiVersion} ${this.kind}`);
    return this.#type;
  }
}
