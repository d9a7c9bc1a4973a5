import type { Locator } from 'playwright-core';
import { waitUntil } from '@tidings/testing/wait-until';

/** Resolves when the first of the elements is shown. */
export async function expectShown(element: Locator): Promise<void> {
  await element.first().waitFor({ state: 'visible' });
}

/** Resolves when there are so many of the elements. */
export async function expectCount(elements: Locator, count: number): Promise<void> {
  await waitUntil(async () => (await elements.count()) === count, { what: `${count} of ${String(elements)}`, intervalMs: 100 });
}

/** Resolves when one of the elements has a text. */
export async function expectText(elements: Locator, text: RegExp): Promise<void> {
  let last: string[] = [];
  const what = `${text.source} in ${String(elements)}`;
  try {
    await waitUntil(async () => (last = await elements.allInnerTexts()).some((one) => text.test(one)), { what, intervalMs: 100 });
  } catch (error) {
    throw new Error(`${what}: it has ${JSON.stringify(last)}`, { cause: error });
  }
}
