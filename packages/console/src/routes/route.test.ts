import { describe, expect, test } from "@jest/globals";
import { addressOf, readRoute } from "./route";

describe("an address", () => {
  test.each([
    ["kinds", [], {}],
    ["object", ["", "v1", "configmaps", "a/b", "x y?#%"], {}],
    ["objects", ["apps", "v1", "deployments"], { labels: "a=b,c in (d,e)", q: "ä&=" }],
  ])("to the page %s is read as it was written", (page, parts, query) => {
    expect(readRoute(addressOf(page, parts, query))).toEqual({ page, parts, query });
  });

  test("without a route is that of the first page", () => {
    for (const fragment of ["", "#", "#/", "#token=secret", "#main"])
      expect(readRoute(fragment)).toEqual({ page: "", parts: [], query: {} });
  });

  test("leaves out empty parameters, and survives an escape that is none", () => {
    expect(addressOf("kinds", [], { q: "", labels: undefined })).toBe("#/kinds");
    expect(readRoute("#/objects/%zz").parts).toEqual(["%zz"]);
  });
});
