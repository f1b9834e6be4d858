// Streams of JSON lines, as watches are.
import { textLines } from "./text-lines";

/** Yields the values of a stream. Bytes of a line may come in many parts. @throws Error for a line that is not JSON */
export async function* jsonLines(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown, void, undefined> {
  for await (const lines of textLines(body)) for (const line of lines) if (line.trim() !== "") yield JSON.parse(line);
}
