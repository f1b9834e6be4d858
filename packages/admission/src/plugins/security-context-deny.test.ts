import { expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { changedPod, newPod, outcomeOf, podOf } from "../testing/plugin-outcome";
import { securityContextDeny } from "./security-context-deny";

const withContext = (securityContext: JsonObject): JsonObject => ({ name: "c", securityContext });

test.each<[what: string, spec: JsonObject, field: string | undefined]>([
  ["nothing", {}, undefined],
  ["an empty context", { securityContext: {} }, undefined],
  ["more groups", { securityContext: { supplementalGroups: [1] } }, "pod.Spec.SecurityContext.SupplementalGroups"],
  ["labels", { securityContext: { seLinuxOptions: { level: "s0" } } }, "pod.Spec.SecurityContext.SELinuxOptions"],
  ["empty labels", { securityContext: { seLinuxOptions: {} } }, "pod.Spec.SecurityContext.SELinuxOptions"],
  ["a user", { securityContext: { runAsUser: 1000 } }, "pod.Spec.SecurityContext.RunAsUser"],
  ["the first user", { securityContext: { runAsUser: 0 } }, "pod.Spec.SecurityContext.RunAsUser"],
  ["a group of files", { securityContext: { fsGroup: 0 } }, "pod.Spec.SecurityContext.FSGroup"],
  [
    "a user and a group of files",
    { securityContext: { fsGroup: 1, runAsUser: 1 } },
    "pod.Spec.SecurityContext.RunAsUser",
  ],
  [
    "labels and a user",
    { securityContext: { runAsUser: 1, seLinuxOptions: {} } },
    "pod.Spec.SecurityContext.SELinuxOptions",
  ],
  [
    "everything",
    { securityContext: { runAsUser: 1, fsGroup: 1, seLinuxOptions: {}, supplementalGroups: [1] } },
    "pod.Spec.SecurityContext.SupplementalGroups",
  ],
  ["its main group", { securityContext: { runAsGroup: 1 } }, undefined],
  ["not to be root", { securityContext: { runAsNonRoot: true } }, undefined],
  ["a user for a container", { containers: [withContext({ runAsUser: 1 })] }, "SecurityContext.RunAsUser"],
  ["labels for a container", { containers: [withContext({ seLinuxOptions: {} })] }, "SecurityContext.SELinuxOptions"],
  [
    "both for a container",
    { containers: [withContext({ runAsUser: 1, seLinuxOptions: {} })] },
    "SecurityContext.SELinuxOptions",
  ],
  [
    "a user for the second container",
    { containers: [{ name: "a" }, withContext({ runAsUser: 0 })] },
    "SecurityContext.RunAsUser",
  ],
  ["a user before it runs", { initContainers: [withContext({ runAsUser: 0 })] }, "SecurityContext.RunAsUser"],
  [
    "labels before it runs, and a user then",
    { initContainers: [withContext({ seLinuxOptions: {} })], containers: [withContext({ runAsUser: 0 })] },
    "SecurityContext.SELinuxOptions",
  ],
  [
    "a user, and labels for a container",
    { securityContext: { runAsUser: 1 }, containers: [withContext({ seLinuxOptions: {} })] },
    "pod.Spec.SecurityContext.RunAsUser",
  ],
  ["privileges for a container", { containers: [withContext({ privileged: true })] }, undefined],
  [
    "a read-only root for a container",
    { containers: [withContext({ readOnlyRootFilesystem: true, runAsGroup: 1 })] },
    undefined,
  ],
  [
    "a user that is null",
    { securityContext: { runAsUser: null }, containers: [withContext({ runAsUser: null })] },
    undefined,
  ],
])("a pod that asks for %s", async (_what, spec, field) => {
  const pod = podOf(spec);
  const expected = field === undefined ? pod : `403 pods "p" is forbidden: ${field} is forbidden`;
  expect(await outcomeOf(securityContextDeny, newPod(pod))).toEqual(expected);
  expect(await outcomeOf(securityContextDeny, changedPod(pod, pod))).toEqual(expected);
  expect(await outcomeOf(undefined, newPod(pod))).toEqual(pod);
  expect(await outcomeOf(securityContextDeny, newPod(pod, { subresource: "status" }))).toEqual(pod);
});
