import { expect, test } from "@jest/globals";
import { mannerOf } from "./greeting";

const TERMINAL = { stdout: true, stderr: true };
const PIPES = { stdout: false, stderr: false };
const KEPT_LOG = { stdout: true, stderr: false };
const KEPT_OUTPUT = { stdout: false, stderr: true };

test.each([
  ["auto", "a terminal", TERMINAL, { log: "text", greets: true, showsSecrets: true }],
  ["auto", "pipes", PIPES, { log: "json", greets: false, showsSecrets: false }],
  ["auto", "a terminal, the log in a file", KEPT_LOG, { log: "json", greets: true, showsSecrets: true }],
  ["auto", "a terminal, the output in a file", KEPT_OUTPUT, { log: "text", greets: false, showsSecrets: false }],
  ["text", "a terminal", TERMINAL, { log: "text", greets: true, showsSecrets: true }],
  ["text", "pipes", PIPES, { log: "text", greets: true, showsSecrets: false }],
  ["json", "a terminal", TERMINAL, { log: "json", greets: false, showsSecrets: false }],
])("--logging-format=%s on %s", (format, _where, terminals, manner) =>
  expect(mannerOf(format, terminals)).toEqual(manner),
);
