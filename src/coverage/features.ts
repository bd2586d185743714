/** The parts of the API, with the observations that show their use: any one of them is enough. */
export const FEATURES = {
  sales: ['call.postOrder'],
  price_orders: ['sale.price_refreshed'],
  quotes: ['call.postQuote'],
  refunds: ['call.postRefund'],
  discovery: ['call.searchDomains', 'call.showDomain', 'call.showAvailability', 'call.showPricing'],
  history: ['call.getEvents'],
  checkout: ['call.postCheckoutSession'],
  brokerage: ['call.getEligibility', 'call.postBrokerage'],
  referral: ['call.postLink', 'call.getLinks'],
  webhooks: ['hook.status_200'],
} as const satisfies Record<string, readonly string[]>;

export type Feature = keyof typeof FEATURES;

export const FEATURE_NAMES = Object.keys(FEATURES) as [Feature, ...Feature[]];
