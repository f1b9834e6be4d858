import { expect, test } from "@jest/globals";
import { pods } from "@orch/apis-core";
import type { ResourceDefinition } from "@orch/machinery";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { definitionOf } from "./definitions";

const vocabulary = vocabularyOf("orch");
const { strategy } = definitionOf(pods, vocabulary, loadSchema(vocabulary), "1.23") as ResourceDefinition;

const running: JsonObject = {
  spec: { nodeName: "n1", terminationGracePeriodSeconds: 30 },
  status: { phase: "Running" },
};

test.each<[string, JsonObject, number | undefined, number]>([
  ["is given its own time to stop", running, undefined, 30],
  ["is given the time that the client names", running, 5, 5],
  ["that says nothing is given half a minute", { ...running, spec: { nodeName: "n1" } }, undefined, 30],
  ["is given none when it has not been scheduled", { ...running, spec: { terminationGracePeriodSeconds: 30 } }, 5, 0],
  ["is given none when it has failed", { ...running, status: { phase: "Failed" } }, 5, 0],
  ["is given none when it has succeeded", { ...running, status: { phase: "Succeeded" } }, undefined, 0],
])("a pod %s", (_behaviour, pod, asked, expected) => {
  expect(strategy.deletion?.graceSeconds?.(pod, asked)).toBe(expected);
});
