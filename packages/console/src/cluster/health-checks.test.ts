import { expect, test } from "@jest/globals";
import { healthIn } from "./health-checks";

test("checks are read with their names and words, and warnings beside them", () => {
  const text =
    "[+]ping ok\n[-]etcd failed: reason withheld\n[+]poststarthook/a b\n[+]bare\nwarn: the disk is slow\nreadyz check failed\n";
  expect(healthIn(text)).toEqual({
    checks: [
      { name: "ping", isOk: true, text: "ok" },
      { name: "etcd", isOk: false, text: "failed: reason withheld" },
      { name: "poststarthook/a", isOk: true, text: "b" },
      { name: "bare", isOk: true, text: "" },
    ],
    warnings: ["the disk is slow"],
  });
});

test("other answers have no checks, and the number of checks is bounded", () => {
  for (const text of ["ok", "", "<html>", "[?]x y"]) expect(healthIn(text)).toEqual({ checks: [], warnings: [] });
  expect(healthIn("[+]a ok\n".repeat(5000)).checks).toHaveLength(1000);
});
