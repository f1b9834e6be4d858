import { expect, test } from "@jest/globals";
import { BodyBudget } from "./body-budget";

test("a user may have as much as is left for others, and so do those who come later", () => {
  const budget = new BodyBudget(1000);
  expect(budget.take("jane", 501)).toBe(false);
  expect(budget.take("jane", 500)).toBe(true);
  expect(budget.take("jane", 1)).toBe(false);
  expect(budget.take("joe", 250)).toBe(true);
  expect(budget.take("joe", 1)).toBe(false);
  expect(budget.take("jim", 125)).toBe(true);
  expect(budget.bytes).toBe(875);
});

test("released memory can be reserved again, and no user is remembered", () => {
  const budget = new BodyBudget(1000);
  for (let round = 0; round < 3; round += 1) {
    expect(budget.take("jane", 400)).toBe(true);
    expect(budget.take("jane", 200)).toBe(false);
    budget.giveBack("jane", 400);
    expect(budget.bytes).toBe(0);
  }
});
