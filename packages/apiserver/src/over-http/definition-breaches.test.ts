// The error for a definition lists all faults at once, with the path and, when there is one, the remedy.
import { describe, expect, test } from "@jest/globals";
import type { ApiClient } from "../testing/api-client";
import { DEFINITIONS, definition, version } from "../testing/custom-definitions";
import { useServer } from "../testing/use-server";

let admin: ApiClient;

useServer((running) => ({ admin } = running));

const MERGE = { "content-type": "application/merge-patch+json" };
const P = "spec.validation.openAPIV3Schema.properties[p]";
const RULES = "x-orch-validations";

const ofSchema = (p: object) => [
  version("v1", { storage: true, schema: { openAPIV3Schema: { type: "object", properties: { p } } } }),
];

/** Path and reason of each fault. */
async function breaches(versions: readonly object[]): Promise<readonly string[]> {
  const { code, json } = await admin.post(`${DEFINITIONS}?dryRun=All`, definition({ versions }));
  return code === 201 ? [] : causesOf(json).map(({ field, reason }) => `${field} ${reason}`);
}

const causesOf = (status: unknown) => (status as { readonly details: { readonly causes: Cause[] } }).details.causes;

interface Cause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

describe("values of defaults are told where they break their schema, each once", () => {
  const AT = `${P}.default`;
  test.each<[object, readonly string[]]>([
    [{ type: "string", default: "a" }, []],
    [{ type: "string", default: 1 }, [`${AT} FieldValueInvalid`]],
    [{ type: "integer", maximum: 5, default: 6 }, [`${AT} FieldValueInvalid`]],
    [{ type: "integer", default: 1.5 }, [`${AT} FieldValueInvalid`]],
    [{ type: "object", properties: { a: { type: "string" } }, default: { b: "x" } }, [`${AT} FieldValueInvalid`]],
    [{ type: "array", items: { type: "string" }, default: [1] }, [`${AT}[0] FieldValueInvalid`]],
    [{ type: "string", enum: ["a", "b"], default: "c" }, [`${AT} FieldValueNotSupported`]],
    [{ type: "string", pattern: "^a$", default: "ab" }, [`${AT} FieldValueInvalid`]],
    [{ type: "string", pattern: "^(a+)+$", default: `${"a".repeat(40)}!` }, [`${AT} FieldValueInvalid`]],
    [
      { type: "object", required: ["a"], properties: { a: { type: "string" } }, default: {} },
      [`${AT}.a FieldValueRequired`],
    ],
    [{ "x-orch-int-or-string": true, default: true }, [`${AT} FieldValueInvalid`]],
  ])("%j", async (schema, told) => expect(await breaches(ofSchema(schema))).toEqual(told));
});

describe("rules are told where they do not compile, or may cost too much", () => {
  const list = { type: "array", items: { type: "string" } };
  const costly = { rule: "self.b.all(x, self.b.all(y, self.b.all(z, x == y && y == z)))" };
  const ruled = (...rules: readonly object[]) => ({ type: "object", properties: { b: list }, [RULES]: rules });

  test.each(["one version", "versions that share it", "versions of their own"])("rules of %s", async (how) => {
    const p = ruled({ rule: "self.b ==" });
    const [one] = ofSchema(p);
    const others = {
      "one version": [],
      "versions that share it": [{ ...one, name: "v2", storage: false }],
      "versions of their own": [version("v2")],
    }[how] as object[];
    const front = how === "versions of their own" ? P.replace("validation", "versions[0].schema") : P;
    expect(await breaches([one as object, ...others])).toEqual([`${front}.${RULES}[0].rule FieldValueInvalid`]);
  });

  test("with the mend, and beside everything else that is wrong", async () => {
    const text = { type: "string", pattern: "(", default: 5 };
    const p = {
      ...ruled({ rule: "self.b ==" }, costly, { rule: "has(self.a)", messageExpression: "1" }),
      properties: { b: list, a: text, c: { type: "array" } },
    };
    const { code, json } = await admin.post(DEFINITIONS, definition({ versions: ofSchema(p) }));
    expect(code).toBe(422);
    const causes = causesOf(json);
    expect(causes.map(({ field }) => field)).toEqual([
      `${P}.properties[a].pattern`,
      `${P}.properties[c].items`,
      `${P}.properties[a].default`,
      `${P}.${RULES}[0].rule`,
      `${P}.${RULES}[1].rule`,
      `${P}.${RULES}[2].messageExpression`,
      `${P}.${RULES}[1].rule`,
      "spec.validation.openAPIV3Schema",
    ]);
    const { message } = causes.find(({ field }) => field.endsWith("[1].rule")) as Cause;
    expect(message).toMatch(/exceeds budget by factor .*adding maxItems, maxProperties, and maxLength/);
  });
});

test("an update is held to what it changes", async () => {
  const p = { type: "string", default: "a" };
  await admin.post(DEFINITIONS, definition({ versions: ofSchema(p) }));
  const patch = (body: object) => admin.ask("PATCH", `${DEFINITIONS}/widgets.example.com`, { headers: MERGE, body });
  expect((await patch({ metadata: { labels: { a: "b" } } })).code).toBe(200);
  const broken = await patch({ spec: { versions: ofSchema({ ...p, default: 5 }) } });
  expect([broken.code, causesOf(broken.json).length]).toEqual([422, 1]);
  const rule = await patch({ spec: { versions: ofSchema({ ...p, [RULES]: [{ rule: "self ==" }] }) } });
  expect([rule.code, causesOf(rule.json).length]).toEqual([422, 1]);
});
