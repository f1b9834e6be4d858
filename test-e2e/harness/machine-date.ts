// The system date of one program, stepped while it runs. Its monotonic clock is not affected.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tool, type Workplace } from "./processes";

export class MachineDate {
  /** Command prefix of a program that uses this date. */
  readonly command = tool("faketime");
  readonly env: Readonly<Record<string, string>>;
  private readonly file: string;

  constructor(workplace: Workplace) {
    this.file = join(workplace.folder(), "date");
    this.step(0);
    this.env = {
      FAKETIME_TIMESTAMP_FILE: this.file,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      NO_FAKE_STAT: "1",
    };
  }

  /** @param seconds offset from the true date; negative: behind it */
  step(seconds: number): void {
    writeFileSync(`${this.file}.new`, `${seconds < 0 ? "" : "+"}${seconds}\n`);
    renameSync(`${this.file}.new`, this.file);
  }
}
