import { expect, test } from "@jest/globals";
import { isOldRequest } from "./clean-pod-requests";

const NOW = Date.parse("2024-05-01T12:00:00Z");
const spec = {
  signerName: "example.com/mine",
  podName: "p",
  podUID: "u",
  serviceAccountName: "sa",
  serviceAccountUID: "u",
  nodeName: "n",
  nodeUID: "u",
  stubPKCS10Request: "",
};

test.each<[string, string | undefined, boolean]>([
  ["14:59 minutes old is kept", "2024-05-01T11:45:01Z", false],
  ["15 minutes old is deleted", "2024-05-01T11:45:00Z", true],
  ["without a time of creation is kept", undefined, false],
])("a request %s", (_what, creationTimestamp, expected) => {
  const metadata = creationTimestamp === undefined ? {} : { creationTimestamp };
  expect(isOldRequest({ metadata, spec }, NOW)).toBe(expected);
});
