import { expect, jest, test } from "@jest/globals";
import type { ApiRequest, ApiResponse, Middleware, Next } from "@orch/request";
import { inOrder } from "./in-order";

const request = {} as ApiRequest;
const response = {} as ApiResponse;

/** Returns the outcome of the steps. */
const run = (...steps: Middleware[]): Promise<unknown> =>
  new Promise((resolve) => inOrder(steps)(request, response, resolve as Next));

test("each step is asked when the one before says so, with the same request and answer", async () => {
  const asked: unknown[] = [];
  const step =
    (name: string): Middleware =>
    (...[of, answer, next]) => {
      asked.push([name, of === request, answer === response]);
      setImmediate(next);
    };
  expect(await run(step("first"), step("second"))).toBeUndefined();
  expect(asked).toEqual([
    ["first", true, true],
    ["second", true, true],
  ]);
});

const FAULT = new Error("not today");

test.each<[string, Middleware]>([
  [
    "thrown",
    () => {
      throw FAULT;
    },
  ],
  ["passed on", (_request, _response, next) => next(FAULT)],
  ["rejected with", async () => Promise.reject(FAULT)],
])("%s ends the pipeline", async (_how, failing) => {
  const later = jest.fn<Middleware>();
  expect(await run((_request, _response, next) => next(), failing, later)).toBe(FAULT);
  expect(later).not.toHaveBeenCalled();
});
