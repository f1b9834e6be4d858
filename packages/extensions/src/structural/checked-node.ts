// Compiled checks of one schema node. They are compiled when the first value reaches the node: in a large schema most
// nodes never see a value.
import { type FieldError, field, RegularExpression } from "@orch/machinery";
import { isLargerThan, type JsonArray, type JsonObject, type JsonValue, memberOf, writeJson } from "@orch/schema";
import { formatOf, type TextFormat } from "./formats";
import { meaningOf } from "./meaning";
import {
  additionalOf,
  enumOf,
  hasProperties,
  itemsOf,
  listOf,
  type Markers,
  namesOf,
  numberOf,
  propertyOf,
  saysTrue,
  textOf,
} from "./schema-node";

/** Type names as used in error messages; undefined: any type. */
export type TypeName = "string" | "integer" | "number" | "boolean" | "array" | "object" | "integer,string";

export interface EnumCheck {
  readonly isAllowed: (value: JsonValue) => boolean;
  readonly error: (path: string, value: JsonValue) => FieldError;
}

export interface TextCheck {
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly pattern: PatternCheck | undefined;
  readonly format: TextFormat | undefined;
}

/** Bounds of the set of matching texts. The same few texts recur in each write of an object and between objects. */
const REMEMBERED_MAX = 32;
const REMEMBERED_MAX_CHARACTERS = 64;

export class PatternCheck {
  private readonly held = new Set<string>();

  constructor(
    readonly text: string,
    readonly expression: RegularExpression,
  ) {}

  /** Reports whether a text is known to match. */
  remembers(value: string): boolean {
    return this.held.has(value);
  }

  test(value: string): boolean {
    const holds = this.expression.test(value);
    if (holds && value.length <= REMEMBERED_MAX_CHARACTERS) {
      if (this.held.size >= REMEMBERED_MAX) this.held.clear();
      this.held.add(value);
    }
    return holds;
  }
}

export interface NumberCheck {
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly exclusiveMaximum: boolean;
  readonly multipleOf: number | undefined;
  readonly type: string;
  readonly format: string | undefined;
  /** Reports whether the format cannot hold a number. Absent: it can hold all. */
  readonly outOfRange: ((value: number | bigint) => boolean) | undefined;
}

export interface ListCheck {
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly areUnique: boolean;
  readonly items: CheckedNode | undefined;
  readonly relation: "set" | "map" | undefined;
  readonly keys: readonly string[];
}

export interface MemberCheck {
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
  readonly required: readonly string[];
  readonly additional: CheckedNode | "refused" | undefined;
  /** Whether the node checks single members or their number, besides the required ones. */
  readonly looksAtAll: boolean;
  readonly isResource: boolean;
}

export interface LogicCheck {
  readonly allOf: readonly CheckedNode[];
  readonly anyOf: readonly CheckedNode[];
  readonly oneOf: readonly CheckedNode[];
  readonly not: CheckedNode | undefined;
}

/** Properties that the checks of all nodes of a schema share. */
export interface CheckSite {
  readonly markers: Markers;
  /** Whether the formats of Kubernetes names are known. */
  readonly hasNameFormats: boolean;
  /** Whether errors of types, lengths and counts have kinds of their own. */
  readonly hasErrorKinds: boolean;
  /**
   * Whether the values are defaults since 1.25, of which Kubernetes checks neither the type integer or string nor
   * repeated items.
   */
  readonly isOfDefaults?: boolean;
}

export class CheckedNode {
  readonly type: TypeName | undefined;
  readonly isNullable: boolean;
  readonly logic: LogicCheck | undefined;
  readonly number: NumberCheck | undefined;
  /** The node of the schema. */
  readonly schema: JsonObject;
  readonly site: CheckSite;
  private readonly properties = new Map<string, CheckedNode>();
  private readonly hasProperties: boolean;
  private madeEnum: EnumCheck | undefined;
  private madeText: TextCheck | undefined;
  private madeList: ListCheck | undefined;
  private madeMembers: MemberCheck | undefined;
  private readonly hasEnum: boolean;
  private readonly hasText: boolean;

  constructor(node: JsonObject, site: CheckSite) {
    this.schema = node;
    this.site = site;
    this.isNullable = saysTrue(node, "nullable");
    this.type = typeOf(node, site);
    this.hasProperties = hasProperties(node);
    this.logic = logicOf(node, site);
    this.number =
      NUMBER_RULES.some((keyword) => node[keyword] !== undefined) || (site.hasErrorKinds && rangeOf(node) !== undefined)
        ? numberCheck(node, site)
        : undefined;
    this.hasText = TEXT_RULES.some((keyword) => node[keyword] !== undefined);
    this.hasEnum = enumOf(node) !== undefined;
  }

  get enum(): EnumCheck | undefined {
    if (!this.hasEnum) return undefined;
    this.madeEnum ??= enumCheck(enumOf(this.schema) ?? []);
    return this.madeEnum;
  }

  get text(): TextCheck | undefined {
    if (!this.hasText) return undefined;
    this.madeText ??= textCheck(this.schema, this.site);
    return this.madeText;
  }

  get list(): ListCheck {
    this.madeList ??= listCheck(this.schema, this.site);
    return this.madeList;
  }

  get members(): MemberCheck {
    this.madeMembers ??= memberCheck(this.schema, this.site);
    return this.madeMembers;
  }

  property(name: string): CheckedNode | undefined {
    if (!this.hasProperties) return undefined;
    let made = this.properties.get(name);
    if (made === undefined) {
      const node = propertyOf(this.schema, name);
      if (node === undefined) return undefined;
      made = new CheckedNode(node, this.site);
      this.properties.set(name, made);
    }
    return made;
  }
}

function typeOf(node: JsonObject, { markers, isOfDefaults }: CheckSite): TypeName | undefined {
  if (!saysTrue(node, markers.intOrString)) return textOf(node, "type") as TypeName | undefined;
  return isOfDefaults === true ? undefined : "integer,string";
}

const NUMBER_RULES = ["minimum", "maximum", "multipleOf"];
const TEXT_RULES = ["minLength", "maxLength", "pattern", "format"];

function enumCheck(values: JsonArray): EnumCheck {
  const texts = new Set(values.map(meaningOf));
  let longest = 0;
  for (const { length } of texts) longest = Math.max(longest, length);
  return {
    isAllowed: (value) => !isLargerThan(value, longest) && texts.has(meaningOf(value)),
    error: notSupported(values),
  };
}

/** Maximum number of allowed values listed in an error. */
const SUPPORTED_TOLD_MAX = 200;

/**
 * Returns the error constructor of an enumeration. The list of allowed values is formatted once, because many values
 * may fail.
 */
function notSupported(values: JsonArray): EnumCheck["error"] {
  let detail: string | undefined;
  return (path, value) => {
    const told = values.slice(0, SUPPORTED_TOLD_MAX);
    detail ??= field.notSupported(
      "",
      null,
      told.map((each) => (typeof each === "string" ? each : writeJson(each))),
    ).detail;
    return { kind: "NotSupported", path, value, ...(detail !== undefined && { detail }) };
  };
}

function textCheck(node: JsonObject, { hasNameFormats }: CheckSite): TextCheck {
  const pattern = textOf(node, "pattern");
  const expression = pattern === undefined ? undefined : RegularExpression.compile(pattern);
  const format = textOf(node, "format");
  return {
    minLength: numberOf(node, "minLength"),
    maxLength: numberOf(node, "maxLength"),
    // An invalid pattern is ignored here: it was rejected with its definition, or is older than that rule.
    pattern: expression instanceof RegularExpression ? new PatternCheck(pattern as string, expression) : undefined,
    format: format === undefined ? undefined : formatOf(format, hasNameFormats),
  };
}

const numberCheck = (node: JsonObject, { hasErrorKinds }: CheckSite): NumberCheck => ({
  type: textOf(node, "type") ?? "",
  format: textOf(node, "format"),
  outOfRange: hasErrorKinds ? rangeOf(node) : undefined,
  minimum: numberOf(node, "minimum"),
  maximum: numberOf(node, "maximum"),
  exclusiveMinimum: saysTrue(node, "exclusiveMinimum"),
  exclusiveMaximum: saysTrue(node, "exclusiveMaximum"),
  multipleOf: numberOf(node, "multipleOf"),
});

type OutOfRange = (value: number | bigint) => boolean;

const FLOAT_MAX = 3.4028234663852886e38;
const outside =
  (min: number, max: number): OutOfRange =>
  (value) =>
    value < min || value > max;

const RANGES: Readonly<Record<string, OutOfRange>> = {
  "integer int32": outside(-(2 ** 31), 2 ** 31 - 1),
  "integer uint32": outside(0, 2 ** 32 - 1),
  "integer uint64": outside(0, Number.POSITIVE_INFINITY),
  "number float": outside(-FLOAT_MAX, FLOAT_MAX),
  "number float32": outside(-FLOAT_MAX, FLOAT_MAX),
};

/** Returns the test of the numbers that a format cannot hold. */
const rangeOf = (node: JsonObject): OutOfRange | undefined => {
  const format = textOf(node, "format");
  return format === undefined ? undefined : RANGES[`${textOf(node, "type")} ${format}`];
};

function listCheck(node: JsonObject, site: CheckSite): ListCheck {
  const { markers } = site;
  const items = itemsOf(node);
  const relation = node[markers.listType];
  return {
    minItems: numberOf(node, "minItems"),
    maxItems: numberOf(node, "maxItems"),
    areUnique: saysTrue(node, "uniqueItems"),
    items: items === undefined ? undefined : new CheckedNode(items, site),
    relation: relation === "set" || relation === "map" ? relation : undefined,
    keys: namesOf(node, markers.listMapKeys),
  };
}

function memberCheck(node: JsonObject, site: CheckSite): MemberCheck {
  const { markers } = site;
  const additional = additionalOf(node);
  const minProperties = numberOf(node, "minProperties");
  const maxProperties = numberOf(node, "maxProperties");
  return {
    minProperties,
    maxProperties,
    looksAtAll:
      hasProperties(node) ||
      additional !== undefined ||
      node["additionalProperties"] === false ||
      minProperties !== undefined ||
      maxProperties !== undefined,
    required: [...new Set(namesOf(node, "required"))],
    additional:
      additional !== undefined
        ? new CheckedNode(additional, site)
        : memberOf<JsonValue>(node, "additionalProperties") === false
          ? "refused"
          : undefined,
    isResource: saysTrue(node, markers.embeddedResource),
  };
}

function logicOf(node: JsonObject, site: CheckSite): LogicCheck | undefined {
  const [allOf, anyOf, oneOf] = (["allOf", "anyOf", "oneOf"] as const).map((name) =>
    listOf(node, name).map((each) => new CheckedNode(each, site)),
  ) as [CheckedNode[], CheckedNode[], CheckedNode[]];
  const { not } = node;
  const denied =
    typeof not === "object" && not !== null && !Array.isArray(not) ? new CheckedNode(not, site) : undefined;
  if (allOf.length === 0 && anyOf.length === 0 && oneOf.length === 0 && denied === undefined) return undefined;
  return { allOf, anyOf, oneOf, not: denied };
}
