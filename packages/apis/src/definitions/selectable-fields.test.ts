// Field selectors by release. Source: Kubernetes documentation, "Field Selectors".
import { expect, test } from "@jest/globals";
import { checkSelectable, parseFieldSelector } from "@orch/machinery";
import { type Schema, vocabularyOf } from "@orch/schema";
import { builtInResources } from "./definitions";

const noTypes = { objectType: () => undefined } as unknown as Schema;

const check = (plural: string, release: string, label: string) => () => {
  const definition = builtInResources(vocabularyOf("orch"), noTypes, { release }).find(
    (each) => each.plural === plural,
  );
  if (definition === undefined) throw new Error(`${plural} is missing`);
  checkSelectable(parseFieldSelector(`${label}=x`), definition);
};

test.each([
  ["services", "spec.clusterIP", "1.31", "1.30"],
  ["services", "spec.type", "1.31", "1.30"],
  ["pods", "spec.hostNetwork", "1.28", "1.27"],
])("%s accept the field selector %s since %s", (plural, label, since, before) => {
  expect(check(plural, since, label)).not.toThrow();
  expect(check(plural, "1.37", label)).not.toThrow();
  expect(check(plural, before, label)).toThrow(`field label not supported: ${label}`);
});
