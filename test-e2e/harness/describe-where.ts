// Tests that need more than every machine has.
import { describe } from "@jest/globals";

/** Offer of a machine for tests, or the reason why it has none. */
export type Offered<What> = What | { readonly reason: string };

/** Describes tests that are skipped with their reason where the machine does not offer what they need. */
export function describeWhere<What extends object>(
  offered: Offered<What>,
  name: string,
  tests: (offered: What) => void,
): void {
  if ("reason" in offered) {
    console.warn(`${name}: the tests are skipped: ${offered.reason}`);
    describe.skip(name, () => tests({} as What));
  } else describe(name, () => tests(offered));
}
