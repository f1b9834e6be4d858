// Runs the blocks of a page on the machines that their marks name: `run by FILE on PLACE`. Each block runs in a shell of its
// own that has read ~/cluster.env, as the page says.
import { type Block, markOf, type Page } from "../markdown";
import type { Machine } from "./lab";

export interface Places {
  /** Machines by their names in the page. */
  readonly machines: readonly Machine[];
  readonly operator: Machine;
}

export interface BlockRun {
  /** Variables of the shell, as the page tells to set them. */
  readonly env?: Readonly<Record<string, string>>;
  /** The machines that take part, when not all do. */
  readonly only?: readonly Machine[];
  /** Called before and after the block on each of several machines that take turns. */
  readonly between?: (machine: Machine) => Promise<void>;
}

const START = "cd; [ ! -e cluster.env ] || . ./cluster.env; ";

export class MachineBlocks {
  private readonly blocks: readonly Block[];

  constructor(
    page: Page,
    test: string,
    private readonly places: Places,
  ) {
    this.blocks = page.blocks.filter((block) => markOf(block, "runBy")?.test === test);
  }

  /** The headings of all blocks. */
  get headings(): readonly string[] {
    return [...new Set(this.blocks.map(({ heading }) => heading))];
  }

  under(heading: string): readonly Block[] {
    const found = this.blocks.filter((block) => block.heading === heading);
    if (found.length === 0) throw new Error(`no block under the heading "${heading}" is run on machines`);
    return found;
  }

  /** Runs the blocks under a heading in order. */
  async section(heading: string, run: BlockRun = {}): Promise<void> {
    for (const block of this.under(heading)) await this.block(block, run);
  }

  async block(block: Block, run: BlockRun = {}): Promise<void> {
    const on = markOf(block, "runBy")?.on ?? "";
    const { machines, operator } = this.places;
    const taking = (all: readonly Machine[]) => all.filter((one) => run.only === undefined || run.only.includes(one));
    switch (on) {
      case "operator":
        return this.at(operator, block, run);
      case "machines":
        await Promise.all(taking(machines).map((machine) => this.at(machine, block, run)));
        return;
      case "every machine":
        await Promise.all(taking([...machines, operator]).map((machine) => this.at(machine, block, run)));
        return;
      case "machines in turn":
        for (const machine of taking(machines)) {
          await this.at(machine, block, run);
          await run.between?.(machine);
        }
        return;
      default: {
        const machine = machines.find(({ name }) => name === on);
        if (machine === undefined) throw new Error(`line ${block.line}: the mark names no machine: ${on}`);
        return this.at(machine, block, run);
      }
    }
  }

  private async at(machine: Machine, block: Block, { env = {} }: BlockRun): Promise<void> {
    const variables = Object.entries(env).map(([name, value]) => `export ${name}=${value}; `);
    const { code, output } = await machine.run(`${START}${variables.join("")}\n${block.text}`);
    if (code !== 0)
      throw new Error(`line ${block.line} on ${machine.name}: the block ended with ${code}\n${output.slice(-4000)}`);
  }
}
