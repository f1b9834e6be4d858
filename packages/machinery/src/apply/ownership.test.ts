// Random objects, managers and steps: the implementation must agree with a small independent model of the rules.
import { expect, test } from "@jest/globals";
import { isObject, type JsonObject, type JsonValue, type StructType } from "@orch/schema";
import { StatusError } from "../errors/status-error";
import { metaOf } from "../objects/object-meta";
import { isMember, MEMBER } from "./field-set";
import { readFieldsV1 } from "./fields-v1";
import { ManagerSession } from "./testing/manager-session";
import { OwnershipModel, placesOf } from "./testing/ownership-model";
import { RandomValues } from "./testing/random-values";
import { objectWith, versionsOf } from "./testing/sample-types";

const SEEDS = 60;
const STEPS = 20;
const MANAGERS = ["a", "b", "c"];

test("ownership and values follow the rules, whoever does what", () => {
  const seen = { conflicts: 0, forced: 0, withdrawn: 0 };
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = new RandomValues(seed);
    const spec = random.structType();
    const session = new ManagerSession(versionsOf({ v1: objectWith(spec) }));
    const model = new OwnershipModel(spec);
    for (let step = 0; step < STEPS; step++) {
      const where = `seed ${seed}, step ${step}`;
      const manager = random.oneOf(MANAGERS);
      if (random.below(4) === 0) updateBoth(session, model, manager, random);
      else applyBoth({ session, model, where, seen }, manager, random);
      expect({ where, places: valuesOf(spec, session) }).toEqual({ where, places: plain(model) });
      expect({ where, owners: ownersOf(session) }).toEqual({ where, owners: modelOwners(model) });
      expectCanonical(session);
    }
  }
  // Checks that the random steps covered the interesting cases.
  expect(seen.conflicts).toBeGreaterThan(100);
  expect(seen.forced).toBeGreaterThan(100);
  expect(seen.withdrawn).toBeGreaterThan(100);
});

function updateBoth(session: ManagerSession, model: OwnershipModel, manager: string, random: RandomValues): void {
  const change = (spec: JsonObject) => random.changed(model.spec, spec) as JsonObject;
  session.update(manager, (object) => {
    object["spec"] = change((object["spec"] ?? {}) as JsonObject);
  });
  model.update(manager, (session.object?.["spec"] ?? {}) as JsonObject);
}

interface Both {
  readonly session: ManagerSession;
  readonly model: OwnershipModel;
  readonly where: string;
  readonly seen: { conflicts: number; forced: number; withdrawn: number };
}

function applyBoth({ session, model, where, seen }: Both, manager: string, random: RandomValues): void {
  const spec = random.object(model.spec);
  const force = random.below(3) === 0;
  const before = model.places.size;
  const expected = model.apply(manager, structuredClone(spec), force);
  try {
    session.apply(manager, { metadata: { name: "o" }, spec }, { force });
    expect({ where, outcome: "done" }).toEqual({ where, outcome: expected.kind });
    if (force) seen.forced += 1;
    if (model.places.size < before) seen.withdrawn += 1;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const causes = error.details?.causes ?? [];
    const count = expected.kind === "conflict" ? expected.paths.length : 0;
    expect({ where, code: error.code, count: causes.length }).toEqual({ where, code: 409, count });
    seen.conflicts += 1;
  }
}

/** Checks that entries parse to the form in which they are written, for any order of their members. */
function expectCanonical(session: ManagerSession): void {
  for (const { fieldsV1 } of metaOf(session.object ?? {}).managedFields ?? []) {
    const text = JSON.stringify(fieldsV1);
    expect(JSON.stringify(readFieldsV1(JSON.parse(text) as JsonValue))).toBe(text);
    expect(JSON.stringify(readFieldsV1(reversed(fieldsV1 as JsonValue)))).toBe(text);
  }
}

function reversed(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

type Owners = Readonly<Record<string, readonly string[]>>;

function ownersOf(session: ManagerSession): Owners {
  const entries = metaOf(session.object ?? {}).managedFields ?? [];
  return sortedOwners(
    entries.map(({ manager, operation, fieldsV1 }) => [
      `${manager} (${operation})`,
      membersOf(fieldsV1 as JsonObject, ""),
    ]),
  );
}

const modelOwners = (model: OwnershipModel): Owners =>
  sortedOwners([...model.owners].map(([owner, paths]) => [owner, [...paths]]));

const sortedOwners = (owners: readonly (readonly [string, string[]])[]): Owners =>
  Object.fromEntries([...owners].sort(([a], [b]) => (a < b ? -1 : 1)).map(([owner, paths]) => [owner, paths.sort()]));

/** Returns the members of a set as paths of the model. */
function membersOf(set: JsonObject, above: string): string[] {
  return Object.entries(set).flatMap(([element, node]) => {
    if (element === MEMBER) return [];
    const path = `${above}/${stepOf(element)}`;
    return [...(isMember(node as never) ? [path] : []), ...membersOf(node as JsonObject, path)];
  });
}

function stepOf(element: string): string {
  const rest = element.slice(2);
  if (element.startsWith("f:")) return rest;
  const value = JSON.parse(rest) as JsonValue;
  return String(element.startsWith("k:") ? (value as JsonObject)["key"] : value);
}

function valuesOf(spec: StructType, session: ManagerSession): Readonly<Record<string, string>> {
  const value = session.object?.["spec"];
  return value === undefined ? {} : texts(placesOf(spec, value as JsonObject));
}

const plain = (model: OwnershipModel): Readonly<Record<string, string>> => texts(model.places);

const texts = (places: ReturnType<typeof placesOf>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...places].map(([path, { value }]) => [path, value] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
