import { describe, expect, test } from "@jest/globals";
import type { ResourceDefinition, Subresource } from "@orch/machinery";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { definitionOf } from "../definitions/definitions";
import { certificateSigningRequests } from "./certificate-signing-requests";

const vocabulary = vocabularyOf("orch");
const schema = loadSchema(vocabulary);
const { strategy, subresources } = definitionOf(
  certificateSigningRequests,
  vocabulary,
  schema,
  "1.23",
) as ResourceDefinition;
const approval = subresources["approval"] as Subresource;
const status = subresources["status"] as Subresource;

const now = "2024-05-01T12:00:00Z";
const user = { name: "ann", uid: "7", groups: ["dev"], extra: { scope: ["a"] } };
const through = (version: string) => ({ user, now, version: { group: "certificates.orch.io", version } });
const request = through("v1");
const approved = (more: JsonObject = {}): JsonObject => ({ type: "Approved", status: "True", ...more });

describe("a certificate request", () => {
  test("is by who sent it, whatever its body says", () => {
    const forged: JsonObject = {
      spec: { request: "pem", username: "root", groups: ["system:masters"], extra: { x: ["y"] } },
    };
    strategy.prepareForCreate?.(forged, request);
    expect(forged["spec"]).toEqual({
      request: "pem",
      username: "ann",
      uid: "7",
      groups: ["dev"],
      extra: { scope: ["a"] },
    });
    const written: JsonObject = { spec: { request: "pem", username: "root" } };
    strategy.prepareForCreate?.(written);
    expect(written["spec"]).toEqual({ request: "pem" });
  });

  test("never changes what it asks for, nor its status, by an update", () => {
    const old = { metadata: {}, spec: { request: "pem" }, status: { conditions: [approved()] } };
    const next: JsonObject = { metadata: { labels: { a: "b" } }, spec: { request: "other" }, status: {} };
    strategy.prepareForUpdate?.(next, old, request);
    expect(next).toEqual({ ...old, metadata: { labels: { a: "b" } } });
  });

  test("takes conditions and nothing else by its approval endpoint", () => {
    const old = { metadata: {}, spec: { request: "pem" }, status: { certificate: "cert" } };
    const next: JsonObject = {
      metadata: {},
      spec: { request: "other" },
      status: { certificate: "forged", conditions: [approved({ reason: "Known" })] },
    };
    approval.prepareForUpdate(next, old, request);
    expect(next).toEqual({
      metadata: {},
      spec: { request: "pem" },
      status: {
        certificate: "cert",
        conditions: [approved({ reason: "Known", lastUpdateTime: now, lastTransitionTime: now })],
      },
    });
  });

  test("keeps its decisions when its status is written, and since when they stand", () => {
    const decided = approved({
      reason: "Known",
      lastUpdateTime: "2024-01-01T00:00:00Z",
      lastTransitionTime: "2024-01-01T00:00:00Z",
    });
    const failed = { type: "Failed", status: "True", lastTransitionTime: "2024-02-01T00:00:00Z" };
    const old = { metadata: {}, spec: {}, status: { conditions: [decided, failed] } };
    const next: JsonObject = {
      metadata: {},
      spec: {},
      status: { certificate: "cert", conditions: [approved({ reason: "Forged" }), { type: "Failed", status: "True" }] },
    };
    status.prepareForUpdate(next, old, request);
    expect(next["status"]).toEqual({
      certificate: "cert",
      conditions: [
        decided,
        { type: "Failed", status: "True", lastUpdateTime: now, lastTransitionTime: "2024-02-01T00:00:00Z" },
      ],
    });
  });

  test.each([
    ["v1beta1", [approved({ reason: "Known" }), { type: "Failed", status: "True" }]],
    ["v1", [{ type: "Other", status: "True", lastUpdateTime: now, lastTransitionTime: now }]],
  ])("a certificate signing request whose conditions a status of %s omits has %j", (version, conditions) => {
    const before = [approved({ reason: "Known" }), { type: "Failed", status: "True" }];
    const old = { metadata: {}, spec: {}, status: { conditions: before } };
    const next: JsonObject = { metadata: {}, spec: {}, status: { conditions: [{ type: "Other", status: "True" }] } };
    status.prepareForUpdate(next, old, through(version));
    expect((next["status"] as JsonObject)["conditions"]).toMatchObject(conditions);
  });
});
