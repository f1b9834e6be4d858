// Contents of `object` in table rows. Source: TableOptions in
// staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go.
import { BAD_REQUEST_TEXT, badRequest } from "../errors/request-errors";

export type IncludeObject = "None" | "Metadata" | "Object";

/**
 * Parses the `includeObject` parameter.
 * @throws StatusError BadRequest (400)
 */
export function parseIncludeObject(query: URLSearchParams | undefined): IncludeObject {
  const value = query?.get("includeObject") ?? "";
  switch (value) {
    case "":
      return "Metadata";
    case "None":
    case "Metadata":
    case "Object":
      return value;
    default: {
      const why = `includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`;
      throw badRequest(BAD_REQUEST_TEXT.tableOptions(why));
    }
  }
}
