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
  undecodablePatchResult,
} from "@orch/machinery";
import type { Patch, PatchContext } from "@orch/registry";
import { NO_QUERY } from "@orch/request";
import {
  type DecodeProblem,
  inDocumentOrder,
  type JsonArray,
  JsonError,
  type JsonObject,
  type JsonValue,
  type ParseJsonOptions,
  PROBLEMS_MAX,
  parseJson,
} from "@orch/schema";
import { answerEntry } from "./entry-answer";
import { type Problem, parsedTexts, patchedProblems, reportProblems, strictText } from "./field-problems";
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
  const { cbor } = request.context.negotiation;
  const kind = patchKind(request.headers["content-type"], { definition, subresource, applies, cbor });
  const { vocabulary } = deps;
  request.context.applies = kind === "apply";
  const options =
    kind === "apply" ? parseApplyOptions(query, vocabulary) : { force: false, ...parsePatchOptions(query, vocabulary) };
  boundWrite(asked);
  const { fieldValidation } = options;
  const { patch, problems } =
    kind === "apply" ? readApply(asked, options) : readPartial(asked, kind, fieldValidation, bodies);
  if (kind === "apply") reportProblems({ request, fieldValidation, refuse: wrongApplied }, problems);
  const noticed: PatchContext["noticed"] = (unknown, patched) => {
    if (kind === "apply" || problems.length + unknown.length === 0) return;
    const refuse = (list: string) => undecodablePatchResult(patched, strictText(list));
    const found = [...problems, ...patchedProblems(bodies, kind, unknown)];
    reportProblems({ request, fieldValidation, refuse }, found);
  };
  const beforeCreate = () => authorizeCreation(deps, asked);
  const write = writeContext(asked, options, { subresource, beforeCreate, noticed });
  const { entry, created } = await route.storage.patch(patch, key, write);
  const late = inForce(deps, asked, entry);
  if (late !== undefined) await late;
  return answerEntry(asked, created ? 201 : 200, form, entry);
}

interface ReadPatch {
  readonly patch: Patch;
  /** Duplicate fields of the body, and unknown ones of operations. */
  readonly problems: readonly Problem[];
}

/** Error for an apply configuration with duplicate fields. */
const wrongApplied = (list: string) => badRequest(BAD_REQUEST_TEXT.applyStrictDecode(list));

function readApply(
  { request, info }: ResourceRequest,
  { force, fieldValidation }: { readonly force: boolean; readonly fieldValidation: FieldValidation },
): ReadPatch {
  const { value, problems } = readApplied(request, info.route.bodies, fieldValidation);
  return { patch: { kind: "apply", body: value, force }, problems: parsedTexts(problems) };
}

function readPartial(
  { request }: ResourceRequest,
  kind: Exclude<Patch["kind"], "apply">,
  fieldValidation: FieldValidation,
  version: ServedVersion,
): ReadPatch {
  const body = readBody(request);
  const { value, problems } = parsePatch(body, {
    duplicates: fieldValidation === "Ignore" ? "ignore" : "collect",
    fractions: kind === "strategicMerge" ? "number" : fractionsFor(version),
  });
  if (kind !== "json") return { patch: { kind, body: value }, problems: parsedTexts(problems) };
  const patch: Patch = { kind, operations: readJsonPatch(value) };
  if (fieldValidation === "Ignore") return { patch, problems: [] };
  return { patch, problems: operationProblems(body, value, problems) };
}

/** Returns the unknown and duplicate fields of operations, in the order of the body. */
function operationProblems(
  body: Buffer,
  operations: JsonValue,
  duplicates: readonly DecodeProblem[],
): readonly Problem[] {
  const found: DecodeProblem[] = [...duplicates];
  for (const [index, operation] of (operations as JsonArray).entries()) {
    if (found.length >= PROBLEMS_MAX) break;
    for (const name of Object.keys(operation as JsonObject))
      if (!OPERATION_FIELDS.has(name)) found.push({ kind: "unknownField", path: `[${index}].${name}` });
  }
  return parsedTexts(inDocumentOrder(body.toString("utf8"), found)).map((text) => `json patch ${text}`);
}

const OPERATION_FIELDS: ReadonlySet<string> = new Set(["op", "path", "from", "value"]);

function parsePatch(body: Buffer, options: ParseJsonOptions) {
  try {
    return parseJson(body, options);
  } catch (error) {
    if (error instanceof JsonError) throw badRequest(BAD_REQUEST_TEXT.patchDecode(error.message));
    throw error;
  }
}
