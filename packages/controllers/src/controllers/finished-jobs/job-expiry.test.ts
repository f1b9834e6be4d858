import { expect, test } from "@jest/globals";
import type { batchV1 } from "@orch/schema";
import { endingJob, expiryMsOf } from "./job-expiry";

const ENDED = "2030-01-01T00:00:00Z";
const ENDED_MS = Date.parse(ENDED);

const condition = (type: string, more: object = {}) => ({ type, status: "True", lastTransitionTime: ENDED, ...more });

function job(ttlSecondsAfterFinished: number | undefined, conditions: readonly object[], metadata: object = {}) {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "j", namespace: "shop", uid: "u", resourceVersion: "7", labels: { a: "b" }, ...metadata },
    spec: { template: { spec: {} }, ...(ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }) },
    status: { succeeded: 1, conditions },
  } as unknown as batchV1.Job;
}

test.each<[string, batchV1.Job, number | undefined]>([
  ["one that is complete goes after its time", job(100, [condition("Complete")]), ENDED_MS + 100_000],
  ["one that failed too", job(0, [condition("Suspended"), condition("Failed")]), ENDED_MS],
  ["one without a time stays", job(undefined, [condition("Complete")]), undefined],
  ["one that has not ended stays", job(0, [condition("Complete", { status: "False" })]), undefined],
  ["one that is only held up stays", job(0, [condition("Suspended")]), undefined],
  ["one that has no state stays", job(0, []), undefined],
  ["one that goes already is left alone", job(0, [condition("Complete")], { deletionTimestamp: ENDED }), undefined],
  ["when it ended must be known", job(0, [condition("Complete", { lastTransitionTime: null })]), undefined],
  ["a time of 68 years is one", job(2 ** 31 - 1, [condition("Failed")]), ENDED_MS + (2 ** 31 - 1) * 1_000],
])("%s", (_what, of, expected) => {
  expect(expiryMsOf(of)).toBe(expected);
  expect(expiryMsOf(endingJob(of))).toBe(expected);
});

test("nothing else is kept of a job", () => {
  expect(endingJob(job(5, [condition("Suspended"), condition("Complete")]))).toEqual({
    metadata: { name: "j", namespace: "shop", uid: "u", resourceVersion: "7" },
    spec: { ttlSecondsAfterFinished: 5 },
    status: { conditions: [condition("Complete")] },
  });
  expect(endingJob(job(undefined, [condition("Complete")]))).toEqual({
    metadata: { name: "j", namespace: "shop", uid: "u", resourceVersion: "7" },
  });
});
