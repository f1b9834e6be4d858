// A converter under the control of a test, which chooses the time, the order and the content of the answers.
import type { ObjectConverter, ResourceDefinition, ServedVersion } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { widgets } from "./widgets";

export interface ConverterCall {
  readonly names: readonly string[];
  /** `v1 v2` */
  readonly versions: string;
  readonly signal: AbortSignal;
  answer(): void;
  answerWith(objects: readonly JsonObject[]): void;
  fail(error: unknown): void;
}

export class OddConverter implements ObjectConverter {
  readonly calls: ConverterCall[] = [];
  /** If false, calls wait for the test. */
  answersAtOnce = true;

  convert(
    objects: readonly JsonObject[],
    { from, to }: { readonly from: ServedVersion; readonly to: ServedVersion },
    signal: AbortSignal,
  ): Promise<readonly JsonObject[]> {
    return new Promise((resolve, reject) => {
      const answer = () => resolve(objects.map((object) => converted(object, to)));
      const names = objects.map(({ metadata }) => String((metadata as JsonObject)["name"]));
      const versions = `${from.version} ${to.version}`;
      this.calls.push({ names, versions, signal, answer, answerWith: resolve, fail: reject });
      if (this.answersAtOnce) answer();
    });
  }
}

/** Converts `color` of v1 to `colour` of v2 and back. Only the converter can do this. */
function converted(object: JsonObject, { apiVersion, version }: ServedVersion): JsonObject {
  const { color, colour, ...spec } = (object["spec"] ?? {}) as JsonObject;
  const value = color ?? colour;
  const shown = value === undefined ? {} : { [version === "v2" ? "colour" : "color"]: value };
  return { ...object, apiVersion, spec: { ...spec, ...shown } };
}

const [V1, , SECOND] = widgets.versions as readonly [ServedVersion, ServedVersion, ServedVersion];
const { group, version, kind, apiVersion, type } = SECOND;
export const CONVERTED_V1 = V1;
export const CONVERTED_V2: ServedVersion = { group, version, kind, apiVersion, type };

/** @param storage the storage version, one of the two */
export function convertedWidgets(converter: ObjectConverter, storage: ServedVersion = V1): ResourceDefinition {
  const { validate: _v, validateUpdate: _u, ...strategy } = widgets.strategy;
  return { ...widgets, versions: [V1, CONVERTED_V2], storage, converter, strategy };
}
