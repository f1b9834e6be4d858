// Validation of the resource claims of pods and their containers. Source: pkg/apis/core/validation/validation.go.
import { label1123, type Place, type Report, type Rule, required, subdomain } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";

const CLAIM_LISTS = ["containers", "initContainers"] as const;
const REFERRING_LISTS = [...CLAIM_LISTS, "ephemeralContainers"] as const;
const ONE_SOURCE = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
const SOURCES = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";

/** Checks the claims, and the references of containers to them. Pods without claims cost a look at each container. */
export const podResourceClaims: Rule<coreV1.PodSpec> = (spec, at, report) => {
  const { resourceClaims } = spec;
  const isOn = report.features.isOn("DynamicResourceAllocation");
  const names = resourceClaims === undefined || !isOn ? NO_NAMES : claimNames(resourceClaims, at, report);
  // The pod itself may not refer to claims, which another rule reports. Kubernetes checks what it refers to as well.
  if (spec.resources?.claims !== undefined && isOn && spec.os?.name !== "windows") {
    claimReferences(spec.resources.claims, names, at.field("resources").field("claims"), report);
  }
  for (const list of REFERRING_LISTS) {
    spec[list]?.forEach(({ resources }, position) => {
      if (resources?.claims === undefined || !isOn) return;
      const place = at.field(list).item(position).field("resources").field("claims");
      claimReferences(resources.claims, names, place, report);
    });
  }
};

const NO_NAMES: ReadonlySet<string> = new Set();

const claimName = required(label1123);

function claimNames(claims: readonly coreV1.PodResourceClaim[], at: Place, report: Report): ReadonlySet<string> {
  const names = new Set<string>();
  claims.forEach((claim, position) => {
    const place = at.field("resourceClaims").item(position);
    const { name = "", resourceClaimName, resourceClaimTemplateName } = claim;
    if (name === "") report.required(place.field("name"));
    else if (names.has(name)) report.duplicate(place.field("name"), name);
    else {
      claimName(name, place.field("name"), report);
      names.add(name);
    }
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      report.invalid(place, claim, SOURCES);
    }
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      report.invalid(place, claim, ONE_SOURCE);
    }
    if (resourceClaimName !== undefined) subdomain(resourceClaimName, place.field("resourceClaimName"), report);
    if (resourceClaimTemplateName !== undefined) {
      subdomain(resourceClaimTemplateName, place.field("resourceClaimTemplateName"), report);
    }
  });
  return names;
}

/** A container refers to a claim as a whole or to distinct requests of it. */
function claimReferences(
  references: readonly coreV1.ResourceClaim[],
  names: ReadonlySet<string>,
  at: Place,
  report: Report,
): void {
  const whole = new Set<string>();
  const partial = new Map<string, Set<string>>();
  for (const [position, { name = "", request = "" }] of references.entries()) {
    const place = at.item(position);
    if (name === "") {
      report.required(place);
      continue;
    }
    const requests = partial.get(name) ?? new Set();
    if (request !== "") label1123(request, place.field("request"), report);
    if (whole.has(name) || (request === "" && requests.size > 0)) report.duplicate(place, name);
    else if (requests.has(request)) report.duplicate(place, `${name}/${request}`);
    if (request === "") whole.add(name);
    else partial.set(name, requests.add(request));
    if (!names.has(name)) report.notFound(place, name);
  }
}

/** Checks the claims that stand behind those of the pod. */
export function claimStatuses({ spec, status }: coreV1.Pod, at: Place, report: Report): void {
  const { resourceClaimStatuses: statuses } = status ?? {};
  if (statuses === undefined || !report.features.isOn("DynamicResourceAllocation")) return;
  const known = new Set((spec?.resourceClaims ?? []).map(({ name }) => name));
  const seen = new Set<string>();
  statuses.forEach(({ name, resourceClaimName }, position) => {
    const place = at.field("resourceClaimStatuses").item(position);
    if (!known.has(name)) {
      report.invalid(place.field("name"), name, "must match the name of an entry in `spec.resourceClaims`");
    }
    if (seen.has(name)) report.duplicate(place.field("name"), name);
    seen.add(name);
    if (resourceClaimName !== undefined) subdomain(resourceClaimName, place.field("resourceClaimName"), report);
  });
}

/** Checks the claim that was made for the extended resources of a pod. */
export function extendedClaimStatus({ spec, status }: coreV1.Pod, at: Place, report: Report): void {
  const { extendedResourceClaimStatus: made } = status ?? {};
  if (!made || !report.features.isOn("DRAExtendedResource")) return;
  const place = at.field("extendedResourceClaimStatus");
  const { resourceClaimName } = made;
  const requestMappings = made.requestMappings ?? [];
  const mappingsPlace = place.field("requestMappings");
  if (requestMappings.length === 0) report.required(mappingsPlace, "at least one request mapping is required");
  const containers = new Map(
    CLAIM_LISTS.flatMap((list) => spec?.[list] ?? []).map((container) => [container.name, container]),
  );
  const seen = new Set<string>();
  requestMappings.forEach(({ containerName, resourceName, requestName }, position) => {
    const mapping = mappingsPlace.item(position);
    const container = containers.get(containerName);
    if (container === undefined) {
      report.invalid(mapping.field("containerName"), containerName, "must match the name of a container of the pod");
    } else if (!Object.hasOwn(container.resources?.requests ?? {}, resourceName)) {
      report.invalid(mapping.field("resourceName"), resourceName, "must match an extended resource of the container");
    }
    // Kubernetes reports an invalid request at the status itself.
    const key = JSON.stringify([containerName, resourceName, requestName]);
    if (seen.has(key)) {
      report.duplicate(mapping.field("containerName"), containerName);
      report.duplicate(mapping.field("resourceName"), resourceName);
      report.duplicate(mapping.field("requestName"), requestName);
    }
    seen.add(key);
    label1123(requestName ?? "", (report.features.since("1.36") ? place : mapping).field("requestName"), report);
  });
  if (!resourceClaimName) report.required(place.field("resourceClaimName"));
  else subdomain(resourceClaimName, place.field("resourceClaimName"), report);
}
