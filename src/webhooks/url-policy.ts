import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { parseHttpUrl } from '../kernel/addresses.ts';
import { validationError } from '../kernel/errors.ts';
import { lazily } from '../kernel/lazily.ts';

/** Subnets that have no receivers: cloud metadata services, which expose credentials, multicast and broadcast. */
const FORBIDDEN = {
  ipv4: [
    ['169.254.0.0', 16], // link-local, and the metadata of most clouds
    ['100.100.100.200', 32], // metadata, Alibaba
    ['192.0.0.192', 32], // metadata, Oracle
    ['168.63.129.16', 32], // Azure's host
    ['224.0.0.0', 4], // multicast
    ['255.255.255.255', 32], // broadcast
  ],
  ipv6: [
    ['fe80::', 10], // link-local
    ['fd00:ec2::254', 128], // metadata, AWS
    ['fd20:ce::254', 128], // metadata, Google
    ['ff00::', 8], // multicast
  ],
} as const;

/** IPv6 prefixes of 96 bits before an IPv4 address: compatible, translated, NAT64. `BlockList` knows mapped addresses. */
const EMBEDDING_PREFIXES = ['::', '::ffff:0:', '64:ff9b::', '64:ff9b:1::'];

/** Built on first use. */
const forbiddenAddresses = lazily(() => {
  const list = new BlockList();
  for (const [address, bits] of FORBIDDEN.ipv6) list.addSubnet(address, bits, 'ipv6');
  for (const [address, bits] of FORBIDDEN.ipv4) {
    list.addSubnet(address, bits, 'ipv4');
    for (const prefix of EMBEDDING_PREFIXES) list.addSubnet(prefix + address, 96 + bits, 'ipv6');
  }
  return list;
});

/** Returns whether an address is link-local, multicast, broadcast or of a metadata service, in any form. */
export function isForbiddenAddress(address: string): boolean {
  const withoutZone = address.replace(/%.*$/, '');
  if (isIPv4(withoutZone)) return forbiddenAddresses().check(withoutZone, 'ipv4');
  return isIPv6(withoutZone) && forbiddenAddresses().check(withoutZone, 'ipv6');
}

/** Returns why a text is not a valid webhook URL, if so. Host names are resolved and checked at each attempt. */
export function webhookUrlProblem(text: string): string | undefined {
  const url = parseHttpUrl(text);
  if (!url) return 'must be an absolute http or https URL, without user name or password';
  if (isForbiddenAddress(url.hostname.replace(/^\[|\]$/g, ''))) {
    return 'must not lead to a link-local, metadata, multicast or broadcast address';
  }
  return undefined;
}

/** Parses a webhook url. @throws validation_error */
export function requireWebhookUrl(text: string): URL {
  const problem = webhookUrlProblem(text);
  if (problem !== undefined) throw validationError(`url: ${problem}`);
  return new URL(text);
}
