import { describe, expect, test } from "@jest/globals";
import { parseShardSelector } from "./shard-selector";

const UID = "object.metadata.uid";
const range = (start: string, end: string, path = UID): string => `shardRange(${path}, '${start}', '${end}')`;
const ALL = range("0x0000000000000000", "0x10000000000000000");

/** FNV-1a by its definition. */
function hashOf(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}

const hex = (value: bigint): string => `0x${value.toString(16).padStart(16, "0")}`;

/** Published values of FNV-1a with 64 bits. Source: RFC 9923, appendix C. */
test.each([
  ["", 0xcbf29ce484222325n],
  ["a", 0xaf63dc4c8601ec8cn],
  ["foobar", 0x85944171f73967e8n],
])("the text %j has its FNV-1a hash", (text, hash) => {
  expect(hashOf(text)).toBe(hash);
  expect(parseShardSelector(range(hex(hash), hex(hash + 1n))).matches(text)).toBe(true);
});

test("each value belongs to exactly the range that holds its hash", () => {
  for (let at = 0; at < 2000; at += 1) {
    const text = `${at}-ü-${at * at}`;
    const hash = hashOf(text);
    expect(parseShardSelector(range(hex(hash), hex(hash + 1n))).matches(text)).toBe(true);
    expect(parseShardSelector(range("0x0000000000000000", hex(hash))).matches(text)).toBe(false);
    expect(parseShardSelector(range(hex(hash + 1n), "0x10000000000000000")).matches(text)).toBe(false);
  }
  expect(parseShardSelector(ALL).matches("anything")).toBe(true);
});

test("several ranges are joined, and the canonical text has one form", () => {
  const [low, high] = [
    range("0x0000000000000000", "0x1000000000000000"),
    range("0xf000000000000000", "0x10000000000000000"),
  ];
  const joined = parseShardSelector(`  ${low}||${high.replaceAll("'", '"')} `);
  expect(joined.text).toBe(`${low} || ${high}`);
  expect(joined.field).toBe("uid");
  expect(parseShardSelector(range("0x0000000000000000", "0x1000000000000000", "object.metadata.namespace")).field).toBe(
    "namespace",
  );
});

describe("a wrong selector is refused", () => {
  test.each([
    ["", "empty shard selector is not allowed"],
    ["shardRange", "expected (, got the end"],
    ["other(1)", 'unsupported function "other"; only shardRange() and || are allowed'],
    ["'a'", 'expected shardRange(), got "a"'],
    [`${ALL} && ${ALL}`, "unexpected character at position"],
    [`${ALL} ${ALL}`, 'expected ||, got "shardRange"'],
    [`${ALL} ||`, "expected shardRange(), got the end"],
    [range("0x0000000000000000", "0x1000000000000000", "metadata.uid"), 'unsupported field path "metadata.uid"'],
    [range("0x0", "0x1000000000000000"), "hexStart must be '0x' and 16 hexadecimal digits"],
    [range("0x0000000000000000", "0x1000000000000000F"), "hexEnd must be '0x' and 16 hexadecimal digits"],
    [range("0x0000000000000000", "0x20000000000000000"), "hexEnd must be"],
    [range("0x1000000000000000", "0x1000000000000000"), "must be less than end"],
    [`shardRange(${UID}, 1, 2)`, "unexpected character"],
    [
      `${ALL} || ${range("0x0000000000000000", "0x1000000000000000", "object.metadata.namespace")}`,
      "all shard ranges must use the same field",
    ],
    [Array.from({ length: 257 }, () => ALL).join("||"), "a shard selector may have 256 ranges"],
    [`${"x".repeat(1_000_000)}(`, "unsupported function"],
  ])("%#: %.60s", (text, message) => {
    expect(() => parseShardSelector(text)).toThrow(message);
  });
});
