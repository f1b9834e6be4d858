// Feature gates of the controllers, which `--feature-gates` switches. Source: Kubernetes documentation, "Feature Gates";
// pkg/features/kube_features.go.
import { FIELD_GATES } from "@orch/apis";
import { isOnByDefault } from "@orch/machinery";
import { isObject } from "@orch/schema";
import type { ControllerOptions, GateReader } from "../framework/controller";

/** Gates that controllers depend on. */
export const CONTROLLER_GATES = [
  "DRADeviceTaintRules",
  "DRAExtendedResource",
  "DRAResourcePoolStatus",
  "DRAWorkloadResourceClaims",
  "GenericWorkload",
  "InPlacePodVerticalScaling",
  "PodLevelResources",
] as const satisfies readonly (keyof typeof FIELD_GATES)[];

/**
 * Returns a reader of the gates. A gate that the options do not name has the default of the release, or of its stage.
 * @param options values by flag name
 */
export function gateReader(options: ControllerOptions, release: string): GateReader {
  const given: unknown = options["feature-gates"];
  const named = new Map(
    isObject(given) ? Object.entries(given).map(([name, on]) => [name.slice(name.indexOf(":") + 1), on === true]) : [],
  );
  const stages = { alpha: named.get("AllAlpha"), beta: named.get("AllBeta") };
  return (gate) => named.get(gate) ?? isOnByDefault(FIELD_GATES[gate], release, stages);
}
