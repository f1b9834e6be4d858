import { describe, expect, test } from "@jest/globals";
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityMilliValue,
  quantityText,
  quantityValue,
  roundUpQuantity,
  subtractQuantities,
} from "../index";

function quantity(text: string): Quantity {
  const parsed = parseQuantity(text);
  if (parsed === undefined) throw new Error(`${text} is no quantity`);
  return parsed;
}

describe("the canonical text", () => {
  test.each([
    ["0", "0"],
    ["Ti", "0"],
    ["m", "0"],
    [".", "0"],
    ["+", "0"],
    ["-.k", "0"],
    ["E", "0"],
    ["e1", "0"],
    [".e3", "0"],
    ["-0", "0"],
    ["0Ki", "0"],
    ["0.0", "0"],
    ["1", "1"],
    ["+1", "1"],
    ["007", "7"],
    ["999", "999"],
    ["1000", "1k"],
    ["1001", "1001"],
    ["100m", "100m"],
    ["1000m", "1"],
    ["1500m", "1500m"],
    ["0.5", "500m"],
    [".5", "500m"],
    ["5.", "5"],
    ["1.25", "1250m"],
    ["1024Mi", "1Gi"],
    ["1000Ki", "1000Ki"],
    ["1.5Gi", "1536Mi"],
    ["0.5Ki", "512"],
    ["1.1Ki", "1126400m"],
    ["-2048Ki", "-2Mi"],
    ["1024", "1024"],
    ["1Ki", "1Ki"],
    ["1000k", "1M"],
    ["1000000M", "1T"],
    ["1e3", "1e3"],
    ["1E3", "1e3"],
    ["1.5e3", "1500"],
    ["12e6", "12e6"],
    ["1e-3", "1e-3"],
    ["1E", "1E"],
    ["100e0", "100"],
    ["1e+2", "100"],
    ["1n", "1n"],
    ["1u", "1u"],
    ["0.1n", "1n"],
    ["1.0000000001", "1000000001n"],
    ["-0.1n", "-1n"],
    ["1e-300", "1e-9"],
    ["9223372036854775807", "9223372036854775807"],
    ["9223372036854775808", "9223372036854775807"],
    ["10E", "9223372036854775807"],
    ["16Ei", "9223372036854775807"],
    ["1e99999", "9223372036854775807"],
    [" 1 ", "1"],
  ])("the canonical text of %j is %j", (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical);
    expect(canonicalQuantity(canonical)).toBe(canonical);
  });

  test.each([
    "",
    " ",
    "abc",
    "1 Mi",
    "1mi",
    "1ki",
    "1K",
    "1.2.3",
    "..",
    "+-",
    "e",
    "1e",
    "1e1.5",
    "mi",
    "0x10",
    "1,5",
    "Infinity",
    "9".repeat(1_000_000),
  ])("does not exist for %.20j", (text) => expect(canonicalQuantity(text)).toBeUndefined());
});

describe("arithmetic", () => {
  test.each([
    ["100m", "0.1", 0],
    ["1Gi", "1G", 1],
    ["999m", "1", -1],
    ["-1", "1", -1],
    ["9007199254740993", "9007199254740992", 1],
  ])("%s against %s is %i", (a, b, sign) => expect(compareQuantities(quantity(a), quantity(b))).toBe(sign));

  test("sums are exact and keep the first one's suffixes", () => {
    const sum = (a: string, b: string) => quantityText(addQuantities(quantity(a), quantity(b)));
    expect(sum("0.1", "0.2")).toBe("300m");
    expect(sum("1Gi", "1073741824")).toBe("2Gi");
    expect(sum("0", "512Mi")).toBe("512Mi");
    expect(quantityText(subtractQuantities(quantity("1"), quantity("1500m")))).toBe("-500m");
  });

  test("rounding goes away from zero", () => {
    const rounded = (text: string, exponent: number) => quantityText(roundUpQuantity(quantity(text), exponent));
    expect(rounded("1.0001", -3)).toBe("1001m");
    expect(rounded("-1.0001", -3)).toBe("-1001m");
    expect(rounded("1m", 0)).toBe("1");
    expect(quantityValue(quantity("1500m"))).toBe(2n);
    expect(quantityMilliValue(quantity("1.5"))).toBe(1500n);
  });
});
