import { expect, test } from "@jest/globals";
import { errorFields } from "@orch/platform";
import { StoreError, type StoreErrorCode } from "./contract";

test.each<[StoreErrorCode, boolean]>([
  ["unavailable", false],
  ["full", false],
  ["internal", true],
])("an error of the code %s is logged with its stack: %s", (code, hasStack) => {
  expect("stack" in errorFields(new StoreError(code, "no etcd endpoint can be reached"))).toBe(hasStack);
});
