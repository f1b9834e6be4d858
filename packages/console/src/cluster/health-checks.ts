// Health checks of a server, one by one. Source: Kubernetes documentation, "Kubernetes API health endpoints".

export interface HealthCheck {
  readonly name: string;
  readonly isOk: boolean;
  /** Words of the check. */
  readonly text: string;
}

export interface Health {
  readonly checks: readonly HealthCheck[];
  /** Warnings, which do not make the server unhealthy. */
  readonly warnings: readonly string[];
}

const CHECK = /^\[([+-])\](\S+) ?(.*)$/;
const WARNING = /^warn: (.*)$/;
const LINES_MAX = 1000;

/** Reads an answer with the parameter `verbose`. Other lines are left out. */
export function healthIn(text: string): Health {
  const checks: HealthCheck[] = [];
  const warnings: string[] = [];
  for (const line of text.split("\n", LINES_MAX)) {
    const [, sign, name = "", words = ""] = CHECK.exec(line) ?? [];
    if (sign !== undefined) checks.push({ name, isOk: sign === "+", text: words });
    const warning = WARNING.exec(line)?.[1];
    if (warning !== undefined) warnings.push(warning);
  }
  return { checks, warnings };
}
