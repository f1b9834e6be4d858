// Questions to the person at a terminal.
import { createInterface } from "node:readline";
import type { Io } from "../process/io";

/** Tells whether a person can be asked: standard input and standard error are terminals. */
export const canAsk = ({ stdin, stderr }: Io): boolean => stdin.isTTY === true && stderr.isTTY === true;

/** Asks a question that is answered with yes or no. Anything but `y` and `yes`, and the end of the input, is no. */
export async function confirmed(io: Io, question: string, signal?: AbortSignal): Promise<boolean> {
  return /^y(?:es)?$/i.test((await answerTo(io, `${question} (y/N): `, signal)).trim());
}

/** Asks for a line of text. @returns "" at the end of the input */
function answerTo(io: Io, question: string, signal?: AbortSignal): Promise<string> {
  const lines = createInterface({ input: io.stdin, output: io.stderr, terminal: io.stdin.isTTY === true });
  return new Promise((resolve, reject) => {
    const stop = () => {
      lines.close();
      reject(signal?.reason ?? new Error("interrupted"));
    };
    signal?.addEventListener("abort", stop, { once: true });
    // The interface takes the interrupt key from the terminal and hands it on as a signal of the process.
    lines.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
    lines.once("close", () => {
      signal?.removeEventListener("abort", stop);
      resolve("");
    });
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}
