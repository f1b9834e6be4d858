import { describe, expect, test } from "@jest/globals";
import { growthOf, LINEAR_MAX } from "@orch/testing";
import { isPage, passiveLinks, withLinks, withoutReports } from "./page-headers";

test.each<[string, string | undefined]>([
  ["</2>; rel=next", "</2>; rel=next"],
  ['</2>; title="a, b; rel=preload"; rel="next last"', undefined],
  ['</2>; title="a, b"; rel="next last"', '</2>; title="a, b"; rel="next last"'],
  ["</s.css>; rel=preload; as=style, </2> ; REL = Next", "</2> ; REL = Next"],
  ["</s.css>; rel=next; rel=stylesheet", undefined],
  ['</s.css>; rel="next preconnect"', undefined],
  ['</s.css>; rel="next\tpreload"', undefined],
  ["</s.css>", undefined],
  ["</s.css>; rel", undefined],
  ["evil", undefined],
  ["<a<b>; rel=next", "<b>; rel=next"],
])("the links %s are passed as %p", (value, passed) => expect(passiveLinks(value)).toBe(passed));

test("each link is changed", () =>
  expect(withLinks("</1>; rel=prev, </2>; rel=next", (link) => `/p${link}`)).toBe(
    "</p/1>; rel=prev, </p/2>; rel=next",
  ));

test.each<[string, string | undefined]>([
  ["default-src 'self'", "default-src 'self'"],
  ["default-src 'self'; report-uri https://a /b;; img-src *", "default-src 'self'; img-src *"],
  [" Report-To  x ; frame-ancestors 'none'", "frame-ancestors 'none'"],
  ["report-uri /x, report-to y; sandbox", "sandbox"],
  ["report-uri", undefined],
  ["report-uris x", "report-uris x"],
])("the policy %s is passed as %p", (value, passed) => expect(withoutReports(value)).toBe(passed));

test.each<[string | readonly string[] | undefined, boolean]>([
  [undefined, true],
  ["", true],
  ["text/html; charset=utf-8", true],
  ["text/plain", true],
  ["image/svg+xml", true],
  ["application/xhtml+xml", true],
  ["application/octet-stream", true],
  ["application/json", false],
  ["application/json;stream=watch", false],
  ["Application/JSON ; charset=utf-8", false],
  ["application/vnd.kubernetes.protobuf", false],
  ["application/vnd.kubernetes.protobuf;stream=watch", false],
  ["application/cbor", false],
  // A browser uses the last one of several types.
  ["application/json, text/html", true],
  ["application/json; x=y, text/html", true],
  [["application/json", "text/html"], true],
  ["application/jsonx", true],
  ["application/vnd.html+json.text/html", true],
])("an answer of the type %p may be a page: %p", (type, expected) => expect(isPage(type)).toBe(expected));

describe("a long header costs no more than its share", () => {
  test.each<[string, (size: number) => string]>([
    ["brackets", (size) => "<".repeat(size)],
    ["links", (size) => "<a>;".repeat(size)],
    ["parameters", (size) => `<a>${";b=c".repeat(size)}`],
    ["white space", (size) => `<a>;b${" ".repeat(size)}`],
    ["white space before a relation", (size) => `<a>${"; \t".repeat(size)}rel=next`],
    ["quotes", (size) => `<a>;b="${'"'.repeat(size)}`],
    ["a type", (size) => `application/vnd.${"a.".repeat(size)}`],
    ["directives", (size) => "report-uri;".repeat(size)],
    ["white space before directives", (size) => " ".repeat(size)],
  ])("%s", async (_what, make) => {
    const growth = await growthOf((size) => {
      const value = make(size);
      return () => [passiveLinks(value), withoutReports(value), isPage(value)];
    }, 20_000);
    expect(growth).toBeLessThan(LINEAR_MAX);
  });
});
