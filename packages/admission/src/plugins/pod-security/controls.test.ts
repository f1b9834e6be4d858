// Every control in every release that has it, in each mode.
import { describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { createAdmissionChain } from "../../chain/chain";
import { fakeDependencies, requestOf } from "../../testing/admission-request";
import { POD_MUTATIONS, podOf, saidOf } from "../../testing/pod-mutations";
import { storedObjects } from "../../testing/stored-objects";
import { podSecurity } from "./pod-security";

const MINORS = Array.from({ length: 38 }, (_, minor) => minor);
/** Releases just after each change of a control, and some just before. */
const MINORS_OF_CHANGE = [0, 7, 8, 18, 19, 21, 22, 23, 24, 25, 26, 27, 29, 31, 32, 34, 35, 37];
const LEVELS = ["baseline", "restricted"] as const;
const PREFIX = "pod-security.orch.io/";

interface Answer {
  readonly refusal: string | undefined;
  readonly warnings: readonly string[];
  readonly audit: Readonly<Record<string, string>>;
}

/** Returns a function that evaluates pods in a namespace with these labels. */
function asker(labels: Readonly<Record<string, string>>): (pod: object) => Promise<Answer> {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels } };
  const dependencies = fakeDependencies({ release: "1.37", ...storedObjects([namespace]) });
  const chain = createAdmissionChain({ plugins: [podSecurity], dependencies });
  return async (pod) => {
    const [warnings, audit]: [string[], Record<string, string>] = [[], {}];
    const request = requestOf({ plural: "pods", name: "p", object: pod as JsonObject });
    request.warn = (text) => warnings.push(text);
    request.annotate = (key, value) => {
      audit[key] = value;
    };
    try {
      await chain.validate(request);
      return { refusal: undefined, warnings, audit };
    } catch (error) {
      return { refusal: (error as Error).message, warnings, audit };
    }
  };
}

function inForce(level: string, version: string, ...modes: readonly string[]): Record<string, string> {
  const labels = modes.flatMap((mode) => [
    [`${PREFIX}${mode}`, level],
    [`${PREFIX}${mode}-version`, version],
  ]);
  return Object.fromEntries(labels);
}

describe.each(LEVELS)("pods at the level %s", (level) => {
  test.each(MINORS.map((minor) => `v1.${minor}`))("enforced, version %s", async (version) => {
    const minor = Number(version.slice(3));
    const ask = asker(inForce(level, version, "enforce"));
    const asked = POD_MUTATIONS.map(async (mutation) => [mutation.what, await ask(podOf(mutation.change))]);
    const expected = POD_MUTATIONS.map((mutation) => {
      const said = saidOf(mutation, level, minor);
      const refusal = said && `pods "p" is forbidden: violates PodSecurity "${level}:${version}": ${said}`;
      return [mutation.what, { refusal, warnings: [], audit: { [`${PREFIX}enforce-policy`]: `${level}:${version}` } }];
    });
    expect(await Promise.all(asked)).toEqual(expected);
  });

  test.each(MINORS_OF_CHANGE.map((minor) => `v1.${minor}`))("warned and audited, version %s", async (version) => {
    const minor = Number(version.slice(3));
    const ask = asker(inForce(level, version, "audit", "warn"));
    const asked = POD_MUTATIONS.map(async (mutation) => [mutation.what, await ask(podOf(mutation.change))]);
    const expected = POD_MUTATIONS.map((mutation) => {
      const said = saidOf(mutation, level, minor);
      const text = said && `would violate PodSecurity "${level}:${version}": ${said}`;
      const audit = {
        [`${PREFIX}enforce-policy`]: "privileged:latest",
        ...(text && { [`${PREFIX}audit-violations`]: text }),
      };
      return [mutation.what, { refusal: undefined, warnings: text ? [text] : [], audit }];
    });
    expect(await Promise.all(asked)).toEqual(expected);
  });
});

test("there are many pods, and each rule has those that keep it and those that break it", () => {
  const outcomes = LEVELS.flatMap((level) =>
    MINORS.map((minor) => POD_MUTATIONS.map((mutation) => saidOf(mutation, level, minor))),
  ).flat();
  expect(outcomes.length).toBeGreaterThan(10_000);
  expect(outcomes.filter((said) => said !== undefined).length).toBeGreaterThan(3000);
});

test.each(["latest", "v1.99"])("the version %s uses the rules of the newest known release", async (version) => {
  const pod = podOf({ security: { sysctls: [{ name: "net.ipv4.tcp_notsent_lowat", value: "1" }] } });
  expect(await asker(inForce("baseline", version, "enforce"))(pod)).toMatchObject({ refusal: undefined });
  const bad = podOf({ spec: { hostPID: true } });
  expect(await asker(inForce("baseline", version, "enforce"))(bad)).toMatchObject({
    refusal: `pods "p" is forbidden: violates PodSecurity "baseline:${version}": host namespaces (hostPID=true)`,
  });
});
