/** Links in texts of others: what becomes one, where it leads, and what stays text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapHref, partsOf } from '../../../../../gateway/panel/browser/base/links.ts';

const TEXT_MAX_CHARS = 65_536;
/** Of the processor: others may use the machine. */
const LINEAR_MS = 1_000;

function linksIn(text: string): readonly (readonly [string, string])[] {
  const parts = partsOf(text);
  assert.equal(parts.map((part) => part.text).join(''), text, 'the parts are the text');
  return parts.flatMap(({ text: shown, href }) => (href === undefined ? [] : [[shown, href]]));
}

for (const [text, ...links] of [
  ['Veja https://loja.com.br/a(b)?x=1.', ['https://loja.com.br/a(b)?x=1']],
  ['(https://a.com/x)', ['https://a.com/x']],
  ['Está em www.loja.com.br!', ['www.loja.com.br', 'https://www.loja.com.br/']],
  [
    'wa.me/5511987654321?text=oi',
    ['wa.me/5511987654321?text=oi', 'https://wa.me/5511987654321?text=oi'],
  ],
  [
    'para ana+loja@example.com.br, ok',
    ['ana+loja@example.com.br', 'mailto:ana+loja@example.com.br'],
  ],
  ['(11) 98765-4321', ['(11) 98765-4321', 'tel:+5511987654321']],
  [
    '11987654321 ou 11 3456-7890',
    ['11987654321', 'tel:+5511987654321'],
    ['11 3456-7890', 'tel:+551134567890'],
  ],
  ['+55 11 98765-4321', ['+55 11 98765-4321', 'tel:+5511987654321']],
  ['+1 (415) 555-2671', ['+1 (415) 555-2671', 'tel:+14155552671']],
  ['<a href="https://a.com/">', ['https://a.com/']],
] as const) {
  test(`a link leads where it seems to: ${text}`, () => {
    assert.deepEqual(
      linksIn(text),
      links.map(([shown, href = shown]) => [shown, href]),
    );
  });
}

for (const text of [
  'javascript:alert(1)',
  'data:text/html,https://a.com/',
  'file:///etc/passwd',
  'https://banco.com@a.com/x',
  'http://ana:senha@a.com',
  'https://\u202egro.live',
  'https://\u200ba.com',
  'https://localhost/x',
  'Oi.Tudo bem',
  'CPF 123.456.789-00',
  'CNPJ 12.345.678/0001-90',
  'pedido 1234567890',
  '55119876543210000',
  '2026-11-30 10:00',
  'R$ 1.250,00',
  '-23.5505, -46.6333',
]) {
  test(`it stays text: ${JSON.stringify(text)}`, () => assert.deepEqual(linksIn(text), []));
}

test('the longest text of any kind takes no time', () => {
  for (const piece of [
    'W',
    '1',
    '+1 ',
    'a.',
    'a@',
    '11 ',
    '(11) ',
    'https://',
    'a.com/',
    '1-',
    ')',
  ]) {
    const before = process.cpuUsage();
    partsOf(piece.repeat(TEXT_MAX_CHARS / piece.length));
    partsOf(`https://a.com/${piece.repeat(TEXT_MAX_CHARS / piece.length)}`);
    const { user, system } = process.cpuUsage(before);
    assert.ok((user + system) / 1_000 < LINEAR_MS, piece);
  }
});

test('a place leads to a map by its degrees', () => {
  assert.equal(
    mapHref(-23.5505, -46.6333),
    'https://www.openstreetmap.org/?mlat=-23.5505&mlon=-46.6333#map=16/-23.5505/-46.6333',
  );
});
