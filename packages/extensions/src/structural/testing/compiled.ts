// Objects of a kind whose spec has a given schema, decoded and validated as in a request.
import { field } from "@orch/machinery";
import { type JsonObject, type JsonValue, StructObjectType, vocabularyOf } from "@orch/schema";
import { type CompileOptions, compileSchema, readSchema } from "../compiled-schema";

export const ORCH = vocabularyOf("orch");
export const OF_THINGS = { vocabulary: ORCH, group: "example.com", version: "v1", kind: "Thing" } as const;

export interface Taken {
  readonly spec: JsonValue | undefined;
  /** Paths of the pruned fields. */
  readonly dropped: readonly string[];
  /** Path and text of each error. */
  readonly errors: readonly string[];
}

export const thingSchema = (spec: JsonObject): JsonObject => ({ type: "object", properties: { spec } });

/** Decodes and validates a spec. @param old the replaced spec */
export function take(spec: JsonObject, value: JsonValue, more: Partial<CompileOptions> = {}, old?: JsonValue): Taken {
  const { type, validate } = compileSchema(readSchema(thingSchema(spec)), { ...OF_THINGS, ...more });
  const objects = new StructObjectType("Thing", type);
  const decoded = (of: JsonValue) => {
    const { value: object, problems } = objects.decode({
      apiVersion: "example.com/v1",
      kind: "Thing",
      metadata: { name: "a" },
      spec: structuredClone(of),
    });
    objects.applyDefaults(object);
    return { object, dropped: problems.map(({ path }) => path) };
  };
  const { object, dropped } = decoded(value);
  const errors = validate(object, old === undefined ? undefined : { old: decoded(old).object }).map(
    field.fieldErrorText,
  );
  return { spec: object["spec"], dropped, errors };
}
