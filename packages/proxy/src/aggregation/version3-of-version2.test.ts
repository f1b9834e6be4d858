import { expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { version3Piece } from "./version3-of-version2";

const members = (of: Record<string, JsonObject>) =>
  new Map(Object.entries(of).map(([name, value]) => [name, JSON.stringify(value)]));

test("the version 3 document contains what version 2 describes", async () => {
  const piece = version3Piece("apis/a.b/v1", {
    paths: members({
      "/apis/a.b/v1/things": {
        parameters: [{ $ref: "#/parameters/pretty" }],
        post: {
          operationId: "createThing",
          consumes: ["application/json"],
          produces: ["application/json", "application/yaml"],
          schemes: ["https"],
          parameters: [
            { name: "body", in: "body", required: true, schema: { $ref: "#/definitions/Thing" } },
            { name: "limit", in: "query", type: "integer", uniqueItems: true, description: "d" },
          ],
          responses: {
            "200": { description: "OK", schema: { $ref: "#/definitions/Thing" } },
            "401": { description: "U" },
          },
          "x-orch-action": "post",
        },
        put: { parameters: [{ $ref: "#/parameters/given" }], responses: {} },
      },
    }),
    definitions: members({ Thing: { type: "object", properties: { next: { $ref: "#/definitions/Thing" } } } }),
    parameters: members({
      given: { name: "body", in: "body", schema: { $ref: "#/definitions/Thing" } },
      pretty: { name: "pretty", in: "query", type: "string" },
    }),
  });
  const parts: Record<string, unknown> = {};
  for await (const part of piece.parts("v3"))
    if (part !== undefined) parts[`${part.section} ${part.name}`] = part.value;
  const thing = { schema: { $ref: "#/components/schemas/Thing" } };
  expect(parts).toEqual({
    "paths /apis/a.b/v1/things": {
      parameters: [{ $ref: "#/components/parameters/pretty" }],
      post: {
        operationId: "createThing",
        "x-orch-action": "post",
        parameters: [{ name: "limit", in: "query", description: "d", schema: { type: "integer", uniqueItems: true } }],
        requestBody: { required: true, content: { "application/json": thing } },
        responses: {
          "200": { description: "OK", content: { "application/json": thing, "application/yaml": thing } },
          "401": { description: "U" },
        },
      },
      put: { requestBody: { content: { "*/*": thing } }, responses: {} },
    },
    "models Thing": { type: "object", properties: { next: { $ref: "#/components/schemas/Thing" } } },
    "parameters pretty": { name: "pretty", in: "query", schema: { type: "string" } },
  });
});
