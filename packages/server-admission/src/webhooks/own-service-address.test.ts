// Admission webhooks that name the service of the API itself reach aggregated APIs only.
import { expect, test } from "@jest/globals";
import { webhookAddress } from "@orch/extensions";
import { vocabularyOf } from "@orch/schema";
import { ownServiceRefusal } from "./own-service-address";

const isAggregated = (group: string, version: string) => group === "admission.example.com" && version === "v1";
const refusalOf = (path: string, service = { namespace: "default", name: "orch" }) =>
  ownServiceRefusal(webhookAddress({ service: { ...service, path } }), vocabularyOf("orch"), isAggregated);

test.each(["/apis/admission.example.com/v1/reviews", "/apis/admission.example.com/v1/namespaces/a/reviews?b=c"])(
  "the path %s of an aggregated API is allowed",
  (path) => expect(refusalOf(path)).toBeUndefined(),
);

test.each([
  "/",
  "/api/v1/namespaces/default/pods",
  "/apis/apps/v1/namespaces/default/deployments",
  "/apis/admission.example.com/v2/reviews",
  "/apis/admission.example.com/v1",
  "/apis/admission.example.com/v1/../../../api/v1/nodes",
  "/apis/admission.example.com/v1/%2e%2e/%2e%2e/%2e%2e/api/v1/nodes",
  "/apis/admission.example.com/v1/..%2f..%2f..%2fapi/v1/nodes",
  "/apis/admission.example.com/v1/..\\..\\..\\api\\v1\\nodes",
  "//apis/admission.example.com/v1/reviews",
])("the path %s is refused", (path) => {
  expect(refusalOf(path)).toMatch(
    "service default/orch is the service of the API itself: only a path of an aggregated API",
  );
});

test("another service or another port is left to the guard of addresses", () => {
  expect(refusalOf("/", { namespace: "default", name: "hook" })).toBeUndefined();
  const place = webhookAddress({ service: { namespace: "default", name: "orch", port: 6443 } });
  expect(ownServiceRefusal(place, vocabularyOf("orch"), isAggregated)).toBeUndefined();
});
