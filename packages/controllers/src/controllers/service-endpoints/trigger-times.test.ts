import { expect, test } from "@jest/globals";
import type { coreV1 } from "@orch/schema";
import { webPod, webService } from "../../testing/service-objects";
import { TriggerTimes } from "./trigger-times";

const readyAt = (number: number, time: string): coreV1.Pod => {
  const pod = webPod(number);
  return {
    ...pod,
    status: { ...pod.status, conditions: [{ type: "Ready", status: "True", lastTransitionTime: time }] },
  };
};
const minute = (at: number) => `2024-01-01T00:0${at}:00Z`;

test("the earliest of what has changed since the last look", () => {
  const times = new TriggerTimes();
  const look = (...pods: coreV1.Pod[]) => times.look("shop/web", webService(), pods);
  expect(look(readyAt(1, minute(1)))).toBe("2023-01-01T00:00:00Z");
  expect(look(readyAt(1, minute(1)))).toBeUndefined();
  expect(look(readyAt(1, minute(3)), readyAt(2, minute(2)))).toBe(minute(2));
  expect(look(readyAt(1, minute(3)))).toBeUndefined();
  // A pod that was absent counts as new.
  expect(look(readyAt(1, minute(3)), readyAt(2, minute(2)))).toBe(minute(2));
  times.forget("shop/web");
  expect(look(readyAt(1, minute(3)))).toBe("2023-01-01T00:00:00Z");
});
