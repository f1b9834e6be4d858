// Health checks of a server, one by one. Source: Kubernetes documentation, "Kubernetes API health endpoints".
import type { Client } from "@orch/client";
import { readPage } from "../pages/page";

interface HealthCheck {
  readonly name: string;
  readonly isOk: boolean;
  /** Text after the name when the check has failed. */
  readonly text: string;
}

export interface Health {
  readonly isOk: boolean;
  readonly checks: readonly HealthCheck[];
  /** Answer without a list of checks. */
  readonly problem?: string;
}

const LINE = /^\[([+-])\](\S+) ?(.*)$/;
const PROBLEM_CHARACTERS = 200;

/** @param path `/readyz` or `/livez` @throws ConnectionError, TimeoutError */
export async function healthAt(client: Client, path: string, timeoutMs: number): Promise<Health> {
  const { status, text } = await readPage(client, { path: `${path}?verbose`, timeoutMs });
  const checks = checksIn(text);
  const isOk = status === 200;
  return {
    isOk,
    checks,
    ...(!isOk &&
      checks.length === 0 && { problem: `HTTP status ${status}: ${text.trim().slice(0, PROBLEM_CHARACTERS)}` }),
  };
}

function checksIn(text: string): HealthCheck[] {
  return text.split("\n").flatMap((line) => {
    const [, sign, name = "", rest = ""] = LINE.exec(line) ?? [];
    return sign === undefined ? [] : [{ name, isOk: sign === "+", text: sign === "+" ? "" : rest }];
  });
}
