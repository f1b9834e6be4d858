// Defaults are values of the schema that they stand in. Source: facts, validation/apiextensions.md "default values".
import { jsonText } from "@orch/machinery";
import { isLargerThan, isObject, type JsonObject, type JsonValue, type Vocabulary } from "@orch/schema";
import type { Place } from "../model/rules/place";
import type { Report } from "../model/rules/report";
import { meaningOf } from "../values/meaning";
import { Patterns } from "./patterns";
import {
  additionalOf,
  type Extensions,
  extensionsOf,
  hasDefault,
  itemsOf,
  propertyOf,
  type SchemaNode,
  structuralChildren,
} from "./schema-node";

export function checkDefaultValues(node: SchemaNode, rules: ValueRules, at: Place, report: Report): void {
  if (hasDefault(node)) {
    const place = at.field("default");
    if (hasUnknownFields(node.default as JsonValue, node, rules)) {
      report.invalid(place, node.default, "must not have unknown fields");
    }
    const breach = rules.breach(node.default as JsonValue, node);
    if (breach !== undefined) report.invalid(place, node.default, breach);
  }
  for (const child of structuralChildren(node, at)) checkDefaultValues(child.node, rules, child.at, report);
}

/** Whether storing the value would drop a part of it. */
function hasUnknownFields(value: JsonValue, node: SchemaNode, rules: ValueRules): boolean {
  if (Array.isArray(value)) {
    const items = itemsOf(node);
    return items !== undefined && value.some((each) => hasUnknownFields(each, items, rules));
  }
  if (!isObject(value)) return false;
  const { preserveUnknownFields, embeddedResource } = rules.of(node).extensions;
  return Object.entries(value).some(([name, each]) => {
    const known = propertyOf(node, name) ?? additionalOf(node);
    if (known !== undefined) return hasUnknownFields(each, known, rules);
    if (embeddedResource === true && RESOURCE_FIELDS.has(name)) return false;
    return preserveUnknownFields !== true && node.additionalProperties !== true;
  });
}

const RESOURCE_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** What a node asks of values, made once: one node may be asked of very many. */
interface NodeRules {
  readonly extensions: Extensions;
  readonly isAllowed: (value: JsonValue) => boolean;
  /** Fields that there must be and that have no default. */
  readonly required: readonly string[];
}

export class ValueRules {
  private readonly vocabulary: Vocabulary;
  private readonly patterns = new Patterns();
  private readonly known = new Map<SchemaNode, NodeRules>();

  constructor(vocabulary: Vocabulary) {
    this.vocabulary = vocabulary;
  }

  of(node: SchemaNode): NodeRules {
    let rules = this.known.get(node);
    if (rules === undefined) {
      rules = {
        extensions: extensionsOf(node, this.vocabulary),
        isAllowed: oneOf(node.enum as readonly JsonValue[] | undefined),
        required: (node.required ?? []).filter((name) => !hasDefault(propertyOf(node, name) ?? {})),
      };
      this.known.set(node, rules);
    }
    return rules;
  }

  /** The first rule of a schema that a value breaks. */
  breach(value: JsonValue, node: SchemaNode): string | undefined {
    const { extensions, isAllowed } = this.of(node);
    if (value === null) return node.nullable === true ? undefined : "must not be null";
    const { type = "" } = node;
    if (extensions.intOrString === true && !isOfType(value, "integer") && !isOfType(value, "string"))
      return "must be an integer or a string";
    if (type !== "" && !isOfType(value, type)) return `must be of type ${type}`;
    if (!isAllowed(value)) return `must be one of ${jsonText(node.enum as JsonValue)}`;
    if (typeof value === "number" || typeof value === "bigint") return numberBreach(Number(value), node);
    if (typeof value === "string") return this.textBreach(value, node);
    if (Array.isArray(value)) return this.listBreach(value, node);
    return isObject(value) ? this.objectBreach(value, node) : undefined;
  }

  private textBreach(value: string, node: SchemaNode): string | undefined {
    const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern = "" } = node;
    const characters = charactersOf(value);
    if (characters < minLength) return `must have at least ${minLength} characters`;
    if (characters > maxLength) return `must have at most ${maxLength} characters`;
    return pattern === "" ? undefined : this.patterns.breach(pattern, value);
  }

  private listBreach(value: readonly JsonValue[], node: SchemaNode): string | undefined {
    const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = node;
    if (value.length < minItems) return `must have at least ${minItems} items`;
    if (value.length > maxItems) return `must have at most ${maxItems} items`;
    const items = itemsOf(node);
    if (items === undefined) return undefined;
    for (const each of value) {
      const breach = this.breach(each, items);
      if (breach !== undefined) return breach;
    }
    return undefined;
  }

  private objectBreach(value: JsonObject, node: SchemaNode): string | undefined {
    const missing = this.of(node).required.find((name) => !Object.hasOwn(value, name));
    if (missing !== undefined) return `must have ${missing}`;
    for (const [name, each] of Object.entries(value)) {
      const known = propertyOf(node, name) ?? additionalOf(node);
      const breach = known === undefined ? undefined : this.breach(each, known);
      if (breach !== undefined) return `${name} ${breach}`;
    }
    return undefined;
  }
}

function oneOf(values: readonly JsonValue[] | undefined): (value: JsonValue) => boolean {
  if (values === undefined) return () => true;
  const texts = new Set(values.map(meaningOf));
  let longest = 0;
  for (const { length } of texts) longest = Math.max(longest, length);
  return (value) => !isLargerThan(value, longest) && texts.has(meaningOf(value));
}

function isOfType(value: JsonValue, type: string): boolean {
  switch (type) {
    case "integer":
      return typeof value === "bigint" || Number.isInteger(value);
    case "number":
      return typeof value === "bigint" || typeof value === "number";
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    default:
      return typeof value === type;
  }
}

function numberBreach(value: number, node: SchemaNode): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node;
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum))
    return `must not be below ${minimum}`;
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum))
    return `must not be above ${maximum}`;
  return multipleOf !== undefined && !Number.isInteger(value / multipleOf)
    ? `must be a multiple of ${multipleOf}`
    : undefined;
}

/** Of a character beyond the first plane the second half does not count. */
function charactersOf(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) {
    if ((text.codePointAt(at) as number) > 0xffff) {
      count -= 1;
      at += 1;
    }
  }
  return count;
}
