import { expect, test } from "@jest/globals";
import { featuresOf } from "@orch/apis";
import { EventLoopYielder } from "@orch/platform";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { garbageCollector } from "@orch/testing";
import { compileDefinition } from "./compile-definition";
import type { Definition } from "./definition";

const vocabulary = vocabularyOf("kubernetes");
const types = loadSchema(vocabulary);

/** A definition whose two versions use every part of a version that a compiled resource refers to. */
function defined(): Definition {
  const version = (name: string, storage: boolean) => ({
    name,
    storage,
    served: true,
    deprecated: !storage,
    subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
    additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
    selectableFields: [{ jsonPath: ".spec.size" }],
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec: {
            type: "object",
            "x-kubernetes-validations": [{ rule: "self.size < 10" }],
            properties: { size: { type: "integer", default: storage ? 3 : 4 } },
          },
          status: { type: "object", properties: { size: { type: "integer" } } },
        },
      },
    },
  });
  return {
    metadata: { name: "parts.example.com", uid: "1", generation: 2 },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "parts", kind: "Part" },
      versions: [version("v1", true), version("v1beta1", false)],
    },
  } as unknown as Definition;
}

test("a compiled resource keeps no parsed schema, and reads it when an object needs it", async () => {
  const gc = garbageCollector();
  const { compiled, schemas } = compiledNow();
  // A weak reference is held until the end of the turn that made it.
  await new Promise((resolve) => setTimeout(resolve, 5));
  gc();
  expect(schemas.map((schema) => schema.deref())).toEqual([undefined, undefined]);
  const { versions, strategy } = compiled;
  const object: JsonObject = { apiVersion: "example.com/v1", kind: "Part", metadata: { name: "one" }, spec: { no: 1 } };
  const [v1, v1beta1] = versions;
  expect(v1?.fromStorage).toBeUndefined();
  expect(v1beta1?.fromStorage?.(object)["spec"]).toEqual({ size: 4 });
  expect(
    strategy.validateCreate?.({ ...object, spec: { size: 10 } }, { group: "example.com", version: "v1" }),
  ).toHaveLength(1);
});

/** A function of its own, whose frame holds nothing afterwards. */
function compiledNow() {
  const definition = defined();
  const schemas = (definition.spec.versions ?? []).map(
    ({ schema }) => new WeakRef(schema?.openAPIV3Schema as unknown as object),
  );
  const converterFor = () => {
    throw new Error("no version is converted by a webhook");
  };
  const loop = new EventLoopYielder({ sliceMs: 10 });
  const parts = { vocabulary, types, loop, features: featuresOf("1.36"), converterFor, contentKey: "1" };
  const compiled = compileDefinition(definition, definition.spec.names, { terminating: false }, parts);
  return { compiled, schemas };
}
