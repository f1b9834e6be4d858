// Streams of JSON lines, as watches are.

/** Yields the values of a stream. Bytes of a line may come in many parts. @throws Error for a line that is not JSON */
export async function* jsonLines(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  /** Parts of a line whose end has not come yet. They are joined once, because a line may come in many parts. */
  let parts: string[] = [];
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const lines = decoder.decode(value, { stream: true }).split("\n");
      const last = lines.pop() ?? "";
      for (const end of lines) {
        const line = parts.length === 0 ? end : [...parts, end].join("");
        parts = [];
        if (line.trim() !== "") yield JSON.parse(line);
      }
      if (last !== "") parts.push(last);
    }
    const rest = parts.join("") + decoder.decode();
    if (rest.trim() !== "") yield JSON.parse(rest);
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
