import { expect, test } from "@jest/globals";
import { parseAllowedLabels } from "./allowed-labels";

test.each(["metric=value", "metric,label", "a b,c=d", ""])("%j is refused", (text) =>
  expect(() => parseAllowedLabels([text])).toThrow("--allow-metric-labels"),
);
