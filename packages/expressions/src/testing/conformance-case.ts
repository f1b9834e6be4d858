// Conformance tests of the CEL specification, as values and types of this engine. Source: github.com/google/cel-spec,
// tests/simple.
import { tests } from "@bufbuild/cel-spec/testdata/conformance.js";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  UINT,
} from "../values/cel-type";
import { ArrayList, type CelValue, DictionaryMap, TypeValue, Uint } from "../values/cel-value";
import { durationOf, timestampOf } from "../values/time-value";

/** A protobuf message of the CEL specification in JSON. */
type Message = { readonly [field: string]: unknown };

export interface ConformanceCase {
  readonly name: string;
  readonly expression: string;
  readonly variables: ReadonlyMap<string, CelType>;
  readonly bindings: ReadonlyMap<string, CelValue>;
  readonly isChecked: boolean;
  readonly isCheckOnly: boolean;
  /** Undefined when an error is expected. */
  readonly value: CelValue | undefined;
  readonly type: CelType | undefined;
}

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly { readonly original: Message }[];
}

/** Matches messages, enumerations and wrapper types of protobuf. Timestamps and durations are types of CEL itself. */
const PROTOBUF = /TestAllTypes|GlobalEnum|NestedEnum|conformance\.proto|google\.protobuf(?!\.Timestamp|\.Duration)/;

/** Returns the tests that need no protobuf types. */
export function conformanceCases(): readonly ConformanceCase[] {
  const cases: ConformanceCase[] = [];
  const visit = (suite: Suite, front: string): void => {
    for (const { original } of suite.tests ?? []) {
      if (!PROTOBUF.test(JSON.stringify(original))) cases.push(caseOf(original, `${front}${original["name"]}`));
    }
    for (const inner of suite.suites ?? []) visit(inner, `${front}${inner.name}/`);
  };
  visit(tests as unknown as Suite, "");
  return cases;
}

function caseOf(test: Message, name: string): ConformanceCase {
  const typed = test["typedResult"] as Message | undefined;
  const value = (test["value"] ?? typed?.["result"]) as Message | undefined;
  const variables = ((test["typeEnv"] ?? []) as readonly Message[])
    .filter((each) => each["ident"] !== undefined)
    .map((each) => [each["name"] as string, typeOf((each["ident"] as Message)["type"] as Message)] as const);
  const bindings = Object.entries((test["bindings"] ?? {}) as Record<string, Message>).map(
    ([variable, binding]) => [variable, valueIn(binding["value"] as Message)] as const,
  );
  const isError = test["evalError"] !== undefined;
  return {
    name,
    expression: test["expr"] as string,
    variables: new Map(variables),
    bindings: new Map(bindings),
    isChecked: test["disableCheck"] !== true,
    isCheckOnly: test["checkOnly"] === true,
    value: isError ? undefined : value === undefined ? true : valueIn(value),
    type: typed?.["deducedType"] === undefined ? undefined : typeOf(typed["deducedType"] as Message),
  };
}

const PRIMITIVES: Readonly<Record<string, CelType>> = {
  BOOL,
  INT64: INT,
  UINT64: UINT,
  DOUBLE,
  STRING,
  BYTES,
  TIMESTAMP,
  DURATION,
};

function typeOf(type: Message): CelType {
  const [[kind, of]] = Object.entries(type) as [[string, unknown]];
  const message = of as Message;
  switch (kind) {
    case "primitive":
    case "wellKnown":
      return PRIMITIVES[of as string] ?? DYN;
    case "null":
      return NULL;
    case "listType":
      return listOf(typeOf((message["elemType"] as Message | undefined) ?? { dyn: {} }));
    case "mapType":
      return mapOf(typeOf(message["keyType"] as Message), typeOf(message["valueType"] as Message));
    case "abstractType":
      return optionalOf(typeOf((message["parameterTypes"] as Message[])[0] as Message));
    case "type":
      return { kind: "type", of: typeOf(message) };
    case "messageType":
      return { "google.protobuf.Timestamp": TIMESTAMP, "google.protobuf.Duration": DURATION }[of as string] ?? DYN;
    default:
      return DYN;
  }
}

function valueIn(message: Message): CelValue {
  const [[kind, of]] = Object.entries(message) as [[string, unknown]];
  const inner = of as Message;
  switch (kind) {
    case "int64Value":
      return BigInt(of as string);
    case "uint64Value":
      return new Uint(BigInt(of as string));
    case "doubleValue":
      return Number(of);
    case "boolValue":
    case "stringValue":
      return of as boolean | string;
    case "bytesValue":
      return Uint8Array.from(Buffer.from(of as string, "base64"));
    case "nullValue":
      return null;
    case "typeValue":
      return new TypeValue(of as string);
    case "listValue":
      return new ArrayList(((inner["values"] ?? []) as Message[]).map(valueIn));
    case "mapValue": {
      const entries = (inner["entries"] ?? []) as { key: Message; value: Message }[];
      return DictionaryMap.of(entries.map(({ key, value }) => [valueIn(key), valueIn(value)])) as DictionaryMap;
    }
    case "objectValue": {
      const text = inner["value"] as string;
      const made = String(inner["@type"]).endsWith("Timestamp") ? timestampOf(text) : durationOf(text);
      if (made === undefined) throw new Error(`${JSON.stringify(message)} is no time`);
      return made;
    }
    default:
      throw new Error(`a value of an unknown kind: ${kind}`);
  }
}
