// The console in a browser, with a record of what its page does.
import { readFileSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { tool } from "./processes";

const TIMEOUT_MS = 30_000;

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: tool("chromium"), args: ["--no-sandbox", "--disable-gpu"] });

/** One tab with the console. */
export class ConsolePage {
  /** Addresses of all requests. */
  readonly requested: string[] = [];
  /** Texts that the page wrote to the browser's console. */
  readonly logged: string[] = [];
  /** Uncaught errors, dialogs of the browser, and breaches of the content security policy. */
  readonly faults: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly url: string,
  ) {
    page.setDefaultTimeout(TIMEOUT_MS);
    page.on("request", (request) => this.requested.push(request.url()));
    page.on("console", (message) => this.logged.push(message.text()));
    page.on("pageerror", (error) => this.faults.push(String(error)));
    page.on("dialog", (dialog) => {
      this.faults.push(`dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
  }

  /** @param url of the server */
  static async open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<ConsolePage> {
    const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options });
    const opened = new ConsolePage(await context.newPage(), url);
    await context.exposeBinding("reportViolation", (_source, text: string) => opened.faults.push(text));
    await context.addInitScript(REPORT_VIOLATIONS);
    return opened;
  }

  /** Opens the console by the link with a token. */
  async signIn(token: string): Promise<void> {
    await this.page.goto("about:blank");
    await this.page.goto(`${this.url}/ui#token=${token}`);
    await this.page.waitForSelector(".bar .name");
  }

  /** Goes to a page of the console without loading it again. */
  async go(address: string): Promise<void> {
    await this.page.evaluate(`location.hash = ${JSON.stringify(address.replace(/^#/, ""))}`);
  }

  text(words: string | RegExp) {
    return this.page.getByText(words).first();
  }

  /** Replaces the text of the editor. */
  async write(text: string): Promise<void> {
    await this.page.locator(".cm-content").click();
    await this.page.keyboard.press("Control+a");
    await this.page.keyboard.insertText(text);
  }

  /** Returns the serious and critical findings of axe-core, with the places of each. */
  async inaccessible(): Promise<string[]> {
    await this.page.evaluate(AXE);
    return this.page.evaluate(RUN_AXE);
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}

const REPORT_VIOLATIONS = `addEventListener("securitypolicyviolation", (event) =>
  reportViolation("policy: " + event.violatedDirective + " " + event.blockedURI));`;

/** Scripts that load axe-core, and that return its serious and critical findings with the places of each. */
export const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
export const RUN_AXE = `axe.run(document, {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
  resultTypes: ["violations"],
}).then(({ violations }) =>
  violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ html }) => html).join(" | ")),
)`;
