// The incrementally maintained index, compared with an evaluator without an index and with a newly built index.
import { describe, expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import type { Decision } from "../authorization/authorizer";
import { naiveReasons, type StoredObject } from "../testing/naive-rbac";
import { RandomPolicy } from "../testing/random-policy";
import { rbacAuthorizer } from "./rbac-authorizer";
import { RbacGrants } from "./rbac-grants";

const POLICIES = 250;
const CHANGES = 40;
const DECISIONS_A_CHANGE = 10;

function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

class World {
  readonly stored = new Map<string, StoredObject>();
  readonly grants = new RbacGrants({ vocabulary: vocabularyOf("orch") });
  private revision = 0;

  put(object: StoredObject): void {
    this.stored.set(`${object.kind}/${object.namespace}/${object.name}`, object);
    this.tell(object, object.object);
  }

  remove(object: StoredObject): void {
    this.stored.delete(`${object.kind}/${object.namespace}/${object.name}`);
    this.tell(object, undefined);
  }

  private tell({ kind, namespace, name }: StoredObject, object: StoredObject["object"] | undefined): void {
    this.revision += 1;
    this.grants.apply({ kind, namespace, name, object, revision: this.revision });
  }

  fresh(): RbacGrants {
    const grants = new RbacGrants({ vocabulary: vocabularyOf("orch") });
    for (const { kind, namespace, name, object } of this.stored.values()) {
      grants.apply({ kind, namespace, name, object, revision: 1 });
    }
    return grants;
  }
}

function change(world: World, policy: RandomPolicy): void {
  const known = [...world.stored.values()];
  if (known.length > 0 && policy.integer(8) === 0) world.remove(policy.one(known));
  else world.put(policy.integer(5) < 2 ? policy.role() : policy.binding());
}

const decided = (grants: RbacGrants, request: ReturnType<RandomPolicy["request"]>) =>
  rbacAuthorizer(grants).authorize(request) as Decision;

describe("the index", () => {
  test("decides as the walk over all bindings does, after every change", () => {
    let [decisions, allowed] = [0, 0];
    const differences: unknown[] = [];
    for (let seed = 1; seed <= POLICIES; seed += 1) {
      const policy = new RandomPolicy(randomNumbers(seed));
      const world = new World();
      for (let before = 0; before < 60; before += 1) change(world, policy);
      for (let step = 0; step < CHANGES; step += 1) {
        change(world, policy);
        for (let asked = 0; asked < DECISIONS_A_CHANGE; asked += 1) {
          const request = policy.request();
          const { kind, reason } = decided(world.grants, request);
          const reasons = naiveReasons(world.stored.values(), request);
          const agrees = kind === "allow" ? reasons.includes(reason) : reasons.length === 0;
          if (!agrees) differences.push({ seed, step, request, kind, reason, reasons });
          decisions += 1;
          if (kind === "allow") allowed += 1;
        }
      }
    }
    expect(differences).toEqual([]);
    expect(decisions).toBe(100_000);
    // The comparison is meaningful only if some requests are allowed and some are not.
    expect(allowed).toBeGreaterThan(10_000);
    expect(allowed).toBeLessThan(90_000);
  }, 60_000);

  test("is what it would be if it were made anew, and says the same of missing roles", () => {
    for (let seed = 1000; seed < 1060; seed += 1) {
      const policy = new RandomPolicy(randomNumbers(seed));
      const world = new World();
      for (let step = 0; step < CHANGES; step += 1) change(world, policy);
      const fresh = world.fresh();
      for (let asked = 0; asked < 50; asked += 1) {
        const request = policy.request();
        const [one, other] = [decided(world.grants, request), decided(fresh, request)];
        expect(one.kind).toBe(other.kind);
        if (one.kind !== "allow") expect(wordsOf(one)).toEqual(wordsOf(other));
        const held = [world.grants, fresh].map((grants) => grants.heldBy(request.user, "shop"));
        expect(sorted(held[0]?.rules)).toEqual(sorted(held[1]?.rules));
      }
    }
  });

  test("holds nothing of what is gone", () => {
    const policy = new RandomPolicy(randomNumbers(7));
    const world = new World();
    for (let step = 0; step < 200; step += 1) change(world, policy);
    for (const each of [...world.stored.values()]) world.remove(each);
    const { access: _changes, ...rest } = world.grants;
    const { access: _none, ...empty } = new RbacGrants({ vocabulary: vocabularyOf("orch") });
    expect(JSON.parse(JSON.stringify(rest, shown))).toEqual(JSON.parse(JSON.stringify(empty, shown)));
  });
});

/** Shows the content of maps and sets. Indexes of references to no valid role stay. */
function shown(key: string, value: unknown): unknown {
  if (key === "catchUp" || key === "impossible") return undefined;
  if (value instanceof Map) return [...value];
  return value instanceof Set ? [...value] : value;
}

const wordsOf = ({ reason }: Decision): string[] => reason.split(/, |\[|\]/).sort();
const sorted = (rules: readonly object[] | undefined) => rules?.map((rule) => JSON.stringify(rule)).sort();
