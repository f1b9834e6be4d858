import { expect, test } from "@jest/globals";
import { parseFlags } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";
import { SERVER_FLAGS, type ServerConfig } from "../flags/server-flags";
import { settingsOf } from "./settings";

const settings = (...words: string[]) =>
  settingsOf(
    parseFlags(SERVER_FLAGS, ["--authorization-mode=RBAC", ...words]).config as ServerConfig,
    vocabularyOf("kubernetes"),
  );

const FOLLOWS = "--emulation-forward-compatible";
const BY_NAME = "--runtime-config-emulation-forward-compatible";

// CronJobs are served in batch/v1beta1 since 1.8, and in batch/v1 since 1.21; CertificateSigningRequests in v1 since
// 1.19.
test.each<[string[], string, boolean, boolean]>([
  [["--emulated-release=1.20"], "batch/v1/cronjobs", false, true],
  [["--emulated-release=1.20", FOLLOWS], "batch/v1/cronjobs", true, true],
  [["--emulated-release=1.20", FOLLOWS, "--runtime-config=batch/v1/cronjobs=false"], "batch/v1/cronjobs", true, false],
  [["--emulated-release=1.20", FOLLOWS, "--runtime-config=batch/v1beta1=false"], "batch/v1/cronjobs", false, true],
  [["--emulated-release=1.20", BY_NAME], "batch/v1/cronjobs", false, true],
  [["--emulated-release=1.20", BY_NAME, "--runtime-config=batch/v1/cronjobs"], "batch/v1/cronjobs", true, true],
  [["--emulated-release=1.20", BY_NAME, "--runtime-config=api/all"], "batch/v1/cronjobs", false, true],
  [["--emulated-release=1.21", FOLLOWS], "batch/v1/cronjobs", false, true],
  [["--emulated-release=1.18", FOLLOWS], "batch/v2alpha1/cronjobs", false, false],
])("%j: %s is served ahead: %s, enabled: %s", (words, key, isAhead, enabled) => {
  const { isServedAhead, runtime } = settings(...words, "--enable-priority-and-fairness=false");
  const [group = "", version = "", resource = ""] = key.split("/");
  expect(isServedAhead(group, version, resource)).toBe(isAhead);
  expect(runtime.enabled(group, version, resource)).toBe(enabled);
});

test.each([FOLLOWS, BY_NAME])("%s has no meaning at the newest release", (flag) =>
  expect(() => settings("--emulated-release=1.37", flag)).toThrow(`${flag} requires an emulated release before 1.37`),
);

test.each<[string, string, string | undefined]>([
  ["1.36", "scheduling.k8s.io/v1alpha3=true", "scheduling.k8s.io/v1alpha3 is newer than the emulated release, 1.36"],
  ["1.36", "scheduling.k8s.io/v1alpha3=false", undefined],
  [
    "1.36",
    "scheduling.k8s.io/v1beta1/podgroups=true",
    "scheduling.k8s.io/v1beta1/podgroups is newer than the emulated release, 1.36",
  ],
  ["1.37", "scheduling.k8s.io/v1alpha3=true", undefined],
  ["1.33", "certificates.k8s.io/v1beta1=true", undefined],
  ["1.33", "admissionregistration.k8s.io/v1beta1=true", undefined],
  ["1.20", "batch/v1/cronjobs=true", undefined],
])("--emulated-release=%s --runtime-config=%s: %s", (release, pair, problem) => {
  const words = [`--emulated-release=${release}`, `--runtime-config=${pair}`];
  if (problem === undefined) settings(...words);
  else expect(() => settings(...words)).toThrow(problem);
});
