// What becomes of a new object before it is stored, however it has come. Source: facts, strategy.json "_generic".
import {
  type FieldError,
  invalid,
  metadataErrors,
  nameOf,
  type Premise,
  stampNewObject,
  writableMeta,
} from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { settleOwners } from "../objects/owner-references";
import type { ObjectKey, WriteContext } from "../registry";
import type { ResourceContext } from "../resource-context";
import { admissionRequest, metadataRules, prepareContext } from "./write-step";

export const NO_PREMISES: readonly Premise[] = [];

/**
 * Everything between the decoded object and the bytes: admission, the server's own metadata, the kind's rules, validation.
 * @returns on what admission rests; to be passed on to the write
 */
export async function prepareNew(
  context: ResourceContext,
  object: JsonObject,
  at: ObjectKey,
  write: WriteContext,
): Promise<readonly Premise[]> {
  const { definition, admission, clock, randomness } = context;
  const { strategy } = definition;
  const request = admission && admissionRequest(context, "CREATE", at, write, { object }, nameOf(object));
  if (request !== undefined) {
    await admission?.mutate(request);
    settleOwners(object, write, "admission");
  }
  stampNewObject(object, { clock, randomness });
  delete writableMeta(object)["resourceVersion"];
  strategy.prepareForCreate?.(object, prepareContext(context, write));
  const errors: readonly FieldError[] = [
    ...metadataErrors(object, metadataRules(context)),
    ...(strategy.validate?.(object, write.version) ?? []),
    ...(strategy.validateCreate?.(object, write.version) ?? []),
  ];
  if (errors.length > 0) throw invalid(context.kind, nameOf(object), errors);
  if (request === undefined) return NO_PREMISES;
  await admission?.validate(request);
  return request.premises;
}
