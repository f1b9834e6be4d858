// Containers of a pod, and the one that a command means. Source: kubectl/pkg/cmd/util/podcmd/podcmd.go.
import { isObject, type JsonObject, type Vocabulary } from "@orch/schema";
import { CliError } from "../../process/cli-error";
import { name } from "./find-pods";

const LISTS = ["initContainers", "containers", "ephemeralContainers"] as const;

/** Returns the names of the containers: init containers first. */
export function containerNames({ spec }: JsonObject, lists: readonly string[] = LISTS): readonly string[] {
  if (!isObject(spec)) return [];
  return lists.flatMap((list) => {
    const containers = spec[list];
    return Array.isArray(containers) ? containers.filter(isObject).map((each) => String(each["name"])) : [];
  });
}

export interface ChosenContainer {
  readonly container: string;
  /** Hint for people when one of several was chosen for them. */
  readonly hint?: string;
}

/** Returns the container of the option, of the annotation, or the first. @throws CliError for an unknown name */
export function chosenContainer(pod: JsonObject, wanted: string | undefined, names: Vocabulary): ChosenContainer {
  const all = containerNames(pod);
  if (wanted !== undefined) {
    if (all.includes(wanted)) return { container: wanted };
    throw new CliError(`container ${wanted} is not valid for pod ${name(pod)} out of: ${described(pod)}`);
  }
  const annotations = isObject(pod["metadata"]) ? pod["metadata"]["annotations"] : undefined;
  const byDefault = isObject(annotations) ? annotations[names.annotations.orchctlDefaultContainer] : undefined;
  if (typeof byDefault === "string" && all.includes(byDefault)) return { container: byDefault };
  const [first = ""] = containerNames(pod, ["containers"]);
  const others = all.length > 1 ? `Defaulted container ${JSON.stringify(first)} out of: ${described(pod)}` : undefined;
  return { container: first, ...(others !== undefined && { hint: others }) };
}

const described = (pod: JsonObject): string =>
  [
    ...containerNames(pod, ["containers"]),
    ...containerNames(pod, ["ephemeralContainers"]).map((each) => `${each} (ephem)`),
    ...containerNames(pod, ["initContainers"]).map((each) => `${each} (init)`),
  ].join(", ");
