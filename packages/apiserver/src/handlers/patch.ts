// Handles PATCH; the media type selects the patch type. Source: Kubernetes API concepts, "Patch and apply"; Kubernetes
// documentation, "Update API Objects in Place Using kubectl patch".

import { readBody } from "@orch/http-server";
import {
  BAD_REQUEST_TEXT,
  badRequest,
  type FieldValidation,
  parseApplyOptions,
  parsePatchOptions,
  readJsonPatch,
  type ServedVersion,
} from "@orch/machinery";
import type { Patch } from "@orch/registry";
import { NO_QUERY } from "@orch/request";
import { type DecodeProblem, JsonError, type ParseJsonOptions, parseJson } from "@orch/schema";
import { answerEntry } from "./entry-answer";
import { reportProblems } from "./field-problems";
import type { ResourceRequest, WriteDeps } from "./handler";
import { inForce } from "./in-force";
import { patchKind } from "./patch-kind";
import { fractionsFor, readApplied } from "./request-object";
import { authorizeCreation, boundWrite, writeContext } from "./write-context";

/** Patches the object, or the part that a subresource represents. */
export async function patchObject(deps: WriteDeps, asked: ResourceRequest): Promise<void> {
  const { request, info } = asked;
  const { route, key, query = NO_QUERY } = info;
  const form = deps.forms.for(asked, "object");
  const { bodies, definition, subresource } = route;
  const applies = deps.gates.ServerSideApply;
  const kind = patchKind(request.headers["content-type"], { definition, subresource, applies });
  const { vocabulary } = deps;
  request.context.applies = kind === "apply";
  const options =
    kind === "apply" ? parseApplyOptions(query, vocabulary) : { force: false, ...parsePatchOptions(query, vocabulary) };
  boundWrite(asked);
  const { patch, problems } =
    kind === "apply" ? readApply(asked, options) : readPartial(asked, kind, options.fieldValidation, bodies);
  const report = (found: readonly DecodeProblem[]): void =>
    reportProblems(request, bodies, options.fieldValidation, [...problems, ...found]);
  if (kind === "apply") report([]);
  const beforeCreate = () => authorizeCreation(deps, asked);
  const write = writeContext(asked, options, { subresource, beforeCreate, noticed: report });
  const { entry, created } = await route.storage.patch(patch, key, write);
  const late = inForce(deps, asked, entry);
  if (late !== undefined) await late;
  return answerEntry(asked, created ? 201 : 200, form, entry);
}

interface ReadPatch {
  readonly patch: Patch;
  /** Unknown and duplicate fields of the body. */
  readonly problems: readonly DecodeProblem[];
}

function readApply(
  { request, info }: ResourceRequest,
  { force, fieldValidation }: { readonly force: boolean; readonly fieldValidation: FieldValidation },
): ReadPatch {
  const { value, problems } = readApplied(request, info.route.version, fieldValidation);
  return { patch: { kind: "apply", body: value, force }, problems };
}

function readPartial(
  { request }: ResourceRequest,
  kind: Exclude<Patch["kind"], "apply">,
  fieldValidation: FieldValidation,
  version: ServedVersion,
): ReadPatch {
  const { value, problems } = parsePatch(readBody(request), {
    duplicates: fieldValidation === "Ignore" ? "ignore" : "collect",
    fractions: kind === "strategicMerge" ? "number" : fractionsFor(version),
  });
  const patch: Patch = kind === "json" ? { kind, operations: readJsonPatch(value) } : { kind, body: value };
  return { patch, problems };
}

function parsePatch(body: Buffer, options: ParseJsonOptions) {
  try {
    return parseJson(body, options);
  } catch (error) {
    if (error instanceof JsonError) throw badRequest(BAD_REQUEST_TEXT.patchDecode(error.message));
    throw error;
  }
}
