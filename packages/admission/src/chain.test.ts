import { describe, expect, test } from "@jest/globals";
import { StatusError } from "@orch/machinery";
import { type AdmissionObserver, createAdmissionChain } from "./chain";
import { type AdmissionPlugin, definePlugin, type PluginFactory } from "./plugin";
import { defaultPluginNames, enabledPlugins } from "./plugin-table";
import { requestOf, worldOf } from "./testing/admission-request";

describe("the chain", () => {
  test("lets plugins change the object in order, waiting for slow ones", async () => {
    const order: string[] = [];
    const plugins = [
      plugin("slow", { mutate: async () => void order.push(await Promise.resolve("slow")) }),
      plugin("quick", { mutate: () => void order.push("quick") }),
    ];
    await createAdmissionChain({ plugins, world: worldOf() }).mutate(requestOf({}));
    expect(order).toEqual(["slow", "quick"]);
  });

  test("asks only plugins of the operation, in their phase", async () => {
    const order: string[] = [];
    const plugins = [
      plugin("deletes", { operations: ["DELETE"], mutate: () => void order.push("deletes") }),
      plugin("both", { mutate: () => void order.push("changes"), validate: () => void order.push("judges") }),
    ];
    const chain = createAdmissionChain({ plugins, world: worldOf() });
    await chain.mutate(requestOf({}));
    expect(order).toEqual(["changes"]);
    await chain.validate(requestOf({}));
    expect(order).toEqual(["changes", "judges"]);
    await chain.mutate(requestOf({ operation: "CONNECT" }));
    expect(order).toEqual(["changes", "judges"]);
  });

  test("ends with the first refusal", async () => {
    const order: string[] = [];
    const plugins = [
      plugin("refuses", { validate: refuse }),
      plugin("after", { validate: () => void order.push("after") }),
    ];
    await expect(createAdmissionChain({ plugins, world: worldOf() }).validate(requestOf({}))).rejects.toThrow("no");
    expect(order).toEqual([]);
  });

  test("tells how each plugin and each pass went", async () => {
    const heard: object[] = [];
    const observer: AdmissionObserver = {
      plugin: (name, passed) => heard.push({ name, ...passed, seconds: typeof passed.seconds }),
      pass: (passed) => heard.push({ ...passed, seconds: typeof passed.seconds }),
    };
    const plugins = [
      plugin("agrees", { mutate: () => {}, validate: () => {} }),
      plugin("refuses", { validate: refuse }),
    ];
    const chain = createAdmissionChain({ plugins, world: worldOf(), observer });
    await chain.mutate(requestOf({}));
    await expect(chain.validate(requestOf({}))).rejects.toThrow("no");
    const create = { operation: "CREATE", seconds: "number" };
    expect(heard).toEqual([
      { name: "agrees", phase: "admit", rejected: false, ...create },
      { phase: "admit", rejected: false, ...create },
      { name: "agrees", phase: "validate", rejected: false, ...create },
      { name: "refuses", phase: "validate", rejected: true, ...create },
      { phase: "validate", rejected: true, ...create },
    ]);
  });
});

test("a plugin is given no more of the world than it names", () => {
  const made: object[] = [];
  const make = (world: object) => {
    made.push(world);
    return { operations: [] };
  };
  const plugins = [definePlugin({ name: "reader", reads: ["vocabulary"], make })];
  const world = worldOf();
  createAdmissionChain({ plugins, world });
  expect(made).toEqual([{ vocabulary: world.vocabulary }]);
});

describe("the flags", () => {
  const table = [
    { plugin: plugin("First", {}), onByDefault: true },
    { plugin: plugin("Second", {}), onByDefault: false },
    { plugin: plugin("Third", {}), onByDefault: true },
  ];

  test.each<[string, string[], string[], string[]]>([
    ["leave the default plugins on", [], [], ["First", "Third"]],
    ["switch further plugins on, in the order of the chain", ["Third", "Second"], [], ["First", "Second", "Third"]],
    ["switch default plugins off", [], ["First", "Second"], ["Third"]],
  ])("%s", (_behaviour, enable, disable, names) => {
    expect(enabledPlugins({ enable, disable }, table).map(({ name }) => name)).toEqual(names);
  });

  test.each<[string[], string[], string]>([
    [["Fourth"], [], 'enable-admission-plugins plugin "Fourth" is unknown'],
    [[], ["first"], 'disable-admission-plugins plugin "first" is unknown'],
    [["First"], ["First"], "First in enable-admission-plugins and disable-admission-plugins overlapped"],
  ])("enable=%j with disable=%j is refused", (enable, disable, message) => {
    expect(() => enabledPlugins({ enable, disable }, table)).toThrow(new Error(message));
  });

  test("know the plugins that exist", () => {
    const names = ["NamespaceLifecycle", "CertificateApproval", "CertificateSigning", "CertificateSubjectRestriction"];
    expect(defaultPluginNames()).toEqual(names);
    expect(enabledPlugins({ enable: [], disable: names })).toEqual([]);
  });
});

function plugin(name: string, parts: Partial<AdmissionPlugin>): PluginFactory {
  return { name, make: () => ({ operations: ["CREATE", "UPDATE"], ...parts }) };
}

function refuse(): never {
  throw new StatusError("Forbidden", "no");
}
