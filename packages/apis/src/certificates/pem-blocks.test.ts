import { expect, test } from "@jest/globals";
import { growthOf, LINEAR_MAX } from "@orch/testing";
import { firstPemBlock, pemBlocks } from "./pem-blocks";

const block = (label: string, content: string): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(content).toString("base64")}\n-----END ${label}-----\n`;

const read = (text: string) => [...pemBlocks(text)].map(({ label, bytes }) => [label, bytes.toString()]);

test.each<[what: string, text: string, expected: readonly (readonly string[])[]]>([
  ["no block", "a note", []],
  [
    "blocks between notes",
    `a\n${block("A", "1")}b\n${block("B", "2")}c`,
    [
      ["A", "1"],
      ["B", "2"],
    ],
  ],
  ["a beginning without an end", `-----BEGIN A-----\n${block("B", "2")}`, [["B", "2"]]],
  ["an end before its beginning", `-----END A-----\n${block("A", "1")}`, [["A", "1"]]],
])("the reader finds %s", (_what, text, expected) => expect(read(text)).toEqual(expected));

test("an end may share its dashes with the end of another label", () => {
  const [found, ...others] = read("-----BEGIN B-----\nMg==\n-----END A-----END B-----\n");
  expect([found?.[0], others]).toEqual(["B", []]);
});

test.each<[what: string, make: (count: number) => string]>([
  ["blocks", (count) => block("A", "1").repeat(count)],
  ["beginnings without ends", (count) => "-----BEGIN A-----\n".repeat(count)],
  [
    "beginnings of different labels without ends",
    (count) => Array.from({ length: count }, (_, i) => `-----BEGIN A${i}-----\n`).join(""),
  ],
  ["ends without beginnings", (count) => `${"-----END A-----\n".repeat(count)}${block("B", "2")}`],
])("the time to read %s is linear", async (_what, make) => {
  const growth = await growthOf((size) => {
    const text = make(size);
    return () => [...pemBlocks(text)];
  }, 2000);
  expect(growth).toBeLessThan(LINEAR_MAX);
});

test("the first block is found without reading those behind it", () => {
  const text = block("A", "1").repeat(20_000);
  const spent = (read: () => unknown): number => {
    const start = process.cpuUsage();
    read();
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  const least = (read: () => unknown) => Math.min(...Array.from({ length: 3 }, () => spent(read)));
  expect(firstPemBlock(text)?.bytes.toString()).toBe("1");
  expect(10 * least(() => firstPemBlock(text))).toBeLessThan(least(() => [...pemBlocks(text)]));
});
