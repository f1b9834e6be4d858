// Bodies of HTTP messages between the processes of a test run.
import type { IncomingMessage } from "node:http";

/**
 * Reads the whole body of a message.
 * @param largestBytes bound of its length
 * @throws RangeError for a longer body
 */
export async function messageText(message: IncomingMessage, largestBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of message as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > largestBytes) throw new RangeError(`a message is longer than ${largestBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
