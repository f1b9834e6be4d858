import { expect, test } from "@jest/globals";
import { Command } from "commander";
import { acceptBooleans, withShortForms } from "./flag-forms";

test("a short option of all commands may have an equals sign before its value", () => {
  expect(withShortForms(["get", "-n=web", "-l=a=b", "-o", "json", "--", "-n=x"])).toEqual([
    ...["get", "-nweb", "-l=a=b", "-o", "json", "--", "-n=x"],
  ]);
});

test("an option without a value takes no other value than true and false", () => {
  const command = new Command().option("-w, --watch").exitOverride();
  acceptBooleans(command);
  for (const option of ["--watch", "-w"]) {
    const wrong = `${option}: "maybe" is neither true nor false`;
    expect(() => command.parse([`${option}=maybe`], { from: "user" })).toThrow(wrong);
  }
});

test("words of another program stay as they are", () => {
  const command = new Command().option("-w, --watch").argument("[words...]").exitOverride();
  acceptBooleans(command);
  expect(command.parse(["-w=true", "--", "-w=true", "-x=1"], { from: "user" }).args).toEqual(["-w=true", "-x=1"]);
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
  [["-p=a=b"], { print: "a=b", headers: true }],
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
