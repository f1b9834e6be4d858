// Requests that the proxy passes on. Source: kubectl/pkg/proxy/proxy_server.go, FilterServer.
import { CliError } from "../../process/cli-error";

export interface FilterPatterns {
  /** Regular expressions, separated by commas. */
  readonly acceptPaths: string;
  readonly rejectPaths: string;
  readonly acceptHosts: string;
  readonly rejectMethods: string;
}

export class RequestFilter {
  private readonly acceptPaths: readonly RegExp[];
  private readonly rejectPaths: readonly RegExp[];
  private readonly acceptHosts: readonly RegExp[];
  private readonly rejectMethods: readonly RegExp[];

  /** @throws CliError for a pattern that is no regular expression */
  constructor(patterns: FilterPatterns) {
    this.acceptPaths = expressions("--accept-paths", patterns.acceptPaths);
    this.rejectPaths = expressions("--reject-paths", patterns.rejectPaths);
    this.acceptHosts = expressions("--accept-hosts", patterns.acceptHosts);
    this.rejectMethods = expressions("--reject-methods", patterns.rejectMethods);
  }

  /**
   * Tells whether a request is passed on.
   * @param path path without the query
   * @param host Host header
   */
  accepts(method: string, path: string, host: string): boolean {
    const matches = (list: readonly RegExp[], text: string) => list.some((each) => each.test(text));
    return (
      !matches(this.rejectPaths, path) &&
      !matches(this.rejectMethods, method) &&
      matches(this.acceptPaths, path) &&
      matches(this.acceptHosts, withoutPort(host))
    );
  }
}

const withoutPort = (host: string): string => host.replace(/:\d+$/, "");

function expressions(option: string, text: string): readonly RegExp[] {
  return text
    .split(",")
    .filter((each) => each !== "")
    .map((each) => {
      try {
        return new RegExp(each);
      } catch {
        throw new CliError(`${option}: ${JSON.stringify(each)} is not a regular expression`);
      }
    });
}
