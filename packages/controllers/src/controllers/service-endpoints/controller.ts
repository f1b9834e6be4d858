import { section } from "@orch/machinery";
import { defineController } from "../../framework/controller";
import { reconcileEndpoints } from "./reconcile-endpoints";
import { reconcileMirrors } from "./reconcile-mirrors";
import { reconcileSlices } from "./reconcile-slices";

/** Multiple of the default request rate: pods are created and deleted by the thousand. */
const RATE_FACTOR = 20;

const syncs = (help: string) => ({ type: "int", default: "5", min: 1, help }) as const;
const period = (help: string) => ({ type: "duration", default: "0s", min: 0, help }) as const;

export const endpointsController = defineController({
  name: "endpoint",
  alias: "endpoints-controller",
  does: "maintains the endpoints of services",
  rateFactor: RATE_FACTOR,
  flags: section("Controllers", {
    "concurrent-endpoint-syncs": syncs("number of concurrent workers for endpoints"),
    "endpoint-updates-batch-period": period("time for which changes of pods are batched before endpoints are updated"),
  }),
  run: (context, options, signal) =>
    reconcileEndpoints(
      {
        ...context,
        workers: options["concurrent-endpoint-syncs"],
        gatherMs: options["endpoint-updates-batch-period"],
      },
      signal,
    ),
});

export const slicesController = defineController({
  name: "endpointslice",
  alias: "endpointslice-controller",
  does: "maintains the endpoint slices of services",
  needs: { group: "discovery", resource: "endpointslices" },
  rateFactor: RATE_FACTOR,
  flags: section("Controllers", {
    "concurrent-service-endpoint-syncs": syncs("number of concurrent workers for endpoint slices"),
    "endpointslice-updates-batch-period": period(
      "time for which changes of pods are batched before endpoint slices are updated",
    ),
    "max-endpoints-per-slice": {
      type: "int",
      default: "100",
      min: 1,
      max: 1000,
      help: "maximum number of endpoints per endpoint slice",
    },
  }),
  run: (context, options, signal) =>
    reconcileSlices(
      {
        ...context,
        workers: options["concurrent-service-endpoint-syncs"],
        gatherMs: options["endpointslice-updates-batch-period"],
        endpointsMax: options["max-endpoints-per-slice"],
      },
      signal,
    ),
});

export const mirrorsController = defineController({
  name: "endpointslicemirroring",
  alias: "endpointslice-mirroring-controller",
  does: "mirrors endpoints without a selector to endpoint slices",
  needs: { group: "discovery", resource: "endpointslices" },
  rateFactor: RATE_FACTOR,
  flags: section("Controllers", {
    "mirroring-concurrent-service-endpoint-syncs": syncs("number of concurrent workers for mirrored endpoints"),
    "mirroring-endpointslice-updates-batch-period": period(
      "time for which changes of endpoints are batched before endpoint slices are updated",
    ),
    "mirroring-max-endpoints-per-subset": {
      type: "int",
      default: "1000",
      min: 1,
      max: 1000,
      help: "maximum number of mirrored addresses per endpoint subset",
    },
  }),
  run: (context, options, signal) =>
    reconcileMirrors(
      {
        ...context,
        workers: options["mirroring-concurrent-service-endpoint-syncs"],
        gatherMs: options["mirroring-endpointslice-updates-batch-period"],
        addressesMax: options["mirroring-max-endpoints-per-subset"],
      },
      signal,
    ),
});
