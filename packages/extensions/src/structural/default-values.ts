// Validation of defaults: a default must be valid for the schema that contains it.
// Source: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting/validation.go.
import { copyJson, type FieldError, field, fieldPath } from "@orch/machinery";
import {
  DecodeError,
  dynamicStruct,
  isObject,
  type JsonObject,
  type JsonValue,
  StructObjectType,
  type StructType,
  setMember,
} from "@orch/schema";
import { CheckedNode } from "./checked-node";
import { contentErrors } from "./content-errors";
import { embeddedErrors } from "./embedded-resource";
import type { RuleBudget, RuleLanguage } from "./place-rules";
import { RuleTree } from "./rule-walk";
import { nodeType, typeSource } from "./runtime-types";
import { additionalOf, hasDefault, itemsOf, type Markers, propertiesOf, saysTrue } from "./schema-node";
import { stepsFor, Walk } from "./walk";

export interface DefaultsSource {
  readonly markers: Markers;
  readonly metadata: StructType;
  /** Whether errors of types, lengths and counts have kinds of their own. */
  readonly hasErrorKinds?: boolean | undefined;
  /** Language of the schema's rules, which defaults are checked by as well. Absent: by no rules. */
  readonly rules?: RuleLanguage | undefined;
}

/** Path from an embedded resource down to a default in its metadata. */
type MetaSteps = readonly (string | "items")[];

const META_FIELDS: ReadonlySet<string> = new Set(["metadata", "kind", "apiVersion"]);

/** Returns the errors of all defaults. @param path path of the schema's root */
export function defaultErrors(schema: JsonObject, path: string, source: DefaultsSource): readonly FieldError[] {
  const errors: FieldError[] = [];
  const whole = schema["default"];
  if (isObject(whole)) errors.push(...embeddedErrors(whole, fieldPath.child(path, "default"), source.metadata));
  collect(schema, path, undefined, { ...source, errors, budget: source.rules?.budget() });
  return errors;
}

interface Search extends DefaultsSource {
  readonly errors: FieldError[];
  /** Budget of the rules of all defaults. */
  readonly budget: RuleBudget | undefined;
}

/**
 * Collects the errors of a node's defaults.
 * @param inMeta path of the node from the resource whose metadata, kind or apiVersion contains it; undefined outside of
 * these
 */
function collect(node: JsonObject, path: string, inMeta: MetaSteps | undefined, search: Search): void {
  if (hasDefault(node)) {
    const value = node["default"] as JsonValue;
    const at = fieldPath.child(path, "default");
    const { markers, metadata, hasErrorKinds = false } = search;
    const site = { markers, hasNameFormats: false, hasErrorKinds, isOfDefaults: hasErrorKinds };
    const found = [
      ...(inMeta === undefined ? unknownFieldErrors(node, value, at, markers) : metaErrors(value, at, inMeta, search)),
      ...contentErrors(new CheckedNode(node, site), value, { front: at, metadata }),
    ];
    search.errors.push(...(found.length > 0 ? found : ruleErrors(node, value, at, search)));
  }
  const isResource = saysTrue(node, search.markers.embeddedResource);
  const properties = fieldPath.child(path, "properties");
  for (const [name, child] of propertiesOf(node)) {
    const below = isResource && META_FIELDS.has(name) ? [name] : inMeta && [...inMeta, name];
    collect(child, fieldPath.key(properties, name), below, search);
  }
  const items = itemsOf(node);
  if (items !== undefined) collect(items, fieldPath.child(path, "items"), inMeta && [...inMeta, "items"], search);
  const additional = additionalOf(node);
  if (additional !== undefined) {
    collect(additional, fieldPath.child(path, "additionalProperties"), inMeta && [...inMeta, "key"], search);
  }
}

/** Reports violations of the rules at and below a node: of an object that keeps the default, and of a new one. */
function ruleErrors(node: JsonObject, value: JsonValue, at: string, search: Search): readonly FieldError[] {
  const { markers, metadata, rules: language, budget } = search;
  if (language === undefined || budget === undefined) return [];
  const tree = RuleTree.of(node, markers, { isRoot: false });
  if (tree === undefined) return [];
  const errorsOf = (old: JsonValue | undefined): readonly FieldError[] => {
    const walk = new Walk(at, metadata, stepsFor(value), true);
    tree.check({ self: value, old }, walk, { language, budget });
    return walk.allErrors;
  };
  const found = errorsOf(value);
  return found.length > 0 ? found : errorsOf(undefined);
}

/** Metadata type for the search for unknown fields: unknown fields of metadata are accepted here. */
const ANY_METADATA = dynamicStruct({ name: "metadata", fields: [], keepsUnknownFields: true, validatesLater: true });

/** Reports a value of which decoding would drop a part. */
function unknownFieldErrors(node: JsonObject, value: JsonValue, at: string, markers: Markers): readonly FieldError[] {
  if (typeof value !== "object" || value === null) return [];
  const type = nodeType(node, "default", typeSource({ markers, metadata: ANY_METADATA, keepsAll: false }));
  const holder = dynamicStruct({ name: "default", fields: [{ name: "default", type }], validatesLater: true });
  try {
    const { problems } = new StructObjectType("default", holder).decode({ default: copyJson(value) });
    return problems.length === 0 ? [] : [field.invalid(at, value, "must not have unknown fields")];
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return [field.invalid(at, value, `must be a value that can be stored: ${error.message}`)];
  }
}

/** Validates a default in the metadata of a resource: the resource is built with that part alone. */
function metaErrors(
  value: JsonValue,
  at: string,
  steps: MetaSteps,
  { metadata }: DefaultsSource,
): readonly FieldError[] {
  const [top] = steps;
  const resource = steps.reduceRight<JsonValue>((inner, step) => {
    if (step === "items") return [inner];
    const outer: JsonObject = {};
    setMember(outer, step, inner);
    return outer;
  }, value);
  if (!isObject(resource)) return [];
  return embeddedErrors(resource, "", metadata)
    .filter(({ path }) => path === top || path.startsWith(`${top}.`))
    .map((error) => field.invalid(at, value, `must result in valid metadata: ${field.fieldErrorText(error)}`));
}
