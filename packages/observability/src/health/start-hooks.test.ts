// Tests the check names that monitoring and the end-to-end suite of each Kubernetes release expect.
import { expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import { startHookChecks, startHooks } from "./start-hooks";

const gates = { APIServerIdentity: true };

const namesIn = (release: string) =>
  startHookChecks({ vocabulary: vocabularyOf("kubernetes"), release, fairness: true, gates }, startHooks()).map(
    ({ name }) => name.replace("poststarthook/", ""),
  );

test.each([
  ["start-kube-apiserver-admission-initializer", "1.20", "1.29"],
  ["start-apiserver-admission-initializer", "1.30", "1.36"],
  ["start-apiextensions-informers", "1.15", "1.36"],
  ["start-apiextensions-controllers", "1.15", "1.36"],
  ["apiservice-openapi-controller", "1.15", "1.36"],
  ["start-system-namespaces-controller", "1.27", "1.36"],
  ["start-service-ip-repair-controllers", "1.28", "1.36"],
  ["apiservice-status-available-controller", "1.15", "1.30"],
  ["apiservice-status-local-available-controller", "1.31", "1.36"],
  ["apiservice-status-remote-available-controller", "1.31", "1.36"],
  ["storage-object-count-tracker-hook", "1.23", "1.36"],
  ["aggregator-reload-proxy-client-cert", "1.23", "1.36"],
  ["apiservice-openapiv3-controller", "1.24", "1.36"],
  ["start-kube-apiserver-identity-lease-controller", "1.26", "1.36"],
  ["start-kube-apiserver-identity-lease-garbage-collector", "1.26", "1.36"],
  ["start-legacy-token-tracking-controller", "1.27", "1.36"],
  ["apiservice-discovery-controller", "1.27", "1.36"],
  ["start-kubernetes-service-cidr-controller", "1.33", "1.36"],
  ["storage-readiness", "1.36", "1.37"],
])("%s is listed from %s to %s", (name, first, last) => {
  const before = ["1.15", "1.20"].includes(first) ? undefined : `1.${Number(first.slice(2)) - 1}`;
  const after = { "1.29": "1.30", "1.30": "1.31" }[last];
  for (const release of [first, last]) expect(namesIn(release)).toContain(name);
  for (const release of [before, after]) if (release !== undefined) expect(namesIn(release)).not.toContain(name);
});

test("a check passes when what it tells of is done, and not before", () => {
  const hooks = startHooks();
  const checks = startHookChecks({ vocabulary: vocabularyOf("orch"), release: "1.23", fairness: true, gates }, hooks);
  const fails = () =>
    checks.filter(({ probe }) => {
      try {
        probe();
        return false;
      } catch {
        return true;
      }
    });
  expect(fails().length).toBe(checks.length);
  hooks.openapi.done();
  expect(fails().map(({ name }) => name)).not.toContain("poststarthook/apiservice-openapi-controller");
  for (const hook of Object.values(hooks)) hook.done();
  expect(fails()).toEqual([]);
});
