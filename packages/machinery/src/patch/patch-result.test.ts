import { expect, test } from "@jest/globals";
import { toStatus } from "../errors/status-object";
import { undecodablePatchResult } from "./patch-result";

test("a result that is no object of its kind is the patch's fault", () => {
  const error = undecodablePatchResult({ spec: 1 }, "spec: expected an object");
  expect(toStatus(error)).toMatchObject({
    code: 422,
    reason: "Invalid",
    message: ' "" is invalid: patch: Invalid value: "{\\"spec\\":1}": spec: expected an object',
    details: { causes: [{ reason: "FieldValueInvalid", field: "patch" }] },
  });
});
