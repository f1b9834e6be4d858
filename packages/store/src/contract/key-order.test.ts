import { expect, test } from "@jest/globals";
import { orderForm } from "./key-order";

test("keys are ordered as their UTF-8 bytes are", () => {
  const names = ["a", "a/b", "a0", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{1f600}", "\u{10ffff}", "é"];
  const byBytes = [...names].sort((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)));
  const byForm = [...names].sort((x, y) => (orderForm(x) < orderForm(y) ? -1 : 1));
  expect(byForm).toEqual(byBytes);
});
