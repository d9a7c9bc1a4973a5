"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.waitUntil = waitUntil;
const promises_1 = require("node:timers/promises");
/**
 * Looks until `condition` gives something true, and resolves with it. An error it throws counts as "not yet"; the last one
 * is the cause of the error that ends the waiting.
 */
async function waitUntil(condition, { what = 'the condition', timeoutMs = 10_000, intervalMs = 10 } = {}) {
    const until = performance.now() + timeoutMs;
    let cause;
    do {
        try {
            const result = await condition();
            if (result)
                return result;
            cause = undefined;
        }
        catch (error) {
            cause = error;
        }
        await (0, promises_1.setTimeout)(intervalMs);
    } while (performance.now() < until);
    throw new Error(`Waited ${timeoutMs} ms in vain for ${what}`, { cause });
}
//# sourceMappingURL=wait-until.js.map