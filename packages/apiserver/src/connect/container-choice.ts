// Which of a pod's containers a connection is meant for. Source: facts, apiserver-hooks.md "Connect sub-resources", checks.
import { badRequest } from "@orch/machinery";
import type { PodView } from "./target-objects";

/**
 * @param asked "" when the client names none
 * @throws StatusError BadRequest (400) for one that the pod has not, or where none can be told from the others
 */
export function chooseContainer({ metadata, spec }: PodView, asked: string): string {
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  if (asked !== "") {
    const known = [...containers, ...initContainers, ...ephemeralContainers].some(({ name }) => name === asked);
    if (!known) throw badRequest(`container ${asked} is not valid for pod ${metadata.name}`);
    return asked;
  }
  const [only, another] = containers;
  if (only !== undefined && another === undefined) return only.name;
  const names = [...containers, ...initContainers].map(({ name }) => name).join(" ");
  throw badRequest(`a container name must be specified for pod ${metadata.name}, choose one of: [${names}]`);
}
