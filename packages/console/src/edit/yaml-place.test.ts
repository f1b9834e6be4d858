import { describe, expect, test } from "@jest/globals";
import { placeAt } from "./yaml-place";

const POD = `apiVersion: v1
kind: Pod
metadata:
  labels:
    a: b
spec:
  # the containers
  containers:
    - name: web
      ports:
      - containerPort: 80
        protocol: TCP
      env:
        - name: A
`;

describe("the place of the cursor in YAML", () => {
  test.each<[string, string, string, readonly (string | number)[], string]>([
    ["a name at the root", "sta", "name", [], "sta"],
    ["a name in a mapping", "  restart", "name", ["spec"], "restart"],
    ["an empty name in an item", "      ", "name", ["spec", "containers", 0], ""],
    ["a name in an item that begins", "    - na", "name", ["spec", "containers", 0], "na"],
    ["a name below an item", "          val", "name", ["spec", "containers", 0, "env", 0], "val"],
    ["a value", "  restartPolicy: Al", "value", ["spec", "restartPolicy"], "Al"],
    ["a value in an item", "    - image: n", "value", ["spec", "containers", 0, "image"], "n"],
  ])("is %s", (_what, line, completes, path, typed) => {
    expect(placeAt(POD + line)).toEqual({ path, completes, typed });
  });

  test("is found in a list at the column of its field", () => {
    const text = "spec:\n  ports:\n  - name: a\n    pro";
    expect(placeAt(text)).toEqual({ path: ["spec", "ports", 0], completes: "name", typed: "pro" });
  });

  test("is none within a text", () => expect(placeAt("a: some words he")).toBeUndefined());
});
