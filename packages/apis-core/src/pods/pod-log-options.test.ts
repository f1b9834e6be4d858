import { expect, test } from "@jest/globals";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { podLogOptionsErrors } from "./pod-log-options";

const context = { vocabulary: vocabularyOf("orch"), version: { group: "", version: "v1" } };
const errorsOf = (options: JsonObject) => podLogOptionsErrors(options, context).map(({ kind, path }) => [path, kind]);

test.each<[JsonObject]>([
  [{}],
  [{ tailLines: 0, limitBytes: 1, sinceSeconds: 1 }],
  [{ sinceTime: "2024-05-01T12:00:00Z", tailLines: 5 }],
])("%j may be asked", (options) => expect(errorsOf(options)).toEqual([]));

test.each<[JsonObject, string, string]>([
  [{ tailLines: -1 }, "tailLines", "Invalid"],
  [{ limitBytes: 0 }, "limitBytes", "Invalid"],
  [{ sinceSeconds: 0 }, "sinceSeconds", "Invalid"],
  [{ sinceSeconds: 1, sinceTime: "2024-05-01T12:00:00Z" }, "", "Forbidden"],
])("%j may not", (options, path, kind) => expect(errorsOf(options)).toEqual([[path, kind]]));
