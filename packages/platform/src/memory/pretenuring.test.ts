import { execFileSync } from "node:child_process";
import { expect, test } from "@jest/globals";
import { disablePretenuring } from "./pretenuring";

test("the run time knows what it is asked for: it would only complain, on standard error", () => {
  expect(execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" })).toMatch(
    /^ *--(\[no-\])?allocation-site-pretenuring /m,
  );
  expect(disablePretenuring).not.toThrow();
});
