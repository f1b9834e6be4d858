// Controls of Linux capabilities. Source: Kubernetes documentation, "Pod Security Standards".
import type { CheckedPod } from "./checked-pod";
import type { Check } from "./control";
import { containersText, Values } from "./wording";

const NOTHING: readonly string[] = [];

/** Baseline control: allows adding only the given capabilities. */
export function addedCapabilities(names: readonly string[]): Check {
  const allowed = new Set(names);
  return (pod) => {
    const added = forbiddenText(pod, allowed);
    return added === undefined ? undefined : { reason: "non-default capabilities", detail: added };
  };
}

/** Restricted control: requires dropping ALL and allows adding only the given capabilities. */
export function restrictedCapabilities(names: readonly string[]): Check {
  const allowed = new Set(names);
  return (pod) => {
    const keeping = pod.containers.filter(({ security }) => !(security.capabilities?.drop ?? NOTHING).includes("ALL"));
    const kept = keeping.length > 0 ? keptText(keeping.map(({ name }) => name)) : undefined;
    const told = [kept, forbiddenText(pod, allowed)].filter((text) => text !== undefined);
    return told.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: told.join("; ") };
  };
}

const keptText = (names: readonly string[]): string =>
  `${containersText(names)} must set securityContext.capabilities.drop=["ALL"]`;

function forbiddenText({ containers }: CheckedPod, allowed: ReadonlySet<string>): string | undefined {
  const names: string[] = [];
  const forbidden = new Values();
  for (const { name, security } of containers) {
    const added = (security.capabilities?.add ?? NOTHING).filter((capability) => !allowed.has(capability));
    if (added.length > 0) names.push(name);
    for (const capability of added) forbidden.add(capability);
  }
  if (names.length === 0) return undefined;
  return `${containersText(names)} must not include ${forbidden.quoted} in securityContext.capabilities.add`;
}
