import { expect, test } from "@jest/globals";
import { type JsonValue, vocabularyOf } from "@orch/schema";
import { credentialsFile } from "./credentials-file";

const ORCH = vocabularyOf("orch");
const of = (more: object, apiVersion = "apiserver.config.orch.io/v1", kind = "WebhookAdmissionConfiguration") =>
  ({ apiVersion, kind, ...more }) as JsonValue;

test.each<[string, JsonValue | undefined, string | undefined]>([
  ["there is no configuration", undefined, undefined],
  ["it is empty", null, undefined],
  ["it names none", of({}), undefined],
  ["it names none but an empty one", of({ kubeConfigFile: "" }), undefined],
  ["it names one", of({ kubeConfigFile: "/etc/hooks" }), "/etc/hooks"],
  ["it is of the older version", of({ kubeConfigFile: "/h" }, "apiserver.orch.io/v1alpha1", "WebhookAdmission"), "/h"],
])("the file where %s", (_what, configuration, expected) =>
  expect(credentialsFile(configuration, ORCH)).toBe(expected),
);

test.each<[string, JsonValue, string]>([
  [
    "is relative",
    of({ kubeConfigFile: "etc/hooks" }),
    'kubeConfigFile: Invalid value: "etc/hooks": must be an absolute file path',
  ],
  ["is no text", of({ kubeConfigFile: 7 }), "kubeConfigFile: expected a string"],
  [
    "is of another kind",
    of({}, "v1", "Pod"),
    "the configuration is v1, Kind=Pod; it must be apiserver.config.orch.io/v1",
  ],
  ["mixes versions", of({}, "apiserver.orch.io/v1alpha1"), "Kind=WebhookAdmissionConfiguration; it must be"],
  ["is no object", ["x"], "the configuration is not an object"],
])("a configuration that %s is refused", (_what, configuration, message) =>
  expect(() => credentialsFile(configuration, ORCH)).toThrow(message),
);
