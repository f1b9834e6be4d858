import { expect, test } from "@jest/globals";
import { silentLog } from "@orch/platform";
import { vocabularyOf } from "@orch/schema";
import { settled } from "@orch/testing";
import { AutoRegistrar, type AutoRegistrarParts } from "./auto-registrar";

test("one line tells of all APIs that one reason keeps from being registered, and is not repeated while it lasts", async () => {
  const versions = Array.from({ length: 30 }, (_, index) => `v${index + 1}`);
  const wanted = new Map(
    versions.map((version) => {
      const name = `${version}.example.com`;
      return [
        name,
        { name, group: "example.com", version, groupPriority: 1, versionPriority: 1, automation: "onstart" },
      ];
    }),
  );
  const lines: object[] = [];
  let passes = 0;
  const full = async () => {
    throw Object.assign(new Error("the store is full"), { isOutside: true });
  };
  const parts = {
    vocabulary: vocabularyOf("orch"),
    storage: {
      definition: { storage: { apiVersion: "example.com/v1", kind: "APIService" } },
      seed: full,
      create: full,
    },
    registrations: { all: () => [], get: () => undefined, onChange: () => {} },
    wanted: () => wanted,
    write: {},
    log: { ...silentLog, warn: (message: string, fields: object) => void lines.push({ message, ...fields }) },
    pause: () => (++passes < 3 ? Promise.resolve() : new Promise(() => {})),
  } as unknown as AutoRegistrarParts;
  const registrar = new AutoRegistrar(parts);
  void registrar.start();
  await settled();
  expect(passes).toBe(3);
  expect(lines).toEqual([
    {
      message: "cannot register an APIService",
      name: "v1.example.com",
      step: "create",
      others: 29,
      error: "the store is full",
    },
  ]);
  registrar.close();
});
