import { describe, expect, test } from "@jest/globals";
import {
  exactInteger,
  isInt64,
  isWrittenAsFraction,
  JsonError,
  type JsonObject,
  type JsonValue,
  loadSchema,
  nextInteger,
  parseJson,
  readEnvelope,
  readJson,
  vocabularyOf,
  writeJson,
  yamlText,
} from "../index";

const TEXTS = [
  "9007199254740991",
  "9007199254740992",
  "9007199254740993",
  "-9007199254740993",
  "1000000000000000000",
  "1152921504606846976",
  "1152921504606847000",
  "9223372036854775806",
  "9223372036854775807",
  "-9223372036854775808",
  "9223372036854776000",
  "100000000000000000000",
  "-100000000000000000000",
];

test.each<[string, boolean]>([
  ["80", false],
  ["80.0", true],
  ["-8e1", true],
  ["1e18", true],
  ["1e19", false],
  ["80.5", false],
  ["-0", false],
  ["9007199254740993", false],
])("%s is an integer with a fraction or an exponent: %s", (text, isOne) => {
  for (const json of [`[${text}]`, `{"a": ${text} }`]) {
    const [marked] = Object.values(parseJson(json, { fractions: "marked" }).value as JsonObject);
    expect([isWrittenAsFraction(marked as JsonValue), Number(marked)]).toEqual([isOne, Number(text)]);
    expect(Object.values(parseJson(json).value as JsonObject).some(isWrittenAsFraction)).toBe(false);
  }
});

describe("an integer", () => {
  test.each(TEXTS)("%s is written as it was read, wherever it stands", (text) => {
    for (const json of [text, `[${text}]`, `{"a":${text}}`, `{"a":[{"b":${text},"c":"${text}"},${text},1.5,-0.25]}`]) {
      const value = readJson(json);
      expect(writeJson(value)).toBe(json);
      expect(readJson(writeJson(value))).toEqual(value);
      expect(parseJson(Buffer.from(json)).value).toEqual(value);
      expect(writeJson(value, "")).toBe(json);
    }
  });

  test("is a number where that says the same", () => {
    expect(readJson("[9007199254740992,9007199254740993,1000000000000000000]")).toEqual([
      9007199254740992,
      9007199254740993n,
      1000000000000000000,
    ]);
    expect(exactInteger("-9223372036854775808")).toBe(-9223372036854775808n);
  });

  test.each([
    ["9223372036854775808", "9223372036854776000"],
    ["-9223372036854775809", "-9223372036854776000"],
    ["18446744073709551616", "18446744073709552000"],
    ["123456789012345678901234567890", "1.2345678901234568e+29"],
  ])("%s is beyond 64 bits, and is read as the double next to it", (text, double) => {
    expect(readJson(text)).toBe(Number(text));
    expect(writeJson(parseJson(`[${text}, 9007199254740993]`).value)).toBe(`[${double},9007199254740993]`);
    expect(exactInteger(text)).toBe(Number(text));
  });

  test("has 64 bits, or has not", () => {
    const fitting = [
      "0",
      "-1",
      "9007199254740993",
      "9223372036854775807",
      "-9223372036854775808",
      "1000000000000000000",
    ];
    const others = ["9223372036854775808", "-9223372036854775809", "9223372036854776000", "1e20", "1e300", "1.5"];
    for (const text of fitting) expect([text, isInt64(readJson(text))]).toEqual([text, true]);
    for (const text of others) expect([text, isInt64(readJson(text))]).toEqual([text, false]);
  });

  test("has one behind it", () => {
    const next = (text: string) => String(nextInteger(readJson(text) as number));
    expect(
      ["1", "9007199254740991", "9007199254740993", "1000000000000000000", "9223372036854775807"].map(next),
    ).toEqual(["2", "9007199254740992", "9007199254740994", "1000000000000000001", "9223372036854775807"]);
  });
});

test("all else is read as ever, beside a large integer", () => {
  const text = String.raw`  { "a\n\"" : [ ] , "\\" : {} , "__proto__" : { "b" : null } , "c" : [ true , false , 1e3 , -0.5E-2 , "\u00e9\\" , "x\\\"y" ] , "a" : 1 , "a" : 2 , "n" : 9007199254740993 }  `;
  const value = readJson(text) as Record<string, JsonValue>;
  const { n, ...others } = value;
  expect(n).toBe(9007199254740993n);
  const { n: _, ...plain } = JSON.parse(text);
  expect(others).toEqual(plain);
  expect(Object.keys(value)).toEqual(Object.keys(JSON.parse(text)));
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test("random text is read as JSON.parse reads it, except for exact numbers", () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48271) % 2147483647;
    return seed % below;
  };
  const texts = [
    '""',
    '"\\\\"',
    '"a\\"b"',
    '"\\u0041\\\\\\""',
    "null",
    "true",
    "0",
    "-1.5e10",
    "{}",
    "[]",
    '"}]"',
    '"12345678901234567890"',
  ];
  const make = (depth: number): string => {
    const kind = depth > 4 ? 2 : random(4);
    const several = Array.from({ length: kind > 1 ? 0 : random(4) }, () => make(depth + 1));
    if (kind === 0) return `[${several.join(" , ")}]`;
    if (kind === 1) return `{${several.map((each, at) => `"k\\"${at}":${each}`).join(",\n")}}`;
    return texts[random(texts.length)] as string;
  };
  for (let round = 0; round < 500; round += 1) {
    const text = make(0);
    expect(readJson(`[${text},9007199254740993]`)).toEqual([JSON.parse(text), 9007199254740993n]);
    expect(writeJson(readJson(`[${text},9007199254740993]`), "  ")).toBe(
      JSON.stringify([JSON.parse(text), 0], undefined, "  ").replace(/0(?=\n]$)/, "9007199254740993"),
    );
  }
});

test.each(["1e400", "-1e400", `[{"a":1E+400}]`, "9".repeat(310), `{"a":${"9".repeat(5000)}}`])(
  "%.20s is refused",
  (text) => {
    const error = caught(() => parseJson(text));
    expect(error).toBeInstanceOf(JsonError);
    expect((error as JsonError).reason).toBe("range");
    expect((error as JsonError).message.length).toBeLessThan(500);
  },
);

test("halves of pairs are read as the character that replaces what is none, wherever they stand", () => {
  const value = readJson(
    String.raw`{"a\ud800": ["\ud800 \udc00 \ud83d\ude00 \\ud800 \\\ud800 \ud800\ud83d\ude00", 1234567890123456789], "__proto__": "\uDC00", "n": {"b": "\ud83d\n"}, "1": null}`,
  );
  const text = "\ufffd \ufffd \u{1f600} \\ud800 \\\ufffd \ufffd\u{1f600}";
  expect(Object.entries(value as object)).toEqual([
    ["1", null],
    ["a\ufffd", [text, 1234567890123456789n]],
    ["__proto__", "\ufffd"],
    ["n", { b: "\ufffd\n" }],
  ]);
  expect(Buffer.from(writeJson(value)).toString()).toBe(writeJson(value));
  expect(readJson(String.raw`"\ud800"`)).toBe("\ufffd");
});

test("too deep nesting is rejected, regardless of preceding text", () => {
  const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
  for (const text of [deep, `[9007199254740993,${deep}]`]) {
    expect(caught(() => readJson(text))).toMatchObject({ reason: "depth" });
    expect(caught(() => parseJson(text))).toMatchObject({ reason: "depth" });
  }
});

describe("an object", () => {
  const schema = loadSchema(vocabularyOf("orch"));
  const type = (group: string, version: string, kind: string) => {
    const found = schema.objectType(group, version, kind);
    if (found?.protobuf === undefined) throw new Error(kind);
    return { decode: found.decode.bind(found), protobuf: found.protobuf };
  };
  const revision = type("apps", "v1", "ControllerRevision");
  const definition = type("apiextensions.orch.io", "v1", "CustomResourceDefinition");

  test.each([
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "1000000000000000001",
    "1000000000000000000",
  ])("keeps %s in typed fields and in data of no type, through protobuf and as YAML", (digits) => {
    const text = `{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{"generation":${digits}},"data":{"a":[${digits}]},"revision":${digits}}`;
    const { value } = revision.decode(readJson(text) as never);
    expect(JSON.parse(writeJson(value).replaceAll(digits, `"${digits}"`))).toMatchObject({
      metadata: { generation: digits },
      data: { a: [digits] },
      revision: digits,
    });
    const back = revision.decode(revision.protobuf.decode(readEnvelope(revision.protobuf.encode(value)))).value;
    expect(back).toEqual(value);
    expect(yamlText(value).split(digits)).toHaveLength(4);
  });

  test.each([
    ["revision", '{"revision":9223372036854775808}'],
    ["revision", '{"revision":-9223372036854775809}'],
    ["revision", '{"revision":1e20}'],
  ])("takes no larger one in %s", (path, text) => {
    expect(caught(() => revision.decode(readJson(text) as never))).toMatchObject({ path, shape: "range" });
  });

  test("has larger ones where it has fractions, as near as doubles come", () => {
    const text = '{"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":{"maximum":18446744073709551615}}}]}}';
    const { value } = definition.decode(readJson(text) as never);
    expect(writeJson(value)).toContain('"maximum":18446744073709552000');
    expect(readJson(writeJson(value))).toEqual(value);
  });
});

function caught(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
