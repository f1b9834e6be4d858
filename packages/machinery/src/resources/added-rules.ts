// Rules that a package above the built-in kinds adds to a kind, because they need what the kinds cannot use: the
// expression language, or webhooks.
import type { JsonObject } from "@orch/schema";
import type { FieldError } from "../errors/field-error";
import type { ResourceDefinition } from "./resource-definition";

export interface AddedRules {
  /** Size in bytes from which an object counts as long. See `ResourceDefinition`. */
  readonly longBytes: number;
  readonly create: (object: JsonObject) => readonly FieldError[];
  readonly update: (object: JsonObject, old: JsonObject) => readonly FieldError[];
}

/** Returns a kind whose own rules are followed by the added ones. */
export function withAddedRules(
  definition: ResourceDefinition,
  { longBytes, create, update }: AddedRules,
): ResourceDefinition {
  const { strategy } = definition;
  return {
    ...definition,
    longBytes,
    strategy: {
      ...strategy,
      validateCreate: (object, through) => [...(strategy.validateCreate?.(object, through) ?? []), ...create(object)],
      validateUpdate: (object, old, through, warn) => [
        ...(strategy.validateUpdate?.(object, old, through, warn) ?? []),
        ...update(object, old),
      ],
    },
  };
}
