// Validation of resource slices. Source: pkg/apis/resource/validation/validation.go.
import { nodeSelector } from "@orch/apis-core";
import {
  all,
  changes,
  fields,
  immutable,
  nonNegative,
  type Place,
  type Report,
  type Rule,
  required,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { resourceV1 } from "@orch/schema";
import { cappedSet } from "./capped-lists";
import { hasList } from "./device-attribute-validation";
import { counterSetName, driverName, poolName } from "./device-names";
import { counters, deviceRule } from "./device-validation";
import { nodeChoice } from "./node-choice";

type Spec = resourceV1.ResourceSliceSpec;
type Device = resourceV1.Device;

const DEVICES_MAX = 128;
const LARGE_DEVICES_MAX = 64;
const COUNTER_SETS_MAX = 8;

const pool = fields<resourceV1.ResourcePool>({
  name: poolName,
  resourceSliceCount: (count, at, report) => {
    if (Number(count) <= 0) report.invalid(at, count, "must be greater than zero");
  },
  generation: (generation, at, report) => nonNegative(Number(generation), at, report),
});

const NODES = ["nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"] as const;
const ONE_NODES = `exactly one of ${NODES.map((name) => `\`${name}\``).join(", ")} is required`;

const oneTerm: Rule<Spec> = ({ nodeSelector: selector }, at, report) => {
  const terms = selector?.nodeSelectorTerms ?? [];
  if (!selector || terms.length === 1) return;
  const place = at.field("nodeSelector").field("nodeSelectorTerms");
  report.invalid(place, terms, "must have exactly one node selector term");
};

const header: Rule<Spec> = all<Spec>(
  fields<Spec>({ driver: driverName, pool: required(pool) }),
  nodeChoice<Spec>(NODES, { one: ONE_NODES, several: `${ONE_NODES}, but multiple fields are set` }),
  fields<Spec>({ nodeSelector }),
  oneTerm,
);

const counterSets = cappedSet(
  COUNTER_SETS_MAX,
  fields<resourceV1.CounterSet>({ name: counterSetName, counters: required(counters) }),
  ({ name }) => name,
);

/** Returns whether a device has parts of which a slice may hold fewer. */
const isLarge = ({ taints = [], consumesCounters = [], attributes = {} }: Device): boolean =>
  taints.length > 0 || consumesCounters.length > 0 || Object.values(attributes).some(hasList);

function sliceSpec(spec: Spec, old: Spec | undefined, at: Place, report: Report): void {
  header(spec, at, report);
  const { devices, sharedCounters, perDeviceNodeSelection } = spec;
  if (devices && sharedCounters) report.invalid(at, "", "only one of `sharedCounters` or `devices` is allowed");
  const list = devices ?? [];
  const max = list.length > DEVICES_MAX || !list.some(isLarge) ? DEVICES_MAX : LARGE_DEVICES_MAX;
  const stored = new Map((old?.devices ?? []).map((device) => [device.name, device]));
  const device = deviceRule(perDeviceNodeSelection === true, (name) => stored.get(name));
  cappedSet<Device>(max, device, ({ name }) => name)(list, at.field("devices"), report);
  counterSets(sharedCounters ?? [], at.field("sharedCounters"), report);
}

type Slice = resourceV1.ResourceSlice;

export const validateNewSlice = validator<Slice>(({ spec }, at, report) => {
  sliceSpec(spec, undefined, at.field("spec"), report);
});

const fixedFields = changes<Spec>({ driver: immutable, nodeName: immutable });
const fixedPool = changes<resourceV1.ResourcePool>({ name: immutable });

export const validateSliceUpdate = updateValidator<Slice>(({ spec }, { spec: old }, at, report) => {
  const place = at.field("spec");
  fixedPool(spec.pool, old.pool, place.field("pool"), report);
  fixedFields(spec, old, place, report);
  sliceSpec(spec, old, place, report);
});
