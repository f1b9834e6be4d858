// In which versions a request's object can be shown: a resource is asked about by the rules of any of its versions.
// Source: facts, admission/webhooks.md "matchPolicy Equivalent".
import { type AdmissionRequest, apiVersionText, type ServedVersion } from "@orch/machinery";

export type BodyParts = Pick<AdmissionRequest, "definition" | "version" | "subresource" | "kind">;

/** A resource as a rule has met it. */
export interface ShownAs {
  /** Of the resource. */
  readonly version: ServedVersion;
  /** Of the object: that of the resource, or of what its sub-resource takes. */
  readonly body: ServedVersion;
}

/** Whether the object is one of the resource's own, whole: those have a shape that all versions share. */
export const isWhole = ({ kind, version }: BodyParts): boolean =>
  kind.kind === version.kind && kind.group === version.group && kind.version === version.version;

/** As it came. */
export function shownAsSent(request: BodyParts): ShownAs {
  return { version: request.version, body: isWhole(request) ? request.version : sentBody(request) };
}

/** The same resource by other names, but the one that it came by. */
export function equivalents(request: BodyParts): readonly ShownAs[] {
  const { definition, version } = request;
  const others = definition.versions.filter((each) => each.apiVersion !== version.apiVersion);
  if (isWhole(request)) return others.map((each) => ({ version: each, body: each }));
  const body = sentBody(request);
  const shared = viewIn(request, version)?.shared;
  // What a sub-resource takes is the same in all versions, or of a shape that they share, or cannot be told in another one.
  return others.flatMap((each) => {
    const taken = bodiesIn(request, each);
    if (taken.some(({ apiVersion, kind }) => apiVersion === body.apiVersion && kind === body.kind))
      return [{ version: each, body }];
    const view = viewIn(request, each);
    return shared !== undefined && view?.shared === shared ? [{ version: each, body: view.version }] : [];
  });
}

/** What the request brings, where that is no object of the resource itself. */
export function sentBody(request: BodyParts): ServedVersion {
  const { kind } = request;
  const apiVersion = apiVersionText(kind);
  const found = bodiesIn(request, request.version).find(
    (each) => each.kind === kind.kind && each.apiVersion === apiVersion,
  );
  if (found === undefined) throw new Error(`${request.version.kind} has no part that takes ${apiVersion} ${kind.kind}`);
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
