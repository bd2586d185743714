import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { parseHttpUrl } from '../kernel/addresses.ts';
import { validationError } from '../kernel/errors.ts';

/** Addresses that cannot be receivers: cloud metadata services, which expose credentials, multicast and broadcast. */
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

/** Prefixes of IPv6 addresses that embed an IPv4 address, and the positions of its bytes. */
const EMBEDDINGS: readonly { prefix: readonly number[]; bytes: readonly number[] }[] = [
  { prefix: [0, 0, 0, 0, 0, 0], bytes: [12, 13, 14, 15] }, // compatible
  { prefix: [0, 0, 0, 0, 0, 0xffff], bytes: [12, 13, 14, 15] }, // mapped
  { prefix: [0, 0, 0, 0, 0xffff, 0], bytes: [12, 13, 14, 15] }, // translated
  { prefix: [0x2002], bytes: [2, 3, 4, 5] }, // 6to4
  { prefix: [0x64, 0xff9b, 0, 0, 0, 0], bytes: [12, 13, 14, 15] }, // NAT64
  // Local-use NAT64 (RFC 8215); the position depends on the length of the network's prefix (RFC 6052).
  ...[
    [6, 7, 9, 10],
    [7, 9, 10, 11],
    [9, 10, 11, 12],
    [12, 13, 14, 15],
  ].map((bytes) => ({ prefix: [0x64, 0xff9b, 1], bytes })),
];

let blockList: BlockList | undefined;

/** Built on first use. */
function forbiddenAddresses(): BlockList {
  if (blockList) return blockList;
  blockList = new BlockList();
  for (const [address, prefix] of FORBIDDEN.ipv4) blockList.addSubnet(address, prefix, 'ipv4');
  for (const [address, prefix] of FORBIDDEN.ipv6) blockList.addSubnet(address, prefix, 'ipv6');
  return blockList;
}

/** Returns whether an address is link-local, multicast, broadcast or of a metadata service, in any form. */
export function isForbiddenAddress(address: string): boolean {
  if (isIPv4(address)) return forbiddenAddresses().check(address, 'ipv4');
  const withoutZone = address.replace(/%.*$/, '');
  if (!isIPv6(withoutZone)) return false;
  if (forbiddenAddresses().check(withoutZone, 'ipv6')) return true;
  return embeddedIpv4(withoutZone).some((ipv4) => forbiddenAddresses().check(ipv4, 'ipv4'));
}

function embeddedIpv4(address: string): string[] {
  const groups = groupsOf(address);
  const bytes = groups.flatMap((group) => [group >> 8, group & 0xff]);
  return EMBEDDINGS.filter(({ prefix }) => prefix.every((group, n) => groups[n] === group)).map(
    (embedding) => embedding.bytes.map((at) => bytes[at]).join('.'),
  );
}

function groupsOf(address: string): number[] {
  // The URL parser converts a dotted tail to hex.
  const text = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = [], tail = []] = text
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
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
