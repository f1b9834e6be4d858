import { spawnSync } from "node:child_process";
import { expect, test } from "@jest/globals";
import { repository } from "./harness/processes";

const SCRIPT = `[
(function (exports) { const first = () => second => () => 1; class Counter { count = 0; get value() { return this.count; }
  step(by = () => 2) { return [1].map(() => by()); } }
exports.make = () => new Counter(); }),
(function (exports) { exports.last = async () => { function inner() {} await inner(); }; })]`;
/** Length of the beginning of a function that the test compares. */
const BEGINNING = 12;
const ASK = `
  import { functionsByModule } from "./scripts/pack/functions.mjs";
  const text = ${JSON.stringify(SCRIPT)};
  const found = functionsByModule(text, ["one.js", "two.js"]);
  console.log(JSON.stringify([...found].map(([path, places]) =>
    [path, ...[...places].map(([name, { start, end, inside }]) => [name, text.slice(start, end), text.slice(inside, inside + 2)])])));
`;

test("functions of a script have names of their own, and positions that no function within them contains", () => {
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", ASK], {
    encoding: "utf8",
    cwd: repository,
  });
  expect(stderr).toBe("");
  const [one, two] = (JSON.parse(stdout) as [string, ...string[][]][]).map(([path, ...functions]) => [
    path,
    ...functions.map(([name, text = "", inside]) => `${name} ${inside} ${text.slice(0, BEGINNING).trim()}`),
  ]);
  expect(one).toEqual([
    "one.js",
    " {  function (ex",
    "/first => () => second",
    "/first/ => second => ()",
    "/first// => () => 1",
    "/Counter.fields co count = 0",
    "/Counter.get:value {  () { return",
    "/Counter.step {  (by = () =>",
    "/Counter.step/by => () => 2",
    "/Counter.step/ => () => by()",
    "/make => () => new Co",
  ]);
  expect(two).toEqual(["two.js", " {  function (ex", "/last {  async () =>", "/last/inner {} function inn"]);
});
