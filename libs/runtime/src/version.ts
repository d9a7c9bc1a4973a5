/** Version of the product, shown in its API's description. */
export const VERSION = '0.1.0';
