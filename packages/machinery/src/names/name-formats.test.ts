import { describe, expect, test } from "@jest/globals";
import * as formats from "./name-formats";

const a63 = "a".repeat(63);
const long253 = `${"a".repeat(251)}.b`;

const CASES: readonly [string, (text: string) => readonly string[], readonly string[], readonly string[]][] = [
  ["label1123", formats.label1123Errors, ["a", "0", "a-b", a63], ["", "-a", "a-", "a.b", "A", "a_b", `${a63}a`, "a\n"]],
  ["label1035", formats.label1035Errors, ["a", "a-0", a63], ["", "0a", "a-", "a.b", `${a63}a`]],
  [
    "subdomain",
    formats.subdomainErrors,
    ["a", "0.a-b.c", long253, `${a63}a.b`],
    ["", ".a", "a.", "a..b", "a.-b", "A", "a/b", `${long253}c`],
  ],
  ["wildcard subdomain", formats.wildcardSubdomainErrors, ["*.a", "*.a.b"], ["*", "a.b", "*.*.a", "a.*", "*."]],
  [
    "qualified name",
    formats.qualifiedNameErrors,
    ["a", "A_b.c-D", "example.com/Name", `example.com/${a63}`],
    ["", "/a", "a/", "a/b/c", "-a", "a-", "UP.com/a", "a b", `a/${a63}b`],
  ],
  ["label value", formats.labelValueErrors, ["", "a", "A_b.c-D", a63], ["-a", "a-", "a b", "a/b", `${a63}a`]],
  ["path segment", formats.pathSegmentErrors, ["a", "system:a", "A B", "...", "ä"], [".", "..", "a/b", "a%b"]],
  ["C identifier", formats.cIdentifierErrors, ["a", "_A0"], ["", "0a", "a-b"]],
  ["variable name", formats.envVarNameErrors, ["a", "-a.b_C", "..a".slice(1)], ["", "0a", ".", "..", "..a", "a b"]],
  [
    "config key",
    formats.configKeyErrors,
    ["a", "0.A_b-c", ".a", "a".repeat(253)],
    ["", ".", "..", "..a", "a b", "a/b", "a".repeat(254)],
  ],
  [
    "port name",
    formats.portNameErrors,
    ["a", "http-2", "0a", "a".repeat(15)],
    ["", "1", "-a", "a-", "a--b", "A", "a_b", "a".repeat(16)],
  ],
  [
    "address",
    formats.ipErrors,
    ["10.0.0.1", "010.000.0.09", "::1", "2001:db8::1", "::ffff:1.2.3.4"],
    ["", "1.2.3", "256.1.1.1", "a", "1.2.3.4/8", ":::"],
  ],
  ["percentage", formats.percentErrors, ["0%", "250%"], ["", "%", "5", "-5%"]],
  ["header name", formats.headerNameErrors, ["X-A", "a"], ["", "a b", "a:"]],
  ["fully qualified name", formats.fullyQualifiedNameErrors, ["a.b.c"], ["a.b", "a", "", "a..b"]],
  [
    "fully qualified domain name",
    formats.fullyQualifiedDomainNameErrors,
    ["a.b", "a.b."],
    ["a", "", "a.b..", `${a63}a.b`],
  ],
  [
    "domain-prefixed path",
    formats.domainPrefixedPathErrors,
    ["a.b/c", "a.b/c/d"],
    ["a.b", "a.b/", "/a", "A/b", "a/b c"],
  ],
];

describe.each(CASES)("a %s", (_format, errors, good, bad) => {
  test.each(good)("may be %j", (text) => expect(errors(text)).toEqual([]));
  test.each(bad)("may not be %j", (text) => expect(errors(text)).not.toEqual([]));
});

describe("messages", () => {
  test.each<[string, readonly string[], RegExp]>([
    ["the length", formats.label1123Errors("a".repeat(64)), /^must be no more than 63 characters$/],
    [
      "rule, example and expression",
      formats.label1123Errors("A"),
      /\(e\.g\. 'my-name', or '123-abc', regex used for validation is '\[a-z0-9\]\(\[-a-z0-9\]\*\[a-z0-9\]\)\?'\)$/,
    ],
    ["the name part", formats.qualifiedNameErrors("a/"), /^name part must be non-empty$/],
    ["the prefix part", formats.qualifiedNameErrors("/a"), /^prefix part must be non-empty$/],
    ["a range", formats.portNumberErrors(0), /^must be between 1 and 65535, inclusive$/],
  ])("say %s", (_what, [message], expected) => expect(message).toMatch(expected));

  test("come one for each broken rule", () => expect(formats.subdomainErrors(`${"a".repeat(254)}-`)).toHaveLength(2));
});

test.each<[formats.NameFormat, string, boolean]>([
  ["subdomain", "web-", true],
  ["subdomain", "web.", false],
  ["label1123", "web-", true],
  ["label1035", "0-", false],
  ["pathSegment", "..", true],
  ["pathSegment", "a/", false],
])("%j as the prefix of a generated %s is accepted: %j", (format, base, taken) => {
  expect(formats.NAME_RULES[format](base, true).length === 0).toBe(taken);
});

test("a name as long as a body has only the error that it is too long", () => {
  expect(formats.subdomainErrors(`${"a-".repeat(500_000)}.`)).toEqual(["must be no more than 253 characters"]);
  expect(formats.fullyQualifiedDomainNameErrors("a.".repeat(100_000))).not.toEqual([]);
});
