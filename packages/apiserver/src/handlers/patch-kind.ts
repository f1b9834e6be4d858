// Patch types of a path, by media type. Source: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go.
import { mediaTypeIn, unsupportedMediaType } from "@orch/machinery";
import type { Patch } from "@orch/registry";
import type { ResourceRoute } from "@orch/request";

type PatchKinds = Readonly<Record<string, Patch["kind"]>>;

const BY_JSON: PatchKinds = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
};
const STRATEGIC: PatchKinds = { "application/strategic-merge-patch+json": "strategicMerge" };
const APPLY: PatchKinds = { "application/apply-patch+yaml": "apply" };

/** Accepted when CBOR is, and translated before; see cbor-body.ts. */
const APPLY_CBOR = "application/apply-patch+cbor";

/** Target of a patch, and the gates ServerSideApply and CBORServingAndStorage. */
type Target = Pick<ResourceRoute, "definition" | "subresource"> & {
  readonly applies: boolean;
  readonly cbor?: boolean;
};

/** @throws StatusError UnsupportedMediaType (415), which lists the accepted types */
export function patchKind(contentType: string | undefined, target: Target): Patch["kind"] {
  const kinds = kindsOf(target);
  const type = mediaTypeIn(contentType ?? "");
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (kind === undefined)
    throw unsupportedMediaType([
      ...Object.keys(kinds),
      ...(target.cbor && "application/apply-patch+yaml" in kinds ? [APPLY_CBOR] : []),
    ]);
  return kind;
}

function kindsOf({ definition, subresource, applies }: Target): PatchKinds {
  const merges = definition.strategicMerge !== false;
  const view = subresource?.rules.view;
  const owners = applies && (view === undefined || view.field !== undefined);
  return KINDS[merges ? 1 : 0][owners ? 1 : 0];
}

/** First index: whether the type has merge rules. Second index: whether it supports apply. */
const KINDS = [
  [BY_JSON, { ...BY_JSON, ...APPLY }],
  [
    { ...BY_JSON, ...STRATEGIC },
    { ...BY_JSON, ...STRATEGIC, ...APPLY },
  ],
] as const;
