import { expect, test } from "@jest/globals";
import { bootstrapSecret } from "../../testing/bootstrap-secrets";
import { lotOf, type TokenLot } from "./clean-tokens";

const NOW_MS = Date.UTC(2030, 0, 1);

test.each<[string, Parameters<typeof bootstrapSecret>, TokenLot]>([
  ["no end stays", [], { kind: "stays" }],
  ["its end before it waits for it", [{ expiration: "2030-01-01T00:00:01Z" }], { kind: "waits", againAfterMs: 1000 }],
  ["its end now goes", [{ expiration: "2030-01-01T00:00:00Z" }], { kind: "goes" }],
  ["its end behind it goes", [{ expiration: "2000-01-01T00:00:00Z" }], { kind: "goes" }],
  ["no time for its end goes", [{ expiration: "never" }], { kind: "goes" }],
  ["a date for its end goes", [{ expiration: "2031-01-01" }], { kind: "goes" }],
  ["another name and an end behind it goes", [{ expiration: "2000-01-01T00:00:00Z" }, "plain"], { kind: "goes" }],
])("a token with %s", (_what, [data, name], lot) => expect(lotOf(bootstrapSecret(data, name), NOW_MS)).toEqual(lot));
