// Lines of a stream of text.

/**
 * Yields the lines of a stream as they come, several at a time. Bytes of a line may come in many parts.
 *
 * @param maxCharacters of the whole stream @throws Error for a longer one
 */
export async function* textLines(
  body: ReadableStream<Uint8Array>,
  maxCharacters = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly string[], void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  /** Parts of a line whose end has not come yet. They are joined once, because a line may come in many parts. */
  let parts: string[] = [];
  let characters = 0;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const text = decoder.decode(value, { stream: true });
      characters += text.length;
      if (characters > maxCharacters) throw new Error(`The answer has more than ${maxCharacters} characters.`);
      const lines = text.split("\n");
      const last = lines.pop() ?? "";
      if (lines.length > 0) {
        lines[0] = [...parts, lines[0]].join("");
        parts = [];
        yield lines;
      }
      if (last !== "") parts.push(last);
    }
    yield [parts.join("") + decoder.decode()];
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
