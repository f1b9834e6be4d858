// Operations of connect subresources, such as proxy and exec: one per method, and one more per method with a path
// suffix. Source: staging/src/k8s.io/apiserver/pkg/endpoints/installer.go.

import type { NamedConnection, Route } from "@orch/request";
import type { Field, RuntimeType, Schema, StructType } from "@orch/schema";
import { type Place, reading } from "./item-operations";
import type { Method, Operation } from "./operation";
import { capitalized, type OperationNaming } from "./operation-names";
import type { QueryParameter } from "./operation-parameters";
import { placeOf, placeOfPart } from "./route-place";

const TEXT: RuntimeType = { kind: "string" };

/** @param shows tells whether the release has a field of the options */
export function connectionOperations(
  route: Route & { readonly connection: NamedConnection },
  naming: OperationNaming,
  shows: (field: Field) => boolean,
): readonly Operation[] {
  const { name: part, rules } = route.connection;
  const { group, scope } = placeOf(route, naming);
  const place = placeOfPart(route, naming, TEXT);
  const subject = `${scope}${route.version.kind}${capitalized(part)}`;
  const options = optionsOf(rules.options.type.struct, naming.schema, shows);
  if (!rules.connects) return [{ ...reading(place, `read${group}${subject}`), options, answersIn: "text" }];
  return rules.methods.flatMap((name) => {
    const method = name.toLowerCase() as Method;
    const id = `connect${group}${capitalized(method)}${subject}`;
    if (!rules.takesPath) return [connecting(place, method, id, options)];
    // The path parameter is part of the URL path, not of the query.
    return [connecting(place, method, id, {}), connecting(below(place), method, `${id}WithPath`, {})];
  });
}

const below = (place: Place): Place => ({
  ...place,
  path: `${place.path}/{path}`,
  placeholders: [...place.placeholders, "path"],
});

function connecting(
  place: Place,
  method: Method,
  operationId: string,
  options: Readonly<Record<string, QueryParameter>>,
): Operation {
  return {
    ...reading(place, operationId),
    method,
    summary: `Connects ${method.toUpperCase()} requests to ${place.what}.`,
    marks: { action: "connect", kind: place.kind },
    options,
    answersIn: "anything",
  };
}

/** Query parameters: the fields of the options type. */
function optionsOf(
  type: StructType,
  schema: Schema,
  shows: (field: Field) => boolean,
): Readonly<Record<string, QueryParameter>> {
  const dot = type.name.lastIndexOf(".");
  const [file, name] = [type.name.slice(0, dot), type.name.slice(dot + 1)];
  const fields = type.fields.filter((field) => !TYPE_META.has(field.name) && shows(field));
  return Object.fromEntries(
    fields.map((field) => {
      const description = schema.description(file, name, field.name) ?? "";
      return [field.name, { ...parameterOf(field.type), description }];
    }),
  );
}

const TYPE_META: ReadonlySet<string> = new Set(["kind", "apiVersion"]);

function parameterOf(type: RuntimeType): Pick<QueryParameter, "type" | "repeats"> {
  switch (type.kind) {
    case "boolean":
    case "integer":
      return { type: type.kind };
    case "list":
      return { ...parameterOf(type.element), repeats: true };
    default:
      return { type: "string" };
  }
}
