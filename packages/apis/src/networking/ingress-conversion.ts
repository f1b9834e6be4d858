// Conversion of ingress backends: v1 has an object for service and port, the betas have two fields. Source: Kubernetes
// documentation, "Deprecated API Migration Guide", "Ingress".

import { type Conversion, objectAt, objectsAt, takeField } from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";

export const ingressConversion: Conversion = {
  toHub: (ingress) => {
    const spec = objectAt(ingress, "spec");
    const { backend } = spec;
    delete spec["backend"];
    if (isObject(backend)) spec["defaultBackend"] = nested(backend);
    for (const path of pathsOf(spec)) {
      if (isObject(path["backend"])) path["backend"] = nested(path["backend"]);
      // v1 requires a path type; this is the meaning of an absent one in the betas.
      path["pathType"] ??= "ImplementationSpecific";
    }
    return ingress;
  },
  fromHub: (ingress) => {
    const spec = objectAt(ingress, "spec");
    const { defaultBackend } = spec;
    delete spec["defaultBackend"];
    if (isObject(defaultBackend)) spec["backend"] = flat(defaultBackend);
    for (const path of pathsOf(spec)) if (isObject(path["backend"])) path["backend"] = flat(path["backend"]);
    return ingress;
  },
};

function pathsOf(spec: JsonObject): JsonObject[] {
  return objectsAt(spec, "rules").flatMap(({ http }) => (isObject(http) ? objectsAt(http, "paths") : []));
}

function nested(backend: JsonObject): JsonObject {
  const name = takeField(backend, "serviceName");
  const port = takeField(backend, "servicePort");
  if (name === undefined && (port === undefined || port === 0)) return backend;
  backend["service"] = {
    name: name ?? "",
    ...(port === undefined ? {} : { port: typeof port === "string" ? { name: port } : { number: port } }),
  };
  return backend;
}

function flat(backend: JsonObject): JsonObject {
  const service = takeField(backend, "service");
  if (!isObject(service)) return backend;
  const { name, port } = service;
  if (name !== undefined) backend["serviceName"] = name;
  const said = isObject(port) ? (port["name"] ?? port["number"]) : undefined;
  if (said !== undefined) backend["servicePort"] = said;
  return backend;
}
