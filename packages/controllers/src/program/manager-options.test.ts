import { expect, test } from "@jest/globals";
import { helpText, parseFlags, section } from "@orch/machinery";
import { EVERY_CONTROLLER } from "../controllers/every-controller";
import { defineController } from "../framework/controller";
import { describeControllers, managerOptions } from "./manager-options";

const clock = defineController({
  name: "clock",
  alias: "clock-controller",
  does: "winds clocks",
  offByDefault: true,
  flags: section("Controllers", { "clocks-at-once": { type: "int", default: "3", help: "clocks wound at once" } }),
  run: async () => {},
});

test("a known controller has its flags and is listed in the help", () => {
  const flags = managerOptions([...EVERY_CONTROLLER, clock]);
  const { config, errors } = parseFlags(flags, ["--clocks-at-once=5", "--concurrent-gc-syncs", "7"]);
  expect([config, errors]).toMatchObject([{ "clocks-at-once": 5, "concurrent-gc-syncs": 7 }, []]);
  const help = helpText("Opening.", flags);
  expect(help).toContain("clocks wound at once");
  const named = EVERY_CONTROLLER.map(({ name, offByDefault }) => (offByDefault ? `${name} (off by default)` : name));
  expect(help.replace(/\s+/g, " ")).toContain(`the controllers are ${named.join(", ")} and clock (off by default)`);
  const lines = describeControllers([...EVERY_CONTROLLER, clock]).split("\n");
  expect(lines[0]).toMatch(/^ {2}namespace {2,}deletes the content of terminating namespaces/);
  expect(lines.at(-1)).toMatch(/^ {2}clock {2,}winds clocks$/);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(110);
});

test("a flag belongs to one controller or to the manager, unless it is declared as shared", () => {
  const { "clocks-at-once": row } = clock.flags;
  const copied = { ...clock, flags: { "clocks-at-once": { ...(row as NonNullable<typeof row>) } } };
  expect(() => managerOptions([clock, copied])).toThrow("two controllers define the flag --clocks-at-once");
  expect(managerOptions([clock, { ...clock, name: "watch" }])["clocks-at-once"]).toBe(row);
  const flags = section("Controllers", { kubeconfig: { type: "string", default: "", help: "" } });
  expect(() => managerOptions([{ ...clock, flags }])).toThrow("two controllers define the flag --kubeconfig");
});
