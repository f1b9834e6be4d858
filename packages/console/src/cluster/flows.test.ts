import { expect, test } from "@jest/globals";
import { waitingFlows } from "./flows";

const row = (UserName: string) => ({ PriorityLevelName: "low", FlowSchemaName: "all", UserName, FlowDistingsher: "d" });

test("waiting requests are counted by flow, the largest first", () => {
  expect(waitingFlows([row("ann"), row("ben"), row("ben"), row("")])).toEqual([
    { level: "low", schema: "all", user: "ben", requests: 2 },
    { level: "low", schema: "all", user: "ann", requests: 1 },
    { level: "low", schema: "all", user: "d", requests: 1 },
  ]);
  expect(waitingFlows([])).toEqual([]);
});
