import type { BrowserContextOptions } from 'playwright-core';
import { HeadlessBrowser, type WatchedPage } from './browser';
import type { SharedSystem } from './shared-system';

/** What a page shows within, although the machine is busy; a new message is promised within 5 s. */
const WITHIN_MS = 30_000;
const SCHEMES = ['light', 'dark'] as const;
const VIEWPORTS = [
  { width: 1280, height: 900 },
  { width: 320, height: 800 },
];

/** Pages of a product's console. They are open until `closeAll`. */
export class ConsolePages {
  private opened: WatchedPage[] = [];

  private constructor(
    private readonly system: SharedSystem,
    private readonly browser: HeadlessBrowser,
  ) {}

  static async start(system: SharedSystem): Promise<ConsolePages> {
    return new ConsolePages(system, await HeadlessBrowser.start());
  }

  address(path: string): string {
    return `${this.system.url}/console${path}`;
  }

  async open(path: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const watched = await this.browser.open(options);
    this.opened.push(watched);
    watched.page.setDefaultTimeout(WITHIN_MS);
    await watched.page.goto(this.address(path));
    return watched;
  }

  /** A page at `path` after its sign-in. @param key default: that of the system's workspace */
  async signedIn(path: string, { key = this.system.key, ...options }: BrowserContextOptions & { key?: string } = {}): Promise<WatchedPage> {
    const watched = await this.open(path, options);
    await signIn(watched, key);
    return watched;
  }

  /** What is wrong with pages, and with the sign-in, in both schemes, on a wide screen and a phone. @param key default: as `signedIn` */
  async faultsOf(paths: readonly string[], key = this.system.key): Promise<string[]> {
    const found: string[] = [];
    for (const colorScheme of SCHEMES)
      for (const viewport of VIEWPORTS) {
        const where = `${viewport.width} ${colorScheme}`;
        const watched = await this.open(paths[0]!, { colorScheme, viewport });
        await watched.page.getByRole('heading', { level: 1 }).waitFor();
        found.push(...(await faultsOf(watched)).map((fault) => `the sign-in ${where}: ${fault}`));
        await signIn(watched, key);
        for (const path of paths) {
          await watched.page.goto(this.address(path));
          await watched.page.getByRole('heading', { level: 1 }).waitFor();
          await watched.page.getByText('Loading …').first().waitFor({ state: 'hidden' });
          found.push(...(await faultsOf(watched)).map((fault) => `${path} ${where}: ${fault}`));
        }
        const others = watched.hosts.filter((host) => host !== new URL(this.system.url).host);
        found.push(...others.map((host) => `${where}: a request to ${host}`));
      }
    return found;
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.opened.map((one) => one.close()));
    this.opened = [];
  }

  end(): Promise<void> {
    return this.browser.close();
  }
}

async function signIn({ page }: WatchedPage, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** Violations of WCAG 2.2 AA, errors, and what does not fit. */
async function faultsOf(watched: WatchedPage): Promise<string[]> {
  const overflow = await watched.overflow();
  return [...(await watched.violations()), ...watched.errors.splice(0), ...(overflow > 0 ? [`${overflow} px too wide`] : [])];
}
