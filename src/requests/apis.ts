/** What a logged request was sent to; `page` is a hosted page. */
export const APIS = ['partner', 'control', 'page'] as const;
export type Api = (typeof APIS)[number];
