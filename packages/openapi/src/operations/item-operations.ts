// Operations on one object, through its own path or that of a subresource.
import type { GroupVersionKind, RuntimeType, Schema } from "@orch/schema";
import { knownType, META } from "./meta-types";
import type { Operation } from "./operation";
import { DELETE_PARAMETERS, WRITE_PARAMETERS } from "./operation-parameters";

/** Path and target of the operations. */
export interface Place extends Pick<Operation, "document" | "path" | "tag" | "placeholders"> {
  readonly kind: GroupVersionKind;
  /** Type of the answer, and of a request body that is a whole object. */
  readonly type: RuntimeType;
  /** Description in sentences, with its article. */
  readonly what: string;
}

export function reading(place: Place, operationId: string, query: Operation["query"] = []): Operation {
  return {
    ...asked(place, "get"),
    operationId,
    summary: `Reads ${place.what}.`,
    query,
    body: undefined,
    codes: [200],
  };
}

export function creating(place: Place, operationId: string): Operation {
  return {
    ...asked(place, "post"),
    operationId,
    summary: `Creates ${place.what}.`,
    query: WRITE_PARAMETERS,
    body: { type: place.type, required: true },
    codes: [200, 201, 202],
  };
}

export function replacing(place: Place, operationId: string): Operation {
  return {
    ...asked(place, "put"),
    operationId,
    summary: `Replaces ${place.what}.`,
    query: WRITE_PARAMETERS,
    body: { type: place.type, required: true },
    codes: [200, 201],
  };
}

export function patching(place: Place, operationId: string, schema: Schema): Operation {
  return {
    ...asked(place, "patch"),
    operationId,
    summary: `Changes a part of ${place.what}.`,
    query: [...WRITE_PARAMETERS, "force"],
    body: { type: knownType(schema, META, "Patch"), required: true },
    codes: [200, 201],
  };
}

export function deleting(place: Place, operationId: string, schema: Schema): Operation {
  return {
    ...asked(place, "delete"),
    operationId,
    summary: `Deletes ${place.what}.`,
    query: DELETE_PARAMETERS,
    body: { type: knownType(schema, META, "DeleteOptions"), required: false },
    codes: [200, 202],
  };
}

function asked<Asked extends Operation["method"]>(
  { document, path, tag, placeholders, kind, type }: Place,
  method: Asked,
) {
  const marks = { action: method, kind };
  return { document, path, tag, placeholders, method, marks, answer: type, answersIn: "objects" } as const;
}
