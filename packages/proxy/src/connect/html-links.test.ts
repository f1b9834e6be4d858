import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "@jest/globals";
import { growthOf, LINEAR_MAX } from "@orch/testing";
import { HtmlAttributes } from "./html-attributes";
import { LinkRewriter } from "./html-links";

const place = { prefix: "/p/proxy", host: "us:443", target: "10.0.0.1:80" };

const rewritten = (page: string, pieceLength = page.length): Promise<string> => {
  const pieces = [];
  for (let at = 0; at < page.length; at += pieceLength) pieces.push(Buffer.from(page.slice(at, at + pieceLength)));
  return text(Readable.from(pieces).pipe(new LinkRewriter(place)));
};

describe("a proxied page", () => {
  test.each([
    ["a link", '<a href="/x">', '<a href="/p/proxy/x">'],
    ["in any case, with any quotes", "<A HREF='/x'><IMG Src=/y>", "<A HREF='/p/proxy/x'><IMG Src=/p/proxy/y>"],
    ["with space around", '<a\n href = "/x" >', '<a\n href = "/p/proxy/x" >'],
    ["behind other attributes", "<a b c=d e='>' href=/x>", "<a b c=d e='>' href=/p/proxy/x>"],
    ["in an element that is closed at once", "<img src=/x/><br/>", "<img src=/p/proxy/x/><br/>"],
    ["of another element", '<p href="/x">', '<p href="/x">'],
    ["of an end tag", '</a href="/x">', '</a href="/x">'],
    ["in a comment", '<!-- <a href="/x"> --><a href="/y">', '<!-- <a href="/x"> --><a href="/p/proxy/y">'],
    ["behind an empty comment", '<!----><a href="/x">', '<!----><a href="/p/proxy/x">'],
    ["in what looks like a comment", '<!a <a href="/x">', '<!a <a href="/x">'],
    ["in a script", '<script>"<a href=/x>"</script><a href=/y>', '<script>"<a href=/x>"</script><a href=/p/proxy/y>'],
    ["of a script", '<script src="/x"></script >', '<script src="/p/proxy/x"></script >'],
    ["behind what does not end a script", "<script></scripts><a href=/x>", "<script></scripts><a href=/x>"],
    ["in a title", "<title><a href=/x></TITLE><a href=/y>", "<title><a href=/x></TITLE><a href=/p/proxy/y>"],
    ["behind a mark that is no tag", "a < b <a href=/x>", "a < b <a href=/p/proxy/x>"],
    ["behind an instruction", "<?x <a href=/y>", "<?x <a href=/y>"],
    ["behind an empty end tag", "</><a href=/x>", "</><a href=/p/proxy/x>"],
    ["without a value", "<a href= ><a href>", "<a href= ><a href>"],
    ["with a mark in its name", '<a "href="/x">', '<a "href="/x">'],
    ["of our own", '<a href="https://us:443/x">', '<a href="https://us:443/p/proxy/x">'],
    ["of others", '<a href="https://them/x">', '<a href="https://them/x">'],
    ["that never ends", '<a href="/x', '<a href="/x'],
    ["in letters of any kind", '<a title="ü漢" href="/ü">', '<a title="ü漢" href="/p/proxy/ü">'],
  ])("%s", async (_what, page, expected) => {
    expect(await rewritten(page)).toBe(expected);
    for (const pieceLength of [1, 2, 3, 7]) expect(await rewritten(page, pieceLength)).toBe(expected);
  });

  test("a link as long as a page is left as it is", async () => {
    const page = `<a href="/${"x".repeat(100_000)}">`;
    expect(await rewritten(page)).toBe(page);
  });
});

const PAGES: Readonly<Record<string, (size: number) => string>> = {
  "tags that never end": (size) => "<a ".repeat(size),
  "tags within tags": (size) => "<svg>".repeat(size),
  "quotes that never end": (size) => `${"<a href='".repeat(size)}`,
  "a value that never ends": (size) => `<a href="${"x".repeat(size)}`,
  "attributes that never end": (size) => `<a ${"href=/ ".repeat(size)}`,
  "a name that never ends": (size) => `<${"a".repeat(size)}`,
  "comments that never end": (size) => "<!--".repeat(size),
  "dashes in a comment": (size) => `<!--${"--> <!--".repeat(size)}`,
  "a script that never ends": (size) => `<script>${"</script".repeat(size)}`,
  "scripts in scripts": (size) => "<script></script>".repeat(size),
  marks: (size) => "<".repeat(size),
  "marks that end nothing": (size) => "</".repeat(size),
  references: (size) => "&amp".repeat(size),
};

describe("a page is passed at a cost that grows no faster than the page", () => {
  test.each(Object.entries(PAGES))("%s", async (_what, page) => {
    for (const pieceLength of [64, 16_384]) {
      const make = (size: number) => {
        const whole = page(size);
        return () => {
          const attributes = new HtmlAttributes({ wanted: () => new Set(["href"]), changed: (value) => value });
          let passed = 0;
          for (let at = 0; at < whole.length; at += pieceLength) {
            passed += attributes.pass(whole.slice(at, at + pieceLength)).length;
          }
          return passed + attributes.end().length;
        };
      };
      expect(await growthOf(make, 20_000)).toBeLessThan(LINEAR_MAX);
    }
  });

  test("nothing but the value of a link is held back", () => {
    const attributes = new HtmlAttributes({ wanted: () => new Set(["href"]), changed: (value) => value });
    let heldBack = 0;
    for (let at = 0; at < 1000; at += 1) {
      const piece = (at === 0 ? '<a title="' : "") + "x".repeat(1000);
      heldBack += piece.length - attributes.pass(piece).length;
    }
    expect(heldBack).toBe(0);
  });
});
