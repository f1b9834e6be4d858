import { describe, expect, test } from "@jest/globals";
import { parseTemplate } from "./path-template";
import { templateText } from "./path-values";

const POD = {
  kind: "Pod",
  metadata: { name: "web", labels: { app: "shop", "example.com/tier": "front" } },
  spec: {
    priority: 7,
    containers: [
      { name: "a", image: "one:1", ports: [{ containerPort: 80 }, { containerPort: 443 }] },
      { name: "b", image: "two:2", ready: true },
    ],
  },
  status: { phase: null, ratio: 0.5 },
};

const text = (template: string, allowMissingKeys = true): string =>
  templateText(parseTemplate(template), POD, { allowMissingKeys });

describe("a template", () => {
  test.each([
    ["{.metadata.name}", "web"],
    ["{$.metadata.name}", "web"],
    ["{@.kind}", "Pod"],
    ["{.kind} {.metadata.name}!", "Pod web!"],
    ["{.metadata.labels}", '{"app":"shop","example.com/tier":"front"}'],
    ["{.metadata.labels.example\\.com/tier}", "front"],
    ["{.metadata.labels['example\\.com/tier']}", "front"],
    ["{.metadata.labels['app']}", "shop"],
    ["{.spec.containers[*].name}", "a b"],
    ["{.spec.containers[0].name}", "a"],
    ["{.spec.containers[-1].name}", "b"],
    ["{.spec.containers[-1:].name}", "b"],
    ["{.spec.containers[0:2:2].name}", "a"],
    ["{.spec.containers[1,0].name}", "b a"],
    ["{.spec.containers[*]['name','image']}", "a b one:1 two:2"],
    ["{..containerPort}", "80 443"],
    ["{.spec.containers[*].*}", 'one:1 a [{"containerPort":80},{"containerPort":443}] two:2 b true'],
    ['{.spec.containers[?(@.name=="b")].image}', "two:2"],
    ["{.spec.containers[?(@.name!='b')].image}", "one:1"],
    ["{.spec.containers[?(@.ready)].name}", "b"],
    ["{.spec.containers[?(@.ready==true)].name}", "b"],
    ["{.spec.containers[*].ports[?(@.containerPort>=443)].containerPort}", "443"],
    ['{range .spec.containers[*]}{.name}={.image}{"\\n"}{end}', "a=one:1\nb=two:2\n"],
    ["{range .spec.containers[*]}<{range .ports[*]}{.containerPort},{end}>{end}.", "<80,443,><>."],
    ['{"\\t\\x41\\u00e9\\""}', '\tAé"'],
    ["{.status.ratio}", "0.5"],
    ["{.spec.priority}", "7"],
    ["{.nowhere.at.all}", ""],
    ["no braces", "no braces"],
  ])("%s prints %j", (template, printed) => {
    expect(text(template)).toBe(printed);
  });

  test.each([
    ["{.a", /unclosed action/],
    ["{.a[}", /unterminated array/],
    ["{.a[x]}", /invalid array index x/],
    ["{end}", /not in range, nothing to end/],
    ["{.a[?(@.b}", /unterminated filter/],
    ["{foo}", /unrecognized identifier foo/],
    ["{'a}", /unterminated quoted string/],
    ["{....a}", /invalid multiple recursive descent/],
    ["{.a[?(@.b=~1)]}", /unrecognized filter operator =/],
    ["{.spec.containers[5]}", /array index out of bounds: index 5, length 2/],
    ["{.metadata[0]}", /a map is not array or slice/],
    ["{.spec.containers[?(@.name>1)]}", /incompatible types for comparison/],
  ])("%s is refused", (template, why) => {
    expect(() => text(template)).toThrow(why);
  });

  test("a missing key is an error when it is not allowed", () => {
    expect(() => text("{.metadata.nowhere}", false)).toThrow("nowhere is not found");
  });

  test("a long template and deep filters are refused without a stack overflow", () => {
    expect(() => parseTemplate(`{${".a".repeat(100_000)}}`)).toThrow("longer than");
    expect(() => parseTemplate("{range .a}".repeat(1000))).toThrow("nested deeper");
    expect(() => parseTemplate(`{${"[?(@.a".repeat(1000)}}`)).toThrow(/unterminated filter|unclosed/);
  });
});
