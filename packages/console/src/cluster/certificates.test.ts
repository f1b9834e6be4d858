import { expect, test } from "@jest/globals";
import { certificateState, daysLeft, soonExpired } from "./certificates";

test("days are whole, and negative after the end", () => {
  const day = 86_400;
  expect([daysLeft(10 * day, 0), daysLeft(day, day * 1000 + 1), daysLeft(1.5 * day, 0)]).toEqual([10, -1, 1]);
  expect([-1, 0, 29, 30].map(certificateState)).toEqual(["expired", "expires soon", "expires soon", "ok"]);
});

test("uses of client certificates with less than a week are counted", () => {
  const bucket = (le: string, value: number) => ({ labels: { le }, value });
  expect(soonExpired([bucket("86400", 1), bucket("604800", 3), bucket("+Inf", 9)])).toEqual({ uses: 9, soon: 3 });
  expect(soonExpired([])).toBeUndefined();
});
