// A table that is kept up to date in place on a terminal. Only lines that differ are written again. Rows that do not fit
// on the screen are counted in the last line.
import { ColumnLayout, widthOf } from "../output/columns";
import { type Io, mayColor } from "../process/io";

export type RowMark = "none" | "added" | "changed" | "deleted";

export interface LiveRow {
  readonly cells: readonly string[];
  readonly mark: RowMark;
}

export interface LiveSection {
  readonly headers: readonly string[];
  readonly rows: readonly LiveRow[];
}

export interface LiveView {
  readonly sections: readonly LiveSection[];
  /** Last line, such as what is waited for. */
  readonly note?: string | undefined;
}

/** Minimum time between two updates of the screen. */
const PAUSE_MS = 100;
/** Time after which a view is drawn again without changes, for ages. */
const TICK_MS = 1_000;
const SIGNS: Readonly<Record<RowMark, string>> = { none: "  ", added: "+ ", changed: "~ ", deleted: "- " };
const COLORS: Readonly<Record<RowMark, string>> = {
  none: "",
  added: "\u001b[32m",
  changed: "\u001b[33m",
  deleted: "\u001b[31m",
};
const PLAIN = "\u001b[0m";
const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
const CLEAR_SCREEN = "\u001b[H\u001b[2J";
const CLEAR_LINE = "\u001b[2K";

export class LiveTable {
  private drawn: readonly string[] = [];
  private timer: NodeJS.Timeout | undefined;
  private readonly ticker: NodeJS.Timeout;
  private readonly isColored: boolean;
  private readonly onResize = () => {
    // The terminal may have moved the lines: all are written again.
    this.drawn = [];
    this.io.stdout.write(CLEAR_SCREEN);
    this.draw();
  };
  private readonly onExit = () => this.io.stdout.write(SHOW_CURSOR);

  /** @param view returns what is shown now */
  constructor(
    private readonly io: Io,
    private readonly view: () => LiveView,
  ) {
    this.isColored = mayColor(io.stdout, io);
    this.ticker = setInterval(() => this.draw(), TICK_MS);
    io.stdout.on("resize", this.onResize);
    process.once("exit", this.onExit);
    io.stdout.write(HIDE_CURSOR);
  }

  /** Asks for an update of the screen. */
  update(): void {
    this.timer ??= setTimeout(() => this.draw(), PAUSE_MS);
  }

  /** Draws the last state, and leaves the terminal as it was. */
  end(): void {
    clearInterval(this.ticker);
    this.draw();
    clearTimeout(this.timer);
    this.io.stdout.off("resize", this.onResize);
    process.off("exit", this.onExit);
    this.io.stdout.write(SHOW_CURSOR);
  }

  private draw(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { columns = 80, rows = 24 } = this.io.stdout;
    const lines = linesOf(this.view(), { columns, rows: rows - 1, isColored: this.isColored });
    const count = Math.max(lines.length, this.drawn.length);
    let text = this.drawn.length > 0 ? `\u001b[${this.drawn.length}A\r` : "";
    for (let at = 0; at < count; at += 1) {
      const line = lines[at] ?? "";
      text += at < this.drawn.length && line === this.drawn[at] ? "\n" : `${CLEAR_LINE}${line}\n`;
    }
    // The cursor stands below the last line.
    if (count > lines.length) text += `\u001b[${count - lines.length}A`;
    this.io.stdout.write(text);
    this.drawn = lines;
  }
}

interface Screen {
  readonly columns: number;
  readonly rows: number;
  readonly isColored: boolean;
}

/** Returns the lines of a view as they fit on a screen. */
function linesOf({ sections, note }: LiveView, { columns, rows, isColored }: Screen): string[] {
  const lines: string[] = [];
  const shown = sections.filter((section) => section.rows.length > 0);
  const room = Math.max(1, rows - (note === undefined ? 0 : 1));
  const needed = shown.reduce((sum, section) => sum + section.rows.length + 2, 0) - 1;
  const roomOfRows = needed > room ? room - 1 : room;
  let hidden = 0;
  for (const { headers, rows: ofSection } of shown) {
    const layout = new ColumnLayout();
    const texts = layout.lines([headers, ...ofSection.map(({ cells }) => cells)]);
    const before = lines.length;
    if (before > 0) lines.push("");
    if (headers.length > 0) lines.push(cut(`  ${texts[0]}`, columns));
    ofSection.forEach(({ mark }, at) => {
      if (lines.length >= roomOfRows) hidden += 1;
      else lines.push(colored(cut(SIGNS[mark] + (texts[at + 1] as string), columns), isColored ? COLORS[mark] : ""));
    });
    if (lines.length > roomOfRows) lines.length = Math.min(before, roomOfRows);
  }
  if (hidden > 0)
    lines.push(cut(`${hidden} more ${hidden === 1 ? "row does" : "rows do"} not fit on the screen`, columns));
  if (note !== undefined) lines.push(cut(note, columns));
  return lines;
}

const colored = (line: string, color: string): string => (color === "" ? line : `${color}${line}${PLAIN}`);

function cut(line: string, columns: number): string {
  const end = line.trimEnd();
  return widthOf(end) <= columns ? end : `${[...end].slice(0, Math.max(0, columns - 1)).join("")}…`;
}
