import { describe, expect, test } from "@jest/globals";
import { parseTokenFile } from "./token-file";

describe("a token file", () => {
  test.each<[string, string, string, string[]]>([
    ["three columns: no groups", "t,ann,7", "ann", []],
    ["one group", "t,ann,7,devs", "ann", ["devs"]],
    ["several groups in quotes, blanks kept", 't,ann,7,"devs, ops"', "ann", ["devs", " ops"]],
    ["columns after the fourth are ignored", "t,ann,7,devs,rest,more", "ann", ["devs"]],
    ["quotes inside a quoted field", 't,"ann ""x"", the first",7', 'ann "x", the first', []],
    ["line ends with CRLF", "t,ann,7,devs\r\n", "ann", ["devs"]],
    ["empty lines before and after", "\n\r\nt,ann,7\n\n", "ann", []],
    ["a quoted field over two lines", 't,"an\nn",7', "an\nn", []],
  ])("%s", (_form, csv, name, groups) => {
    expect(parseTokenFile(csv)).toEqual({ entries: [{ token: "t", user: { name, uid: "7", groups } }], warnings: [] });
  });

  test.each([
    [
      "too few columns",
      "t,ann,7\n\nu,bob",
      "line 3: must have at least 3 columns (token, user name, user uid), found 2",
    ],
    ["a quote inside a bare field", 't,an"n,7', "line 1: a quote inside a field without quotes"],
    ["text after a closing quote", 't,"ann"x,7', "line 1: text after the closing quote of a field"],
    ["a quote that is never closed", 't,ann,7\nu,"bob,8\n', "line 2: a quoted field that is not closed"],
    [
      "a line after a field of two lines",
      '"a\nb",ann,7\nu',
      "line 3: must have at least 3 columns (token, user name, user uid), found 1",
    ],
  ])("is refused with its line for %s", (_fault, csv, message) => {
    expect(() => parseTokenFile(csv)).toThrow(new Error(message));
  });

  test("skips empty tokens and lets the last of two equal ones win, with warnings that spell no token", () => {
    const { entries, warnings } = parseTokenFile(",ann,7\nt,ann,7\nt,bob,8");
    expect(entries).toEqual([{ token: "t", user: { name: "bob", uid: "8", groups: [] } }]);
    expect(warnings).toEqual(["line 1: empty token, line skipped", "line 3: duplicate token; this line is used"]);
  });
});
