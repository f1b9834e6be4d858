// Validation of the devices of slices. Source: validateDevice in pkg/apis/resource/validation/validation.go.
import { nodeSelector } from "@orch/apis-core";
import {
  all,
  fields,
  isNative,
  isPositive,
  type Place,
  type Report,
  type Rule,
  required,
  sameValue,
} from "@orch/apis-model";
import type { JsonValue, resourceV1 } from "@orch/schema";
import { bindingConditions } from "./binding-conditions";
import { exclusiveCapacity, sharedCapacity } from "./capacity-policy-validation";
import { cappedList, cappedMap, cappedSet } from "./capped-lists";
import { countValues, deviceAttribute } from "./device-attribute-validation";
import { attributeName, counterSetName, deviceName } from "./device-names";
import { deviceTaint } from "./device-taints-validation";
import { nodeChoice } from "./node-choice";

type Device = resourceV1.Device;

const PROPERTIES_MAX = 32;
const VALUES_MAX = 48;
const TAINTS_MAX = 16;
const COUNTER_SETS_MAX = 2;
const COUNTERS_MAX = 32;

const counter: Rule<unknown> = () => undefined;

export const counters: Rule<{ readonly [key: string]: resourceV1.Counter }> = (map, at, report) => {
  if (Object.keys(map).length === 0) report.required(at);
  else cappedMap<unknown>(COUNTERS_MAX, deviceName, counter)(map, at, report);
};

const consumption = fields<resourceV1.DeviceCounterConsumption>({
  counterSet: counterSetName,
  counters: required(counters),
});

/** Limits the number of attributes, capacities and values. */
function sizes({ attributes = {}, capacity = {} }: Device, at: Place, report: Report): boolean {
  const properties = Object.keys(attributes).length + Object.keys(capacity).length;
  if (properties > PROPERTIES_MAX) {
    report.invalid(at, properties, `the total number of attributes and capacities must not exceed ${PROPERTIES_MAX}`);
    return false;
  }
  const values = Object.values(attributes).reduce((sum, attribute) => sum + countValues(attribute), 0);
  if (values > VALUES_MAX) {
    report.invalid(at, values, `the total number of attribute values must not exceed ${VALUES_MAX}`);
    return false;
  }
  return true;
}

const properties: Rule<Device> = (device, at, report) => {
  if (!sizes(device, at, report)) return;
  const capacity = device.allowMultipleAllocations === true ? sharedCapacity : exclusiveCapacity;
  fields<Device>({
    attributes: cappedMap(PROPERTIES_MAX, attributeName, deviceAttribute),
    capacity: cappedMap(PROPERTIES_MAX, attributeName, capacity),
  })(device, at, report);
};

const NODES = ["nodeName", "nodeSelector", "allNodes"] as const;
const ONE_NODES =
  "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
const NO_NODES =
  "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";

const ownNodes: Rule<Device> = all<Device>(
  nodeChoice<Device>(NODES, { one: ONE_NODES, several: ONE_NODES }),
  fields<Device>({ nodeSelector }),
);

const noNodes: Rule<Device> = (device, at, report) => {
  if (NODES.some((name) => device[name] !== undefined && device[name] !== null)) report.invalid(at, null, NO_NODES);
};

const mappings: Rule<Device> = ({ nodeAllocatableResourceMappings: given = {}, capacity = {} }, at, report) => {
  const place = at.field("nodeAllocatableResourceMappings");
  for (const [name, { capacityKey, allocationMultiplier }] of Object.entries(given)) {
    const entry = place.key(name);
    if (!isNative(name, report.vocabulary)) report.invalid(entry, name, "must be a node allocatable resource name");
    if (allocationMultiplier !== undefined && !isPositive(allocationMultiplier)) {
      report.invalid(entry.field("allocationMultiplier"), allocationMultiplier, "must be positive");
    }
    if (capacityKey === "") report.invalid(entry.field("capacityKey"), "", "capacityKey must not be an empty string");
    else if (capacityKey !== undefined && !Object.hasOwn(capacity, capacityKey)) {
      report.notFound(entry.field("capacityKey"), capacityKey);
    }
  }
};

const sameTaints = (device: Device, old: Device | undefined): boolean =>
  old !== undefined && sameValue((device.taints ?? []) as JsonValue, (old.taints ?? []) as JsonValue);

/** Rules of a device. @param oldOf returns the stored device of the same name */
export function deviceRule(isSelectedPerDevice: boolean, oldOf: (name: string) => Device | undefined): Rule<Device> {
  const nodes = isSelectedPerDevice ? ownNodes : noNodes;
  const taints = fields<Device>({ taints: cappedList(TAINTS_MAX, deviceTaint()) });
  return (device, at, report) => {
    fields<Device>({ name: deviceName })(device, at, report);
    properties(device, at, report);
    if (!sameTaints(device, oldOf(device.name))) taints(device, at, report);
    fields<Device>({ consumesCounters: cappedSet(COUNTER_SETS_MAX, consumption, ({ counterSet }) => counterSet) })(
      device,
      at,
      report,
    );
    nodes(device, at, report);
    bindingConditions(device, at, report);
    mappings(device, at, report);
  };
}
