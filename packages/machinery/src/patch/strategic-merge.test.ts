import { describe, expect, test } from "@jest/globals";
import { type JsonObject, type JsonValue, loadSchema, type StructType, vocabularyOf } from "@orch/schema";
import type { StatusError } from "../errors/status-error";
import { applyStrategicMergePatch } from "./strategic-merge";

const schema = loadSchema(vocabularyOf("orch"));
const DEPLOYMENT = schema.type("apps/v1", "Deployment") as StructType;
const META = schema.type("meta/v1", "ObjectMeta") as StructType;
const BUDGET = schema.type("policy/v1", "PodDisruptionBudget") as StructType;

const pod = (spec: JsonObject): JsonObject => ({ spec: { template: { spec } } });

/** Returns the pod spec after a patch. */
function patchedPod(live: JsonObject, patch: JsonObject): JsonValue {
  const before = structuredClone(live);
  const result = applyStrategicMergePatch(DEPLOYMENT, pod(live), pod(patch));
  expect(live).toEqual(before);
  return (result as { spec: { template: { spec: JsonValue } } }).spec.template.spec;
}

function failure(action: () => unknown): { code: number; message: string } {
  try {
    action();
  } catch (error) {
    return { code: (error as StatusError).code, message: (error as Error).message };
  }
  throw new Error("nothing failed");
}

const TWO = {
  containers: [
    { name: "a", image: "a:1", args: ["x"] },
    { name: "b", image: "b:1" },
  ],
};

describe("lists merge by the key of the schema", () => {
  test("an item of the same key is merged, its atomic lists replaced, a new one stands where the patch has it", () => {
    expect(
      patchedPod(TWO, {
        containers: [
          { name: "a", args: ["y"] },
          { name: "c", image: "c:1" },
        ],
      }),
    ).toEqual({
      containers: [
        { name: "a", image: "a:1", args: ["y"] },
        { name: "c", image: "c:1" },
        { name: "b", image: "b:1" },
      ],
    });
  });

  test("inside items too: environment, ports, mounts", () => {
    const live = {
      containers: [
        {
          name: "a",
          env: [
            { name: "X", value: "1" },
            { name: "Y", value: "2" },
          ],
          ports: [{ containerPort: 80, name: "http" }],
          volumeMounts: [{ mountPath: "/data", name: "data" }],
        },
      ],
    };
    const patch = {
      containers: [
        {
          name: "a",
          env: [{ name: "Y", value: "3" }],
          ports: [{ containerPort: 80, hostPort: 8080 }],
          volumeMounts: [{ mountPath: "/data", readOnly: true }],
        },
      ],
    };
    expect(patchedPod(live, patch)).toEqual({
      containers: [
        {
          name: "a",
          env: [
            { name: "X", value: "1" },
            { name: "Y", value: "3" },
          ],
          ports: [{ containerPort: 80, name: "http", hostPort: 8080 }],
          volumeMounts: [{ mountPath: "/data", name: "data", readOnly: true }],
        },
      ],
    });
  });

  test("lists without a strategy are replaced", () => {
    expect(patchedPod({ tolerations: [{ key: "a" }] }, { tolerations: [{ key: "b" }] })).toEqual({
      tolerations: [{ key: "b" }],
    });
  });

  test("plain values are joined once each", () => {
    const live = { finalizers: ["a/x", "b/x"] };
    expect(applyStrategicMergePatch(META, live, { finalizers: ["b/x", "c/x"] })).toEqual({
      finalizers: ["a/x", "b/x", "c/x"],
    });
  });

  test("an item without its key, and a list of lists, are refused", () => {
    expect(failure(() => patchedPod(TWO, { containers: [{ image: "x" }] })).code).toBe(500);
    expect(failure(() => patchedPod(TWO, { containers: [["x"]] })).code).toBe(422);
    expect(failure(() => patchedPod(TWO, { containers: ["x"] })).code).toBe(500);
  });
});

describe("a new list has nothing to merge with: items of the same key stay separate", () => {
  const ports = [
    { containerPort: 53, protocol: "UDP" },
    { containerPort: 53, protocol: "TCP" },
  ];
  const env = [
    { name: "A", value: "1" },
    { name: "A", value: "2" },
  ];

  test("in a list that the live object lacks", () => {
    expect(patchedPod({ containers: [{ name: "a" }] }, { containers: [{ name: "a", ports, env }] })).toEqual({
      containers: [{ name: "a", ports, env }],
    });
    const more = {
      hostAliases: [
        { ip: "1.1.1.1", hostnames: ["a"] },
        { ip: "1.1.1.1", hostnames: ["b"] },
      ],
      topologySpreadConstraints: [
        { topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" },
        { topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway" },
      ],
    };
    expect(patchedPod({}, more)).toEqual(more);
    expect(applyStrategicMergePatch(META, {}, { finalizers: ["a/x", "a/x"] })).toEqual({ finalizers: ["a/x", "a/x"] });
  });

  test("in an item that is new, and in an object that is", () => {
    expect(patchedPod(TWO, { containers: [{ name: "c", ports, env }] })).toEqual({
      containers: [{ name: "c", ports, env }, ...TWO.containers],
    });
    expect(applyStrategicMergePatch(DEPLOYMENT, {}, pod({ containers: [{ name: "c", ports, env }] }))).toEqual(
      pod({ containers: [{ name: "c", ports, env }] }),
    );
  });

  test("but in a list that is there they merge with one another", () => {
    const live = { containers: [{ name: "a", env: [{ name: "B", value: "0" }] }] };
    expect(patchedPod(live, { containers: [{ name: "a", env }] })).toEqual({
      containers: [
        {
          name: "a",
          env: [
            { name: "A", value: "2" },
            { name: "B", value: "0" },
          ],
        },
      ],
    });
  });

  test("nothing stays that only says how to merge, nor any null", () => {
    const patch = {
      containers: [
        {
          name: "c",
          $retainKeys: ["name"],
          "$setElementOrder/env": [{ name: "B" }, { name: "A" }],
          env: [{ name: "A", value: null }, { name: "B", $patch: "delete" }, { $patch: "replace" }],
          "$deleteFromPrimitiveList/args": ["x"],
          resources: { $patch: "replace", limits: { cpu: "1" } },
          securityContext: { $patch: "delete", runAsUser: 1 },
          tty: null,
        },
      ],
    };
    expect(patchedPod({}, patch)).toEqual({
      containers: [{ name: "c", env: [{ name: "A" }], resources: { limits: { cpu: "1" } }, securityContext: {} }],
    });
    expect(failure(() => patchedPod({}, { containers: [{ name: "c", env: [{ $patch: "merge" }] }] })).code).toBe(500);
  });

  test("a new list stands in the order that the patch asks for", () => {
    const patch = {
      env: [...env, { name: "B" }],
      "$setElementOrder/env": [{ name: "A" }, { name: "A" }, { name: "B" }],
    };
    expect(patchedPod({ containers: [{ name: "a" }] }, { containers: [{ name: "a", ...patch }] })).toEqual({
      containers: [{ name: "a", env: patch.env }],
    });
  });
});

describe("objects", () => {
  test("null deletes, a value replaces, maps merge, unknown members are kept", () => {
    expect(
      applyStrategicMergePatch(META, { labels: { a: "1", b: "2" }, name: "n" }, { labels: { a: null, c: "3" }, x: 1 }),
    ).toEqual({ labels: { b: "2", c: "3" }, name: "n", x: 1 });
  });

  test("a field with the strategy replace does not merge", () => {
    expect(
      applyStrategicMergePatch(
        BUDGET,
        { spec: { selector: { matchLabels: { a: "1" } } } },
        { spec: { selector: { matchLabels: { b: "2" } } } },
      ),
    ).toEqual({ spec: { selector: { matchLabels: { b: "2" } } } });
  });

  test("$patch: replace takes the patch alone, $patch: delete leaves nothing", () => {
    expect(
      patchedPod(
        { securityContext: { runAsUser: 1, fsGroup: 2 } },
        { securityContext: { $patch: "replace", runAsUser: 3 } },
      ),
    ).toEqual({
      securityContext: { runAsUser: 3 },
    });
    expect(patchedPod({ securityContext: { runAsUser: 1 } }, { securityContext: { $patch: "delete" } })).toEqual({
      securityContext: {},
    });
    const wrong = failure(() => patchedPod({}, { securityContext: { $patch: "merge" } }));
    expect(wrong).toEqual({ code: 500, message: "Unknown patch type found: merge" });
    const odd = failure(() => patchedPod({}, { securityContext: { $patch: { toString: {} } } }));
    expect(odd).toEqual({ code: 500, message: 'Unknown patch type found: {"toString":{}}' });
  });

  test("$retainKeys drops what it does not name", () => {
    const live = { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } };
    const strategy = (value: JsonObject): JsonObject => ({ spec: { strategy: value } });
    expect(applyStrategicMergePatch(DEPLOYMENT, live, strategy({ $retainKeys: ["type"], type: "Recreate" }))).toEqual(
      strategy({ type: "Recreate" }),
    );
    const broken = strategy({ $retainKeys: [], type: "Recreate" });
    expect(failure(() => applyStrategicMergePatch(DEPLOYMENT, live, broken)).code).toBe(422);
    const malformed = strategy({ $retainKeys: "type" });
    expect(failure(() => applyStrategicMergePatch(DEPLOYMENT, live, malformed))).toEqual({
      code: 400,
      message: "invalid patch format of retainKeys",
    });
  });

  test("directives do not stay in an object that is new", () => {
    const patch = {
      volumes: [
        { name: "v", $retainKeys: ["name", "emptyDir"], emptyDir: {} },
        { name: "w", $patch: "delete" },
      ],
      "$setElementOrder/volumes": [{ name: "v" }],
    };
    expect(patchedPod({}, patch)).toEqual({ volumes: [{ name: "v", emptyDir: {} }] });
  });
});

describe("directives of lists", () => {
  test("$patch: delete removes the item of that key", () => {
    expect(patchedPod(TWO, { containers: [{ name: "a", $patch: "delete" }] })).toEqual({
      containers: [{ name: "b", image: "b:1" }],
    });
    expect(failure(() => patchedPod(TWO, { containers: [{ $patch: "delete" }] })).code).toBe(500);
    expect(failure(() => patchedPod(TWO, { containers: [{ name: "a", $patch: "merge" }] })).code).toBe(500);
  });

  test("$patch: replace makes the list the patch's other items", () => {
    expect(patchedPod(TWO, { containers: [{ $patch: "replace" }, { name: "c", image: "c:1" }] })).toEqual({
      containers: [{ name: "c", image: "c:1" }],
    });
  });

  test("$deleteFromPrimitiveList removes values", () => {
    const live = { finalizers: ["a/x", "b/x", "c/x"] };
    expect(applyStrategicMergePatch(META, live, { "$deleteFromPrimitiveList/finalizers": ["a/x", "d/x"] })).toEqual({
      finalizers: ["b/x", "c/x"],
    });
    const malformed = { "$deleteFromPrimitiveList/finalizers": "a/x" };
    expect(failure(() => applyStrategicMergePatch(META, live, malformed))).toEqual({
      code: 400,
      message: "invalid patch format of primitive list",
    });
  });

  test("$setElementOrder reorders, and keeps items of the server where they stood", () => {
    const names = (...all: string[]): JsonObject => ({ containers: all.map((name) => ({ name })) });
    const order = (...all: string[]): JsonObject => ({
      "$setElementOrder/containers": all.map((name) => ({ name })),
    });
    expect(patchedPod(names("a", "b", "c"), order("c", "b", "a"))).toEqual(names("c", "b", "a"));
    expect(patchedPod(names("server", "a", "b"), order("b", "a"))).toEqual(names("server", "b", "a"));
    expect(patchedPod(names("a", "server", "b"), { ...names("new"), ...order("a", "new", "b") })).toEqual(
      names("a", "new", "server", "b"),
    );
    expect(
      applyStrategicMergePatch(META, { finalizers: ["a/x", "b/x"] }, { "$setElementOrder/finalizers": ["b/x", "a/x"] }),
    ).toEqual({ finalizers: ["b/x", "a/x"] });
  });

  test("the first of several items with one key determines their position", () => {
    const live = {
      containers: [
        {
          name: "a",
          env: [{ name: "A", value: "1" }, { name: "B" }, { name: "A", value: "2" }, { name: "C" }],
        },
      ],
    };
    const ordered = (patch: JsonObject) =>
      (patchedPod(live, { containers: [{ name: "a", ...patch }] }) as { containers: JsonObject[] }).containers[0]?.[
        "env"
      ];
    const [first, b, second, c] = live.containers[0]?.env ?? [];
    const order = (...names: string[]) => ({ "$setElementOrder/env": names.map((name) => ({ name })) });
    expect(ordered(order("B", "A", "B", "C"))).toEqual([b, first, second, c]);
    expect(ordered(order("C", "B"))).toEqual([first, second, c, b]);
    expect(ordered({ env: [{ name: "B" }, { name: "D" }, { name: "B" }] })).toEqual([
      first,
      second,
      b,
      { name: "D" },
      c,
    ]);
  });

  test("$setElementOrder that contradicts the patch is refused", () => {
    const patch = { ...TWO, "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] };
    expect(failure(() => patchedPod(TWO, patch)).code).toBe(500);
    const finalizers = { "$setElementOrder/finalizers": ["b/x"], finalizers: ["a/x"] };
    for (const live of [{}, { finalizers: ["b/x"] }]) {
      expect(failure(() => applyStrategicMergePatch(META, live, finalizers))).toEqual({
        code: 500, // as kube-apiserver answers
        message: `The order in patch list:\n["a/x"]\n doesn't match $setElementOrder list:\n["b/x"]\n$setElementOrder must name every item of the patch list, in the same order`,
      });
    }
    expect(failure(() => patchedPod(TWO, { "$setElementOrder/containers": {} }))).toEqual({
      code: 400,
      message: "invalid patch format of setElementOrder list",
    });
  });
});

test("all directives work together, deep in the pods that a Deployment makes", () => {
  const pods = (spec: JsonObject): JsonObject => ({ spec: { template: { spec } } });
  const live = pods({
    containers: [
      {
        name: "web",
        image: "web:1",
        args: ["-a", "-b"],
        ports: [{ containerPort: 80, name: "http" }, { containerPort: 443 }],
        env: [
          { name: "A", value: "1" },
          { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        ],
        volumeMounts: [{ mountPath: "/data", name: "data" }],
      },
      { name: "old", image: "old:1" },
      { name: "injected", image: "injected:1" },
    ],
    initContainers: [{ name: "one" }, { name: "two" }],
    volumes: [
      { name: "data", emptyDir: {} },
      { name: "settings", configMap: { name: "settings" } },
    ],
    securityContext: { runAsUser: 1, fsGroup: 2 },
    nodeSelector: { zone: "a", disk: "ssd" },
    tolerations: [{ key: "a" }, { key: "b" }],
  });
  const patch = pods({
    "$setElementOrder/containers": [{ name: "side" }, { name: "web" }],
    containers: [
      { name: "side", image: "side:1" },
      {
        name: "web",
        image: "web:2",
        args: ["-c"],
        "$setElementOrder/ports": [{ containerPort: 443 }, { containerPort: 80 }],
        ports: [{ containerPort: 80, name: null }],
        env: [
          { name: "A", $patch: "delete" },
          { name: "B", value: "2", valueFrom: null },
        ],
        volumeMounts: [{ $patch: "replace" }, { mountPath: "/new", name: "data" }],
      },
      { name: "old", $patch: "delete" },
    ],
    initContainers: [{ $patch: "replace" }, { name: "three" }],
    volumes: [{ name: "data", $retainKeys: ["name", "hostPath"], hostPath: { path: "/" } }],
    securityContext: { $patch: "replace", runAsNonRoot: true },
    nodeSelector: { zone: "b", disk: null },
    tolerations: [{ key: "c" }],
    affinity: { $patch: "delete" },
  });
  expect(applyStrategicMergePatch(DEPLOYMENT, live, patch)).toEqual(
    pods({
      containers: [
        { name: "side", image: "side:1" },
        {
          name: "web",
          image: "web:2",
          args: ["-c"],
          ports: [{ containerPort: 443 }, { containerPort: 80 }],
          env: [{ name: "B", value: "2" }],
          volumeMounts: [{ mountPath: "/new", name: "data" }],
        },
        { name: "injected", image: "injected:1" },
      ],
      initContainers: [{ name: "three" }],
      volumes: [
        { name: "data", hostPath: { path: "/" } },
        { name: "settings", configMap: { name: "settings" } },
      ],
      securityContext: { runAsNonRoot: true },
      nodeSelector: { zone: "b" },
      tolerations: [{ key: "c" }],
      affinity: {},
    }),
  );
});

test("a body that is no object is refused", () => {
  expect(failure(() => applyStrategicMergePatch(META, {}, []))).toEqual({
    code: 400,
    message: "invalid JSON document",
  });
});
