// Writes of pods and of resources with pod templates: exemptions, warnings, metrics and audit annotations.
import { describe, expect, test } from "@jest/globals";
import { serverTimeout } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { RequestParts } from "../../testing/admission-request";
import { type Judged, type Judgement, judgementOf, namespaceOf } from "../../testing/judgement";
import { storedObjects } from "../../testing/stored-objects";

type Policy = Readonly<Record<string, string>>;

const NOTHING: Judgement = {};
const HOST = { hostNetwork: true };
const TEXT = "host namespaces (hostNetwork=true)";

const pod = (spec: object = {}, metadata: object = { name: "p" }): JsonObject => ({
  metadata: metadata as JsonObject,
  spec: { containers: [{ name: "a", image: "i" }], ...spec } as JsonObject,
});

function ask(
  policy: Policy | undefined,
  request: RequestParts,
  more: Omit<Judged, "request"> = {},
): Promise<Judgement> {
  const stored = policy === undefined ? [] : [namespaceOf(policy)];
  return judgementOf({ stored, ...more, request: { plural: "pods", name: "p", ...request } });
}

const create = (policy: Policy, spec: object, more: Omit<Judged, "request"> = {}): Promise<Judgement> =>
  ask(policy, { object: pod(spec) }, more);

const target = (more: object = {}) => ({ operation: "create", resource: "pod", subresource: "", ...more });
const evaluated = (mode: string, decision: string, level: string, version = "latest", more: object = {}) => ({
  evaluated: { ...target(more), mode, decision, level, version },
});

function refused(policy: string, text: string): NonNullable<Judgement["refusal"]> {
  const message = `pods "p" is forbidden: violates PodSecurity "${policy}": ${text}`;
  return { code: 403, message, details: { name: "p", kind: "pods" } };
}

describe("a pod", () => {
  test.each<[string, Policy, object, Judgement]>([
    [
      "passes where nothing is asked",
      {},
      HOST,
      { audit: { "enforce-policy": "privileged:latest" }, counted: [evaluated("enforce", "allow", "privileged")] },
    ],
    [
      "passes where it keeps the rules",
      { enforce: "baseline" },
      {},
      { audit: { "enforce-policy": "baseline:latest" }, counted: [evaluated("enforce", "allow", "baseline")] },
    ],
    [
      "is refused where it breaks them, and nobody is warned of that twice",
      { enforce: "baseline", audit: "privileged" },
      HOST,
      {
        refusal: refused("baseline:latest", TEXT),
        audit: { "enforce-policy": "baseline:latest" },
        counted: [evaluated("enforce", "deny", "baseline")],
      },
    ],
    [
      "is refused by the rules of a release",
      { enforce: "baseline", "enforce-version": "v1.20" },
      HOST,
      {
        refusal: refused("baseline:v1.20", TEXT),
        audit: { "enforce-policy": "baseline:v1.20" },
        counted: [evaluated("enforce", "deny", "baseline", "v1.20")],
      },
    ],
    [
      "is refused by the rules of a release to come as they are known",
      { enforce: "baseline", "enforce-version": "v1.27" },
      HOST,
      {
        refusal: refused("baseline:v1.27", TEXT),
        audit: { "enforce-policy": "baseline:v1.27" },
        counted: [evaluated("enforce", "deny", "baseline", "future")],
      },
    ],
    [
      "is audited when it is refused, too",
      { enforce: "baseline", audit: "baseline", warn: "baseline" },
      HOST,
      {
        refusal: refused("baseline:latest", TEXT),
        audit: {
          "enforce-policy": "baseline:latest",
          "audit-violations": `would violate PodSecurity "baseline:latest": ${TEXT}`,
        },
        counted: [evaluated("enforce", "deny", "baseline"), evaluated("audit", "deny", "baseline")],
      },
    ],
    [
      "is let in with a warning",
      { warn: "baseline", "warn-version": "v1.3" },
      HOST,
      {
        warnings: [`would violate PodSecurity "baseline:v1.3": ${TEXT}`],
        audit: { "enforce-policy": "privileged:latest" },
        counted: [evaluated("enforce", "allow", "privileged"), evaluated("warn", "deny", "baseline", "v1.3")],
      },
    ],
    [
      "is let in with a line in the audit",
      { audit: "baseline" },
      HOST,
      {
        audit: {
          "enforce-policy": "privileged:latest",
          "audit-violations": `would violate PodSecurity "baseline:latest": ${TEXT}`,
        },
        counted: [evaluated("enforce", "allow", "privileged"), evaluated("audit", "deny", "baseline")],
      },
    ],
    [
      "is refused where the level cannot be read",
      { enforce: "x" },
      HOST,
      {
        refusal: refused("restricted:latest", expect.stringContaining(TEXT) as unknown as string),
        audit: {
          error:
            'Failed to parse policy: metadata.labels[pod-security.orch.io/enforce]: Invalid value: "x": must be one of privileged, baseline, restricted',
          "enforce-policy": "restricted:latest",
        },
        counted: [{ failed: target({ fatal: false }) }, evaluated("enforce", "deny", "restricted")],
      },
    ],
    [
      "is not warned where that cannot be read",
      { warn: "x", audit: "y", "enforce-version": "z" },
      HOST,
      {
        audit: {
          error:
            'Failed to parse policy: [metadata.labels[pod-security.orch.io/enforce-version]: Invalid value: "z": must be "latest" or "v1.x", ' +
            'metadata.labels[pod-security.orch.io/audit]: Invalid value: "y": must be one of privileged, baseline, restricted, ' +
            'metadata.labels[pod-security.orch.io/warn]: Invalid value: "x": must be one of privileged, baseline, restricted]',
          "enforce-policy": "privileged:latest",
        },
        counted: [{ failed: target({ fatal: false }) }, evaluated("enforce", "allow", "privileged")],
      },
    ],
  ])("%s", async (_what, policy, spec, expected) => {
    const answer = await create(policy, spec);
    if (expected.refusal?.message.includes("restricted") !== true) return expect(answer).toEqual(expected);
    expect(answer).toMatchObject({ ...expected, refusal: { code: 403, message: expect.stringContaining(TEXT) } });
  });

  test("goes by what is configured where the namespace says nothing, mode by mode", async () => {
    const defaults = { enforce: "baseline", "enforce-version": "v1.10", warn: "restricted", "warn-version": "v1.5" };
    expect(await create({}, HOST, { defaults })).toMatchObject({ refusal: refused("baseline:v1.10", TEXT) });
    expect(await create({ enforce: "privileged" }, HOST, { defaults })).toMatchObject({
      warnings: [expect.stringContaining('would violate PodSecurity "restricted:v1.5"')],
    });
    expect(await create({ "enforce-version": "v1.1" }, HOST, { defaults })).toMatchObject({
      refusal: refused("baseline:v1.1", TEXT),
    });
    expect(await create({ enforce: "privileged", warn: "privileged" }, HOST, { defaults })).toEqual({
      audit: { "enforce-policy": "privileged:latest" },
      counted: [evaluated("enforce", "allow", "privileged")],
    });
  });
});

describe("enforced rules are also used for warnings", () => {
  const template = (policy: Policy, defaults: JsonObject = {}) =>
    ask(policy, { plural: "replicationcontrollers", object: { spec: { template: pod(HOST) } } }, { defaults });
  const warned = (policy: string) => [expect.stringContaining(`would violate PodSecurity "${policy}": `)];

  test.each<[string, Policy, JsonObject, string | undefined]>([
    ["where nothing else is said", { enforce: "baseline" }, {}, "baseline:latest"],
    ["of the same release", { enforce: "baseline", "enforce-version": "v1.7" }, {}, "baseline:v1.7"],
    [
      "of the release that is stated for warnings",
      { enforce: "baseline", "enforce-version": "v1.7", "warn-version": "v1.9" },
      {},
      "baseline:v1.9",
    ],
    ["unless another level is stated", { enforce: "baseline", warn: "privileged" }, {}, undefined],
    ["unless the level cannot be read", { enforce: "x" }, {}, undefined],
    ["unless what is configured warns of more", { enforce: "baseline" }, { warn: "restricted" }, "restricted:latest"],
    ["unless enforcement is configured", {}, { enforce: "baseline" }, undefined],
  ])("%s", async (_what, policy, defaults, expected) => {
    const { refusal, warnings } = await template(policy, defaults);
    expect(refusal).toBeUndefined();
    if (expected === undefined) expect(warnings).toBeUndefined();
    else expect(warnings).toEqual(warned(expected));
  });
});

describe("a pod is not evaluated", () => {
  const exempted = (why: string, more: object = {}): Judgement => ({
    audit: { exempt: why },
    counted: [{ exempted: target(more) }],
  });
  const all = { enforce: "baseline", audit: "baseline", warn: "baseline" };

  test("in an exempt namespace", async () => {
    expect(await create(all, HOST, { exemptions: { namespaces: ["shop"] } })).toEqual(exempted("namespace"));
  });

  test("a pod of an exempt user is not evaluated", async () => {
    expect(await create(all, HOST, { exemptions: { usernames: ["ann"] } })).toEqual(exempted("user"));
    expect(await create(all, HOST, { exemptions: { usernames: ["ANN", "an"] } })).toMatchObject({ refusal: {} });
  });

  test("in an exempt namespace, which precedes an exempt user", async () => {
    const exemptions = { namespaces: ["shop"], usernames: ["ann"], runtimeClasses: ["gvisor"] };
    expect(await create(all, { ...HOST, runtimeClassName: "gvisor" }, { exemptions })).toEqual(exempted("namespace"));
  });

  test("with an exempt runtime class, if a level applies", async () => {
    const exemptions = { runtimeClasses: ["gvisor"] };
    const spec = { ...HOST, runtimeClassName: "gvisor" };
    expect(await create(all, spec, { exemptions })).toEqual(exempted("runtimeClass"));
    expect(await create({}, spec, { exemptions })).toMatchObject({ audit: { "enforce-policy": "privileged:latest" } });
    expect(await create(all, { ...spec, runtimeClassName: "gvisor-2" }, { exemptions })).toMatchObject({ refusal: {} });
    expect(await create(all, HOST, { exemptions })).toMatchObject({ refusal: {} });
  });

  test.each(["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"])(
    "that writes its %s",
    async (subresource) => {
      for (const operation of ["CREATE", "UPDATE"] as const) {
        const object = pod(HOST);
        expect(await ask(all, { operation, subresource, object, oldObject: pod({}) })).toEqual(NOTHING);
      }
    },
  );

  test("that is deleted or connected to", async () => {
    expect(await ask(all, { operation: "DELETE", oldObject: pod(HOST) })).toEqual(NOTHING);
    expect(await ask(all, { operation: "CONNECT", object: pod(HOST) })).toEqual(NOTHING);
  });
});

describe("an update of a pod", () => {
  const containers = (...images: readonly string[]) => images.map((image, at) => ({ name: `c${at}`, image }));
  const joined = (...pairs: readonly string[]) =>
    pairs.map((pair) => {
      const [name, image] = pair.split("=");
      return { name, image };
    });

  test.each<[string, object, object, boolean]>([
    ["that changes nothing", {}, {}, false],
    ["that changes who may run where", {}, { tolerations: [{ key: "x" }] }, false],
    ["that begins to break a rule otherwise", { hostNetwork: false }, {}, false],
    ["that changes an image", { containers: containers("a") }, { containers: containers("b") }, true],
    ["that adds a container", { containers: containers("a") }, { containers: containers("a", "a") }, true],
    ["that removes a container", { containers: containers("a", "b") }, { containers: containers("a") }, true],
    [
      "that changes the order of images",
      { containers: containers("a", "b") },
      { containers: containers("b", "a") },
      true,
    ],
    ["that changes a first image", { initContainers: containers("a") }, { initContainers: containers("b") }, true],
    ["that adds a first container", {}, { initContainers: containers("a") }, true],
    ["that lets a container join", {}, { ephemeralContainers: joined("e=i") }, true],
    ["that keeps who joined", { ephemeralContainers: joined("e=i") }, { ephemeralContainers: joined("e=i") }, false],
    ["that changes who joined", { ephemeralContainers: joined("e=i") }, { ephemeralContainers: joined("e=j") }, true],
    [
      "that changes the order of who joined",
      { ephemeralContainers: joined("e=i", "f=j") },
      { ephemeralContainers: joined("f=j", "e=i") },
      false,
    ],
    ["that forgets who joined", { ephemeralContainers: joined("e=i") }, {}, false],
  ])("%s", async (_what, old, next, isLookedAt) => {
    for (const subresource of ["", "ephemeralcontainers", "resize"]) {
      const request = {
        operation: "UPDATE",
        subresource,
        object: pod({ ...HOST, ...next }),
        oldObject: pod(old),
      } as const;
      const target = { operation: "update", subresource };
      const expected = {
        refusal: refused("baseline:latest", TEXT),
        audit: { "enforce-policy": "baseline:latest" },
        counted: [evaluated("enforce", "deny", "baseline", "latest", target)],
      };
      expect(await ask({ enforce: "baseline" }, request)).toEqual(isLookedAt ? expected : NOTHING);
    }
  });
});

describe("pod templates", () => {
  const policy = { enforce: "baseline", audit: "baseline", warn: "baseline" };
  const RESOURCES: readonly [string, string, (template: JsonObject) => JsonObject][] = [
    ["", "replicationcontrollers", (template) => ({ spec: { template } })],
    ["", "podtemplates", (template) => ({ template })],
    ["apps", "replicasets", (template) => ({ spec: { template } })],
    ["apps", "deployments", (template) => ({ spec: { template } })],
    ["apps", "statefulsets", (template) => ({ spec: { template } })],
    ["apps", "daemonsets", (template) => ({ spec: { template } })],
    ["batch", "jobs", (template) => ({ spec: { template } })],
    ["batch", "cronjobs", (template) => ({ spec: { jobTemplate: { spec: { template } } } })],
  ];
  const controller = (operation: string) => ({ operation, resource: "controller" });
  const told = (operation: string): Judgement => ({
    warnings: [`would violate PodSecurity "baseline:latest": ${TEXT}`],
    audit: { "audit-violations": `would violate PodSecurity "baseline:latest": ${TEXT}` },
    counted: [
      evaluated("audit", "deny", "baseline", "latest", controller(operation)),
      evaluated("warn", "deny", "baseline", "latest", controller(operation)),
    ],
  });

  describe.each(RESOURCES)("%s %s", (group, plural, made) => {
    const of = (parts: RequestParts, more: Omit<Judged, "request"> = {}) =>
      ask(policy, { group, plural, ...parts }, more);
    const object = made(pod(HOST));

    test("is never refused, but told of", async () => {
      expect(await of({ object })).toEqual(told("create"));
      expect(await of({ operation: "UPDATE", object, oldObject: object })).toEqual(told("update"));
    });

    test("passes without a word where pods would", async () => {
      expect(await of({ object: made(pod()) })).toEqual(NOTHING);
    });

    test("may have no template yet", async () => {
      expect(await of({ object: {} })).toEqual(NOTHING);
      expect(await of({ object: { spec: {} } })).toEqual(NOTHING);
      expect(await of({ object: made({ metadata: {} }) })).toEqual(NOTHING);
    });

    test("is exempt as pods are", async () => {
      const exempted = (why: string): Judgement => ({
        audit: { exempt: why },
        counted: [{ exempted: target(controller("create")) }],
      });
      expect(await of({ object }, { exemptions: { namespaces: ["shop"] } })).toEqual(exempted("namespace"));
      expect(await of({ object }, { exemptions: { usernames: ["ann"] } })).toEqual(exempted("user"));
      const sandboxed = made(pod({ ...HOST, runtimeClassName: "g" }));
      expect(await of({ object: sandboxed }, { exemptions: { runtimeClasses: ["g"] } })).toEqual(
        exempted("runtimeClass"),
      );
    });

    test("is not looked at in its parts", async () => {
      for (const subresource of ["status", "scale"]) {
        expect(await of({ operation: "UPDATE", subresource, object, oldObject: object })).toEqual(NOTHING);
      }
    });

    test("is not looked at where pods alone are refused", async () => {
      const quiet = namespaceOf({ enforce: "restricted", warn: "privileged" });
      expect(await of({ object }, { stored: [quiet] })).toEqual(NOTHING);
    });
  });

  test("is told of as far as labels can be read", async () => {
    const answer = await ask(
      { warn: "baseline", audit: "x" },
      { plural: "podtemplates", object: { template: pod(HOST) } },
    );
    expect(answer).toEqual({
      warnings: [`would violate PodSecurity "baseline:latest": ${TEXT}`],
      audit: {
        error:
          'Failed to parse policy: metadata.labels[pod-security.orch.io/audit]: Invalid value: "x": must be one of privileged, baseline, restricted',
      },
      counted: [
        { failed: target({ resource: "controller", fatal: false }) },
        evaluated("warn", "deny", "baseline", "latest", { resource: "controller" }),
      ],
    });
  });

  test.each(["configmaps", "services", "nodes"])("are not %s", async (plural) => {
    expect(await ask(policy, { plural, object: { spec: { template: pod(HOST) } } })).toEqual(NOTHING);
  });
});

describe("a namespace that", () => {
  const unknown = (what: string, more: object): Judgement => ({
    audit: { error: `failed to lookup namespace "shop"${what}` },
    counted: [{ failed: target(more) }],
  });

  test("the cache does not have yet is asked of the store", async () => {
    const { objects } = storedObjects([namespaceOf({ enforce: "baseline" })]);
    const behind = { objects: { ...objects, labels: () => undefined } };
    expect(await ask(undefined, { object: pod(HOST) }, { dependencies: behind })).toMatchObject({
      refusal: refused("baseline:latest", TEXT),
    });
    const far = { objects: { ...objects, labels: async () => undefined } };
    expect(await ask(undefined, { object: pod(HOST) }, { dependencies: far })).toMatchObject({
      refusal: refused("baseline:latest", TEXT),
    });
  });

  test("a namespace that does not exist rejects pods and accepts templates", async () => {
    const refusal = {
      code: 500,
      message: 'Internal error occurred: failed to lookup namespace "shop"',
      details: { causes: [{ message: 'failed to lookup namespace "shop"' }] },
    };
    expect(await ask(undefined, { object: pod() })).toEqual({ refusal, ...unknown("", { fatal: true }) });
    const template = { plural: "podtemplates", object: { template: pod(HOST) } };
    expect(await ask(undefined, template)).toEqual(unknown("", { fatal: false, resource: "controller" }));
  });

  test("cannot be read lets no pod in, and any template", async () => {
    const { objects } = storedObjects([]);
    const inStore = async () => {
      throw serverTimeout({ group: "", resource: "namespaces" }, "get");
    };
    const dependencies = { objects: { ...objects, inStore } };
    expect(await ask(undefined, { object: pod() }, { dependencies })).toMatchObject({ refusal: { code: 500 } });
    const template = { plural: "podtemplates", object: { template: pod(HOST) } };
    const answer = await ask(undefined, template, { dependencies });
    expect(answer.refusal).toBeUndefined();
    expect(answer.audit?.["error"]).toContain('failed to lookup namespace "shop"');
  });
});

describe("a very large pod", () => {
  const SOME = 30_000;
  const containers = Array.from({ length: SOME }, (_, at) => ({ name: `c${at}`, image: "i" }));

  test("is looked at rule by rule, while others get their turn", async () => {
    let waited = 0;
    const next = async () => {
      waited += 1;
    };
    const dependencies = { yielder: { isOver: true, next } };
    const { refusal } = await create({ enforce: "restricted" }, { containers }, { dependencies });
    expect(refusal?.code).toBe(403);
    // Once per control of the level.
    expect(waited).toBe(14);
    await create({ enforce: "restricted" }, {}, { dependencies });
    expect(waited).toBe(14);
  });

  test("is refused in words that can be read", async () => {
    const { refusal } = await create({ enforce: "restricted" }, { containers });
    expect(refusal?.message).toContain(
      '"c98", "c99" and 29900 more must set securityContext.allowPrivilegeEscalation=false',
    );
    expect(refusal?.message.length).toBeLessThan(10_000);
  });

  test("names few of very many values", async () => {
    const add = Array.from({ length: SOME }, (_, at) => `CAP_${at}`);
    const one = [{ name: "c", image: "i", securityContext: { capabilities: { add } } }];
    const { refusal } = await create({ enforce: "baseline" }, { containers: one });
    expect(refusal?.message).toMatch(/"CAP_0", .* and more in securityContext/);
    expect(refusal?.message.length).toBeLessThan(10_000);
  });
});
