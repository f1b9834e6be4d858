// Limits concurrent requests, by the kind of control that the options select.

import type { InFlightControl } from "@orch/flow-control";
import { loopIsBusy, systemClock } from "@orch/platform";
import type { EventLoopYielder } from "@orch/registry";
import type { ResourceStorages } from "@orch/served-resources";
import type { ApiServerParts } from "./api-server-parts";
import { FlowControl } from "./flow-control";
import { type InFlightOptions, inFlightControl } from "./in-flight-kinds";

export interface InFlight {
  readonly control: InFlightControl;
  /** Undefined when the in-flight limits apply instead. */
  readonly flowControl?: FlowControl;
}

export function inFlightOf(
  { config, settings, vocabulary, logger, metrics }: ApiServerParts,
  storages: ResourceStorages["flowControl"],
  loop: EventLoopYielder,
): InFlight {
  const options: InFlightOptions = {
    maxReading: config["max-requests-inflight"],
    maxMutating: config["max-mutating-requests-inflight"],
    requestTimeoutMs: config["request-timeout"],
    clock: systemClock,
    isBusy: loopIsBusy(),
    later: setImmediate,
    seed: Math.floor(Math.random() * 2 ** 32),
    ...{ metrics, vocabulary },
  };
  if (!settings.fairness || storages === undefined) return { control: inFlightControl("limits", options) };
  const control = inFlightControl("fairness", options);
  const { release } = settings;
  return { control, flowControl: new FlowControl({ control, storages, vocabulary, release, loop, logger }) };
}
