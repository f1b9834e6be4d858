import { expect, test } from "@jest/globals";
import { metadataMember } from "./metadata-scan";

const AT = '{"metadata":{'.length;

function member(metadata: object, name: string): unknown {
  const text = metadataMember(Buffer.from(JSON.stringify({ metadata, spec: { labels: { of: "spec" } } })), AT, name);
  return text === undefined ? undefined : JSON.parse(text);
}

const awkward = {
  annotations: { 'quoted "labels":{"a":"b"}': 'tail \\" { [ \\\\', labels: "not these" },
  list: [{ labels: { x: "y" } }, [1, [2]]],
  number: -1.5e3,
  nothing: null,
  yes: true,
  labels: { "a/b": "é\u{1f600}", c: "" },
  finalizers: ["x", "y"],
};

test.each(["annotations", "list", "number", "nothing", "yes", "labels", "finalizers"] as const)(
  "finds %s among awkward neighbours",
  (name) => expect(member(awkward, name)).toEqual(awkward[name]),
);

test("does not find what only others have", () => {
  expect(member({ name: "a" }, "labels")).toBeUndefined();
  expect(member({}, "labels")).toBeUndefined();
  expect(member(awkward, "x")).toBeUndefined();
});
