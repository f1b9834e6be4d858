// Mutation of pods, by release, pod spec and account. Source: Kubernetes documentation, "Managing Service Accounts".
import { describe, expect, test } from "@jest/globals";
import { NEVER_ENDS } from "@orch/platform";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { Round } from "../../chain/round";
import type { AdmissionDependencies } from "../../contract/dependencies";
import { fakeDependencies, refusalOf, requestOf } from "../../testing/admission-request";
import { storedObjects } from "../../testing/stored-objects";
import { serviceAccount } from "./service-account";

const MOUNT_PATH = "/var/run/secrets/orch.io/serviceaccount";
const DRAWN = "orch-api-access-bbbbb";
const MIRROR = { annotations: { "orch.io/config.mirror": "x" } };

const account = (name: string, more: JsonObject = {}, annotations: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { namespace: "shop", name, uid: `uid-${name}`, annotations },
  ...more,
});

const secret = (name: string, of: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    namespace: "shop",
    name,
    annotations: { "orch.io/service-account.name": of, "orch.io/service-account.uid": `uid-${of}` },
  },
  type: "orch.io/service-account-token",
  ...more,
});

const STRICT = { "orch.io/enforce-mountable-secrets": "true" };

const WORLD: readonly JsonObject[] = [
  account("default", { secrets: [{ name: "default-token-x" }] }),
  account("robot", {
    secrets: [{ name: "plain" }, { name: "robot.token" }, { name: "robot-second" }],
    imagePullSecrets: [{ name: "registry" }, { name: "mirror" }],
  }),
  account("tokenless", {}),
  account("foreign", { secrets: [{ name: "default-token-x" }, { name: "missing" }] }),
  account("old", { secrets: [{ name: "old-token" }] }),
  account("unsaid", { secrets: [{ name: "unsaid-token" }] }),
  account("shy", { automountServiceAccountToken: false, imagePullSecrets: [{ name: "registry" }] }),
  account("eager", { automountServiceAccountToken: true, secrets: [{ name: "eager-token" }] }),
  account(
    "strict",
    { secrets: [{ name: "allowed" }, { name: "strict-token" }], imagePullSecrets: [{ name: "registry" }] },
    STRICT,
  ),
  secret("default-token-x", "default"),
  secret("robot.token", "robot"),
  secret("robot-second", "robot"),
  secret("plain", "robot", { type: "Opaque" }),
  secret("old-token", "old", {
    metadata: {
      namespace: "shop",
      name: "old-token",
      annotations: { "orch.io/service-account.name": "old", "orch.io/service-account.uid": "uid-of-another" },
    },
  }),
  secret("unsaid-token", "unsaid", {
    metadata: { namespace: "shop", name: "unsaid-token", annotations: { "orch.io/service-account.name": "unsaid" } },
  }),
  secret("eager-token", "eager"),
  secret("strict-token", "strict"),
];

const container = (more: JsonObject = {}): JsonObject => ({ name: "c", image: "i", ...more });
const env = (secretName: string): JsonObject => ({
  env: [
    { name: "PLAIN", value: "v" },
    { name: "E", valueFrom: { secretKeyRef: { name: secretName, key: "k" } } },
  ],
});

interface Asked {
  readonly spec?: JsonObject;
  readonly metadata?: JsonObject;
  readonly release?: string;
  readonly dependencies?: Partial<AdmissionDependencies>;
}

async function admitted({ spec = {}, metadata = {}, release = "1.23", dependencies = {} }: Asked) {
  const plugin = serviceAccount.make(fakeDependencies({ release, ...storedObjects(WORLD), ...dependencies }));
  const pod: JsonObject = { metadata: { name: "a", ...metadata }, spec: { containers: [container()], ...spec } };
  const request = requestOf({ plural: "pods", object: pod });
  const refusal = await refusalOf(async () => {
    await plugin.mutate?.(request, new Round(0));
    await plugin.validate?.(request);
  });
  return { refusal, spec: (request.object as JsonObject)["spec"] as JsonObject, request, plugin };
}

const named = (name: string): JsonObject => ({ serviceAccountName: name, serviceAccount: name });
const mounted = (name: string, before: JsonObject[] = []): JsonObject => ({
  volumeMounts: [...before, { name, readOnly: true, mountPath: MOUNT_PATH }],
});
const PROJECTED: JsonObject = {
  name: DRAWN,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
      { configMap: { name: "orch-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      {
        downwardAPI: {
          items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
        },
      },
    ],
    defaultMode: 420,
  },
};
const secretVolume = (secretName: string, name = secretName): JsonObject => ({
  name,
  secret: { secretName, defaultMode: 420 },
});

describe("a pod as it is, and as it becomes", () => {
  const UNTOUCHED = { containers: [container()] };
  const BOUND = { containers: [container(mounted(DRAWN))], volumes: [PROJECTED] };
  const other: JsonObject = { name: "data", emptyDir: {} };
  const own: JsonObject = { name: "mine", mountPath: MOUNT_PATH };

  test.each<[what: string, asked: Asked, spec: JsonObject]>([
    ["without an account runs as the default one", {}, { ...named("default"), ...BOUND }],
    ["with an empty name, too", { spec: { serviceAccountName: "" } }, { ...named("default"), ...BOUND }],
    ["with the default's name", { spec: named("default") }, { ...named("default"), ...BOUND }],
    [
      "of an account with registries is given their credentials",
      { spec: named("robot") },
      { ...named("robot"), ...BOUND, imagePullSecrets: [{ name: "registry" }, { name: "mirror" }] },
    ],
    [
      "with credentials keeps its own alone",
      { spec: { ...named("robot"), imagePullSecrets: [{ name: "mine" }] } },
      { ...named("robot"), ...BOUND, imagePullSecrets: [{ name: "mine" }] },
    ],
    [
      "with an empty list of them is given the account's",
      { spec: { ...named("robot"), imagePullSecrets: [] } },
      { ...named("robot"), ...BOUND, imagePullSecrets: [{ name: "registry" }, { name: "mirror" }] },
    ],
    ["of an account without secrets needs none", { spec: named("tokenless") }, { ...named("tokenless"), ...BOUND }],
    [
      "of an account that gives no token has none",
      { spec: named("shy") },
      { ...named("shy"), ...UNTOUCHED, imagePullSecrets: [{ name: "registry" }] },
    ],
    [
      "that wants a token has it, whatever the account says",
      { spec: { ...named("shy"), automountServiceAccountToken: true } },
      {
        ...named("shy"),
        ...BOUND,
        automountServiceAccountToken: true,
        imagePullSecrets: [{ name: "registry" }],
      },
    ],
    [
      "that wants none has none",
      { spec: { automountServiceAccountToken: false } },
      { ...named("default"), ...UNTOUCHED, automountServiceAccountToken: false },
    ],
    [
      "that wants none of an eager account has none",
      { spec: { ...named("eager"), automountServiceAccountToken: false } },
      { ...named("eager"), ...UNTOUCHED, automountServiceAccountToken: false },
    ],
    ["of an eager account has it", { spec: named("eager") }, { ...named("eager"), ...BOUND }],
    [
      "with other volumes keeps them, in front",
      { spec: { volumes: [other], containers: [container({ volumeMounts: [{ name: "data", mountPath: "/data" }] })] } },
      {
        ...named("default"),
        containers: [container(mounted(DRAWN, [{ name: "data", mountPath: "/data" }]))],
        volumes: [other, PROJECTED],
      },
    ],
    [
      "has it in every container, those that come first too",
      { spec: { initContainers: [container({ name: "i" })], containers: [container(), container({ name: "d" })] } },
      {
        ...named("default"),
        initContainers: [container({ name: "i", ...mounted(DRAWN) })],
        containers: [container(mounted(DRAWN)), container({ name: "d", ...mounted(DRAWN) })],
        volumes: [PROJECTED],
      },
    ],
    [
      "whose containers all have something in its place is left alone",
      { spec: { containers: [container({ volumeMounts: [own] })] } },
      { ...named("default"), containers: [container({ volumeMounts: [own] })] },
    ],
    [
      "of which one has something in its place gives it to the others",
      { spec: { containers: [container({ volumeMounts: [own] }), container({ name: "d" })] } },
      {
        ...named("default"),
        containers: [container({ volumeMounts: [own] }), container({ name: "d", ...mounted(DRAWN) })],
        volumes: [PROJECTED],
      },
    ],
    [
      "with a volume of such a name already mounts that",
      { spec: { volumes: [{ name: "orch-api-access-mine", emptyDir: {} }] } },
      {
        ...named("default"),
        containers: [container(mounted("orch-api-access-mine"))],
        volumes: [{ name: "orch-api-access-mine", emptyDir: {} }],
      },
    ],
    [
      "with a volume of nearly that name has another",
      { spec: { volumes: [{ name: "orch-api-accessmine", emptyDir: {} }] } },
      {
        ...named("default"),
        containers: [container(mounted(DRAWN))],
        volumes: [{ name: "orch-api-accessmine", emptyDir: {} }, PROJECTED],
      },
    ],
    [
      "of a strict account that uses what it may",
      {
        spec: {
          ...named("strict"),
          volumes: [secretVolume("allowed")],
          containers: [container(env("allowed"))],
          imagePullSecrets: [{ name: "registry" }],
        },
      },
      {
        ...named("strict"),
        volumes: [secretVolume("allowed"), PROJECTED],
        containers: [container({ ...env("allowed"), ...mounted(DRAWN) })],
        imagePullSecrets: [{ name: "registry" }],
      },
    ],
    [
      "of a strict account is given its credentials, which it may use",
      { spec: named("strict") },
      { ...named("strict"), ...BOUND, imagePullSecrets: [{ name: "registry" }] },
    ],
    [
      "of a strict account may have secrets where nobody looks",
      {
        spec: {
          ...named("strict"),
          automountServiceAccountToken: false,
          containers: [container({ envFrom: [{ secretRef: { name: "x" } }] })],
          volumes: [{ name: "v", projected: { sources: [{ secret: { name: "x" } }] } }],
        },
      },
      {
        ...named("strict"),
        automountServiceAccountToken: false,
        containers: [container({ envFrom: [{ secretRef: { name: "x" } }] })],
        volumes: [{ name: "v", projected: { sources: [{ secret: { name: "x" } }] } }],
        imagePullSecrets: [{ name: "registry" }],
      },
    ],
    ["of 1.21 has a token of its own", { release: "1.21" }, { ...named("default"), ...BOUND }],
    ["of 1.26 has a token of its own", { release: "1.26" }, { ...named("default"), ...BOUND }],
    [
      "of 1.20 has that of a secret",
      { release: "1.20" },
      {
        ...named("default"),
        containers: [container(mounted("default-token-x"))],
        volumes: [secretVolume("default-token-x")],
      },
    ],
    [
      "of 1.15 has that of a secret",
      { release: "1.15" },
      {
        ...named("default"),
        containers: [container(mounted("default-token-x"))],
        volumes: [secretVolume("default-token-x")],
      },
    ],
    [
      "of 1.20 has the first of the account's secrets that is a token, and a name without dots",
      { release: "1.20", spec: { ...named("robot"), imagePullSecrets: [{ name: "mine" }] } },
      {
        ...named("robot"),
        containers: [container(mounted("robot-token"))],
        volumes: [secretVolume("robot.token", "robot-token")],
        imagePullSecrets: [{ name: "mine" }],
      },
    ],
    [
      "of 1.20 with a volume of that name has another",
      {
        release: "1.20",
        spec: { ...named("default"), volumes: [{ name: "default-token-x", emptyDir: {} }] },
      },
      {
        ...named("default"),
        containers: [container(mounted("default-token-x-bbbbb"))],
        volumes: [{ name: "default-token-x", emptyDir: {} }, secretVolume("default-token-x", "default-token-x-bbbbb")],
      },
    ],
    [
      "of 1.20 with a volume of that secret mounts it",
      { release: "1.20", spec: { volumes: [secretVolume("default-token-x", "mine")] } },
      {
        ...named("default"),
        containers: [container(mounted("mine"))],
        volumes: [secretVolume("default-token-x", "mine")],
      },
    ],
    [
      "of 1.20 with something in its place everywhere has no volume",
      { release: "1.20", spec: { containers: [container({ volumeMounts: [own] })] } },
      { ...named("default"), containers: [container({ volumeMounts: [own] })] },
    ],
    [
      "of 1.20 whose secret does not say the account's uid",
      { release: "1.20", spec: named("unsaid") },
      {
        ...named("unsaid"),
        containers: [container(mounted("unsaid-token"))],
        volumes: [secretVolume("unsaid-token")],
      },
    ],
    [
      "of 1.20 that wants no token needs none",
      { release: "1.20", spec: { ...named("tokenless"), automountServiceAccountToken: false } },
      { ...named("tokenless"), ...UNTOUCHED, automountServiceAccountToken: false },
    ],
    [
      "of 1.20 of an account that gives no token needs none",
      { release: "1.20", spec: { ...named("shy"), imagePullSecrets: [{ name: "mine" }] } },
      { ...named("shy"), ...UNTOUCHED, imagePullSecrets: [{ name: "mine" }] },
    ],
    [
      "of 1.20 of a strict account may use its own token",
      { release: "1.20", spec: { ...named("strict"), imagePullSecrets: [{ name: "registry" }] } },
      {
        ...named("strict"),
        containers: [container(mounted("strict-token"))],
        volumes: [secretVolume("strict-token")],
        imagePullSecrets: [{ name: "registry" }],
      },
    ],
    ["that is a mirror is left alone", { metadata: MIRROR }, UNTOUCHED],
    [
      "that is a mirror by an empty mark, too",
      { metadata: { annotations: { "orch.io/config.mirror": "" } } },
      UNTOUCHED,
    ],
    [
      "that is a mirror may refer to what is no secret",
      {
        metadata: MIRROR,
        spec: {
          volumes: [
            { name: "v", configMap: { name: "x" } },
            { name: "w", projected: { sources: [] } },
          ],
        },
      },
      {
        ...UNTOUCHED,
        volumes: [
          { name: "v", configMap: { name: "x" } },
          { name: "w", projected: { sources: [] } },
        ],
      },
    ],
  ])("%s", async (_what, asked, expected) => {
    const { refusal, spec } = await admitted(asked);
    expect(refusal).toBeUndefined();
    expect(spec).toEqual(expected);
  });
});

const forbidden = (text: string) => ({
  code: 403,
  message: `pods "a" is forbidden: ${text}`,
  details: { name: "a", kind: "pods" },
});
const noToken = (name: string) => ({
  code: 500,
  message: `No API token found for service account "${name}", retry after the token is automatically created and added to the service account`,
  details: { name: "create pod", kind: "serviceaccounts", retryAfterSeconds: 1 },
});
const unknown = (name: string) =>
  forbidden(`error looking up service account shop/${name}: serviceaccount "${name}" not found`);
const SECRETLESS = "is not allowed because service account strict does not reference that secret";
const NO_SECRETS = forbidden("a mirror pod may not reference secrets");
const volume = (source: JsonObject): JsonObject => ({ volumes: [{ name: "v", ...source }] });

describe("refused is a pod", () => {
  test.each<[what: string, asked: Asked, refusal: ReturnType<typeof forbidden> | ReturnType<typeof noToken>]>([
    ["of an account that is not there", { spec: named("nobody") }, unknown("nobody")],
    ["of an account of another namespace", { spec: named("elsewhere") }, unknown("elsewhere")],
    ["of the default one where there is none", { dependencies: storedObjects([]) }, unknown("default")],
    ["of none, in 1.20", { release: "1.20", spec: named("nobody") }, unknown("nobody")],
    ["of an account without secrets, in 1.20", { release: "1.20", spec: named("tokenless") }, noToken("tokenless")],
    ["of one whose secrets are others', in 1.20", { release: "1.20", spec: named("foreign") }, noToken("foreign")],
    ["of one whose token is its predecessor's, in 1.20", { release: "1.20", spec: named("old") }, noToken("old")],
    [
      "with a volume of a secret that its account does not name",
      { spec: { ...named("strict"), volumes: [secretVolume("other")] } },
      forbidden(`volume with secret.secretName="other" ${SECRETLESS}`),
    ],
    [
      "with a volume of a secret without a name",
      { spec: { ...named("strict"), volumes: [{ name: "v", secret: {} }] } },
      forbidden(`volume with secret.secretName="" ${SECRETLESS}`),
    ],
    [
      "with a variable from such a secret",
      { spec: { ...named("strict"), containers: [container(env("other"))] } },
      forbidden(`container c with envVar E referencing secret.secretName="other" ${SECRETLESS}`),
    ],
    [
      "with such a variable in what runs first",
      { spec: { ...named("strict"), initContainers: [container({ ...env("other"), name: "i" })] } },
      forbidden(`init container i with envVar E referencing secret.secretName="other" ${SECRETLESS}`),
    ],
    [
      "with both, for that which runs first",
      {
        spec: {
          ...named("strict"),
          containers: [container(env("x"))],
          initContainers: [container({ ...env("y"), name: "i" })],
        },
      },
      forbidden(`init container i with envVar E referencing secret.secretName="y" ${SECRETLESS}`),
    ],
    [
      "with credentials that its account does not name",
      { spec: { ...named("strict"), imagePullSecrets: [{ name: "registry" }, { name: "allowed" }] } },
      forbidden(
        'imagePullSecrets[1].name="allowed" is not allowed because service account strict does not reference that imagePullSecret',
      ),
    ],
    [
      "that is a mirror, with an account",
      { metadata: MIRROR, spec: named("robot") },
      forbidden("a mirror pod may not reference service accounts"),
    ],
    [
      "that is a mirror, with an account that is not there",
      { metadata: MIRROR, spec: named("nobody") },
      forbidden("a mirror pod may not reference service accounts"),
    ],
    [
      "that is a mirror, with a volume of a secret",
      { metadata: MIRROR, spec: volume({ secret: { secretName: "x" } }) },
      NO_SECRETS,
    ],
    [
      "that is a mirror, with credentials",
      { metadata: MIRROR, spec: { imagePullSecrets: [{ name: "x" }] } },
      NO_SECRETS,
    ],
    [
      "that is a mirror, with a variable",
      { metadata: MIRROR, spec: { containers: [container(env("x"))] } },
      NO_SECRETS,
    ],
    [
      "that is a mirror, with all of a secret as variables",
      { metadata: MIRROR, spec: { initContainers: [container({ envFrom: [{ secretRef: { name: "x" } }] })] } },
      NO_SECRETS,
    ],
    [
      "that is a mirror, with a secret projected",
      { metadata: MIRROR, spec: volume({ projected: { sources: [{ secret: { name: "x" } }] } }) },
      NO_SECRETS,
    ],
    [
      "that is a mirror, with a driver's secret",
      { metadata: MIRROR, spec: volume({ csi: { driver: "d", nodePublishSecretRef: { name: "x" } } }) },
      NO_SECRETS,
    ],
    [
      "that is a mirror, with a share's secret",
      { metadata: MIRROR, spec: volume({ azureFile: { secretName: "x", shareName: "s" } }) },
      NO_SECRETS,
    ],
    ...["cephfs", "cinder", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos"].map(
      (source): [string, Asked, typeof NO_SECRETS] => [
        `that is a mirror, with a secret of ${source}`,
        { metadata: MIRROR, spec: volume({ [source]: { secretRef: { name: "x" } } }) },
        NO_SECRETS,
      ],
    ),
    [
      "that is a mirror, with a token projected",
      { metadata: MIRROR, spec: volume({ projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }) },
      forbidden("a mirror pod may not use ServiceAccountToken volume projections"),
    ],
  ])("%s", async (_what, asked, expected) => expect((await admitted(asked)).refusal).toEqual(expected));
});

describe("an account is strict by a text that means true", () => {
  test.each([
    ...["1", "t", "T", "TRUE", "true", "True"].map((text): [string, boolean] => [text, true]),
    ...["", "0", "f", "false", "tRUE", "yes", " true"].map((text): [string, boolean] => [text, false]),
  ])("%j: %s", async (text, isStrict) => {
    const dependencies = storedObjects([account("picky", {}, { "orch.io/enforce-mountable-secrets": text })]);
    const spec = { ...named("picky"), volumes: [secretVolume("other")] };
    expect((await admitted({ spec, dependencies })).refusal !== undefined).toBe(isStrict);
  });
});

describe("an account that the cache has not", () => {
  /** Returns dependencies whose cache is empty and whose store misses the account for the first `missing` reads. */
  function behind(missing: number) {
    const stored = storedObjects(WORLD);
    const seen = { questions: 0, waits: [] as number[] };
    const dependencies: Partial<AdmissionDependencies> = {
      ...stored,
      objects: {
        ...stored.objects,
        cached: () => undefined,
        inStore: async (resource, at) => {
          seen.questions += 1;
          return seen.questions > missing ? stored.objects.inStore(resource, at) : undefined;
        },
      },
      pauses: { wait: async (ms) => void seen.waits.push(ms) },
    };
    return { dependencies, seen };
  }

  test("is looked for in the store", async () => {
    const { dependencies, seen } = behind(0);
    expect((await admitted({ dependencies, spec: named("tokenless") })).refusal).toBeUndefined();
    expect(seen).toEqual({ questions: 2, waits: [] }); // once in each phase
  });

  test("is looked for once where it is none that is about to be", async () => {
    const { dependencies, seen } = behind(1);
    expect((await admitted({ dependencies, spec: named("robot") })).refusal).toEqual(unknown("robot"));
    expect(seen).toEqual({ questions: 1, waits: [] });
  });

  test("is waited for where every namespace is given it, always for the same time", async () => {
    const { dependencies, seen } = behind(9);
    expect((await admitted({ dependencies })).refusal).toBeUndefined();
    expect(seen.waits).toEqual(Array.from({ length: 9 }, () => 100));
  });

  test("is waited for so long, and no longer", async () => {
    const { dependencies, seen } = behind(100);
    expect((await admitted({ dependencies })).refusal).toEqual(unknown("default"));
    expect(seen).toMatchObject({ questions: 10, waits: { length: 9 } });
  });

  test("is not looked up after the request has ended", async () => {
    const { dependencies, seen } = behind(100);
    const plugin = serviceAccount.make(fakeDependencies({ ...dependencies }));
    const object = { metadata: { name: "a" }, spec: { containers: [] } };
    const request = requestOf({ plural: "pods", object });
    Object.defineProperty(request, "signal", { value: { ...NEVER_ENDS, aborted: true } });
    expect(await refusalOf(() => plugin.mutate?.(request, new Round(0)))).toEqual(unknown("default"));
    expect(seen.questions).toBe(0);
  });

  test("is not said to be missing where the store does not answer", async () => {
    const { dependencies } = behind(0);
    const failing = {
      ...dependencies,
      objects: {
        ...(dependencies.objects as AdmissionDependencies["objects"]),
        inStore: () => Promise.reject(new Error("down")),
      },
    };
    expect((await admitted({ dependencies: failing })).refusal).toMatchObject({ message: "down" });
  });
});

test("a repeated admission gives the same result", async () => {
  const { request, plugin, spec } = await admitted({
    spec: { ...named("robot"), volumes: [{ name: "d", emptyDir: {} }] },
  });
  const before = structuredClone(spec);
  await plugin.mutate?.(request, new Round(1));
  expect(request.object?.["spec"]).toEqual(before);
});

test("the account that a webhook has put in is looked at after all", async () => {
  const { request, plugin } = await admitted({});
  const spec = request.object?.["spec"] as JsonObject;
  Object.assign(spec, named("nobody"));
  expect(await refusalOf(() => plugin.validate?.(request))).toEqual(unknown("nobody"));
  Object.assign(spec, named("strict"), { imagePullSecrets: [{ name: "x" }] });
  expect((await refusalOf(() => plugin.validate?.(request)))?.message).toContain('imagePullSecrets[0].name="x"');
});

test("a pod cannot override the settings of its service account", async () => {
  const { spec } = await admitted({ spec: named("robot") });
  ((spec["imagePullSecrets"] as JsonObject[])[0] as JsonObject)["name"] = "changed";
  expect((await admitted({ spec: named("robot") })).spec["imagePullSecrets"]).toEqual([
    { name: "registry" },
    { name: "mirror" },
  ]);
});

test("all is spelled in the words of the vocabulary", async () => {
  const vocabulary = vocabularyOf("kubernetes");
  const { spec } = await admitted({ dependencies: { vocabulary } });
  expect(JSON.stringify(spec)).not.toContain("orch");
  expect(spec["volumes"]).toMatchObject([{ name: "kube-api-access-bbbbb" }]);
});

test("it wants to know of new pods alone", () => {
  const { on } = serviceAccount.make(fakeDependencies());
  expect(on).toEqual([{ operations: ["CREATE"], resources: [{ group: "", plural: "pods", subresource: "" }] }]);
});
