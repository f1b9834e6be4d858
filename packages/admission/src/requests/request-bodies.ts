// Versions in which a request's object can be sent: with `matchPolicy: Equivalent`, rules match any version of a
// resource. Source: Kubernetes documentation, "Dynamic Admission Control", "Matching requests: matchPolicy".
import { type AdmissionRequest, apiVersionText, type ServedVersion } from "@orch/machinery";

export type BodyParts = Pick<AdmissionRequest, "definition" | "version" | "subresource" | "kind">;

/** A resource and its object in the version that a rule matched. */
export interface MatchedVersion {
  /** Version of the resource. */
  readonly version: ServedVersion;
  /** Version of the object: that of the resource, or of the object that its subresource takes. */
  readonly body: ServedVersion;
}

/**
 * Returns whether the object is a whole object of the resource. Whole objects have a hub version that all versions
 * convert to.
 */
export const isWhole = ({ kind, version }: BodyParts): boolean =>
  kind.kind === version.kind && kind.group === version.group && kind.version === version.version;

/** Returns the versions in which the request was sent. */
export function versionAsSent(request: BodyParts): MatchedVersion {
  return { version: request.version, body: isWhole(request) ? request.version : sentBody(request) };
}

/** Returns the resource in its other versions. */
export function equivalents(request: BodyParts): readonly MatchedVersion[] {
  const { definition, version } = request;
  const others = definition.versions.filter((each) => each.apiVersion !== version.apiVersion);
  if (isWhole(request)) return others.map((each) => ({ version: each, body: each }));
  const body = sentBody(request);
  const shared = viewIn(request, version)?.shared;
  // The object of a subresource is included when the other version takes the same kind, or a view that shares the same
  // shape.
  return others.flatMap((each) => {
    const taken = bodiesIn(request, each);
    if (taken.some(({ apiVersion, kind }) => apiVersion === body.apiVersion && kind === body.kind))
      return [{ version: each, body }];
    const view = viewIn(request, each);
    return shared !== undefined && view?.shared === shared ? [{ version: each, body: view.version }] : [];
  });
}

/** Returns the version of the object in the request when it is not a whole object of the resource. */
export function sentBody(request: BodyParts): ServedVersion {
  const { kind } = request;
  const apiVersion = apiVersionText(kind);
  const found = bodiesIn(request, request.version).find(
    (each) => each.kind === kind.kind && each.apiVersion === apiVersion,
  );
  if (found === undefined)
    throw new Error(`${request.version.kind} has no subresource that accepts ${apiVersion} ${kind.kind}`);
  return found;
}

function bodiesIn({ definition, subresource }: BodyParts, parent: ServedVersion): readonly ServedVersion[] {
  const action = definition.actions?.[subresource];
  if (action !== undefined) return action.bodies(parent);
  const connection = definition.connections?.[subresource];
  if (connection !== undefined) return [connection.shows, connection.options];
  const rules = partIn({ definition, subresource }, parent);
  if (rules === undefined) return [];
  return [rules.view?.version ?? parent];
}

const viewIn = (request: Pick<BodyParts, "definition" | "subresource">, parent: ServedVersion) =>
  partIn(request, parent)?.view;

function partIn({ definition, subresource }: Pick<BodyParts, "definition" | "subresource">, parent: ServedVersion) {
  const part = definition.subresources[subresource];
  return part?.through === undefined ? part : part.through(parent);
}
