// Which kinds of patch a path takes, by media type. Source: facts, errors.json "UnsupportedMediaType"; resource-api, "patch".
import { unsupportedMediaType } from "@orch/machinery";
import type { Patch } from "@orch/registry";
import type { Route } from "./resource-route";

type PatchKinds = Readonly<Record<string, Patch["kind"]>>;

const BY_JSON: PatchKinds = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
};
const STRATEGIC: PatchKinds = { "application/strategic-merge-patch+json": "strategicMerge" };
const APPLY: PatchKinds = { "application/apply-patch+yaml": "apply" };

const OF_OBJECTS: PatchKinds = { ...BY_JSON, ...STRATEGIC, ...APPLY };
/** Sub-resources of another kind keep no track of who owns what. */
const OF_VIEWS: PatchKinds = { ...BY_JSON, ...STRATEGIC };
const WITHOUT_MERGE_RULES: PatchKinds = { ...BY_JSON, ...APPLY };

/** @throws StatusError UnsupportedMediaType (415), which lists what the path takes */
export function patchKind(
  contentType: string | undefined,
  route: Pick<Route, "definition" | "subresource">,
): Patch["kind"] {
  const kinds = kindsOf(route);
  const type = contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (kind === undefined) throw unsupportedMediaType(Object.keys(kinds));
  return kind;
}

function kindsOf({ definition, subresource }: Pick<Route, "definition" | "subresource">): PatchKinds {
  if (subresource?.rules.view !== undefined) return OF_VIEWS;
  return definition.strategicMerge === false ? WITHOUT_MERGE_RULES : OF_OBJECTS;
}
