import { describe, expect, test } from "@jest/globals";
import { warningHeaders } from "./warning";

describe("warnings", () => {
  test.each<[string, string[], string[]]>([
    ["none", [], []],
    ["one", ["a b"], ['299 - "a b"']],
    ["quotes and backslashes escaped", ['say "a\\b"'], ['299 - "say \\"a\\\\b\\""']],
    ["each once", ["a", "b", "a"], ['299 - "a"', '299 - "b"']],
    ["no empty ones", ["", "a"], ['299 - "a"']],
    ["none with control characters", ["a\nX-Evil: b", "c\u0085", "d"], ['299 - "d"']],
    ["other scripts as UTF-8 bytes", ["ü"], ['299 - "\u00c3\u00bc"']],
  ])("become headers: %s", (_what, texts, headers) => expect(warningHeaders(texts)).toEqual(headers));

  test("keep their length as long as all of them fit", () => {
    const texts = ["a", "b"].map((each) => each.repeat(2048));
    expect(warningHeaders(texts)).toEqual(texts.map((text) => `299 - "${text}"`));
  });

  test("are cut to 256 characters when they do not, and the last dropped when that is not enough", () => {
    const texts = Array.from({ length: 20 }, (_, position) => String.fromCharCode(97 + position).repeat(300));
    const headers = warningHeaders(texts);
    expect(headers).toHaveLength(16);
    expect(headers[0]).toBe(`299 - "${"a".repeat(256)}"`);
  });
});
