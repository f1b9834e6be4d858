// Placeholder.
import type { Session } from "../../../session/session";
import type { GetOptions } from "../get";
export async function watch(_session: Session, _words: readonly string[], _options: GetOptions): Promise<void> {}
