import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parametersOf } from '../../../../../actors/domain/template/parameters.ts';
import {
  BODY,
  IMAGE,
  ONE_TIME_CODE,
  template,
  URL_BUTTON,
} from '../../../../support/actors/domain/template-fixture.ts';
import { pluck } from '../../../../support/pluck.ts';

test('parameters name everything that can be given, with the network’s examples (D283)', () => {
  const components = [
    { type: 'HEADER', format: 'TEXT', text: 'Oi {{1}}', example: { header_text: ['Ana'] } },
    BODY,
    { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Sim' }, URL_BUTTON] },
  ];
  assert.deepEqual(parametersOf(template(components)), {
    header: { type: 'text', name: '1', example: 'Ana' },
    body: [
      { name: '1', example: 'Ana' },
      { name: '2', example: '77' },
    ],
    buttons: [
      { index: 0, type: 'quick_reply', title: 'Sim', required: false },
      { index: 1, type: 'url', title: 'Ver', example: 'https://x.example/7', required: true },
    ],
  });
  const header = (component: object) => parametersOf(template([{ ...component }])).header;
  assert.deepEqual(header(IMAGE), { type: 'image', example: 'https://y.example/a' });
  assert.deepEqual(header({ type: 'HEADER', format: 'LOCATION' }), { type: 'location' });
  assert.equal(header({ type: 'HEADER', format: 'TEXT', text: 'Olá' }), null);
  const code = template(ONE_TIME_CODE, { category: 'AUTHENTICATION' });
  assert.deepEqual(pluck(parametersOf(code).buttons, 'required'), [false]);
});

test('malformed components have empty parts (D283)', () => {
  const odd = [
    { type: 7 },
    { type: 'BODY', text: null, example: 'x' },
    { type: 'BUTTONS', buttons: {} },
  ];
  assert.deepEqual(parametersOf(template(odd)), { header: null, body: [], buttons: [] });
});
