import type { BrowserContextOptions } from 'playwright-core';
import { HeadlessBrowser, type WatchedPage } from './browser';
import { SharedSystem } from './shared-system';

/** What a page shows within, although the machine is busy; a new message is promised within 5 s. */
const WITHIN_MS = 30_000;
const SCHEMES = ['light', 'dark'] as const;
const VIEWPORTS = [
  { width: 1280, height: 900 },
  { width: 320, height: 800 },
];

/** Pages of the console of a shared system. */
export class ConsolePages {
  private system?: SharedSystem;
  private browser?: HeadlessBrowser;
  private opened: WatchedPage[] = [];

  /** Pages for the tests of a file; they are closed after each. @param onJoined gets the system before the first test. */
  static use(onJoined: (system: SharedSystem) => void): ConsolePages {
    const pages = new ConsolePages();
    beforeAll(async () => {
      if (HeadlessBrowser.missing() !== undefined) return;
      pages.system = await SharedSystem.join({ mail: true });
      onJoined(pages.system);
      pages.browser = await HeadlessBrowser.start();
    });
    afterEach(async () => {
      await Promise.all(pages.opened.map((one) => one.close()));
      pages.opened = [];
    });
    afterAll(async () => {
      await pages.browser?.close();
      await pages.system?.leave();
    });
    return pages;
  }

  /** The address of a page of the console, or of the reference at `/docs`. */
  address(path: string): string {
    return `${this.system!.url}${isPublic(path) ? '' : '/console'}${path}`;
  }

  async open(path: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const watched = await this.browser!.open(options);
    this.opened.push(watched);
    watched.page.setDefaultTimeout(WITHIN_MS);
    await watched.page.goto(this.address(path));
    return watched;
  }

  /** A page at `path` after its sign-in. @param key default: that of the system's workspace */
  async signedIn(
    path: string,
    { key = this.system!.key, ...options }: BrowserContextOptions & { key?: string } = {},
  ): Promise<WatchedPage> {
    const watched = await this.open(path, options);
    await signIn(watched, key);
    return watched;
  }

  /**
   * What is wrong with pages, and with the sign-in unless they need none: each is loaded once, then shown in both schemes, on a wide
   * screen and a phone. @param key default: as `signedIn`
   */
  async faultsOf(paths: readonly string[], key = this.system!.key): Promise<string[]> {
    const found: string[] = [];
    const watched = await this.open(paths[0]!);
    await watched.page.getByRole('heading', { level: 1 }).waitFor();
    if (!isPublic(paths[0]!)) {
      found.push(...(await faultsInAllViews(watched, 'the sign-in')));
      await signIn(watched, key);
    }
    for (const path of paths) {
      await watched.page.goto(this.address(path));
      await loaded(watched, path);
      found.push(...(await faultsInAllViews(watched, path)));
    }
    const others = watched.hosts.filter((host) => host !== new URL(this.system!.url).host);
    return [...found, ...others.map((host) => `a request to ${host}`)];
  }
}

/** Resolves when the page has its heading and all that it loads. @param what names it in the error */
async function loaded({ page, errors }: WatchedPage, what: string): Promise<void> {
  try {
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByText('Loading …').first().waitFor({ state: 'hidden' });
  } catch (error) {
    const text = await page.locator('body').innerText();
    throw new Error(`${what} is not loaded; it says ${JSON.stringify(text.slice(0, 500))}, errors ${JSON.stringify(errors)}`, {
      cause: error,
    });
  }
}

function isPublic(path: string): boolean {
  return path === '/docs' || path.startsWith('/docs/') || path.startsWith('/docs?');
}

/** Signs in on the page of the sign-in. */
export async function signIn({ page }: WatchedPage, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** Violations of WCAG 2.2 AA, errors, and what does not fit, in each scheme and width. @param what names the page */
async function faultsInAllViews(watched: WatchedPage, what: string): Promise<string[]> {
  const found: string[] = [];
  for (const viewport of VIEWPORTS) {
    await watched.page.setViewportSize(viewport);
    for (const colorScheme of SCHEMES) {
      await watched.page.emulateMedia({ colorScheme });
      const overflow = await watched.overflow();
      const faults = [...(await watched.violations()), ...watched.errors.splice(0), ...(overflow > 0 ? [`${overflow} px too wide`] : [])];
      found.push(...faults.map((fault) => `${what} ${viewport.width} ${colorScheme}: ${fault}`));
    }
  }
  return found;
}
