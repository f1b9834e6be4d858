// Conversion of the topology of endpoints: v1 has fields for node and zone and keeps other topology read-only; v1beta1
// has one map. Source: Kubernetes documentation, "Deprecated API Migration Guide", "EndpointSlice".

import { type Conversion, objectsAt, takeField } from "@orch/apis-model";
import { isObject, type JsonObject, type JsonValue, type Vocabulary } from "@orch/schema";

export const topologyConversion: Conversion = {
  toHub: (slice, vocabulary) => forEachEndpoint(slice, (endpoint) => fieldsFromTopology(endpoint, vocabulary)),
  fromHub: (slice, vocabulary) => forEachEndpoint(slice, (endpoint) => topologyFromFields(endpoint, vocabulary)),
};

function forEachEndpoint(slice: JsonObject, change: (endpoint: JsonObject) => void): JsonObject {
  objectsAt(slice, "endpoints").forEach(change);
  return slice;
}

function fieldsFromTopology(endpoint: JsonObject, vocabulary: Vocabulary): void {
  const topology = mapOf(takeField(endpoint, "topology"));
  const zone = takeField(topology, vocabulary.labels.topologyZone);
  if (zone !== undefined) endpoint["zone"] = zone;
  // A host name that differs from the node name, which v1beta1 allowed, stays in the map: v1 has no other field for it.
  const { hostname } = vocabulary.labels;
  if (topology[hostname] !== undefined && topology[hostname] === endpoint["nodeName"]) delete topology[hostname];
  if (Object.keys(topology).length > 0) endpoint["deprecatedTopology"] = topology;
}

function topologyFromFields(endpoint: JsonObject, vocabulary: Vocabulary): void {
  const topology = mapOf(takeField(endpoint, "deprecatedTopology"));
  const zone = takeField(endpoint, "zone");
  if (zone !== undefined) topology[vocabulary.labels.topologyZone] = zone;
  const { nodeName } = endpoint;
  if (nodeName !== undefined) topology[vocabulary.labels.hostname] ||= nodeName;
  if (Object.keys(topology).length > 0) endpoint["topology"] = topology;
}

const mapOf = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {});
