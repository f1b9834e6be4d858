// Functions available to expressions, by name.
import type { Overload } from "./overload";

export class FunctionTable {
  private readonly functions = new Map<string, Overload[]>();
  private readonly methods = new Map<string, Overload[]>();

  constructor(overloads: readonly Overload[]) {
    for (const overload of overloads) {
      const byName = overload.isMethod ? this.methods : this.functions;
      const known = byName.get(overload.name);
      if (known === undefined) byName.set(overload.name, [overload]);
      else known.push(overload);
    }
  }

  /** Returns the overloads of a name; empty when there are none. */
  named(name: string, isMethod: boolean): readonly Overload[] {
    return (isMethod ? this.methods : this.functions).get(name) ?? [];
  }
}
