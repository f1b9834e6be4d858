import { expect, test } from "@jest/globals";
import type { AdmissionOperation } from "@orch/machinery";
import { fakeDependencies, requestOf } from "../testing/admission-request";
import { outcomeOf } from "../testing/plugin-outcome";
import { alwaysAdmit, alwaysDeny } from "./always";

const OPERATIONS: readonly AdmissionOperation[] = ["CREATE", "UPDATE", "DELETE", "CONNECT"];
const object = { metadata: { name: "a" }, data: { a: "b" } };

test.each(OPERATIONS)("AlwaysAdmit does nothing to %s", async (operation) => {
  expect(await outcomeOf(alwaysAdmit, { operation, object })).toEqual(object);
  expect(alwaysAdmit.make(fakeDependencies()).on).toEqual([]);
});

test.each(OPERATIONS)("AlwaysDeny refuses %s, of whatever it is", async (operation) => {
  const text = "is forbidden: admission control is denying all modifications";
  expect(await outcomeOf(alwaysDeny, { operation, object })).toBe(`403 configmaps "a" ${text}`);
  const part = { operation, group: "apps", plural: "deployments", subresource: "scale", object };
  expect(await outcomeOf(alwaysDeny, part)).toBe(`403 deployments.apps "a" ${text}`);
  const { validate } = alwaysDeny.make(fakeDependencies());
  expect(() => validate?.(requestOf({ operation, object }))).toThrow(text);
  expect(await outcomeOf(undefined, { operation, object })).toEqual(object);
});
