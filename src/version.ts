import pkg from '../package.json' with { type: 'json' };

/** The product's version, as package.json says it. */
export const VERSION: string = pkg.version;
