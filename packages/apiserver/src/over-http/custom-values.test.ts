// Values of custom objects that say nothing: nulls, and fields that are absent.
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { ApiClient } from "../testing/api-client";
import { DEFINITIONS, definition, version, WIDGETS, widget } from "../testing/custom-definitions";
import { useServer } from "../testing/use-server";

let admin: ApiClient;

useServer((running) => ({ admin } = running));

const SPEC = {
  type: "object",
  properties: {
    text: { type: "string" },
    filled: { type: "string", default: "x" },
    nullable: { type: "string", nullable: true },
    list: { type: "array", items: { type: "string" } },
    map: { type: "object", additionalProperties: { type: "string" } },
    size: { type: "integer" },
    flag: { type: "boolean" },
  },
};
const versions = (spec: object) => [
  version("v1", {
    storage: true,
    schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
    selectableFields: [{ jsonPath: ".spec.size" }, { jsonPath: ".spec.flag" }, { jsonPath: ".spec.text" }],
  }),
];

beforeAll(async () => {
  await admin.post(DEFINITIONS, definition({ versions: versions(SPEC) }));
  while ((await admin.get(WIDGETS)).code !== 200) await new Promise((resolve) => setTimeout(resolve, 10));
});

describe("a null of what cannot be null", () => {
  const nulls = { text: null, filled: null, nullable: null, list: null, map: { a: null } };

  test("is not there, or is the default, in what is created", async () => {
    const { code, json } = await admin.post(WIDGETS, widget("created", { spec: nulls }));
    expect([code, json.spec]).toEqual([201, { filled: "x", nullable: null, map: {} }]);
  });

  test.each<[object, string | undefined]>([
    [{ text: null }, "spec.text"],
    [{ list: null }, "spec.list"],
    [{ map: { a: null } }, "spec.map.a"],
    [{ filled: null }, undefined],
    [{ nullable: null }, undefined],
  ])("is refused in what is applied: %j", async (spec, field) => {
    const headers = { "content-type": "application/apply-patch+yaml" };
    const path = `${WIDGETS}/applied?fieldManager=tests&dryRun=All`;
    const { code, json } = await admin.ask("PATCH", path, { headers, body: widget("applied", { spec }) });
    const { causes } = (json.details ?? {}) as unknown as { readonly causes?: readonly { readonly field: string }[] };
    expect([code, causes?.map((cause) => cause.field)]).toEqual(
      field === undefined ? [201, undefined] : [422, [field]],
    );
  });
});

test("a selectable field that is absent is the empty text, whatever its type", async () => {
  await admin.post(WIDGETS, widget("none", { spec: {} }));
  await admin.post(WIDGETS, widget("zero", { spec: { size: 0, flag: false, text: "a" } }));
  const found = async (selector: string) => {
    const { json } = await admin.get(`${WIDGETS}?fieldSelector=${encodeURIComponent(selector)}`);
    const names = json.items.map((item) => (item as unknown as { metadata: { name: string } }).metadata.name);
    return names.filter((name) => name === "none" || name === "zero");
  };
  expect(await found("spec.size=0")).toEqual(["zero"]);
  expect(await found("spec.size=")).toEqual(["none"]);
  expect(await found("spec.flag=false")).toEqual(["zero"]);
  expect(await found("spec.flag!=false")).toEqual(["none"]);
  expect(await found("spec.text=")).toEqual(["none"]);
});
