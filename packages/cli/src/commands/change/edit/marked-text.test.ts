import { expect, test } from "@jest/globals";
import { StatusError } from "@orch/machinery";
import { marked, marksOf, unmarked } from "./marked-text";

const TEXT = `# comment
metadata:
  name: a
spec:
  containers:
  - name: one
    image: x
  - name: two
`;

test.each([
  ["spec.containers[0].image", 6, "    # error: wrong"],
  ["spec.containers[1]", 7, "    # error: wrong"],
  ["spec.containers[1].none", 7, "    # error: wrong"],
  ["spec.none.deep", 3, "# error: wrong"],
  ["metadata.name", 2, "  # error: wrong"],
  ["", 0, "# error: wrong"],
])("an error of the field %s stands before its line", (field, line, comment) => {
  const text = marked(TEXT, [{ field, message: "wrong" }]);
  expect(text.split("\n")[line]).toBe(comment);
  expect(unmarked(text)).toBe(TEXT);
});

test("an error of the server is told field by field", () => {
  const causes = [
    { field: "spec.a", message: "is bad" },
    { field: "spec.b", message: "is worse" },
  ];
  expect(marksOf(new StatusError("Invalid", "x", { causes }))).toEqual([
    { field: "spec.a", message: "spec.a: is bad" },
    { field: "spec.b", message: "spec.b: is worse" },
  ]);
  expect(marksOf(new StatusError("BadRequest", 'strict decoding error: unknown field "spec.c"'))).toEqual([
    { field: "spec.c", message: 'unknown field "spec.c"' },
  ]);
  expect(marksOf(new StatusError("Conflict", "no"))).toEqual([{ field: "", message: "no" }]);
});

test("lines in YAML flow, and texts that are no YAML, are marked as well", () => {
  expect(marked("a: {b: 1}\n", [{ field: "a.b", message: "no" }])).toBe("# error: no\na: {b: 1}\n");
  expect(marked("a: [\n", [{ field: "a", message: "no" }])).toContain("# error: no\n");
});
