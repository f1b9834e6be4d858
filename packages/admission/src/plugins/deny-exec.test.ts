import { describe, expect, test } from "@jest/globals";
import { serverTimeout } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { outcomeOf, podOf } from "../testing/plugin-outcome";
import { storedObjects } from "../testing/stored-objects";
import { denyEscalatingExec, denyExecOnPrivileged } from "./deny-exec";

const running = (privileged: boolean): JsonObject => ({ name: "c", securityContext: { privileged } });
const into = (subresource: string, name = "p") => ({
  ...{ plural: "pods", name, subresource, operation: "CONNECT" as const },
  object: { kind: "PodExecOptions", apiVersion: "v1", stdin: true },
});

const NETWORK = "cannot exec into or attach to a container using host network";
const PIDS = "cannot exec into or attach to a container using host pid";
const IPC = "cannot exec into or attach to a container using host ipc";
const PRIVILEGED = "cannot exec into or attach to a privileged container";

describe.each(["exec", "attach"])("%s", (subresource) => {
  test.each<[what: string, spec: JsonObject, escalating: string | undefined, privileged: string | undefined]>([
    ["a plain one", {}, undefined, undefined],
    ["one in the network of its node", { hostNetwork: true }, NETWORK, undefined],
    ["one that says it is not", { hostNetwork: false, hostPID: false, hostIPC: false }, undefined, undefined],
    ["one among the processes of its node", { hostPID: true }, PIDS, undefined],
    ["one in the memory of its node", { hostIPC: true }, IPC, undefined],
    ["one with all of it", { hostNetwork: true, hostPID: true, hostIPC: true }, NETWORK, undefined],
    ["one with the latter two", { hostPID: true, hostIPC: true }, PIDS, undefined],
    ["one with privileges", { containers: [running(true)] }, PRIVILEGED, PRIVILEGED],
    ["one without privileges", { containers: [running(false)] }, undefined, undefined],
    ["one with other claims", { containers: [{ name: "c", securityContext: { runAsUser: 0 } }] }, undefined, undefined],
    [
      "one with privileges in the second container",
      { containers: [running(false), running(true)] },
      PRIVILEGED,
      PRIVILEGED,
    ],
    ["one with privileges before it runs", { initContainers: [running(true)] }, PRIVILEGED, PRIVILEGED],
    ["one that is looked into with privileges", { ephemeralContainers: [running(true)] }, PRIVILEGED, PRIVILEGED],
    ["one with privileges and the network", { hostNetwork: true, containers: [running(true)] }, NETWORK, PRIVILEGED],
    ["one with privileges and the memory", { hostIPC: true, containers: [running(true)] }, IPC, PRIVILEGED],
  ])("into %s", async (_what, spec, escalating, privileged) => {
    const dependencies = storedObjects([podOf(spec)]);
    const said = (text: string | undefined) =>
      text === undefined ? into(subresource).object : `403 pods "p" is forbidden: ${text}`;
    expect(await outcomeOf(denyEscalatingExec, into(subresource), { dependencies })).toEqual(said(escalating));
    expect(await outcomeOf(denyExecOnPrivileged, into(subresource), { dependencies })).toEqual(said(privileged));
    expect(await outcomeOf(undefined, into(subresource), { dependencies })).toEqual(into(subresource).object);
  });

  test.each([denyEscalatingExec, denyExecOnPrivileged])("into none, by $name", async (plugin) => {
    expect(await outcomeOf(plugin, into(subresource, "gone"))).toBe(
      '403 pods "gone" is forbidden: pods "gone" not found',
    );
  });

  test("while the store does not answer", async () => {
    const { objects, ...rest } = storedObjects([]);
    const inStore = async () => {
      throw serverTimeout({ group: "", resource: "pods" }, "get");
    };
    const outcome = await outcomeOf(denyExecOnPrivileged, into(subresource), {
      dependencies: { ...rest, objects: { ...objects, inStore } },
    });
    expect(outcome).toMatch(/^403 pods "p" is forbidden: The get operation against pods could not be completed/);
  });
});

test.each(["portforward", "proxy", "log"])("%s is not looked at", async (subresource) => {
  const dependencies = storedObjects([podOf({ hostNetwork: true, containers: [running(true)] })]);
  expect(await outcomeOf(denyEscalatingExec, into(subresource), { dependencies })).toEqual(into(subresource).object);
});
