import { expect, test } from "@jest/globals";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { topologyConversion } from "./topology-conversion";

const vocabulary = vocabularyOf("orch");
const ZONE = "topology.orch.io/zone";
const HOST = "orch.io/hostname";

const slice = (endpoint: JsonObject): JsonObject => ({ addressType: "IPv4", endpoints: [endpoint], ports: [] });
const toBeta = (endpoint: JsonObject) => topologyConversion.fromHub(slice(structuredClone(endpoint)), vocabulary);
const toStable = (endpoint: JsonObject) => topologyConversion.toHub(slice(structuredClone(endpoint)), vocabulary);

test.each<[string, stable: JsonObject, beta: JsonObject]>([
  ["no place at all", { addresses: ["10.0.0.1"] }, { addresses: ["10.0.0.1"] }],
  ["a zone", { zone: "a" }, { topology: { [ZONE]: "a" } }],
  ["a node", { nodeName: "n1" }, { nodeName: "n1", topology: { [HOST]: "n1" } }],
  [
    "node, zone and other topology",
    { nodeName: "n1", zone: "a", deprecatedTopology: { rack: "7" } },
    { nodeName: "n1", topology: { [HOST]: "n1", [ZONE]: "a", rack: "7" } },
  ],
  [
    "a host named otherwise than its node",
    { nodeName: "n1", deprecatedTopology: { [HOST]: "other" } },
    { nodeName: "n1", topology: { [HOST]: "other" } },
  ],
  ["a host without a node", { deprecatedTopology: { [HOST]: "h" } }, { topology: { [HOST]: "h" } }],
  ["an empty zone", { zone: "" }, { topology: { [ZONE]: "" } }],
])("an endpoint with %s is the same in v1 and v1beta1", (_, stable, beta) => {
  expect(toBeta(stable)).toEqual(slice(beta));
  expect(toStable(beta)).toEqual(slice(stable));
});

test("an empty host name gives way to the node's name in v1beta1", () => {
  expect(toBeta({ nodeName: "n1", deprecatedTopology: { [HOST]: "" } })).toEqual(
    slice({ nodeName: "n1", topology: { [HOST]: "n1" } }),
  );
});
