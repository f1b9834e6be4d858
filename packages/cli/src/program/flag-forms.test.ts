import { expect, test } from "@jest/globals";
import { Command } from "commander";
import { acceptBooleans, withShortForms } from "./flag-forms";

test("a short option may have an equals sign before its value", () => {
  expect(withShortForms(["get", "-n=web", "-l=a=b", "-o", "json", "--", "-n=x"])).toEqual([
    "get",
    "-nweb",
    "-la=b",
    "-o",
    "json",
    "--",
    "-n=x",
  ]);
});

test("a short option without a value keeps true and false", () => {
  expect(withShortForms(["get", "-w=true", "-A=false", "-n=true"])).toEqual(["get", "-w=true", "-A=false", "-ntrue"]);
});

test("an option without a value takes no other value than true and false", () => {
  const command = new Command().option("-w, --watch").exitOverride();
  acceptBooleans(command);
  expect(() => command.parse(["--watch=maybe"], { from: "user" })).toThrow(
    '--watch: "maybe" is neither true nor false',
  );
});

test("the level of the log has the name of kubectl as well", () => {
  expect(withShortForms(["get", "--v=6", "--v", "8", "--verbosity=6"])).toEqual([
    ...["get", "-v6", "-v", "8", "--verbosity=6"],
  ]);
});

test.each([
  [["--watch=true"], { watch: true, headers: true }],
  [["--watch=false"], { headers: true }],
  [["-w=true"], { watch: true, headers: true }],
  [["-w=false"], { headers: true }],
  [["-p=true"], { print: "true", headers: true }],
  [["--no-headers=true"], { headers: false }],
  [["--no-headers=false"], { headers: true }],
  [["--headers=false"], { headers: false }],
  [["--wait=false"], { wait: false, headers: true }],
  [["--print=false"], { print: "false", headers: true }],
  [["--force", "false"], { force: "false", headers: true }],
])("%j", (words, options) => {
  const command = new Command()
    .option("-w, --watch")
    .option("--no-headers")
    .option("-p, --print <bool>")
    .option("--force [bool]")
    .option("--wait")
    .option("--no-wait")
    .exitOverride();
  acceptBooleans(command);
  expect(command.parse(words, { from: "user" }).opts()).toEqual(options);
});
