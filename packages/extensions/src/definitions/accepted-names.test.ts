import { expect, test } from "@jest/globals";
import { resolveNames } from "./accepted-names";

const OTHER = { plural: "gadgets", singular: "gadget", kind: "Gadget", listKind: "GadgetList", shortNames: ["gd"] };
const ASKED = {
  plural: "widgets",
  singular: "widget",
  kind: "Widget",
  listKind: "WidgetList",
  shortNames: ["wd"],
  categories: ["all"],
};

test("unused names are accepted", () => {
  const { accepted, condition } = resolveNames(ASKED, undefined, [OTHER]);
  expect(accepted).toEqual(ASKED);
  expect(condition).toMatchObject({ status: "True", reason: "NoConflicts" });
});

test.each([
  ["PluralConflict", { plural: "gd" }, { plural: "" }],
  ["SingularConflict", { singular: "gadgets" }, { singular: undefined }],
  ["ShortNamesConflict", { shortNames: ["wd", "gadget"] }, { shortNames: undefined }],
  ["KindConflict", { kind: "GadgetList" }, { kind: "" }],
  ["ListKindConflict", { listKind: "Gadget" }, { listKind: undefined }],
])("%s: what another has is not accepted, the rest is", (reason, asked, kept) => {
  const { accepted, condition } = resolveNames({ ...ASKED, ...asked }, undefined, [OTHER]);
  expect(condition).toMatchObject({ status: "False", reason, message: expect.stringContaining("is already in use") });
  expect({ ...accepted }).toEqual(expect.objectContaining(Object.values(kept)[0] === undefined ? {} : kept));
  expect(
    Object.keys(kept).every(
      (name) => (accepted as unknown as Record<string, unknown>)[name] === Object.values(kept)[0],
    ),
  ).toBe(true);
});

test("names that were accepted stay while others are asked for in vain", () => {
  const { accepted } = resolveNames({ ...ASKED, shortNames: ["gd"] }, ASKED, [OTHER]);
  expect(accepted).toEqual(ASKED);
});
