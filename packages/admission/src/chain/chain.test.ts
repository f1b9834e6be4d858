import { describe, expect, test } from "@jest/globals";
import { StatusError } from "@orch/machinery";
import {
  type AdmissionPlugin,
  type AdmittedResource,
  definePlugin,
  type MutatingStep,
  type PluginFactory,
  type ReinvocationNeed,
} from "../contract/plugin";
import { fakeDependencies, type RequestParts, refusalOf, requestOf } from "../testing/admission-request";
import { type AdmissionObserver, createAdmissionChain } from "./chain";
import { EVERY_PLUGIN } from "./every-plugin";
import { PLUGIN_ORDER } from "./plugin-order";
import { defaultPluginNames, enabledPlugins, pluginsOf } from "./plugin-table";

describe("the chain", () => {
  test("lets plugins change the object in order, waiting for slow ones", async () => {
    const order: string[] = [];
    const plugins = [
      plugin("slow", { mutate: async () => void order.push(await Promise.resolve("slow")) }),
      plugin("quick", { mutate: () => void order.push("quick") }),
    ];
    await createAdmissionChain({ plugins, dependencies: fakeDependencies() }).mutate(requestOf({}));
    expect(order).toEqual(["slow", "quick"]);
  });

  test("asks only plugins of the operation, in their phase", async () => {
    const order: string[] = [];
    const plugins = [
      plugin("deletes", { on: [{ operations: ["DELETE"] }], mutate: () => void order.push("deletes") }),
      plugin("both", { mutate: () => void order.push("changes"), validate: () => void order.push("judges") }),
    ];
    const chain = createAdmissionChain({ plugins, dependencies: fakeDependencies() });
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
    await expect(
      createAdmissionChain({ plugins, dependencies: fakeDependencies() }).validate(requestOf({})),
    ).rejects.toThrow("no");
    expect(order).toEqual([]);
  });

  test("leaves the loop to others behind a plugin that has taken its time, where the turn is over", async () => {
    let left = 0;
    const yielder = {
      isOver: true,
      next: async () => {
        left += 1;
      },
    };
    const long = () => {
      const startMs = performance.now();
      while (performance.now() - startMs < 2);
    };
    const plugins = [
      plugin("at once", { mutate: long }),
      plugin("later", { mutate: async () => Promise.resolve().then(long) }),
    ];
    await createAdmissionChain({ plugins, dependencies: fakeDependencies({ yielder }) }).mutate(requestOf({}));
    expect(left).toBe(2);
    const busy = { ...yielder, isOver: false };
    await createAdmissionChain({ plugins, dependencies: fakeDependencies({ yielder: busy }) }).mutate(requestOf({}));
    expect(left).toBe(2);
  });

  test("tells how each plugin and each pass went", async () => {
    const heard: object[] = [];
    const observer: AdmissionObserver = {
      plugin: (name, passed) => heard.push({ name, ...passed, seconds: typeof passed.seconds }),
      pass: (passed) => heard.push({ ...passed, seconds: typeof passed.seconds }),
      failed: (name) => heard.push({ failed: name }),
    };
    const plugins = [
      plugin("agrees", { mutate: () => {}, validate: () => {} }),
      plugin("refuses", { validate: refuse }),
    ];
    const chain = createAdmissionChain({ plugins, dependencies: fakeDependencies(), observer });
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

test("a plugin is given only the dependencies that it names", () => {
  const made: object[] = [];
  const make = (dependencies: object) => {
    made.push(dependencies);
    return { on: [] };
  };
  const plugins = [definePlugin({ name: "reader", reads: ["vocabulary"], make })];
  const dependencies = fakeDependencies();
  createAdmissionChain({ plugins, dependencies });
  expect(made).toEqual([{ vocabulary: dependencies.vocabulary }]);
});

test.each<[string, AdmittedResource, Partial<RequestParts>, boolean]>([
  ["the resource that it names", { group: "apps", plural: "deployments" }, {}, true],
  ["a part of it", { group: "apps", plural: "deployments" }, { subresource: "scale" }, true],
  [
    "no part where it names none",
    { group: "apps", plural: "deployments", subresource: "" },
    { subresource: "scale" },
    false,
  ],
  [
    "the part that it names",
    { group: "apps", plural: "deployments", subresource: "scale" },
    { subresource: "scale" },
    true,
  ],
  ["not the resource when it names a part", { group: "apps", plural: "deployments", subresource: "scale" }, {}, false],
  ["no resource of another group", { group: "", plural: "deployments" }, {}, false],
])("a plugin is asked about %s", async (_what, resource, parts, isAsked) => {
  const asked: string[] = [];
  const on = [{ operations: ["UPDATE"], resources: [resource] }] as const;
  const chain = createAdmissionChain({
    plugins: [plugin("one", { on, validate: () => void asked.push("one") })],
    dependencies: fakeDependencies(),
  });
  // The second pass uses the steps that the first pass cached.
  const definition = requestOf({ group: "apps", plural: "deployments" }).definition;
  for (const _ of [1, 2]) {
    const request = requestOf({ operation: "UPDATE", ...parts });
    await chain.validate(Object.assign(request, { definition }));
    await chain.validate(Object.assign(requestOf({ operation: "CREATE", ...parts }), { definition }));
  }
  expect(asked).toEqual(isAsked ? ["one", "one"] : []);
});

describe("a plugin may change the object", () => {
  test("a replaced object is passed to the plugins after it", async () => {
    const seen: unknown[] = [];
    const plugins = [
      plugin("replaces", {
        mutate: (request) => {
          request.object = { kind: "Other" };
        },
      }),
      plugin("sees", { mutate: ({ object }) => void seen.push(object) }),
    ];
    const request = requestOf({ object: { kind: "One" } });
    await createAdmissionChain({ plugins, dependencies: fakeDependencies() }).mutate(request);
    expect(seen).toEqual([{ kind: "Other" }]);
    expect(request.object).toEqual({ kind: "Other" });
  });

  const label =
    (name: string): MutatingStep =>
    ({ object = {} }) =>
      void Object.assign(object, { [name]: "yes" });
  const asks =
    (need: ReinvocationNeed): MutatingStep =>
    (_request, round) =>
      round.again(need);

  test.each<[string, readonly MutatingStep[], number]>([
    ["never, where nobody asks", [label("a"), label("b")], 1],
    ["once, where one asks in any case", [asks("Always"), label("a")], 2],
    ["where the object has changed since", [asks("IfNeeded"), label("a")], 2],
    ["not where only itself has changed it", [label("a"), asks("IfNeeded")], 1],
    ["not where what comes later changes nothing", [asks("IfNeeded"), () => {}], 1],
    ["where one of several has been overtaken", [label("a"), asks("IfNeeded"), label("b"), asks("IfNeeded")], 2],
    ["not where a change is taken back", [asks("IfNeeded"), label("a"), ({ object }) => void delete object?.["a"]], 1],
  ])("and is run again: %s", async (_when, steps, rounds) => {
    const numbers: number[] = [];
    const first = plugin("first", { mutate: (_request, { number }) => void numbers.push(number) });
    const others = steps.map((mutate, at) => plugin(`p${at}`, { mutate }));
    await createAdmissionChain({ plugins: [first, ...others], dependencies: fakeDependencies() }).mutate(
      requestOf({ object: {} }),
    );
    expect(numbers).toEqual([0, 1].slice(0, rounds));
  });
});

describe("a plugin that keeps reservations", () => {
  test("is told what has become of what it was asked about, whatever another does", () => {
    const heard: string[] = [];
    const failures: string[] = [];
    const on = [{ operations: ["DELETE"] }] as const;
    const chain = createAdmissionChain({
      plugins: [
        plugin("fails", { settled: refuse }),
        plugin("counts", { settled: ({ uid }, outcome) => void heard.push(`${uid} ${outcome}`) }),
        plugin("deletes", { on, settled: () => void heard.push("not asked") }),
      ],
      dependencies: fakeDependencies(),
      observer: { plugin() {}, pass() {}, failed: (name) => void failures.push(name) },
    });
    chain.settled?.(requestOf({}), "undone");
    expect([heard, failures]).toEqual([["u-1 undone"], ["fails"]]);
  });

  test("costs nothing where there is none", () => {
    expect(createAdmissionChain({ plugins: [plugin("one", {})], dependencies: fakeDependencies() })).not.toHaveProperty(
      "settled",
    );
  });
});

describe("a plugin's configuration", () => {
  const limit = definePlugin({
    name: "Limit",
    reads: ["clock"],
    configure(configuration) {
      if (typeof configuration !== "number") throw new Error("a number is needed");
      return { max: configuration };
    },
    make: ({ clock }, { max }) => ({
      on: [{ operations: ["CREATE"] }],
      validate: () => {
        if (clock.now() > max) refuse();
      },
    }),
  });

  test.each([
    [5, "no"],
    [50, undefined],
  ])("is what it is made with: %d", async (max, refusal) => {
    const dependencies = fakeDependencies({ clock: { now: () => 10, elapsed: () => 0 } });
    const configurations = new Map([["Limit", { value: max, from: "limit.yaml" }]]);
    const chain = createAdmissionChain({ plugins: [limit], dependencies, configurations });
    expect((await refusalOf(() => chain.validate(requestOf({}))))?.message).toBe(refusal);
  });

  test("that breaks its rules is refused with the plugin's name", () => {
    expect(() => createAdmissionChain({ plugins: [limit], dependencies: fakeDependencies() })).toThrow(
      `couldn't init admission plugin "Limit": a number is needed`,
    );
  });

  test("that breaks its rules is refused with where it was read", () => {
    const configurations = new Map([["Limit", { value: "much", from: "limit.yaml" }]]);
    expect(() => createAdmissionChain({ plugins: [limit], dependencies: fakeDependencies(), configurations })).toThrow(
      `couldn't init admission plugin "Limit": limit.yaml: a number is needed`,
    );
  });
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
    [["Fourth"], [], 'enable-admission-plugins plugin "Fourth" is unknown; the plugins are First, Second, Third'],
    [[], ["first"], 'disable-admission-plugins plugin "first" is unknown; the plugins are First, Second, Third'],
    [["First"], ["First"], "First in enable-admission-plugins and disable-admission-plugins overlapped"],
  ])("enable=%j with disable=%j is refused", (enable, disable, message) => {
    expect(() => enabledPlugins({ enable, disable }, table)).toThrow(new Error(message));
  });

  test("know the plugins that a release has, wherever they stand in the table", () => {
    const order = [
      { name: "Third", onByDefault: { since: "1.23" }, lifecycle: { since: "1.22" } },
      { name: "Unmade", onByDefault: true },
      { name: "First", onByDefault: true, lifecycle: { until: "1.22" } },
      { name: "Second", onByDefault: false },
    ];
    const every = table.map((row) => row.plugin);
    const of = (release: string) => pluginsOf(release, order, every);
    const names = (rows: ReturnType<typeof of>) => rows.map((row) => row.plugin.name);
    expect([of("1.21"), of("1.22"), of("1.23")].map(names)).toEqual([
      ["First", "Second"],
      ["Third", "First", "Second"],
      ["Third", "Second"],
    ]);
    expect([of("1.22"), of("1.23")].map(defaultPluginNames)).toEqual([["First"], ["Third"]]);
  });

  test.each([
    ["SecurityContextDeny", "1.29", "1.30"],
    ["DenyEscalatingExec", "1.23", "1.24"],
    ["DenyExecOnPrivileged", "1.23", "1.24"],
    ["PodSecurityPolicy", "1.24", "1.25"],
  ])("%s is known up to %s and unknown from %s on", (name, last, next) => {
    const flags = { enable: [name], disable: [] };
    expect(enabledPlugins(flags, pluginsOf(last)).map((plugin) => plugin.name)).toContain(name);
    expect(() => enabledPlugins(flags, pluginsOf(next))).toThrow(`plugin "${name}" is unknown`);
  });

  test("every plugin has its place in the order", () => {
    const places = PLUGIN_ORDER.map(({ name }) => name);
    expect(EVERY_PLUGIN.map(({ name }) => name).sort()).toEqual([...places].sort());
    expect(new Set(places).size).toBe(places.length);
  });
});

function plugin(name: string, parts: Partial<AdmissionPlugin>): PluginFactory {
  return { name, make: () => ({ on: [{ operations: ["CREATE", "UPDATE"] }], ...parts }) };
}

function refuse(): never {
  throw new StatusError("Forbidden", "no");
}
