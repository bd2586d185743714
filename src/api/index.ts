import { type Endpoint, named } from '../http/endpoint.ts';
import { getCase, getCases, getEligibility, postBrokerage } from './brokerage.ts';
import { searchDomains, showAvailability, showDomain, showPricing } from './domains.ts';
import { getLinks, postLink } from './links.ts';
import { getAnalytics, getMyClicks, getMyCommissions, getMySales } from './reports.ts';
import {
  getOrder,
  getOrders,
  postCheckoutSession,
  postOrder,
  postQuote,
  postRefund,
} from './sales.ts';
import { getMyPayouts, getPayouts, getSettlements, getTransactions } from './settlements.ts';
import { getEvents, putWebhook } from './webhooks.ts';

/** Every endpoint of the partner API. If two paths match, the first one is used. */
export const ENDPOINTS: readonly Endpoint[] = Object.values(
  named({
    searchDomains,
    showDomain,
    showAvailability,
    showPricing,
    postQuote,
    postOrder,
    getOrders,
    getOrder,
    postCheckoutSession,
    getSettlements,
    getTransactions,
    getPayouts,
    getCases,
    postRefund,
    getEligibility,
    postBrokerage,
    getCase,
    postLink,
    getLinks,
    getMyClicks,
    getMySales,
    getMyCommissions,
    getMyPayouts,
    getAnalytics,
    putWebhook,
    getEvents,
  }),
);
