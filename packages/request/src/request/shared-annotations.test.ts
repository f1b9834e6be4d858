import { expect, test } from "@jest/globals";
import type { Negotiation } from "../representations/content-negotiation";
import { RequestContext } from "./request-context";
import { sharedAnnotations } from "./shared-annotations";

const request = (): RequestContext => new RequestContext({} as Negotiation);
const said = ({ auditAnnotations }: RequestContext) =>
  [...(auditAnnotations ?? [])].map(([key, { value, level }]) => [key, value, level]);

const notes = sharedAnnotations({ decision: "allow", reason: "ü" });
const ALLOWED = [
  ["decision", "allow", "Metadata"],
  ["reason", "ü", "Metadata"],
];

test("an annotation added by one request is not shared", () => {
  const [one, other] = [request(), request()];
  for (const each of [one, other]) each.annotateAll(notes);
  expect(one.sharedAnnotations).toBe(notes);
  one.annotate("more", "x", "Request");
  expect(said(one)).toEqual([...ALLOWED, ["more", "x", "Request"]]);
  expect(one.sharedAnnotations).toBeUndefined();
  expect(said(other)).toEqual(ALLOWED);
  expect(other.sharedAnnotations).toBe(notes);
});

test("the first of two values under one key is kept", () => {
  const after = request();
  after.annotateAll(notes);
  after.annotate("reason", "another");
  expect(said(after)).toEqual(ALLOWED);
  const before = request();
  before.annotate("reason", "mine");
  before.annotateAll(notes);
  expect(said(before)).toEqual([
    ["reason", "mine", "Metadata"],
    ["decision", "allow", "Metadata"],
  ]);
  expect(before.sharedAnnotations).toBeUndefined();
});
