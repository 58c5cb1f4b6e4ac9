/** Hostile values that no client sends on purpose, and ways to spoil a good one. */
import type { SeededRandom } from '../simulation/world/seeded-random.ts';

const LONG = 5_000;
const DEEP = 2_000;
/** Larger values are not spoiled further. */
const SIZE_MAX = 1_000;

function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 'x';
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
}

/** `JSON.parse` makes an own property of it, a literal would not. */
const POLLUTED: unknown = JSON.parse(
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
);

const HOSTILE: readonly unknown[] = [
  ...[null, true, false, 0, -0, -1, 1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, 5e-324],
  ...['', ' ', '0', '-1', 'true', 'null', 'undefined', 'NaN', 'Infinity', '[object Object]'],
  ...['\u0000', 'a\u0000b', '\ud800', '\udc00\ud800', '\ufeff', '\u202eabc', '\u2028', '\u200b'],
  ...[
    'é'.repeat(300),
    '👩‍👩‍👧‍👦'.repeat(50),
    'x'.repeat(LONG),
    '\u0301'.repeat(LONG),
    'ﷺ'.repeat(40),
  ],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '$where', '$gt', 'a.b.$[]'],
  ...['../../etc/passwd', '%00', '%2e%2e%2f', "' OR 1=1 --", '<script>1</script>', '{{7*7}}'],
  ...[
    '{{contact.name | append: "x"}}',
    '\u0024{jndi:ldap://127.0.0.1/x}',
    '\r\nX-Injected: 1',
    '(a+)+$',
  ],
  ...['2026-02-30', '2026-13-01', '0000-00-00', '9999-12-31', '24:00', '25:61', '1e9', '0x10'],
  ...['http://127.0.0.1:1/', 'http://[::1]/', 'file:///etc/passwd', 'http://169.254.169.254/'],
  ...['+55 11 98888-7777', '55119888877', '(((((((((', '+++++++++++', '00000000000000', '+1 () -'],
  ...[[], {}, [[]], [null], ['x'.repeat(LONG)], { $ne: null }, { $gt: '' }, { $where: '1' }],
  ...[
    POLLUTED,
    { toString: 1 },
    { toJSON: null },
    { length: -1 },
    { '': '' },
    { 'a.b': { $c: 1 } },
  ],
  ...[{ 'x\u0000y': 'z' }, { '\ud800': 'z' }, new Array(500).fill('x'), new Array(3_000).fill(0)],
  nested(DEEP, (inner) => [inner]),
  nested(DEEP, (inner) => ({ a: inner })),
  Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, 'v'])),
];

export function hostileValue(random: SeededRandom): unknown {
  return random.pick(HOSTILE);
}

/** One place in the value, as likely as any other, is not what it was. */
export function corrupted(random: SeededRandom, value: unknown): unknown {
  const size = sizeOf(value);
  return size > SIZE_MAX ? value : corruptedAt(random, value, random.below(size));
}

/** How many values it holds, itself included. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return 1 + Object.values(value).reduce((sum: number, inner) => sum + sizeOf(inner), 0);
}

/** @param place counts the values inside, depth first; 0 is the value itself */
function corruptedAt(random: SeededRandom, value: unknown, place: number): unknown {
  if (typeof value !== 'object' || value === null) return hostileValue(random);
  const entries: [string, unknown][] = Object.entries(value);
  if (place === 0) return respelled(random, value, entries);
  let before = 1;
  for (const [index, [name, inner]] of entries.entries()) {
    const size = sizeOf(inner);
    if (place < before + size) {
      entries[index] = [name, corruptedAt(random, inner, place - before)];
      break;
    }
    before += size;
  }
  return remade(value, entries);
}

/** Another value, or the same with an entry more, less, doubled or under another name. */
function respelled(random: SeededRandom, value: object, entries: [string, unknown][]): unknown {
  const kind = random.below(5);
  const index = random.below(entries.length);
  const chosen = entries[index];
  if (kind === 0) return hostileValue(random);
  if (chosen === undefined || kind === 1) {
    const name = random.pick(['extra', '__proto__', 'id', 'constructor', '$set', '']);
    entries.push([name, hostileValue(random)]);
  } else if (kind === 2) entries.splice(index, 1);
  else if (kind === 3) entries.splice(index, 0, chosen);
  else entries[index] = [`${chosen[0]} `, chosen[1]];
  return remade(value, entries);
}

function remade(value: object, entries: readonly [string, unknown][]): object {
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : plainObject(entries);
}

/** With `__proto__` as a property like any other. */
function plainObject(entries: readonly [string, unknown][]): object {
  const object = {};
  for (const [name, value] of entries) {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true });
  }
  return object;
}

/** The bytes of a JSON text, not quite as they should be. */
export function corruptedBytes(random: SeededRandom, bytes: Buffer): Buffer {
  const text = bytes.toString('utf8');
  const at = random.below(bytes.length + 1);
  const ways: readonly (() => Buffer)[] = [
    () => bytes.subarray(0, at),
    () => Buffer.concat([bytes.subarray(0, at), Buffer.of(random.below(256)), bytes.subarray(at)]),
    () =>
      Buffer.from(
        bytes.map((byte, index) => (index === at ? byte ^ (1 << random.below(8)) : byte)),
      ),
    () => Buffer.concat([bytes, bytes]),
    () => Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), bytes]),
    () => Buffer.from(text, 'utf16le'),
    () => Buffer.from(text, 'latin1'),
    () => Buffer.from(text.replace(/"(?=\w+":)/, '"__proto__":{"polluted":true},"')),
    () => Buffer.from(text.replace(/:\s*("[^"]*"|\d+)/, ':1e999')),
    () => Buffer.from(text.replaceAll('"', "'")),
    () => Buffer.from('['.repeat(100_000)),
    () => Buffer.from(`{"a":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_001)}`),
    () =>
      Buffer.from(
        random.pick(['', '{', 'null', '[]', '"x"', '1', 'NaN', '{"a":1,}', '//', '\u0000']),
      ),
    () => Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28]),
    () => Buffer.alloc(random.pick([1, 64, 70_000]), random.below(256)),
  ];
  return random.pick(ways)();
}
