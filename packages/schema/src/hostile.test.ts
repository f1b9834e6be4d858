// Worst-case inputs of each parser: the cost must grow about linearly.
import { describe, expect, test } from "@jest/globals";
import { type Growing, growthOf, LINEAR_MAX } from "@orch/testing";
import {
  canonicalBase64,
  canonicalDuration,
  canonicalMicroTime,
  canonicalQuantity,
  canonicalTime,
  JsonInSteps,
  type JsonObject,
  loadSchema,
  type ObjectType,
  type ProtobufForm,
  parseJson,
  pathText,
  readEnvelope,
  vocabularyOf,
  writeJson,
  yamlItems,
  yamlText,
} from "./index";

const schema = loadSchema(vocabularyOf("orch"));

function typeOf(group: string, version: string, kind: string): ObjectType & { readonly protobuf: ProtobufForm } {
  const type = schema.objectType(group, version, kind);
  if (type?.protobuf === undefined) throw new Error(`no ${kind}`);
  return type as ObjectType & { readonly protobuf: ProtobufForm };
}

const pod = typeOf("", "v1", "Pod");
const configMap = typeOf("", "v1", "ConfigMap");
const secret = typeOf("", "v1", "Secret");
const definition = typeOf("apiextensions.orch.io", "v1", "CustomResourceDefinition");
const withSchema = (openAPIV3Schema: JsonObject): JsonObject => ({
  spec: { versions: [{ schema: { openAPIV3Schema } }] },
});
const endpointSlice = typeOf("discovery.orch.io", "v1", "EndpointSlice");

const times = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));
const keys = (count: number, value: unknown = "x"): JsonObject =>
  Object.fromEntries(times(count, (index) => [`k${(index * 7919) % count}`, value])) as JsonObject;
const nested = (levels: number, innermost: unknown): unknown => {
  let value = innermost;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

const parsed = (make: (size: number) => string): Growing => {
  return (size) => {
    const text = make(size);
    return () => refused(() => parseJson(text));
  };
};
/** Parses everything but the member `omitted`. */
const inSteps = (make: (size: number) => string): Growing => {
  return (size) => {
    const json = Buffer.from(make(size));
    return () =>
      refused(() => {
        const reader = new JsonInSteps(json, { omitted: true });
        while (!reader.step());
        return reader.value;
      });
  };
};
const decoded = (type: ObjectType, make: (size: number) => JsonObject): Growing => {
  return (size) => {
    const text = JSON.stringify(make(size));
    return () => refused(() => type.decode(JSON.parse(text)));
  };
};
const written = (make: (size: number) => unknown): Growing => {
  return (size) => {
    const value = make(size) as JsonObject;
    return () => yamlText(value);
  };
};
const read = (read: (text: string) => unknown, make: (size: number) => string): Growing => {
  return (size) => {
    const text = make(size);
    return () => read(text);
  };
};
const encoded = (type: typeof pod, make: (size: number) => JsonObject): Growing => {
  return (size) => {
    const object = type.decode(make(size)).value;
    return () => type.protobuf.encode(object);
  };
};
const unpacked = (type: typeof pod, make: (size: number) => Buffer): Growing => {
  return (size) => {
    const envelope = readEnvelope(make(size));
    return () => refused(() => type.decode(type.protobuf.decode(envelope)));
  };
};

/** An error counts as a result. */
function refused(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

const CASES: Readonly<Record<string, readonly [size: number, Growing]>> = {
  "a list in JSON": [50_000, parsed((size) => `[${"1,".repeat(size)}1]`)],
  "objects in JSON": [20_000, parsed((size) => `[${'{"a":{}},'.repeat(size)}1]`)],
  "keys in JSON": [10_000, parsed((size) => JSON.stringify(keys(size)))],
  "the same key in JSON": [20_000, parsed((size) => `{${'"a":1,'.repeat(size)}"a":1}`)],
  "the same key in JSON, deep": [
    5000,
    parsed((size) => `${'{"a":'.repeat(900)}{${'"a":1,'.repeat(size)}"a":1}${"}".repeat(900)}`),
  ],
  "a long key that is there twice, in JSON": [
    100_000,
    parsed((size) => `{"${"k".repeat(size)}":[${'{"a":1,"a":1},'.repeat(1000)}1]}`),
  ],
  "backslashes in JSON": [100_000, parsed((size) => `["${'\\"'.repeat(size)}"]`)],
  "a text without end in JSON": [100_000, parsed((size) => `["${"\\\\".repeat(size)}`)],
  "brackets without end in JSON": [200_000, parsed((size) => "[".repeat(size))],
  "digits in JSON": [20_000, parsed((size) => `[${"9".repeat(size)}]`)],
  "large integers in JSON": [5000, parsed((size) => `[${"9007199254740993,".repeat(size)}1]`)],
  "digits of one integer beside a large one in JSON": [
    20_000,
    parsed((size) => `[9007199254740993,${"9".repeat(size)}]`),
  ],
  "digits of a fraction beside a large integer in JSON": [
    20_000,
    parsed((size) => `[9007199254740993,0.${"1".repeat(size)}]`),
  ],
  "backslashes beside a large integer in JSON": [
    50_000,
    parsed((size) => `[9007199254740993,"${'\\"'.repeat(size)}"]`),
  ],
  "texts beside a large integer in JSON": [5000, parsed((size) => `[9007199254740993,${'"a\\\\",'.repeat(size)}1]`)],
  "keys beside a large integer in JSON": [5000, parsed((size) => `[9007199254740993,${JSON.stringify(keys(size))}]`)],
  "keys in JSON, in steps": [10_000, inSteps((size) => JSON.stringify(keys(size)))],
  "brackets in JSON, in steps": [
    20_000,
    inSteps((size) => `[${`${"[".repeat(900)}${"]".repeat(900)},`.repeat(size / 900)}1]`),
  ],
  "backslashes in JSON, in steps": [100_000, inSteps((size) => `["${'\\"'.repeat(size)}"]`)],
  "a text without end in JSON, in steps": [100_000, inSteps((size) => `["${"\\\\".repeat(size)}`)],
  "what is left out of JSON, in steps": [50_000, inSteps((size) => `{"omitted":[${'{"\\"":["]"]},'.repeat(size)}1]}`)],
  "white space beside a large integer in JSON": [
    100_000,
    parsed((size) => `[9007199254740993,${" \n".repeat(size)}1]`),
  ],
  "large integers to JSON": [
    5000,
    (size) => {
      const value = times(size, () => 2n ** 63n - 1n);
      return () => writeJson(value);
    },
  ],
  "white space in JSON": [200_000, parsed((size) => `[${" \n".repeat(size)}x]`)],

  "unknown fields": [10_000, decoded(pod, (size) => keys(size))],
  "unknown fields under a long key": [
    50_000,
    decoded(definition, (size) =>
      withSchema({ properties: { ["k".repeat(size)]: { allOf: times(1000, () => ({ unknown: 1 })) } } }),
    ),
  ],
  "empty items": [2000, decoded(pod, (size) => ({ spec: { containers: times(size, () => ({})) } }))],
  "keys that are sorted": [5000, decoded(configMap, (size) => ({ data: keys(size) }))],
  "keys of bytes": [5000, decoded(secret, (size) => ({ data: keys(size, "aGk=") }))],
  "lists of texts": [20_000, decoded(pod, (size) => ({ metadata: { finalizers: times(size, () => "a/b") } }))],
  "managed fields": [
    2000,
    decoded(pod, (size) => ({ metadata: { managedFields: times(size, () => ({ fieldsV1: { "f:a": {} } })) } })),
  ],
  "a schema in a schema": [
    5000,
    decoded(definition, (size) => withSchema({ allOf: times(size, () => ({ items: {} })) })),
  ],

  "newlines within a text, as YAML": [50_000, written((size) => ({ a: `a${"\n".repeat(size)}x` }))],
  "newlines that end a text, as YAML": [50_000, written((size) => ({ a: `a${"\n".repeat(size)}` }))],
  "newlines deep inside, as YAML": [20_000, written((size) => nested(900, `a${"\n".repeat(size)}x`))],
  "words in a text, as YAML": [50_000, written((size) => ({ a: `${"a ".repeat(size)}!` }))],
  "items deep inside, as YAML": [
    20_000,
    written((size) =>
      nested(
        900,
        times(size, () => 1),
      ),
    ),
  ],
  "keys as YAML": [5000, written((size) => keys(size))],
  "characters to escape, as YAML": [20_000, written((size) => ({ a: "\u2028".repeat(size) }))],
  "items of a list, as YAML": [20_000, (size) => () => yamlItems(times(size, () => [[1]]))],

  "letters of base64": [200_000, read(canonicalBase64, (size) => `${"AAAA".repeat(size)}=`)],
  "lines of base64": [50_000, read(canonicalBase64, (size) => "AA\r\nAA".repeat(size))],
  "ends of base64": [200_000, read(canonicalBase64, (size) => "=".repeat(size))],
  "digits of a quantity": [50_000, read(canonicalQuantity, (size) => `${"9".repeat(size)}x`)],
  "digits behind the point of a quantity": [50_000, read(canonicalQuantity, (size) => `0.${"0".repeat(size)}1Ei`)],
  "the exponent of a quantity": [50_000, read(canonicalQuantity, (size) => `1e${"9".repeat(size)}`)],
  "digits of a duration": [50_000, read(canonicalDuration, (size) => "1".repeat(size))],
  "parts of a duration": [50_000, read(canonicalDuration, (size) => `${"1.1h".repeat(size)}x`)],
  "digits of a time": [50_000, read(canonicalTime, (size) => `2024-05-01T12:00:00.${"0".repeat(size)}`)],
  "digits of an exact time": [50_000, read(canonicalMicroTime, (size) => `2024-05-01T12:00:00.${"0".repeat(size)}Z`)],
  "steps of a path": [2000, (size) => () => times(100, () => pathText(times(size, () => "step")))],

  "items to protobuf": [
    2000,
    encoded(endpointSlice, (size) => ({ endpoints: times(size, () => ({ addresses: ["10.0.0.1"] })) })),
  ],
  "keys to protobuf": [5000, encoded(configMap, (size) => ({ data: keys(size) }))],
  "empty messages from protobuf": [
    2000,
    unpacked(pod, (size) => envelope(field(2, Buffer.concat(times(size, () => field(2, Buffer.alloc(0))))))),
  ],
  "the same entry from protobuf": [
    5000,
    unpacked(configMap, (size) =>
      envelope(Buffer.concat(times(size, () => field(2, Buffer.concat([text(1, "k"), text(2, "v")]))))),
    ),
  ],
  "groups that protobuf does not know": [
    50_000,
    unpacked(configMap, (size) => envelope(Buffer.concat(times(size, () => Buffer.from([0xfb, 0x07, 0xfc, 0x07]))))),
  ],
  "groups in groups": [50_000, unpacked(configMap, (size) => envelope(Buffer.alloc(size, 0x7b)))],
};

const envelope = (raw: Buffer): Buffer => Buffer.concat([Buffer.from("k8s\0"), field(2, raw)]);
const text = (number: number, value: string): Buffer => field(number, Buffer.from(value));
function field(number: number, value: Buffer): Buffer {
  const front = [(number << 3) | 2];
  let rest = value.length;
  for (; rest > 127; rest >>>= 7) front.push((rest & 127) | 128);
  return Buffer.concat([Buffer.from([...front, rest]), value]);
}

describe("the cost grows no faster than the input", () => {
  test.each(Object.entries(CASES))("%s", async (_name, [size, make]) => {
    expect(await growthOf(make, size)).toBeLessThan(LINEAR_MAX);
  });
});

describe("small input produces bounded output", () => {
  test("lines deep inside, as YAML", () => {
    const text = yamlText(nested(900, `a${"\n".repeat(200_000)}x`) as JsonObject);
    expect(text.length).toBeLessThan(16 * 1024 * 1024);
  });

  test("paths of what is wrong under a long key", () => {
    const body = JSON.parse(`{"data":{"${"k".repeat(1_000_000)}":{"a":1}}}`) as JsonObject;
    expect(String(refused(() => configMap.decode(body))).length).toBeLessThan(4096);
    const long = { metadata: { ["k".repeat(1_000_000)]: 1 } };
    expect(JSON.stringify(pod.decode(long).problems).length).toBeLessThan(4096);
  });
});
