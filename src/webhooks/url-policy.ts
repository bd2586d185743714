import { BlockList, isIP } from 'node:net';
import { validationError } from '../kernel/errors.ts';

let known: BlockList | undefined;

/** Where no receiver of a partner's lives, but a cloud machine's credentials may. Made when first needed. */
function forbidden(): BlockList {
  if (known) return known;
  known = new BlockList();
  known.addSubnet('169.254.0.0', 16, 'ipv4');
  known.addAddress('100.100.100.200', 'ipv4');
  known.addAddress('192.0.0.192', 'ipv4');
  known.addAddress('168.63.129.16', 'ipv4');
  known.addSubnet('fe80::', 10, 'ipv6');
  known.addAddress('fd00:ec2::254', 'ipv6');
  // 169.254.0.0/16 in the IPv6 clothes that networks translate: compatible, translated, NAT64, 6to4.
  known.addSubnet('::a9fe:0', 112, 'ipv6');
  known.addSubnet('::ffff:0:a9fe:0', 112, 'ipv6');
  known.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');
  known.addSubnet('2002:a9fe::', 32, 'ipv6');
  return known;
}

/** Whether an address is link-local or a metadata service's; deliveries there are refused. */
export function isForbiddenAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 0) return false;
  // Also sees through IPv4-mapped IPv6 addresses.
  return forbidden().check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Checks a webhook url: http or https, no user info, no forbidden address (names are looked at when an
 * attempt resolves them).
 * @throws validation_error
 */
export function requireWebhookUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url) throw validationError('url: not an absolute URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw validationError('url: must be http or https');
  }
  if (url.username !== '' || url.password !== '') {
    throw validationError('url: must not carry a user name or password');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isForbiddenAddress(host)) {
    throw validationError('url: link-local and metadata addresses are refused');
  }
  return url;
}
