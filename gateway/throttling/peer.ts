/**
 * Identity of a peer by its address. The holder of one IPv6 address has the 2^64 addresses of its
 * network: they are one peer. An IPv4 address is one peer, in any notation.
 */

const GROUPS = 8;
const NETWORK_GROUPS = 4;
const MAPPED = /^(?:0{1,4}:){5}ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

export function peerOf(address: string): string {
  if (!address.includes(':')) return address;
  const groups = groupsOf(address.toLowerCase());
  const mapped = MAPPED.exec(groups.join(':'));
  if (mapped) return dotted(`${mapped[1]?.padStart(4, '0')}${mapped[2]?.padStart(4, '0')}`);
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.padStart(4, '0'));
  return `${network.join(':')}::/64`;
}

/** All eight groups, also of a shortened address or of one that ends as an IPv4 address. */
function groupsOf(address: string): readonly string[] {
  const plain = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = '', tail] = plain.split('::');
  const before = head === '' ? [] : head.split(':');
  if (tail === undefined) return before;
  const after = tail === '' ? [] : tail.split(':');
  const missing = Math.max(0, GROUPS - before.length - after.length);
  return [...before, ...Array.from({ length: missing }, () => '0'), ...after];
}

function dotted(hex: string): string {
  return [0, 2, 4, 6].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join('.');
}
