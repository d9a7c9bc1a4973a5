export interface WaitOptions {
    /** What is waited for, for the error's text. */
    what?: string;
    /** Guard against hanging, never part of what is tested. Default 10 s. */
    timeoutMs?: number;
    /** Pause between two looks. Default 10 ms. */
    intervalMs?: number;
}
/**
 * Looks until `condition` gives something true, and resolves with it. An error it throws counts as "not yet"; the last one
 * is the cause of the error that ends the waiting.
 */
export declare function waitUntil<Result>(condition: () => Result | Promise<Result>, { what, timeoutMs, intervalMs }?: WaitOptions): Promise<NonNullable<Result>>;
