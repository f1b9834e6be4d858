import { section } from "@orch/machinery";
import { defineController } from "../../framework/controller";
import { keepEndpoints } from "./keep-endpoints";
import { keepMirrors } from "./keep-mirrors";
import { keepSlices } from "./keep-slices";

/** Multiple of the default request rate: pods are created and deleted by the thousand. */
const RATE_FACTOR = 20;

const syncs = (help: string) => ({ type: "int", default: "5", min: 1, help }) as const;
const period = (help: string) => ({ type: "duration", default: "0s", min: 0, help }) as const;

export const endpointsController = defineController({
  name: "endpoint",
  alias: "endpoints-controller",
  does: "lists the addresses of the pods behind services",
  rateFactor: RATE_FACTOR,
  flags: section("Duties", {
    "concurrent-endpoint-syncs": syncs("services whose addresses are listed at once"),
    "endpoint-updates-batch-period": period(
      "changes of pods are gathered for this long before addresses are listed anew",
    ),
  }),
  run: (context, options, signal) =>
    keepEndpoints(
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
  does: "spreads those addresses over endpoint slices",
  needs: { group: "discovery", resource: "endpointslices" },
  rateFactor: RATE_FACTOR,
  flags: section("Duties", {
    "concurrent-service-endpoint-syncs": syncs("services whose endpoint slices are written at once"),
    "endpointslice-updates-batch-period": period(
      "changes of pods are gathered for this long before slices are written",
    ),
    "max-endpoints-per-slice": {
      type: "int",
      default: "100",
      min: 1,
      max: 1000,
      help: "endpoints in one endpoint slice",
    },
  }),
  run: (context, options, signal) =>
    keepSlices(
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
  does: "mirrors addresses that others list to endpoint slices",
  needs: { group: "discovery", resource: "endpointslices" },
  rateFactor: RATE_FACTOR,
  flags: section("Duties", {
    "mirroring-concurrent-service-endpoint-syncs": syncs("endpoints that are mirrored at once"),
    "mirroring-endpointslice-updates-batch-period": period("changes of endpoints are gathered for this long"),
    "mirroring-max-endpoints-per-subset": {
      type: "int",
      default: "1000",
      min: 1,
      max: 1000,
      help: "addresses of one subset that are mirrored",
    },
  }),
  run: (context, options, signal) =>
    keepMirrors(
      {
        ...context,
        workers: options["mirroring-concurrent-service-endpoint-syncs"],
        gatherMs: options["mirroring-endpointslice-updates-batch-period"],
        addressesMax: options["mirroring-max-endpoints-per-subset"],
      },
      signal,
    ),
});
