import { expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { outcomeOf } from "../testing/plugin-outcome";
import { taintNodesByCondition } from "./taint-nodes-by-condition";

const TAINT = { key: "node.orch.io/not-ready", effect: "NoSchedule" };
const node = (spec?: JsonObject): JsonObject => ({ kind: "Node", metadata: { name: "n" }, ...(spec && { spec }) });
const newNode = (object: JsonObject) => ({ plural: "nodes", namespace: "", name: "n", object });

test.each<[what: string, before: JsonObject, after: JsonObject]>([
  ["without a specification", node(), node({ taints: [TAINT] })],
  ["without taints", node({}), node({ taints: [TAINT] })],
  ["with an empty list", node({ taints: [] }), node({ taints: [TAINT] })],
  [
    "with another taint",
    node({ taints: [{ key: "a", effect: "NoSchedule" }] }),
    node({ taints: [{ key: "a", effect: "NoSchedule" }, TAINT] }),
  ],
  ["with that taint", node({ taints: [TAINT] }), node({ taints: [TAINT] })],
  [
    "with that taint and a value",
    node({ taints: [{ ...TAINT, value: "v" }] }),
    node({ taints: [{ ...TAINT, value: "v" }] }),
  ],
  [
    "with another effect",
    node({ taints: [{ ...TAINT, effect: "NoExecute" }] }),
    node({ taints: [{ ...TAINT, effect: "NoExecute" }, TAINT] }),
  ],
  [
    "that says it is ready",
    { ...node(), status: { conditions: [{ type: "Ready", status: "True" }] } },
    { ...node({ taints: [TAINT] }), status: { conditions: [{ type: "Ready", status: "True" }] } },
  ],
  ["that takes no pods", node({ unschedulable: true }), node({ unschedulable: true, taints: [TAINT] })],
])("a node %s", async (_what, before, after) => {
  expect(await outcomeOf(taintNodesByCondition, newNode(before))).toEqual(after);
  expect(await outcomeOf(taintNodesByCondition, newNode(after))).toEqual(after);
  expect(await outcomeOf(undefined, newNode(before))).toEqual(before);
  expect(
    await outcomeOf(taintNodesByCondition, { ...newNode(before), operation: "UPDATE", oldObject: before }),
  ).toEqual(before);
});
