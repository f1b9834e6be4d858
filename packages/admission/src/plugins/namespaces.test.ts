// Plugins that check the namespace of a request, except NamespaceLifecycle, which has its own test.
import { describe, expect, test } from "@jest/globals";
import { type AdmissionOperation, alreadyExists, forbidden, isReason, serviceUnavailable } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { NamespaceState, ObjectWriter } from "../contract/dependencies";
import { namespacesOf, type RequestParts } from "../testing/admission-request";
import { type Answer, chainWith } from "../testing/answered";
import { namespaceAutoProvision } from "./namespace-auto-provision";
import { namespaceExists } from "./namespace-exists";
import { namespaceLifecycle } from "./namespace-lifecycle";

const MISSING: Answer = { refused: { code: 404, message: 'namespaces "gone" not found' } };
const OBJECT: JsonObject = { metadata: { name: "a", namespace: "gone" } };
const PASSES: Answer = { object: OBJECT };

describe("NamespaceExists", () => {
  const chain = chainWith({ plugins: [namespaceExists] });

  const OPERATIONS: readonly AdmissionOperation[] = ["CREATE", "UPDATE", "DELETE"];
  const ROWS: readonly [string, RequestParts, Answer][] = OPERATIONS.flatMap((operation) => {
    const object = operation === "DELETE" ? undefined : OBJECT;
    const of = { operation, object, oldObject: operation === "CREATE" ? undefined : OBJECT };
    return [
      [`${operation} in a namespace that exists`, { ...of, namespace: "shop" }, { object }],
      [`${operation} in one that is being deleted`, { ...of, namespace: "old" }, { object }],
      [`${operation} in one that is not there`, { ...of, namespace: "gone" }, MISSING],
      [
        `${operation} of a part of something in one that is not there`,
        { ...of, namespace: "gone", subresource: "status" },
        MISSING,
      ],
      [
        `${operation} of an object of a custom kind in one that is not there`,
        { ...of, namespace: "gone", group: "stable.example.com", plural: "crontabs" },
        MISSING,
      ],
      [`${operation} at the cluster scope`, { ...of, namespace: "", plural: "nodes" }, { object }],
      [`${operation} of the namespace itself`, { ...of, namespace: "gone", plural: "namespaces" }, { object }],
      [
        `${operation} of a part of the namespace`,
        { ...of, namespace: "gone", plural: "namespaces", subresource: "finalize" },
        { object },
      ],
    ];
  });

  test.each(ROWS)("%s", async (_what, parts, answer) => {
    expect(await chain.ask(parts)).toEqual(answer);
  });

  test("connections are not asked about", async () => {
    expect(await chain.ask({ operation: "CONNECT", namespace: "gone", object: OBJECT })).toEqual(PASSES);
  });

  test("waits for a namespace that has to be looked up", async () => {
    const late = {
      namespaces: namespacesOf({
        get: async (name) => (name === "late" ? { terminating: false, revision: 9 } : undefined),
      }),
    };
    const { ask } = chainWith({ plugins: [namespaceExists], dependencies: late });
    expect(await ask({ namespace: "late", object: OBJECT })).toEqual(PASSES);
    expect(await ask({ namespace: "gone", object: OBJECT })).toEqual(MISSING);
  });

  test("an error of the store is returned", async () => {
    const get = async (): Promise<never> => {
      throw serviceUnavailable("the store is away");
    };
    const { ask } = chainWith({ plugins: [namespaceExists], dependencies: { namespaces: namespacesOf({ get }) } });
    expect(await ask({ namespace: "shop", object: OBJECT })).toEqual({
      refused: { code: 503, message: "the store is away" },
    });
  });

  test("a disabled plugin reads nothing", async () => {
    expect(await chainWith({ plugins: [] }).ask({ namespace: "gone", object: OBJECT })).toEqual(PASSES);
  });
});

describe("NamespaceAutoProvision", () => {
  const NAMESPACE = { apiVersion: "v1", kind: "Namespace", metadata: { name: "gone" } };

  interface Written {
    readonly answer: Answer;
    readonly created: readonly JsonObject[];
  }

  /** Runs NamespaceAutoProvision together with NamespaceLifecycle, which runs after it and sees the new namespace. */
  async function write(parts: RequestParts, refusal?: Error): Promise<Written> {
    const created: JsonObject[] = [];
    const made = new Map<string, NamespaceState>([
      ["shop", { terminating: false, revision: 7 }],
      ["old", { terminating: true, revision: 8 }],
    ]);
    const writer: ObjectWriter = {
      async create(resource, object) {
        expect(resource).toEqual({ group: "", resource: "namespaces" });
        if (refusal === undefined || isReason(refusal, "AlreadyExists"))
          made.set((object["metadata"] as { name: string }).name, { terminating: false, revision: 20 });
        if (refusal !== undefined) throw refusal;
        created.push(object);
        return object;
      },
      update: async () => {
        throw new Error("nothing is updated");
      },
    };
    const dependencies = { writer, namespaces: namespacesOf({ get: (name) => made.get(name) }) };
    const { ask } = chainWith({ plugins: [namespaceAutoProvision, namespaceLifecycle], dependencies });
    return { answer: await ask({ object: OBJECT, ...parts }), created };
  }

  const TERMINATING =
    'configmaps "a" is forbidden: unable to create new content in namespace old because it is being terminated';

  test.each<[string, RequestParts, Answer, readonly JsonObject[]]>([
    ["makes a namespace that is not there", { namespace: "gone" }, PASSES, [NAMESPACE]],
    [
      "makes it for a part of an object too",
      { namespace: "gone", plural: "pods", subresource: "binding" },
      PASSES,
      [NAMESPACE],
    ],
    [
      "makes it for objects of custom kinds",
      { namespace: "gone", group: "stable.example.com", plural: "crontabs" },
      PASSES,
      [NAMESPACE],
    ],
    ["makes none that is there", { namespace: "shop" }, PASSES, []],
    ["makes none that is being deleted", { namespace: "old" }, { refused: { code: 403, message: TERMINATING } }, []],
    ["makes none for a dry run", { namespace: "gone", dryRun: true }, MISSING, []],
    ["makes none for an update", { namespace: "gone", operation: "UPDATE" }, MISSING, []],
    [
      "makes none for a deletion",
      { namespace: "gone", operation: "DELETE", object: undefined, oldObject: OBJECT },
      { object: undefined },
      [],
    ],
    ["makes none at the cluster scope", { namespace: "", plural: "nodes" }, PASSES, []],
    ["makes none for a namespace that is being created", { namespace: "gone", plural: "namespaces" }, PASSES, []],
  ])("%s", async (_what, parts, answer, created) => {
    expect(await write(parts)).toEqual({ answer, created });
  });

  test("a namespace created concurrently is accepted", async () => {
    const exists = alreadyExists({ group: "", resource: "namespaces" }, "gone");
    expect(await write({ namespace: "gone" }, exists)).toEqual({ answer: PASSES, created: [] });
  });

  test("a namespace that cannot be made refuses what would be in it", async () => {
    const { answer } = await write({ namespace: "gone" }, serviceUnavailable("the store is away"));
    expect(answer).toEqual({ refused: { code: 403, message: 'configmaps "a" is forbidden: the store is away' } });
  });

  test("the refusal of the namespace is returned unchanged", async () => {
    const refusal = forbidden({ group: "", resource: "namespaces" }, "gone", "no more namespaces");
    const { answer } = await write({ namespace: "gone" }, refusal);
    expect(answer).toEqual({ refused: { code: 403, message: 'namespaces "gone" is forbidden: no more namespaces' } });
  });

  test("switched off, no namespace is made", async () => {
    const { ask } = chainWith({ plugins: [namespaceLifecycle] });
    expect(await ask({ namespace: "gone", object: OBJECT })).toEqual(MISSING);
  });
});
