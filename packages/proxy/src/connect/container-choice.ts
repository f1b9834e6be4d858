// Chooses the container of a pod for a connection. Source: pkg/registry/core/pod/strategy.go.
import { badRequest } from "@orch/machinery";
import type { PodView } from "./target-objects";

/**
 * @param asked "" when the client names none
 * @throws StatusError BadRequest (400) for an unknown container, or when the choice is ambiguous
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
