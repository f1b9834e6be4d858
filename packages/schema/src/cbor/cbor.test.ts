import { describe, expect, test } from "@jest/globals";
import { growthOf, LINEAR_MAX } from "@orch/testing";
import { readJson } from "../json/exact-json";
import type { JsonValue } from "../json/json-value";
import { CborError, cborToJson } from "./cbor-to-json";
import { cborDocument, encodeCbor, SELF_DESCRIBED } from "./encode-cbor";

const LIMIT = 8 * 1024 * 1024;

function json(bytes: Buffer, limit = LIMIT): string {
  const steps = cborToJson(bytes, limit);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value.toString();
  }
}

const ofHex = (hex: string): string => json(Buffer.from(hex, "hex"));

/** Examples of RFC 8949, appendix A, that JSON can express. */
test.each([
  ["00", "0"],
  ["17", "23"],
  ["1818", "24"],
  ["1903e8", "1000"],
  ["1a000f4240", "1000000"],
  ["1b000000e8d4a51000", "1000000000000"],
  ["20", "-1"],
  ["3903e7", "-1000"],
  ["f90000", "0.0"],
  ["f93c00", "1.0"],
  ["fb3ff199999999999a", "1.1"],
  ["f93e00", "1.5"],
  ["f97bff", "65504.0"],
  ["fa47c35000", "100000.0"],
  ["fb7e37e43c8800759c", "1e+300"],
  ["f90001", "5.960464477539063e-8"],
  ["f90400", "0.00006103515625"],
  ["f9c400", "-4.0"],
  ["f4", "false"],
  ["f5", "true"],
  ["f6", "null"],
  ["c074323031332d30332d32315432303a30343a30305a", '"2013-03-21T20:04:00Z"'],
  ["c11a514b67b0", '"2013-03-21T20:04:00Z"'],
  ["c1fb41d452d9ec200000", '"2013-03-21T20:04:00.5Z"'],
  ["d74401020304", '"01020304"'],
  ["d64401020304", '"AQIDBA=="'],
  ["d82076687474703a2f2f7777772e6578616d706c652e636f6d", '"http://www.example.com"'],
  ["40", '""'],
  ["60", '""'],
  ["6449455446", '"IETF"'],
  ["62225c", '"\\"\\\\"'],
  ["64f0908591", '"𐅑"'],
  ["80", "[]"],
  ["8301820203820405", "[1,[2,3],[4,5]]"],
  ["a0", "{}"],
  ["a26161016162820203", '{"a":1,"b":[2,3]}'],
  ["5f42616243636465ff", '"abcde"'],
  ["7f657374726561646d696e67ff", '"streaming"'],
  ["9fff", "[]"],
  ["9f018202039f0405ffff", "[1,[2,3],[4,5]]"],
  ["bf61610161629f0203ffff", '{"a":1,"b":[2,3]}'],
  ["d9d9f7a1436b6579f5", '{"key":true}'],
])("the item %s is %s", (hex, expected) => {
  expect(ofHex(hex)).toBe(expected);
});

test.each([
  ["", "the data ends too early at byte 0"],
  ["18", "a head is malformed at byte 0"],
  ["1c", "a head is malformed at byte 0"],
  ["ff", "a head is malformed at byte 0"],
  ["0001", "bytes follow the data item at byte 1"],
  ["1bffffffffffffffff", "an integer has more than 64 bits at byte 0"],
  ["3bffffffffffffffff", "an integer has more than 64 bits at byte 0"],
  ["c249010000000000000000", "bignums are not allowed at byte 0"],
  ["f97c00", "a number is infinite or not a number at byte 0"],
  ["f97e00", "a number is infinite or not a number at byte 0"],
  ["f7", "a simple value is not false, true or null at byte 0"],
  ["f0", "a simple value is not false, true or null at byte 0"],
  ["f8ff", "a simple value is not false, true or null at byte 0"],
  ["a10102", "a map key is not a string at byte 1"],
  ["a2616101616102", 'a map has the key "a" twice at byte 4'],
  ["a2616101416102", 'a map has the key "a" twice at byte 4'],
  ["62ff", "the data ends too early at byte 1"],
  ["61ff", "a text string is not valid UTF-8 at byte 1"],
  ["7f4161ff", "a chunk of a string has another type at byte 1"],
  ["9b7fffffffffffffff", "the data ends too early at byte 0"],
  ["a161", "the data ends too early at byte 2"],
  ["a1", "the data ends too early at byte 0"],
  ["bf6161ff", "a head is malformed at byte 3"],
])("the item %s is refused: %s", (hex, message) => {
  expect(() => ofHex(hex)).toThrow(
    new CborError(message.replace(/ at byte \d+$/, ""), Number(/\d+$/.exec(message)?.[0])),
  );
});

test("nesting, tags, chunks and the length of the JSON text are limited", () => {
  expect(() => json(Buffer.alloc(3 * 1024 * 1024, 0x81))).toThrow("the nesting is deeper than 1000");
  expect(() => json(Buffer.alloc(3 * 1024 * 1024, 0x9f))).toThrow("the nesting is deeper than 1000");
  expect(() => json(Buffer.alloc(3 * 1024 * 1024, 0xc9))).toThrow("an item has more than 16 tags");
  expect(() => json(Buffer.concat([Buffer.from("5f", "hex"), Buffer.alloc(100_000, 0x40)]))).toThrow("chunks");
  expect(() => json(Buffer.concat([Buffer.from("590400", "hex"), Buffer.alloc(1024, 1)]), 4096)).toThrow(
    "the JSON form has more than 4096 bytes",
  );
});

const VALUES: readonly JsonValue[] = [
  null,
  true,
  0,
  23,
  24,
  255,
  256,
  65535,
  65536,
  4294967295,
  4294967296,
  Number.MAX_SAFE_INTEGER,
  9223372036854775807n,
  -9223372036854775808n,
  -1,
  -24,
  -25,
  -257,
  0.5,
  1.1,
  -4.1,
  65504.5,
  2 ** -24,
  2 ** -14 + 2 ** -24,
  100000.5,
  3.4028234663852886e38,
  1e300,
  1e21,
  "",
  "ä\u0000𐅑",
  "x".repeat(70_000),
  [],
  {},
  [[], [1, [2]]],
  { a: { b: [null, { c: "d" }] } },
  Array.from({ length: 300 }, (_, at) => at),
  Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`key-${at}`, `${at}`])),
];

test.each(VALUES.map((value) => [String(value).slice(0, 40), value]))(
  "a value is unchanged in CBOR: %s",
  (_, value) => {
    expect(readJson(json(encodeCbor(value)))).toEqual(value);
  },
);

/** Written by `cbor.Marshal` of k8s.io/apimachinery: byte strings, shortest numbers. */
test("an object is written as kube-apiserver writes it", () => {
  expect(cborDocument({ kind: "T", n: 1.5, on: true, list: [256, null] }).toString("hex")).toBe(
    "d9d9f7a4446b696e644154416ef93e00426f6ef5446c69737482190100f6",
  );
  expect(SELF_DESCRIBED).toHaveLength(3);
});

/** Bodies by size: sixteen times the size is at most 3 MiB. */
const BODIES: Readonly<Record<string, readonly [size: number, body: (size: number) => Buffer]>> = {
  integers: [50_000, (size) => Buffer.concat([Buffer.from("9f", "hex"), Buffer.alloc(size), Buffer.from("ff", "hex")])],
  floats: [20_000, (size) => encodeCbor(Array.from({ length: size }, (_, at) => at + 0.1))],
  keys: [10_000, (size) => encodeCbor(Object.fromEntries(Array.from({ length: size }, (_, at) => [`k${at}`, at])))],
  "control characters": [100_000, (size) => encodeCbor("\u0001".repeat(size))],
  chunks: [
    2000,
    (size) =>
      Buffer.concat([
        Buffer.from("9f", "hex"),
        ...Array.from({ length: size }, () => Buffer.from("5f4161416141614161ff", "hex")),
        Buffer.from("ff", "hex"),
      ]),
  ],
};

describe("the cost of a body in CBOR grows linearly", () => {
  test.each(Object.entries(BODIES))("%s", async (_what, [size, body]) => {
    const make = (count: number) => {
      const bytes = body(count);
      return () => json(bytes, 64 * 1024 * 1024);
    };
    expect(await growthOf(make, size)).toBeLessThan(LINEAR_MAX);
  });
});
