// The functions that expressions may call, by name.
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

  /** Empty when there is none of the name. */
  named(name: string, isMethod: boolean): readonly Overload[] {
    return (isMethod ? this.methods : this.functions).get(name) ?? [];
  }
}
