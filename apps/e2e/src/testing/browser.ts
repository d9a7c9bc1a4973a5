import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page, type Request } from 'playwright-core';

/** Debian's program and package. */
const PROGRAM = 'chromium';
const WCAG_22_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

function programPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, PROGRAM)).find((file) => existsSync(file));
}

/** Chromium without a window. */
export class HeadlessBrowser {
  private constructor(private readonly browser: Browser) {}

  /** Why this machine has none, `undefined` if it has one. */
  static missing(): string | undefined {
    return programPath() === undefined ? `the browser tests need ${PROGRAM} (Debian: ${PROGRAM}) on the PATH` : undefined;
  }

  static async start(): Promise<HeadlessBrowser> {
    // Containers give no rights for its sandbox of processes; that of frames is another one.
    return new HeadlessBrowser(await chromium.launch({ executablePath: programPath(), args: ['--no-sandbox'] }));
  }

  /** A page with cookies of its own, which records what went wrong on it. */
  async open(options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB', ...options });
    return new WatchedPage(await context.newPage());
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}

/** A page of a browser that records its errors and its requests. */
export class WatchedPage {
  /** Errors of the page's console, and uncaught ones. */
  readonly errors: string[] = [];
  private readonly requests = new Set<Request>();

  constructor(readonly page: Page) {
    page.on('console', (message) => void (message.type() === 'error' && this.errors.push(message.text())));
    page.on('pageerror', (error) => this.errors.push(error.message));
    page.on('dialog', (dialog) => {
      this.errors.push(`a dialog of a script: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => this.requests.add(request));
    // Announced, and refused by the page's policy before it was sent.
    page.on('requestfailed', (request) => void (request.failure()?.errorText === 'csp' && this.requests.delete(request)));
  }

  /** The hosts that it has requested. */
  get hosts(): string[] {
    return [...new Set([...this.requests].map((request) => new URL(request.url()).host))];
  }

  /** Violations of WCAG 2.2 AA on the page, each with the elements. */
  async violations(): Promise<string[]> {
    if (!(await this.page.evaluate('"axe" in globalThis')))
      await this.page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
    return this.page.evaluate(async (tags) => {
      const { axe } = globalThis as unknown as { axe: Axe };
      const { violations } = await axe.run(document, { runOnly: tags, resultTypes: ['violations'] });
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`);
    }, WCAG_22_AA);
  }

  /** Pixels by which the page is wider than the window, once it has drawn itself in a new size. */
  async overflow(): Promise<number> {
    await this.page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    return this.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  }

  close(): Promise<void> {
    return this.page.context().close();
  }
}

interface Axe {
  run(
    context: object,
    options: { runOnly: string[]; resultTypes: string[] },
  ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}
declare const document: { documentElement: { scrollWidth: number } };
declare const innerWidth: number;
declare function requestAnimationFrame(callback: (time: number) => void): number;
