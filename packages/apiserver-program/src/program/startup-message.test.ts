import { expect, test } from "@jest/globals";
import { outputFormat } from "./startup-message";

const TERMINAL = { stdout: true, stderr: true };
const PIPES = { stdout: false, stderr: false };
const KEPT_LOG = { stdout: true, stderr: false };
const KEPT_OUTPUT = { stdout: false, stderr: true };

test.each([
  ["auto", "a terminal", TERMINAL, { log: "text", printsMessage: true, showsSecrets: true }],
  ["auto", "pipes", PIPES, { log: "json", printsMessage: false, showsSecrets: false }],
  ["auto", "a terminal, the log in a file", KEPT_LOG, { log: "json", printsMessage: true, showsSecrets: true }],
  ["auto", "a terminal, the output in a file", KEPT_OUTPUT, { log: "text", printsMessage: false, showsSecrets: false }],
  ["text", "a terminal", TERMINAL, { log: "text", printsMessage: true, showsSecrets: true }],
  ["text", "pipes", PIPES, { log: "text", printsMessage: true, showsSecrets: false }],
  ["json", "a terminal", TERMINAL, { log: "json", printsMessage: false, showsSecrets: false }],
])("--logging-format=%s on %s", (format, _where, terminals, expected) =>
  expect(outputFormat(format, terminals)).toEqual(expected),
);
