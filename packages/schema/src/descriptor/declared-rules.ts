// The declared rules of fields, compiled from the option `validation` of proto/ by scripts/schema/declared-rules.mjs. A
// file is parsed at its first use. Rules name formats by their ids in the vocabulary's table `schemaFormats`.
import { DECLARED_RULES } from "../generated/declared-rules";

/** A field that has rules, or whose type has some. */
export interface DeclaredField {
  /** JSON name. */
  readonly name: string;
  /** First release with the field. Older releases keep it without checks. */
  readonly since?: string;
  readonly shape?: "list" | "map";
  /** Empty and absent are distinct. */
  readonly pointer?: true;
  /** Key fields of the items of a list. */
  readonly keys?: readonly string[];
  /** A list of distinct values. */
  readonly isSet?: true;
  /** Type with rules, as "<file>.<Type>". */
  readonly type?: string;
  readonly rules?: readonly DeclaredRule[];
}

export type DeclaredRule = RuleBody & {
  /** First release with the rule, when it is newer than the field. */
  readonly since?: string;
  /** First release without the rule. */
  readonly before?: string;
  /** Code of the kind enforces it, with a text of its own. */
  readonly inCode?: true;
};

type RuleBody =
  | { readonly is: "required" | "immutable"; readonly detail?: string }
  | { readonly is: "forbidden" }
  /** Texts of the error at this member: when no member is set, and when another one is set too. */
  | { readonly is: "unionMember"; readonly none?: string; readonly also?: string }
  | { readonly is: "minimum" | "maximum" | "maxItems" | "maxLength" | "maxBytes"; readonly limit: number }
  | { readonly is: "format"; readonly format: DeclaredFormat }
  | { readonly is: "enum" | "discriminator"; readonly values: readonly string[] }
  | { readonly is: "unique"; readonly keys?: readonly string[] }
  | { readonly is: "neq"; readonly value: string | number | boolean }
  | {
      readonly is: "update";
      readonly forbids: "NoSet" | "NoUnset" | "NoModify" | "NoAddItem" | "NoRemoveItem";
      readonly detail?: string;
    }
  | { readonly is: "dependentRequired" | "dependentForbidden"; readonly field: string; readonly detail?: string }
  /** The value is not checked while another field is set: code rejects both together. */
  | { readonly is: "unlessSet"; readonly field: string }
  | { readonly is: "oneOfItems"; readonly field: string; readonly value: string }
  | { readonly is: "eachVal" | "eachKey"; readonly of: DeclaredRule }
  /** Rule of one field of the value. */
  | { readonly is: "subfield"; readonly field: string; readonly of: DeclaredRule }
  | { readonly is: "gate"; readonly gate: string; readonly on: boolean; readonly of: DeclaredRule }
  /** Rule of a member of a union while the discriminator has the value `mode`; absent: the member may be set. */
  | { readonly is: "mode"; readonly mode: string; readonly of?: DeclaredRule };

export type DeclaredFormat =
  | "shortName"
  | "longName"
  | "longNameCaseless"
  | "labelKey"
  | "labelValue"
  | "prefixedLabelKey"
  | "pathSegmentName"
  | "uuid"
  | "extendedResourceName"
  | "resourceFullyQualifiedName"
  | "resourcePoolName";

type FileRules = Readonly<Record<string, readonly DeclaredField[]>>;

const parsed = new Map<string, FileRules>();

/**
 * Returns the fields of a type that have rules or lead to rules; undefined when there are none.
 * @param file such as "core/v1"
 */
export function declaredFields(file: string, type: string): readonly DeclaredField[] | undefined {
  let rules = parsed.get(file);
  if (rules === undefined) {
    const text = Object.hasOwn(DECLARED_RULES, file) ? DECLARED_RULES[file] : undefined;
    if (text === undefined) return undefined;
    rules = JSON.parse(text) as FileRules;
    parsed.set(file, rules);
  }
  return Object.hasOwn(rules, type) ? rules[type] : undefined;
}

/** Files with declared rules, and the types of one. */
export const declaredTypes = (): readonly (readonly [file: string, types: readonly string[]])[] =>
  Object.entries(DECLARED_RULES).map(([file, text]) => [file, Object.keys(JSON.parse(text) as FileRules)]);
