import { expect, test } from "@jest/globals";
import { parseFlags } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";
import { SERVER_FLAGS, type ServerConfig } from "../flags/server-flags";
import { servedRelease } from "./served-release";

const read = (...words: string[]) =>
  servedRelease(parseFlags(SERVER_FLAGS, words).config as ServerConfig, vocabularyOf("kubernetes"));

test.each<[string[], string, string]>([
  [["--emulated-release=1.30"], "1.30", "1.29"],
  [["--emulated-version=1.35"], "1.35", "1.34"],
  [["--emulated-version=kube=1.35"], "1.35", "1.34"],
  [["--emulated-version=orch=1.35"], "1.35", "1.34"],
  [["--emulated-version= kube = 1.35 "], "1.35", "1.34"],
  [["--emulated-version=kube=1.35", "--emulated-release=1.35"], "1.35", "1.34"],
  [["--emulated-version=1.35", "--min-compatibility-version=1.35"], "1.35", "1.35"],
  [["--emulated-version=1.35", "--min-compatibility-version=kube=1.32"], "1.35", "1.32"],
  [["--emulated-version=1.15"], "1.15", "1.15"],
])("%j serves %s and stays compatible with %s", (words, release, minCompatibility) =>
  expect(read(...words)).toEqual({ release, minCompatibility, errors: [] }),
);

test.each<[string[], string]>([
  [["--emulated-release=1.14"], '--emulated-release: "1.14" is not a release from 1.15 to 1.37'],
  [["--emulated-version=1.38"], '--emulated-version: "1.38" is not a release from 1.15 to 1.37'],
  [["--emulated-version=1.35.1"], '--emulated-version: "1.35.1" is not a release from 1.15 to 1.37'],
  [["--emulated-version=wardle=1.2"], '--emulated-version: "wardle" is not a component of this server: orch or kube'],
  [["--emulated-version=1.35,kube=1.34"], "--emulated-version: 1.35 and 1.34 are set for the same component"],
  [
    ["--emulated-version=1.35", "--emulated-release=1.34"],
    "--emulated-release=1.34 and --emulated-version=1.35 name different releases: set one of them",
  ],
  [
    ["--emulated-version=1.34", "--min-compatibility-version=1.35"],
    "--min-compatibility-version: 1.35 must not be later than the emulated release, 1.34",
  ],
  [["--min-compatibility-version=1.1"], '--min-compatibility-version: "1.1" is not a release from 1.15 to 1.37'],
])("%j is rejected: %s", (words, error) => expect(read(...words).errors).toEqual([error]));
