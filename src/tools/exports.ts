/** What tools add to the exports of the package, beside the list in `index.ts`. */
export * from './receiver-tests/api.ts';
